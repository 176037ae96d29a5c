"""What can be wrong with a league. Every one is a `ValueError` whose text says what, where and what to do.

LeagueError
└── DefinitionError   a league file that cannot be read or says something impossible; names file and line
"""

from __future__ import annotations


class LeagueError(ValueError):
    """Anything that schedules, ratings or definitions refuse."""


class DefinitionError(LeagueError):
    """A league with a mistake: what is wrong, and the key and the table of a file that it stands at."""

    def __init__(self, text: str, key: str = "", table: str = "") -> None:
        super().__init__(text)
        self.key, self.table = key, table
