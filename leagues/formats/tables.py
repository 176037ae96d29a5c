"""What a format knows of a league, line-ups that keep bots of one owner apart, and their matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import comb

import numpy as np

from ..plan import MatchPlan
from ..schedule import MATCH_DEALS, Ints, line_ups, rotations_apart

CANDIDATES = 3_000  # line-ups of which the best are chosen, where there are more


@dataclass(frozen=True)
class LeagueField:
    """What a format may know of a league beside its games. Entrants are numbered from 0."""

    entrants: int
    seats: int
    deals: int  # deals that every entrant plays, on average
    # of every entrant, "" where nobody is named: bots of one owner are not seated together, unless there are
    # no others
    owners: tuple[str, ...] = ()
    candidates: tuple[int, ...] = ()  # of a gauntlet: those who are measured against the others
    joined: tuple[int, ...] = ()  # entrants that came after the start, in their order
    until: str = ""
    equal: float = 0.0  # Elo up to which two bots count as equal there

    def __post_init__(self) -> None:
        if len(set(self.owners)) == 1:  # nobody else is there whom they could harm
            object.__setattr__(self, "owners", ())

    def apart(self, members: Sequence[int]) -> bool:
        """Whether these may sit together: no owner has two different bots among them."""
        if not self.owners:
            return True
        owners = [self.owners[member] for member in set(members) if self.owners[member]]
        return len(set(owners)) == len(owners)

    def units(self) -> list[list[int]]:
        """Entrants that may not sit together are in one list."""
        by_owner: dict[str, list[int]] = {}
        for entrant in range(self.entrants):
            owner = self.owners[entrant] if self.owners else ""
            by_owner.setdefault(owner or f"/{entrant}", []).append(entrant)
        return list(by_owner.values())


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
