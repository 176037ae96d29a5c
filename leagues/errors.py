"""What can be wrong with a league. Every one is a `ValueError` whose text says what, where and what to do.

LeagueError
└── DefinitionError   a league file that cannot be read or says something impossible; names file and line
"""

from __future__ import annotations

from glob import escape
from pathlib import Path

from engines.errors import nearest


class LeagueError(ValueError):
    """Anything that schedules, ratings or definitions refuse."""


class DefinitionError(LeagueError):
    """A league with a mistake: what is wrong, and the key and the table of a file that it stands at."""

    def __init__(self, text: str, key: str = "", table: str = "") -> None:
        super().__init__(text)
        self.key, self.table = key, table


def unreadable(path: Path, error: Exception) -> str:
    """Say that a file cannot be read: by the system's words, with what is near; or that it is no text."""
    said = f"{path}: cannot be read: {getattr(error, 'strerror', 'it is no text in UTF-8') or error}"
    like = path.parent.glob(f"*{escape(path.suffix)}") if isinstance(error, FileNotFoundError) else ()
    return f"{said}; {nearest(path.name, [one.name for one in like], '')}".removesuffix("; ")
