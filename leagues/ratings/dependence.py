"""Whether the games of one match depend on each other, so that errors must count matches and not blocks.

A stretch is a line-up's run of deals, a match one rotation of it, which every bot plays in one process. Its
blocks have deals of their own. But a bot that loses a whole match, or whose strength differs between
processes, makes the games of a match alike. Taken as independent they would give errors that are far too
short. Not here: the errors (`intervals`, `between_matches`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from .between_matches import MatchTable, match_table, mean_of
from .intervals import holm
from .results import Flags, Floats, Ints, Results, Small, Values, across, line_ups_of, numbered, renumbered

SIGNIFICANT = 0.01  # adjusted p below which a table says that matches count: in so many leagues by chance
DOUBTFUL = 0.5  # adjusted p below which the matches of an entrant count, though nothing is said
LEAST_FREE = 30  # degrees of freedom within matches; with fewer, a few large games look like a sign
FEWEST_LOST = 16  # forfeits of an entrant; two of three in one stretch of many would look like a sign
LOST = 0.5  # share of a match's games; an entrant that forfeited so many in a stretch lost them together


@dataclass(frozen=True)
class Dependence:
    """What was found. `entrants` are those whose results are alike within matches beyond chance.

    `doubtful` are others for whom it may be so: most leagues have none of them by chance. Their intervals are
    wider, by little where matches differ by little.
    """

    entrants: tuple[int, ...]
    p: float  # of the clearest sign, adjusted by Holm over all entrants; 1 where nothing can be tested
    # entrants that lost half a match or more, where stretches are too few to be tested
    untested: tuple[int, ...]
    doubtful: tuple[int, ...] = ()

    @property
    def unknown(self) -> tuple[int, ...]:
        """The entrants whose error nobody knows: nothing else says that their matches must count."""
        return tuple(i for i in self.untested if i not in self.entrants)


def stretch_dependence(results: Results, entrants: int) -> Dependence:
    """Test whether the results of entrants are alike within matches.

    Points and forfeits are tested within stretches and, if `Results.match` is known, within matches.

    Two analyses of variance, whose p values are joined by Fisher's method (they look at independent parts of
    the points): of block sums over the stretches of each line-up (line-ups may differ from each other, and
    that is no dependence), and of what a block's games differ by over the matches of each stretch. Strength
    that differs between processes shows most in the second, which has more degrees of freedom and needs only
    one stretch.
    """
    if not len(results.block):
        return Dependence((), 1.0, ())
    lost = _lost(results)
    nested = _Nested(results, entrants)
    by_points = _tested(nested, partial(_points, alike=[]))
    few = np.bincount(results.entrant[lost], minlength=entrants) < FEWEST_LOST
    # what can be tested is the same for points and forfeits
    by_lost = (
        np.copy(by_points) if few.all() else _tested(nested, lambda games: _lost(games).astype(np.float64))
    )
    by_lost[few & ~np.isnan(by_lost)] = 1.0
    alike: list[int] = []
    clearest = 1.0
    while True:
        adjusted = holm(np.stack([by_points, by_lost]))
        adjusted[:, alike] = np.nan
        least = np.nanmin(adjusted, axis=0, initial=1.0)
        clearest = clearest if alike else float(least.min(initial=1.0))
        if least.min(initial=1.0) >= SIGNIFICANT:
            break
        alike.append(int(least.argmin()))
        by_points = _tested(nested, partial(_points, alike=alike))
    untested = np.flatnonzero(np.isnan(by_lost) & (_most_lost(results, lost, entrants) >= LOST))
    doubtful = tuple(np.flatnonzero(least < DOUBTFUL).tolist())
    return Dependence(tuple(sorted(alike)), clearest, tuple(map(int, untested)), doubtful)


def as_it_depends(results: Results, entrants: int) -> Results:
    """Return the same games, in which matches count for entrants that depend on them or may do so."""
    found = stretch_dependence(results, entrants)
    return results.depending(found.entrants, found.doubtful)


def _lost(games: Results) -> Flags:
    """(games, seats) whether a seat forfeited."""
    return np.isneginf(games.ranking) & games.seated


def _points(results: Results, alike: Sequence[int]) -> Floats:
    """(games, seats) points less the mean of the table, both without the entrants that were found already.

    What one bot wins less in a match, the others at its table win more: they are not alike for that.
    """
    counted = results.seated & ~np.isin(results.entrant, alike)
    points = np.where(counted, results.score, 0)
    mean = across(points) / np.maximum(across(counted), 1)
    return np.where(counted, points - mean[:, None], 0)


def _tested(nested: _Nested, values: Values) -> Floats:
    """(entrants,) p values that values depend on stretch or match; NaN: no test."""
    return _joined(_by_stretch(nested, values), _by_match(nested, values))


@dataclass(frozen=True, eq=False)
class _Nested:
    """For every entrant in every block (as `Results.per_block`) numbers of its stretch and its line-up."""

    results: Results
    entrants: int

    @cached_property
    def matches(self) -> MatchTable:
        return match_table(self.results, self.entrants)

    @cached_property
    def stretch(self) -> Small:
        return self._group(self.results.stretch_number[self._starts])

    @cached_property
    def line_up(self) -> Small:
        return self._group(line_ups_of(self.results.entrant[self._starts])[1])

    @cached_property
    def stretches(self) -> Ints:
        """(entrants,) how many stretches every entrant has."""
        return self._groups(self.stretch)

    @cached_property
    def line_ups(self) -> Ints:
        """(entrants,) how many line-ups."""
        return self._groups(self.line_up)

    @cached_property
    def _starts(self) -> Ints:
        block = self.results.block
        return np.flatnonzero(np.diff(block, prepend=block[0] - 1))

    def _group(self, of_block: Ints) -> Small:
        shares, number = self.results.per_block, renumbered(of_block)
        return renumbered(number[shares.unit] * self.entrants + shares.entrant).astype(np.int32)

    def _groups(self, group: Small) -> Ints:
        entrant = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
        entrant[group] = self.results.per_block.entrant
        return np.bincount(entrant, minlength=self.entrants).astype(np.int64)

    @cached_property
    def blocks(self) -> Ints:
        """(entrants,) how many blocks."""
        return np.bincount(self.results.per_block.entrant, minlength=self.entrants).astype(np.int64)


def _joined(one: Floats, other: Floats) -> Floats:
    """Join p values of two independent tests: p q (1 - ln p q) (Fisher 1932), or the one that is known."""
    product = np.maximum(one * other, 1e-300)
    joined = product * (1 - np.log(product))
    return np.where(np.isnan(one), other, np.where(np.isnan(other), one, joined))


def _by_stretch(nested: _Nested, values: Values) -> Floats:
    """Test whether block sums of an entrant differ between stretches.

    Returns (entrants,) p values, over the stretches of a line-up; NaN: no test.
    """
    shares = nested.results.per_block
    total = shares.total(nested.results, values)
    middle = mean_of(nested.stretch, total)

    def summed(part: Floats) -> Floats:
        return np.asarray(np.bincount(shares.entrant, part**2, minlength=nested.entrants))

    one, two = nested.stretches - nested.line_ups, nested.blocks - nested.stretches
    return _p(summed(middle - mean_of(nested.line_up, total)), one, summed(total - middle), two)


def _by_match(nested: _Nested, values: Values) -> Floats:
    """(entrants,) p value that what games differ by from their block depends on the match; NaN: no test."""
    if nested.results.match is None:
        return np.full(nested.entrants, np.nan)
    found = nested.matches.variance(values)
    return _p(found.between, found.one, found.within, found.two)


def _p(between: Floats, one: Ints, within: Floats, two: Ints) -> Floats:
    """Compute the p values of the F test with `one` and `two` degrees of freedom.

    (entrants,); 1 where nothing differs, NaN where there are too few.
    """
    from scipy.special import fdtrc

    usable = (one > 0) & (two >= LEAST_FREE)
    some = usable & (between > 1e-12) & (between + within > 0)
    p = np.where(usable, 1.0, np.nan)
    f = between[some] / one[some] / np.maximum(within[some] / two[some], 1e-300)
    p[some] = fdtrc(one[some], two[some], f)
    return p


def _most_lost(results: Results, lost: Flags, entrants: int) -> Floats:
    """For every entrant the largest number of forfeits in a stretch, as a share of the stretch's blocks."""
    stretch = numbered(results.stretch_number)
    size = np.bincount(stretch, np.diff(results.block, prepend=results.block[0] - 1) != 0)
    game, seat = np.nonzero(lost)
    there, count = np.unique(stretch[game] * entrants + results.entrant[game, seat], return_counts=True)
    most: Floats = np.zeros(entrants)
    np.maximum.at(most, there % entrants, count / size[there // entrants])
    return most
