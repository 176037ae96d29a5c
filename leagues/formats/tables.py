"""Line-ups that keep bots of one owner apart, and the matches of some line-ups."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice, product
from math import comb

import numpy as np

from ..plan import MatchPlan
from ..schedule import MATCH_DEALS, Ints, line_ups, rotations_apart
from .field import LeagueField

CANDIDATES = 3_000  # line-ups of which the best are chosen, where there are more


def line_ups_apart(field: LeagueField, wanted: int) -> list[tuple[int, ...]]:
    """Line-ups in which pairs meet about equally often and no owner has two bots at a table.

    Everybody is in some of them. Bots of one owner, who cannot meet, play about as often as the others where
    there are enough line-ups.
    """
    units = field.units()
    if len(units) == field.entrants:
        return line_ups(field.entrants, field.seats, wanted)
    if len(units) <= field.seats:
        few = line_ups(len(units), field.seats, wanted)
        most = max([wanted, *map(len, units)])
        return [
            tuple(sorted(choice[i] for i in up)) for choice in islice(_choices(units), most) for up in few
        ]
    return _balanced(_allowed(field, units), field.entrants, wanted)


def _choices(units: list[list[int]]) -> list[tuple[int, ...]]:
    """Choose one of every unit: in all ways if they are few, else everybody as often as its unit's others."""
    if np.prod([len(unit) for unit in units], dtype=np.float64) <= CANDIDATES:
        return _in_turn(list(product(*units)))
    longest = max(map(len, units))
    return [tuple(unit[turn % len(unit)] for unit in units) for turn in range(longest)]


def _in_turn(choices: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """In an order in which all have come about equally often at any time."""
    count: dict[int, int] = {}
    ordered: list[tuple[int, ...]] = []
    while choices:
        best = min(choices, key=lambda choice: sum(count.get(one, 0) for one in choice))
        choices.remove(best)
        ordered.append(best)
        for one in best:
            count[one] = count.get(one, 0) + 1
    return ordered


def _allowed(field: LeagueField, units: list[list[int]]) -> Ints:
    """All line-ups that keep owners apart, or a random choice of them in which everybody is."""
    if comb(field.entrants, field.seats) <= CANDIDATES:
        return np.array([up for up in combinations(range(field.entrants), field.seats) if field.apart(up)])
    rng = np.random.default_rng(0)
    line_ups = {
        tuple(sorted(int(rng.choice(units[i])) for i in rng.permutation(len(units))[: field.seats]))
        for _ in range(CANDIDATES)
    }
    return np.array(sorted(line_ups))


def _balanced(allowed: Ints, entrants: int, wanted: int) -> list[tuple[int, ...]]:
    """Choose so many of the line-ups; all, if there are fewer.

    Next is always the one whose members have played least and met each other least.
    """
    size = min(max(wanted, entrants), len(allowed))
    met, played = np.zeros((entrants, entrants)), np.zeros(entrants)
    left = np.ones(len(allowed), bool)
    ordered = []
    for _ in range(size):
        together = met[allowed[:, :, None], allowed[:, None, :]].sum(axis=(1, 2))
        cost = np.where(left, (played[allowed] ** 2).sum(axis=1) + together / allowed.shape[1], np.inf)
        best = int(np.argmin(cost))
        left[best] = False
        up = allowed[best]
        met[np.ix_(up, up)] += 1 - np.eye(len(up))
        played[up] += 1
        ordered.append(tuple(map(int, up)))
    return ordered


def matches(tables: Sequence[tuple[tuple[int, ...], int]], size: int = MATCH_DEALS) -> tuple[MatchPlan, ...]:
    """All rotations of some line-ups, so many blocks each, in stretches of up to `size` blocks.

    One stretch of every line-up comes after the other, so that every beginning is about as balanced as the
    line-ups are.
    """
    stretches: list[tuple[tuple[int, ...], int, int]] = []
    first, done = 0, [0] * len(tables)
    while any(part < blocks for part, (_, blocks) in zip(done, tables, strict=True)):
        for at, (line_up, blocks) in enumerate(tables):
            length = min(size, blocks - done[at])
            if length <= 0:
                continue
            stretches.append((line_up, first, length))
            first, done[at] = first + length, done[at] + length
    return rotations_apart(stretches)
