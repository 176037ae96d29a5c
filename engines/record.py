"""The record of a game, with the range of each field.

A record is a header that all games share, a field per option, and the game's own fields. The range of each
of them is declared once, where the field is.

From the declaration follow the NumPy type and, for a number of players and options, the lowest and the
highest row there can be. Rows from outside are compared with these (`core.first_outside`). A range says
what the blank of a field is, too: `core.clear` makes fields blank. Not here: what ranges
cannot say, such as that every card is in one place (each game's `valid`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .declaration import Option
from .errors import GameError

Bound: TypeAlias = "int | NDArray[np.int64] | Callable[[Mapping[str, int]], int]"
"""A number, one for each element, or a function of the set-up: number of players and options by name, as they
are in the record.
"""
MOST = 1 << 62
"""Amounts are at most this."""
HEADER = ("seed", "shuffle", "form", "seat", "players")
OPTIONS_AT = len(HEADER)
"""Place of the first option in a record, in numbers of 8 bytes; the number of players is before it."""
PLAYERS_AT = OPTIONS_AT - 1


@dataclass(frozen=True)
class Range:
    """What the elements of a field can be: `low` to `high`.

    `beyond`: the first axis are seats, and those beyond the number of players hold this.
    `blank`: what stands for nothing, 0 or -1.
    """

    low: Bound
    high: Bound
    beyond: int | None = None
    blank: int = 0


def within(low: Bound, high: Bound, beyond: int | None = None, blank: int | None = None) -> Range:
    """From `low` to `high`, both included. The blank is -1 for a range from -1, else 0."""
    if blank is None:
        blank = -1 if isinstance(low, int) and low == -1 else 0
    return Range(low, high, beyond, blank)


def players(setup: Mapping[str, int]) -> int:
    """Return the number of players, as a bound."""
    return setup["players"]


def all_seats(setup: Mapping[str, int]) -> int:
    """Return the mask of all seats, as a bound."""
    return (1 << setup["players"]) - 1


SEAT = within(-1, lambda setup: setup["players"] - 1)
"""A seat, or none."""
FLAG = within(0, 1)
AMOUNT = within(-MOST, MOST)
"""Points or chips."""
COUNT = within(0, MOST)
"""How often something has happened."""


class Record:
    """The record of a game.

    Single numbers are int64, as what compiled code computes is: no casts in the rules, one compiled form of
    a function. Arrays may be smaller.

    Args:
        options: one int64 field each.
        fields: (name, type, range) or (name, type, shape, range), in order.

    Raises:
        ValueError: a field has no range.
    """

    def __init__(self, options: Sequence[Option], fields: Sequence[tuple[Any, ...]]) -> None:
        header: list[tuple[Any, ...]] = [
            ("seed", np.uint64),  # blank 0; the driver's alone, never in a view
            ("shuffle", np.int64),  # the shuffle that is due or was last: hand * 64 + place in the hand
            ("form", np.int64),  # core.BLANK, WHOLE or VIEW
            ("seat", np.int64),  # to act; core.SHUFFLE or core.OVER
            ("players", np.int64),
        ]
        for field in fields:
            if not isinstance(field[-1], Range):
                raise ValueError(f"the field {field[0]} has no range: add one, such as within(0, 3)")
        self.options = tuple(options)
        self.ranges: dict[str, Range] = {
            "shuffle": within(-1, MOST),
            "form": within(0, 2),
            "seat": SEAT,
            **{field[0]: field[-1] for field in fields},
        }
        own = [field[:-1] for field in fields]
        self.dtype = np.dtype([*header, *((o.name, np.int64) for o in options), *own], align=True)
        self.blanks = {name: span.blank for name, span in self.ranges.items()}
        self.runs = _runs(self.dtype)

    def bounds(self, header: NDArray[np.int64]) -> NDArray[np.void]:
        """Return the lowest and the highest row of a set-up.

        Args:
            header: the first numbers of a row: HEADER and the options.

        Raises:
            GameError: an option is not one of its values; says which.
        """
        setup = {"players": int(header[PLAYERS_AT])}
        for option, number in zip(self.options, header[OPTIONS_AT:].tolist(), strict=True):
            if not option.low_number <= number <= option.high_number:
                raise GameError(f"has {option.name} = {number}: allowed is {option.allowed}")
            setup[option.name] = number
        rows = np.zeros(2, self.dtype)
        for name, number in setup.items():
            rows[name] = number
        for name, span in self.ranges.items():
            for row, bound in zip(rows, (span.low, span.high), strict=True):
                row[name] = bound(setup) if callable(bound) else bound
            if span.beyond is not None:
                rows[name][:, setup["players"] :] = span.beyond
        return rows


def _runs(dtype: np.dtype[np.void]) -> NDArray[np.int64]:
    """Return the runs of numbers of one width, without the seed.

    A run is a stretch of numbers that follow each other. The array is int64 [runs, 3]: the binary logarithm
    of the width in bytes, the first number's place in such numbers, and how many.
    """
    runs: list[list[int]] = []
    fields: Any = dtype.fields
    for name in (dtype.names or ())[1:]:
        kind, at = fields[name][:2]
        width = kind.base.itemsize
        log, n = width.bit_length() - 1, kind.itemsize // width
        if runs and runs[-1][0] == log and (runs[-1][1] + runs[-1][2]) * width == at:
            runs[-1][2] += n
        else:
            runs.append([log, at // width, n])
    return np.array(runs, np.int64)


def words_of(states: NDArray[np.void]) -> NDArray[np.int64]:
    """Return a contiguous batch as int64 [rows, words of a row]."""
    return states.view(np.int64).reshape(len(states), states.dtype.itemsize // 8)
