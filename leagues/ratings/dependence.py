"""Whether the blocks of one stretch depend on each other, so that error bars must come from stretches.

A stretch is a line-up's run of deals that is played in the same matches. Its blocks have deals of their own,
but a bot that loses a whole match, that draws a mood per process or that learns within a match makes them
alike. Taken as independent they would give error bars that are far too short.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errors import holm
from .results import Floats, Ints, Results

SIGNIFICANT = 0.05  # adjusted p below which stretches take the place of blocks
LOST = 0.5  # share of a match's games; an entrant that forfeited so many in a stretch lost them together


@dataclass(frozen=True)
class Dependence:
    """What was found. `entrants` are those whose results are alike within stretches beyond chance."""

    entrants: tuple[int, ...]
    p: float  # of the clearest sign, adjusted by Holm over all entrants; 1 where nothing can be tested
    untested: tuple[
        int, ...
    ]  # entrants that lost half a match or more, where stretches are too few to be tested

    @property
    def unknown(self) -> tuple[int, ...]:
        """The entrants whose error nobody knows: nothing else says that stretches must count."""
        return tuple(i for i in self.untested if i not in self.entrants)


def stretch_dependence(results: Results, entrants: int) -> Dependence:
    """Test for every entrant whether blocks of one stretch are alike: its scores, and how often it forfeited.

    A one-way analysis of variance of block sums over the stretches of each line-up (line-ups may differ from
    each other, and that is no dependence). It needs a line-up with two stretches.

    Args:
        results: games with their stretches; a forfeited seat has the rank score -infinity.
        entrants: number of all entrants.
    """
    if not len(results.block):
        return Dependence((), 1.0, ())
    lost = np.isneginf(results.ranking) & results.seated
    points = results.score - results.score.sum(axis=1, keepdims=True) / _players(results)
    score, nested = np.where(results.seated, points, 0), _nested(results, entrants)
    found = np.stack([_f_test(results, nested, score), _f_test(results, nested, lost.astype(np.float64))])
    adjusted = holm(found)
    alike = np.flatnonzero((adjusted < SIGNIFICANT).any(axis=0))
    clearest = float(np.nanmin(adjusted)) if np.isfinite(adjusted).any() else 1.0
    dark = np.isnan(found[1])
    untested = np.flatnonzero(dark & (_most_lost(results, lost, entrants) >= LOST))
    return Dependence(tuple(map(int, alike)), clearest, tuple(map(int, untested)))


def _players(results: Results) -> Ints:
    return results.seated.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class _Nested:
    """For every entrant in every block (as `Results.per_block`):
    a number of its stretch, one of its line-up.
    """

    stretch: Ints
    line_up: Ints
    stretches: Ints  # how many every entrant has
    line_ups: Ints


def _nested(results: Results, entrants: int) -> _Nested:
    shares = results.per_block
    starts = np.flatnonzero(np.diff(results.block, prepend=results.block[0] - 1))
    stretch = np.unique(results.stretch_number[starts], return_inverse=True)[1]
    line_up = np.unique(_line_up_keys(np.sort(results.entrant[starts], axis=1)), return_inverse=True)[1]
    groups, counts = [], []
    for of_block in (stretch, line_up):
        keys, group = np.unique(of_block[shares.unit] * entrants + shares.entrant, return_inverse=True)
        groups.append(group.astype(np.int64))
        counts.append(np.bincount(keys % entrants, minlength=entrants).astype(np.int64))
    return _Nested(groups[0], groups[1], counts[0], counts[1])


def _mean_of(group: Ints, values: Floats) -> Floats:
    """For every value the mean of its group."""
    return np.asarray((np.bincount(group, values) / np.bincount(group))[group])


def _line_up_keys(members: Ints) -> Ints:
    """One number for every line-up: its members as digits."""
    base, seats = int(members.max(initial=0)) + 2, members.shape[1]
    if base**seats >= 2**63:  # too many digits: number the different ones
        return np.unique(members, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    return np.asarray((members + 1) @ (base ** np.arange(seats, dtype=np.int64)))


def _f_test(results: Results, nested: _Nested, values: Floats) -> Floats:
    """(entrants,) p value that the block sums of an entrant differ between stretches of a line-up; NaN: no
    test.
    """
    from scipy.special import fdtrc

    shares, entrants = results.per_block, len(nested.stretches)
    one = nested.stretches - nested.line_ups
    two = np.bincount(shares.entrant, minlength=entrants) - nested.stretches
    usable = (one > 0) & (two > 0)
    p = np.where(usable, 1.0, np.nan)
    if not values.any():
        return p
    total = shares.total(values, results.seated)
    middle = _mean_of(nested.stretch, total)
    within = np.bincount(shares.entrant, (total - middle) ** 2, minlength=entrants)
    between = np.bincount(shares.entrant, (middle - _mean_of(nested.line_up, total)) ** 2, minlength=entrants)
    some = usable & (between + within > 1e-12 * np.bincount(shares.entrant, total**2, minlength=entrants))
    f = (between[some] / one[some]) / np.maximum(within[some] / two[some], 1e-300)
    p[some] = fdtrc(one[some], two[some], f)
    return p


def _most_lost(results: Results, lost: np.ndarray, entrants: int) -> Floats:
    """For every entrant the largest number of forfeits in a stretch, as a share of the stretch's blocks."""
    stretch = np.unique(results.stretch_number, return_inverse=True)[1]
    size = np.bincount(stretch, np.diff(results.block, prepend=results.block[0] - 1) != 0)
    key = stretch[:, None] * entrants + np.where(results.seated, results.entrant, 0)
    share = np.bincount(key[lost], minlength=len(size) * entrants).reshape(-1, entrants) / size[:, None]
    return np.asarray(share.max(axis=0), np.float64)
