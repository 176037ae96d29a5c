"""Say what a bot's failure was.

One sentence, then a traceback that shows the bot's own lines and nothing of the host.
"""

from __future__ import annotations

import traceback
from pathlib import Path

from ..jail import files
from ..jail.outcomes import FaultKind
from .frames import MAX_TEXT

MAX_FRAMES = 12  # of a traceback
OWN = (str(Path(__file__).parent), str(Path(files.__file__).parent), "<frozen importlib", "<frozen runpy")
_folders: set[str] = set()  # above bots that were loaded from a disk


def came_from(folder: str) -> None:
    """Note a folder that a bot was loaded from. Its files are shown by their names in it."""
    _folders.add(folder)


class BadAnswer(Exception):
    """The bot's answer is no action."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def failure(error: BaseException) -> tuple[FaultKind, str]:
    """Kind and text of what a bot's code raised."""
    if isinstance(error, BadAnswer):
        return error.kind, str(error)
    try:
        return FaultKind.EXCEPTION, last_words(error)
    except MemoryError:
        raise
    except BaseException:  # its own __str__ raised
        return FaultKind.EXCEPTION, f"raised {type(error).__name__}, whose text cannot be shown"


def shown_name(filename: str) -> str:
    """Return a file's name as the bot's author knows it: its place in the bot's folder, else its name."""
    path = Path(filename)
    for folder in (files.ROOT, *_folders):
        if path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return path.name


def last_words(error: BaseException) -> str:
    """One sentence, then the traceback without the frames of the harness."""
    report = traceback.TracebackException.from_exception(error, limit=-MAX_FRAMES, compact=True)
    stack = [frame for frame in report.stack if not frame.filename.startswith(OWN)]
    report.stack = traceback.StackSummary.from_list(stack)
    for frame in report.stack:
        frame.filename = shown_name(frame.filename)
    if isinstance(error, SyntaxError) and report.filename:
        report.filename = shown_name(report.filename)
    lines = list(report.format(chain=False))
    where = f" ({stack[-1].filename}, line {stack[-1].lineno})" if stack else ""
    return f"raised {lines[-1].strip()[:300]}{where}\n{''.join(lines)[:MAX_TEXT]}"
