"""Text for people: where it goes, and how text of strangers is made safe to show on a terminal."""

from __future__ import annotations

import json
import math
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .errors import UsageError

# letters and signs that count as printable and show nothing
INVISIBLE = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
MARKS = 2  # combining marks that a letter may have; languages need no more, and each makes a line higher
LOG_BYTES = 10_000_000  # of one file of a log
LOG_FILES = 5  # older ones beside it
LINE = 120  # characters of what a stranger says in a line among others
CUT = " [...] "
KEPT = "\xa0"  # a space at which no line is broken

Say = Callable[[str], None]
"""Hears what is going on, a line at a time."""


def quiet(line: str) -> None:
    """Say nothing."""


Watch = Callable[[int, int, str], AbstractContextManager[Callable[..., None]]]
"""Shows progress: given the total, what is done, and the unit, it gives what is called with more of them."""


@contextmanager
def unwatched(total: int, done: int, unit: str) -> Iterator[Callable[..., None]]:
    """Show no progress."""
    yield lambda more, **facts: None


def count(n: int, word: str) -> str:
    """Write a number of things: 1 game, 2 games, 2 matches."""
    many = f"{word}es" if word.endswith(("tch", "s")) else f"{word}s"
    return f"{n} {word if n == 1 else many}"


def settings(options: Mapping[str, Any]) -> str:
    """Write options with the values as `--option` takes them: `ace_high = false`."""
    return ", ".join(f"{key} = {setting(value)}" for key, value in options.items())


def setting(value: Any) -> str:
    """Write the value of an option."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def number(value: float | None, digits: int = 0, sign: bool = False) -> str:
    """Write a number that may be missing or infinite: `-` then, and never -0."""
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:{'+' if sign else ''}z.{digits}f}"


def span(low: float | None, high: float | None, digits: int) -> str:
    """Write an interval; `-` where neither end is known."""
    ends = number(low, digits), number(high, digits)
    return "-" if ends == ("-", "-") else " .. ".join(ends)


def escaped(character: str) -> str:
    """Return a character as Python writes it where it cannot be shown."""
    return character.encode("unicode_escape").decode()


def printable(text: str, keep: str = "\n\t", escape: Callable[[str], str] = escaped) -> str:
    """Escape control characters, what is invisible, and marks that pile up.

    Args:
        keep: control characters that stay as they are.
        escape: what is shown instead of a character.
    """
    if text.isascii() and text.isprintable():
        return text
    shown, marks = [], 0
    for c in text:
        marks = marks + 1 if unicodedata.category(c)[0] == "M" else 0
        plain = c in keep or (c.isprintable() and c not in INVISIBLE and marks <= MARKS)
        shown.append(c if plain else escape(c))
    return "".join(shown)


def wrapped(text: str, columns: int) -> str:
    """Return text whose lines have at most so many columns.

    Lines are broken between words, and what goes on is indented. A word that is longer stays whole.
    """

    def broken(line: str) -> str:
        indent = line[: len(line) - len(line.lstrip(" "))] + "    "
        return textwrap.fill(
            line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )

    return "\n".join(map(broken, text.split("\n"))).replace(KEPT, " ")


def shortened(text: str, most: int) -> str:
    """At most so many characters: the begin of a text, and its end, where a traceback names the error."""
    if len(text) <= most:
        return text
    begin = most // 2
    return f"{text[:begin]}{CUT}{text[begin + len(CUT) - most :]}"


def first_line(text: str) -> str:
    """Return what a stranger says as part of a line of ours.

    With more lines, or blanks up to the terminal's edge, it could look like a line about somebody else.
    """
    lines = text.strip().splitlines() or [""]
    return shortened(" ".join(lines[0].split()), LINE)


class LogFile:
    """A file with a JSON line for everything that is written to it, rotated.

    A full disk ends nothing: then lines are missing. If the file is moved or removed, a new one is begun.

    Args:
        option: that named it, for the error.

    Raises:
        UsageError: it cannot be written.
    """

    def __init__(self, path: Path, option: str) -> None:
        import logging  # not in the sandbox, which imports this module
        from logging.handlers import RotatingFileHandler

        try:
            handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{option} {path}: cannot be written: {error.strerror}") from None
        handler.handleError = lambda record: None  # type: ignore[method-assign]
        self._log, self._path, self._close = logging.Logger("arena"), path.absolute(), handler.close
        self._log.addHandler(handler)

    def write(self, **fields: Any) -> None:
        """Write a line, with the time first."""
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        if not self._path.exists():
            self._close()  # the next line opens it
        self._log.info(json.dumps({"at": at, **fields}))
