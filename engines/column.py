"""Columns of an encoding: what every number means that a learner sees, and where it stands.

Not here: how a row is encoded (a game's `encoding`), which is compiled.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

ENCODING = 2
"""Version of the encodings: columns that change or move make a new one, which older networks do not fit."""


@dataclass(frozen=True)
class Column:
    """A run of numbers of one kind: `width` of them, each from `low` to `high`."""

    name: str
    width: int
    meaning: str
    low: float = 0.0
    high: float = 1.0


def width_of(columns: Sequence[Column]) -> int:
    """How many numbers an encoding has."""
    return sum(column.width for column in columns)


def places(columns: Sequence[Column]) -> Any:
    """Where every run begins, by name, as plain integers that compiled code takes for constants."""
    names = [column.name for column in columns]
    kind: Any = namedtuple("Places", names)  # type: ignore[misc]  # the names are known when it runs
    return kind(*(width_of(columns[:k]) for k in range(len(columns))))
