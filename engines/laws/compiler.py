"""What the compiler has against a rule, in a few lines: Numba says it on a hundred."""

from __future__ import annotations

import re
from types import TracebackType

from numba.core.errors import NumbaError

COLOUR = re.compile(r"\x1b\[\d*m")
ROW = re.compile(r"Record\(.*?;\d+;\w+\)")
STATED = re.compile(r"^ *\w*Error: (?!Failed in)(.*)$")
PLACE = re.compile(r'^( *)File "([^"]*)", line (\d+):$')
NO_CAUSE = ("Failed in", "During", "File", "raised", "Overload", "There are", "With arg", "- Of which", ">>>")
OF_OTHERS = ("site-packages", "engines/core/", "numba/")
PLAIN = "NUMBA_DISABLE_JIT=1 before the command runs the rules as plain Python"


def compiler_words(error: Exception) -> str | None:
    """Return the cause of a compiler's error and the line of the rules; None for any other error."""
    at = innermost(error)
    if isinstance(error, KeyError) and at is not None and "numba" in at.tb_frame.f_code.co_filename:
        return f"the compiler finds no field {error} in the record. {PLAIN}"
    if not isinstance(error, NumbaError):
        return None
    lines = ROW.sub("row", COLOUR.sub("", str(error))).splitlines()
    number, place = _place(lines)
    stated = {match[1] for match in map(STATED.match, lines) if match}
    said = stated.pop() if len(stated) == 1 else _cause(lines, number)
    return f"the compiler refuses {place}: {said}\n    {PLAIN}"


def _place(lines: list[str]) -> tuple[int, str]:
    """Return where an error names the innermost line of the rules, and this line with its file."""
    for number, line in enumerate(lines):
        match = PLACE.match(line)
        if match and not any(part in match[2] for part in OF_OTHERS):
            arrow = next((n for n in range(number, len(lines)) if lines[n].strip() == "^"), number)
            return number, f"{match[2]}:{match[3]} ({lines[arrow - 1].strip()})"
    return len(lines), "a rule"


def _cause(lines: list[str], end: int) -> str:
    """Return the last cause before a line that is as far to the right, with the types of a call."""
    indent = _indent(lines[end]) if end < len(lines) else 0
    for number in range(end - 1, -1, -1):
        said = lines[number].strip()
        if said and _indent(lines[number]) == indent and not said.startswith(NO_CAUSE):
            call = next((one.strip() for one in lines[number : number + 4] if ">>>" in one), "")
            return f"{said} {call}".rstrip()
    return "no reason given"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def innermost(error: Exception) -> TracebackType | None:
    """Return the place where an error was raised."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at
