"""What a person can mend. The command line prints the text, without a traceback, and exits with `code`.

ArenaError
├── UsageError   the call was wrong: exit code 2
├── BotError     a bot file that cannot enter; names file and line
├── StoreError   the database cannot be used
└── RunError     a league run could not be finished
"""

from __future__ import annotations


class ArenaError(Exception):
    """Anything that a person can mend."""

    code = 1


class UsageError(ArenaError):
    """A wrong call."""

    code = 2


class BotError(ArenaError):
    """A bot that cannot enter."""


class StoreError(ArenaError):
    """A database that cannot be used."""


class RunError(ArenaError):
    """A run that could not be finished; what was finished is stored."""
