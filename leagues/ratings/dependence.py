"""Whether the blocks of one stretch depend on each other, so that error bars must come from stretches.

A stretch is a line-up's run of deals that is played in the same matches. Its blocks have deals of their own, but a
bot that loses a whole match, that draws a mood per process or that learns within a match makes them alike. Taken
as independent they would give error bars that are far too short.
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


def stretch_dependence(results: Results, entrants: int) -> Dependence:
    """Test for every entrant whether blocks of one stretch are alike: its scores, and how often it forfeited.

    A one-way analysis of variance of block sums over the stretches of each line-up (line-ups may differ from each
    other, and that is no dependence). It needs a line-up with two stretches.

    Args:
        results: games with their stretches; a forfeited seat has the rank score -infinity.
        entrants: number of all entrants.
    """
    if not len(results.block):
        return Dependence((), 1.0, ())
    lost = np.isneginf(results.ranking) & results.seated
    score = np.where(
        results.seated, results.score - results.score.sum(axis=1, keepdims=True) / _players(results), 0
    )
    found = np.stack([_f_test(results, score, entrants), _f_test(results, lost.astype(np.float64), entrants)])
    adjusted = holm(found)
    alike = np.flatnonzero((adjusted < SIGNIFICANT).any(axis=0))
    clearest = float(np.nanmin(adjusted)) if np.isfinite(adjusted).any() else 1.0
    dark = np.isnan(found[1])
    untested = np.flatnonzero(dark & (_most_lost(results, lost, entrants) >= LOST))
    return Dependence(tuple(map(int, alike)), clearest, tuple(map(int, untested)))


def _players(results: Results) -> Ints:
    return results.seated.sum(axis=1, keepdims=True)


def _f_test(results: Results, values: Floats, entrants: int) -> Floats:
    """(entrants,) p value that the block sums of an entrant differ between stretches of a line-up; NaN: no test."""
    from scipy.special import fdtrc

    shares = results.per_block
    total = shares.total(values, results.seated)
    starts = np.flatnonzero(np.diff(results.block, prepend=results.block[0] - 1))
    stretch = np.unique(results.stretch_number[starts], return_inverse=True)[1][shares.unit]
    line_up = np.unique(np.sort(results.entrant[starts], axis=1), axis=0, return_inverse=True)[1].ravel()[
        shares.unit
    ]
    _, group = np.unique(stretch * entrants + shares.entrant, return_inverse=True)
    _, whole = np.unique(line_up * entrants + shares.entrant, return_inverse=True)
    inner, outer = total - _mean_of(group, total), _mean_of(group, total) - _mean_of(whole, total)
    within = np.bincount(shares.entrant, inner**2, minlength=entrants)
    between = np.bincount(shares.entrant, outer**2, minlength=entrants)
    groups, wholes = (_number_of(key, shares.entrant, entrants) for key in (group, whole))
    one, two = groups - wholes, np.bincount(shares.entrant, minlength=entrants) - groups
    spread = between + within > 1e-12 * np.bincount(shares.entrant, total**2, minlength=entrants)
    usable = (one > 0) & (two > 0)
    p = np.full(entrants, np.nan)
    p[usable] = 1.0
    some = usable & spread
    f = (between[some] / one[some]) / np.maximum(within[some] / two[some], 1e-300)
    p[some] = fdtrc(one[some], two[some], f)
    return p


def _mean_of(group: Ints, values: Floats) -> Floats:
    """For every value the mean of its group."""
    return (np.bincount(group, values) / np.bincount(group))[group]


def _number_of(key: Ints, entrant: Ints, entrants: int) -> Ints:
    """How many different keys every entrant has."""
    first = np.unique(key, return_index=True)[1]
    return np.bincount(entrant[first], minlength=entrants).astype(np.int64)


def _most_lost(results: Results, lost: np.ndarray, entrants: int) -> Floats:
    """For every entrant the largest number of forfeits in a stretch, as a share of the stretch's blocks."""
    stretch = np.unique(results.stretch_number, return_inverse=True)[1]
    size = np.bincount(stretch, np.diff(results.block, prepend=results.block[0] - 1) != 0)
    key = stretch[:, None] * entrants + np.where(results.seated, results.entrant, 0)
    share = np.bincount(key[lost], minlength=len(size) * entrants).reshape(-1, entrants) / size[:, None]
    return np.asarray(share.max(axis=0), np.float64)
