"""Points per game: as they fell, and with the company taken out.

Not here: who finished before whom (`elo`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .between_matches import match_scatter, observed, planned_for, share_of_mean
from .intervals import above_mean, interval, inverse, ratio, sandwich, scatter, standard_error
from .results import (
    Flags,
    Floats,
    Ints,
    Results,
    Small,
    across,
    check_entrants,
    components,
    members,
    pairings,
    points_of,
)

LARGEST = 20  # one cluster in so many is one of the largest,
HEAVY = 0.5  # and these may carry such a share of an error


@dataclass(frozen=True, eq=False)
class Scores:
    """Points per game in the game's units, with 95 % intervals by cluster; arrays have one item per entrant.

    An entrant without a game has NaN with an infinite interval; in one cluster only, an infinite interval.
    """

    mean: Floats
    error: Floats  # standard error
    score_low: Floats
    score_high: Floats
    blocks: Ints  # clusters


@dataclass(frozen=True, eq=False)
class CommonScores(Scores):
    """Scores at common tables, which can be compared with each other and ranked (`pairs.Estimate`).

    `covariance` is (entrants, entrants), in points^2; `group` and `planned` are as in `Ratings`.
    """

    covariance: Floats
    group: Ints
    planned: Floats | None

    @property
    def value(self) -> Floats:
        """The scores; 0 for an entrant that met nobody, in a group of its own."""
        return np.nan_to_num(self.mean)


def mean_scores(results: Results, entrants: int) -> Scores:
    """Mean final score per game as it fell, with a t interval over the entrant's clusters.

    It depends on the company: compare entrants by it only where all have met the same opponents equally
    often, else by `least_squares_scores`. In blocks of unequal size every game counts the same (a ratio of
    block sums).
    """
    check_entrants(results, entrants)
    entrant, deviation, blocks, games, mean = _deviations(results, entrants)
    square = np.bincount(entrant, deviation**2, minlength=entrants)
    variance = ratio(blocks * square, (blocks - 1) * games**2)
    variance += ratio(np.diagonal(match_scatter(results, points_of, entrants)), games**2)
    error, seen = np.sqrt(variance), observed(results, blocks)
    return Scores(mean, error, *interval(mean, error, seen - 1, planned_for(results, blocks, seen)), seen)


def carried_by_few(results: Results, entrants: int) -> Flags:
    """Whether an entrant's mean score hangs on a few huge blocks, so that its interval is too short.

    True where the largest 5 % of its clusters (one in 20, rounded down) carry more than half of the squared
    deviations: for normal scores they carry 28 %, for lognormal ones (sd of the logarithm 1) 74 %. Below 20
    clusters nobody is marked. What has not happened yet cannot be seen: a pot that comes once in 400 blocks
    is missing from most tables of 100.

    Raises:
        LeagueError: an entrant number out of range.
    """
    check_entrants(results, entrants)
    entrant, deviation, *_ = _deviations(results, entrants)
    square = deviation**2
    ascending = _ascending(entrant, square, entrants)
    top = np.array([one[len(one) - len(one) // LARGEST :].sum() for one in ascending])
    return top > HEAVY * np.maximum(np.bincount(entrant, square, minlength=entrants), 1e-300)


def _ascending(entrant: Small, values: Floats, entrants: int) -> list[Floats]:
    """Return the values of every entrant, in ascending order."""
    small = entrant.astype(np.int16) if entrants < 2**15 else entrant  # 16 bits are sorted by their digits
    order = np.argsort(small, kind="stable")
    ends = np.searchsorted(entrant[order], np.arange(entrants + 1))
    return [np.sort(values[order[start:end]]) for start, end in pairwise(ends)]


def _deviations(results: Results, entrants: int) -> tuple[Small, Floats, Ints, Floats, Floats]:
    """Sum up each entrant's points less its mean, per cluster.

    Returns per entrant and cluster: the entrant, the deviation; per entrant: clusters, games, mean.
    """
    entrant, (total, count) = results.per_cluster.entrant, results.points
    games: Floats = np.bincount(entrant, count, minlength=entrants).astype(np.float64)
    mean = ratio(np.bincount(entrant, total, minlength=entrants), games)
    blocks = np.bincount(entrant, minlength=entrants).astype(np.int64)
    return entrant, total - mean[entrant] * count, blocks, games, mean


def least_squares_scores(results: Results, entrants: int) -> CommonScores:
    """Points per game corrected for the company: score = entrant + table, by least squares over all games.

    The difference of two entrants is how much more the one scores per game at a common table. The mean of all
    entrants that are connected by games, each weighted by its blocks, is 0 (of those that do not depend on
    the match, see `Results.apart`); of two groups that never met (`Ratings.group`) each is centred by itself,
    and they cannot be compared. An entrant that met nobody has NaN. Errors are the cluster sandwich, t with
    (own clusters - 1).

    Raises:
        LeagueError: an entrant number out of range.
    """
    check_entrants(results, entrants)
    bread, number, rated = normal_inverse(results, entrants)
    mean = bread @ results.by_entrant(lambda games: from_table_mean(games, games.score), entrants)

    def residual(games: Results) -> Floats:
        return from_table_mean(games, games.score - np.where(games.seated, mean[games.entrant], 0))

    counted = results.per_cluster.count(rated, entrants)
    blocks = observed(results, counted)
    planned = planned_for(results, counted, blocks)
    covariance = sandwich(bread, scatter(results, residual, entrants), blocks)
    mean, covariance = above_mean(share_of_mean(results, counted), number, mean, covariance)
    error = standard_error(covariance)
    mean[blocks == 0], error[blocks < 2] = np.nan, np.nan
    ends = interval(mean, error, blocks - 1, planned)
    return CommonScores(mean, error, *ends, blocks, covariance, number, planned)


def normal_inverse(results: Results, entrants: int) -> tuple[Floats, Ints, Flags]:
    """Invert the normal equations of `least_squares_scores`.

    Returns:
        The inverse, each entrant's connected component, and which seats met another's.
    """
    meetings, rated = _meetings(results, entrants)
    number = components(meetings > 0)
    group = members(number)
    bread = inverse(np.diag(meetings.sum(axis=1)) - meetings + (group / group.sum(axis=0)) @ group.T)
    return bread, number, rated


def explained(results: Results, bread: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Explain (games, seats) values by entrant + table; returns the entrants' numbers and what is left."""
    deviation, seated = from_table_mean(results, values), results.seated
    mean = bread @ np.bincount(results.entrant[seated], deviation[seated], minlength=len(bread))
    return mean, deviation - from_table_mean(results, np.where(seated, mean[results.entrant], 0))


def _meetings(results: Results, entrants: int) -> tuple[Floats, Flags]:
    """How much of a game every two shared (a pair at a table of k: 1 / k); which seats met another's."""
    meetings, rated = np.zeros(entrants * entrants), np.zeros(results.entrant.shape, bool)
    for pairing in pairings(results):
        share = pairing.weight / (1 + pairing.weight)
        meetings += np.bincount(pairing.one * entrants + pairing.two, share, minlength=len(meetings))
        for seat in pairing.seats:
            rated[pairing.games, seat] = True
    square = meetings.reshape(entrants, entrants)
    return square + square.T, rated


def from_table_mean(results: Results, values: Floats) -> Floats:
    """(games, seats) values less their mean over the seats that are taken; 0 in blank seats."""
    seated = results.seated
    return np.where(seated, values - (across(values) / across(seated))[:, None], 0)
