"""How much the results of a bot differ between its matches, beyond what its blocks differ by.

A bot plays every match in a process of its own. Where its strength differs between processes, the games of a
match depend on each other: blocks alone make its errors too short. `dependence` tests for that; the bots that
it found are `Results.by_match`, and the errors of their comparisons get the part that is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from .results import MATCH_TABLES, Flags, Floats, Ints, Results, Small, Values, across, numbered, renumbered


@dataclass(frozen=True, eq=False)
class MatchVariance:
    """An analysis of variance of every entrant's games over the matches of each stretch.

    Arrays have one item per entrant. `between` and `within` are sums of squares with `one` and `two` degrees
    of freedom.
    """

    between: Floats
    one: Ints
    within: Floats
    two: Ints
    response: float  # how much of a shift of all games of a match is left in the values that are compared
    shared: bool  # whether values have the same sum in all games: what one wins, the others lose

    @property
    def shift(self) -> Floats:
        """Estimate the variance of an entrant's shift between matches, by the method of moments.

        It is 0 where matches differ no more than blocks explain.
        """
        noise = self.within / np.maximum(self.two, 1)
        games = self.one + self.two  # of the entrant, less one for every block
        return np.asarray(
            np.maximum(self.between - self.one * noise, 0) / np.maximum(self.response**2 * games, 1e-300)
        )


class MatchTable:
    """The matches of some games, for analyses of any values of these games."""

    def __init__(self, results: Results, entrants: int) -> None:
        assert results.match is not None
        self._results, self.entrants = ref(results), entrants  # they keep this table
        self._directions: dict[tuple[int, bool], Floats] = {}
        self.match = renumbered(results.match)

    @property
    def results(self) -> Results:
        """The games; whoever asks this table has them."""
        found = self._results()
        assert found is not None
        return found

    def own(self, games: Results) -> Flags:
        """(games, seats) which seat is the first of its entrant in that game."""
        if not self._repeated:
            return games.seated
        first = games.seated.copy()
        for seat in range(1, first.shape[1]):
            first[:, seat] &= ~(games.entrant[:, :seat] == games.entrant[:, [seat]]).any(axis=1)
        return first

    @cached_property
    def _repeated(self) -> bool:
        """Whether an entrant has two seats in some game."""
        return any(_twice(games.entrant) for _, games in self.results.portions())

    @cached_property
    def _cells(self) -> tuple[Ints, NDArray[np.int32]]:
        """The entrant of every match and entrant that there are; (games, seats) which of them is the seat's.

        It says nothing of seats that are not `own`.
        """
        there = self._there(self.match)
        number = np.cumsum(there, dtype=np.int32) - 1
        place = np.empty(self.results.entrant.shape, np.int32)
        for rows, games in self.results.portions():
            place[rows] = number[self.match[rows, None] * self.entrants + np.maximum(games.entrant, 0)]
        return np.flatnonzero(there) % self.entrants, place

    def _there(self, unit: Ints) -> Flags:
        """Whether an entrant has a game in a unit, at unit * entrants + entrant."""
        there = np.zeros((int(unit.max(initial=-1)) + 1) * self.entrants, bool)
        for rows, games in self.results.portions():
            there[(unit[rows, None] * self.entrants + games.entrant)[games.seated]] = True
        return there

    @cached_property
    def free(self) -> Ints:
        """(entrants,) matches less stretches: degrees of freedom between the matches of a stretch."""
        matches, stretches = (
            self._there(unit).reshape(-1, self.entrants).sum(axis=0)
            for unit in (self.match, numbered(self.results.stretch_number))
        )
        return np.asarray(matches - stretches, np.int64)

    def variance(self, values: Values) -> MatchVariance:
        """Analyse values: an entrant's games, less the mean of its block.

        The luck of the seat is taken out first where line-ups have three different entrants or more: there
        it is most of the noise. With two, taking it out would take the difference of the matches with it.
        """
        results, count = self.results, self.entrants
        players = across(results.seated)
        fair = not self._repeated and bool((players > 2).all())
        mine, place = self._cells
        size, total = np.zeros(len(mine)), np.zeros(len(mine))
        games, square = np.zeros(count), np.zeros(count)
        low, high, most = np.inf, -np.inf, 1e-300
        for rows, portion in results.portions():
            value, own = values(portion), self.own(portion)
            table = across(value)
            low, high = min(low, float(table.min())), max(high, float(table.max()))
            most = max(most, float(value.max()), -float(value.min()))
            if fair:
                value = without_luck_of_seat(portion, value)
            elif self._repeated:
                value = _summed(portion, value)
            entrant, block = portion.entrant[own], results.per_block.of_seat[rows][own]
            deviation = value[own] - mean_of(block - block.min(), value[own])
            size += np.bincount(place[rows][own], minlength=len(mine))
            total += np.bincount(place[rows][own], deviation, minlength=len(mine))
            games += np.bincount(entrant, minlength=count)
            square += np.bincount(entrant, deviation**2, minlength=count)
        between = np.bincount(mine, total**2 / np.maximum(size, 1), minlength=count).astype(np.float64)
        blocks = np.bincount(results.per_block.entrant, minlength=count)
        within, two = np.maximum(square - between, 0), games.astype(np.int64) - blocks - self.free
        middle, shared = float(players.mean()) if len(players) else 2.0, high - low <= 1e-9 * most
        left = ((middle - 2) / (middle - 1) if shared else (middle - 1) / middle) if fair else 1.0
        return MatchVariance(between, self.free, within, two, left, shared)

    def directions(self, one: int, shared: bool = True) -> Floats:
        """Return (matches of `one`, entrants) the sum of a unit shift of `one` over the games of each match.

        With `shared` the others at the table lose what it wins, in equal parts.
        """
        if (one, shared) not in self._directions:
            self._directions[one, shared] = self._directed(one, shared)
        return self._directions[one, shared]

    def _directed(self, one: int, shared: bool) -> Floats:
        results = self.results
        mine = across(results.entrant == one) > 0
        entrant, match = results.entrant[mine], np.unique(self.match[mine], return_inverse=True)[1]
        others = results.seated[mine] & (entrant != one) & shared
        shift = np.where(others, -1 / np.maximum(across(others), 1)[:, None], 0.0)
        summed = np.zeros((int(match.max(initial=-1)) + 1, self.entrants))
        for seat in range(entrant.shape[1]):
            at = others[:, seat]
            np.add.at(summed, (match[at], entrant[at, seat]), shift[at, seat])
        summed[:, one] = np.bincount(match)
        return summed


def match_table(results: Results, entrants: int) -> MatchTable:
    """Return the matches of these games, which are looked at once for a number of entrants.

    The same games may be asked about with a newcomer that has none of them yet.
    """
    kept: dict[int, MatchTable] = results.__dict__.setdefault(MATCH_TABLES, {})
    if entrants not in kept:
        kept[entrants] = MatchTable(results, entrants)
    return kept[entrants]


def match_scatter(results: Results, values: Values, entrants: int) -> Floats:
    """Compute the scatter that the shifts of `Results.by_match` add to that of blocks.

    Returns:
        (entrants, entrants); zeros where no entrant depends on the match.
    """
    scatter: Floats = np.zeros((entrants, entrants))
    if results.by_match and results.match is not None:
        table = match_table(results, entrants)
        found = table.variance(values)
        shift = found.shift
        for one in results.by_match:
            direction = table.directions(one, found.shared)
            scatter += shift[one] * (direction.T @ direction)
    return scatter


def observed(results: Results, blocks: Ints) -> Ints:
    """(entrants,) what counts as the number of observations: blocks, or matches where they depend on them.

    A number of matches is less one for every stretch, but for the first.
    """
    if not results.by_match or results.match is None:
        return blocks
    free = match_table(results, len(blocks)).free
    some = np.isin(np.arange(len(blocks)), results.by_match)
    return np.asarray(np.where(some, np.minimum(blocks, free + 1), blocks), np.int64)


def planned_for(results: Results, blocks: Ints, seen: Ints) -> Floats | None:
    """For how many observations every entrant was planned: fewer than `planned` blocks where matches count.

    Args:
        blocks: (entrants,) its blocks, or (entrants, entrants) those of two.
        seen: likewise, the observations: `observed`.
    """
    return (
        None
        if results.planned is None
        else results.planned * np.where(blocks > 0, seen / np.maximum(blocks, 1), 1)
    )


def share_of_mean(results: Results, blocks: Ints) -> Floats:
    """(entrants,) weight of each in the mean of all: its blocks, as a share of the most that one has.

    An entrant in few blocks is badly known: with the weight of the others it would move and widen everybody's
    number. Those whose games surely depend on the match have no weight, unless that leaves none.
    """
    share = blocks / max(int(blocks.max(initial=0)), 1)
    calm = np.where(np.isin(np.arange(len(blocks)), results.apart), 0.0, share)
    return calm if calm.any() else share


def without_luck_of_seat(results: Results, values: Floats) -> Floats:
    """(games, seats) values less the mean of who had that seat in that deal."""
    block = np.cumsum(np.diff(results.block, prepend=results.block[:1]) != 0)
    size, left = np.bincount(block), np.empty(values.shape)
    for seat, value in enumerate(values.T):
        left[:, seat] = value - (np.bincount(block, value) / size)[block]
    return left


def _twice(entrant: Ints) -> bool:
    """Whether an entrant has two seats in some of these games."""
    ordered = np.sort(entrant, axis=1)
    return bool(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any())


def mean_of(group: Ints | Small, values: Floats) -> Floats:
    """For every value the mean of its group."""
    return np.asarray((np.bincount(group, values) / np.maximum(np.bincount(group), 1))[group])


def _summed(results: Results, values: Floats) -> Floats:
    """(games, seats) the sum over all seats of the seat's entrant in that game."""
    total = np.zeros(values.shape)
    for seat, entrant in enumerate(results.entrant.T):
        total += np.where(results.entrant == entrant[:, None], values[:, [seat]], 0)
    return total
