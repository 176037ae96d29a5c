"""How much the results of a bot differ between its matches, beyond what its blocks differ by.

A bot plays every match in a process of its own. Where its strength differs between processes, the games of a
match depend on each other: blocks alone make its errors too short. `dependence` tests for that; the bots that
it found are `Results.by_match`, and the errors of their comparisons get the part that is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .results import Flags, Floats, Ints, Results, numbered, numbered_cells


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
    """The matches of some games, for analyses of any values of these games.

    Args:
        results: games with `Results.match`.
        entrants: number of all entrants.
    """

    def __init__(self, results: Results, entrants: int) -> None:
        assert results.match is not None
        self.results, self.entrants = results, entrants
        low = results.match.min(initial=0)
        span = int(results.match.max(initial=-1) - low) + 1
        if span > 8 * len(results.match):  # numbers with wide gaps
            self.match = np.unique(results.match, return_inverse=True)[1].astype(np.int64)
        else:
            self.match = numbered_cells(results.match - low, span)[1]

    @cached_property
    def own(self) -> Flags:
        """(games, seats) which seat is the first of its entrant in that game."""
        results = self.results
        if not self._repeated:
            return results.seated
        first = results.seated.copy()
        for seat in range(1, first.shape[1]):
            first[:, seat] &= ~(results.entrant[:, :seat] == results.entrant[:, [seat]]).any(axis=1)
        return first

    @cached_property
    def _repeated(self) -> bool:
        """Whether an entrant has two seats in some game."""
        ordered = np.sort(self.results.entrant, axis=1)
        return bool(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any())

    @cached_property
    def _cells(self) -> tuple[Ints, Ints]:
        """The entrant of every match and entrant that there are; for every own seat its place among them."""
        return self._of(self.match)

    def _of(self, unit: Ints) -> tuple[Ints, Ints]:
        size = (int(unit.max(initial=-1)) + 1) * self.entrants
        spread = np.broadcast_to(unit[:, None], self.own.shape)[self.own]
        there, number = numbered_cells(spread * self.entrants + self.results.entrant[self.own], size)
        return there % self.entrants, number

    @cached_property
    def free(self) -> Ints:
        """(entrants,) matches less stretches: degrees of freedom between the matches of a stretch."""
        matches, stretches = (
            np.bincount(which, minlength=self.entrants)
            for which in (self._cells[0], self._of(numbered(self.results.stretch_number))[0])
        )
        return np.asarray(matches - stretches, np.int64)

    def shared(self, values: Floats) -> bool:
        """Whether (games, seats) values have the same sum in all games: what one wins, the others lose."""
        total = values.sum(axis=1)
        return bool(np.ptp(total) <= 1e-9 * max(float(np.abs(values).max(initial=0)), 1e-300))

    def variance(self, values: Floats) -> MatchVariance:
        """Analyse (games, seats) values: an entrant's games, less the mean of its block.

        The luck of the seat is taken out first where line-ups have three different entrants or more: there
        it is most of the noise. With two, taking it out would take the difference of the matches with it.
        """
        results, own = self.results, self.own
        players, shared = results.seated.sum(axis=1), self.shared(values)
        fair = not self._repeated and bool((players > 2).all())
        if fair:
            values = without_luck_of_seat(results, values)
        elif self._repeated:
            values = _summed(results, values)
        entrant, block = results.entrant[own], results.per_block.of_seat[own]
        value = values[own] - mean_of(block, values[own])
        mine, place = self._cells
        size, total, count = np.bincount(place), np.bincount(place, value), self.entrants
        between: Floats = np.zeros(count)
        np.add.at(between, mine, total**2 / np.maximum(size, 1))
        within = np.maximum(np.bincount(entrant, value**2, minlength=count) - between, 0)
        games = np.bincount(entrant, minlength=count)
        blocks = np.bincount(results.per_block.entrant, minlength=count)
        middle = float(players.mean()) if len(players) else 2.0
        left = ((middle - 2) / (middle - 1) if shared else (middle - 1) / middle) if fair else 1.0
        return MatchVariance(between, self.free, within, games - blocks - self.free, left)

    def directions(self, one: int, shared: bool = True) -> Floats:
        """Return (matches of `one`, entrants) the sum of a unit shift of `one` over the games of each match.

        With `shared` the others at the table lose what it wins, in equal parts.
        """
        results = self.results
        mine = (results.entrant == one).any(axis=1)
        entrant, match = results.entrant[mine], np.unique(self.match[mine], return_inverse=True)[1]
        others = results.seated[mine] & (entrant != one) & shared
        shift = np.where(others, -1 / np.maximum(others.sum(axis=1, keepdims=True), 1), 0.0)
        summed = np.zeros((int(match.max(initial=-1)) + 1, self.entrants))
        for seat in range(entrant.shape[1]):
            at = others[:, seat]
            np.add.at(summed, (match[at], entrant[at, seat]), shift[at, seat])
        summed[:, one] = np.bincount(match)
        return summed


def match_scatter(results: Results, values: Floats, entrants: int) -> Floats:
    """Compute the scatter that the shifts of `Results.by_match` add to that of blocks.

    Args:
        results: the games.
        values: (games, seats) residuals.
        entrants: number of entrants.

    Returns:
        (entrants, entrants); zeros where no entrant depends on the match.
    """
    scatter: Floats = np.zeros((entrants, entrants))
    if results.by_match and results.match is not None:
        table = MatchTable(results, entrants)
        shift = table.variance(values).shift
        for one in results.by_match:
            direction = table.directions(one, table.shared(values))
            scatter += shift[one] * (direction.T @ direction)
    return scatter


def observed(results: Results, blocks: Ints) -> Ints:
    """(entrants,) what counts as the number of observations: blocks, or matches where they depend on them.

    A number of matches is less one for every stretch, but for the first.
    """
    if not results.by_match or results.match is None:
        return blocks
    free = MatchTable(results, len(blocks)).free
    some = np.isin(np.arange(len(blocks)), results.by_match)
    return np.asarray(np.where(some, np.minimum(blocks, free + 1), blocks), np.int64)


def calm(results: Results, entrants: int) -> Flags:
    """(entrants,) those whose games do not surely depend on the match; all, where that leaves none."""
    flags = ~np.isin(np.arange(entrants), results.apart)
    return flags if flags.any() else ~flags


def above_calm(results: Results, estimate: Floats, group: Ints) -> Floats:
    """(entrants,) estimates less the mean of the calm ones of their group; unchanged where all are calm."""
    if not results.apart:
        return estimate
    weight = (calm(results, len(estimate)) & ~np.isnan(estimate)).astype(np.float64)
    size = np.bincount(group, weight)
    level = np.bincount(group, np.nan_to_num(estimate) * weight) / np.maximum(size, 1)
    return np.asarray(estimate - level[group])


def without_luck_of_seat(results: Results, values: Floats) -> Floats:
    """(games, seats) values less the mean of who had that seat in that deal."""
    block = np.cumsum(np.diff(results.block, prepend=results.block[:1]) != 0)
    return np.stack([seat - mean_of(block, seat) for seat in values.T], axis=1)


def mean_of(group: Ints, values: Floats) -> Floats:
    """For every value the mean of its group."""
    return np.asarray((np.bincount(group, values) / np.maximum(np.bincount(group), 1))[group])


def _summed(results: Results, values: Floats) -> Floats:
    """(games, seats) the sum over all seats of the seat's entrant in that game."""
    total = np.zeros(values.shape)
    for seat, entrant in enumerate(results.entrant.T):
        total += np.where(results.entrant == entrant[:, None], values[:, [seat]], 0)
    return total
