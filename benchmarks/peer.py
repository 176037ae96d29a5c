"""A row of the table of peers: what is done, by which library, and what is counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

OURS = "card-arena"


@dataclass(frozen=True)
class Row:
    """One thing that a library does.

    Attributes:
        about: what it is compared by: a game of ours, or a task.
        library: whose.
        what: the peer's own game or function, and what makes it easier or harder.
        unit: what `once` counts.
        once: does it, and returns how many units that was.
    """

    about: str
    library: str
    what: str
    unit: str
    once: Callable[[], int]

    @property
    def ours(self) -> bool:
        """Whether it is this project's."""
        return self.library == OURS
