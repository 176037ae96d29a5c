"""Luck taken out: scores and ratings less what chance gave, and an alarm for luck that chance cannot explain.

The luck of a seat in a game is a sum over the reveals of cards that nobody had seen: a fixed value of the
position after the reveal, less its mean over all orders of the unseen cards, given everything else. Its
expectation is 0 whatever the players do, so that a fixed multiple of it may be taken out of any score (a
control variate; Burch, Schmid, Moravcik, Morill & Bowling 2018, AAAI, call the idea AIVAT). The multiples are
fitted on other games and fixed; the luck itself comes from the engines (`engines/<game>/luck.py`) by replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import LeagueError
from .elo import Ratings, bradley_terry
from .intervals import ratio, standard_error
from .pairs import unit_differences
from .results import Flags, Floats, Ints, Results, across
from .scores import CommonScores, carried_by_few, least_squares_scores

ALARM = 5.0  # standard errors of luck that no honest player has
FEWEST = 20  # clusters below which no alarm is given


@dataclass(frozen=True)
class Weights:
    """What a point of luck is worth: in points of the score, and in wins over another seat.

    Fixed per game and options.
    """

    points: float
    wins: float


@dataclass(frozen=True, eq=False)
class Luck:
    """The luck of every entrant and what is left without it; arrays have one item per entrant."""

    mean: Floats  # points of score per game that chance gave
    z: Floats  # of the mean, in standard errors over clusters; NaN: too few
    scores: CommonScores  # least-squares scores without luck
    ratings: Ratings  # Elo without luck
    saved: float  # share of the variance of pair differences that is gone, over all pairs together
    heavy: Flags  # whether a few huge blocks carry a score without luck

    def shorter(self, raw: Ratings) -> float:
        """By what share the errors of Elo are shorter than raw ones, on average; below 0: they are longer."""
        counts = raw.perfect == 0 if (raw.perfect == 0).any() else np.ones(len(raw.elo), bool)
        before, after = (standard_error(one.covariance)[counts].sum() for one in (raw, self.ratings))
        return float(1 - after / before) if before > 0 else 0.0


def without_luck(results: Results, entrants: int, weights: Weights) -> Luck | None:
    """Take the luck out of scores and ratings; None where the results have no luck."""
    if results.luck is None:
        return None
    mean, z = _mean_luck(results, weights.points, entrants)
    less = results.with_scores(results.score - weights.points * results.luck)
    scores = least_squares_scores(less, entrants)
    ratings = bradley_terry(results, entrants, luck_weight=weights.wins)
    before, after = _spread(results, entrants), _spread(less, entrants)
    saved = 1 - after / before if before > 0 else 0.0
    return Luck(mean, z, scores, ratings, saved, carried_by_few(less, entrants))


def alarms(names: Sequence[str], z: Floats, clusters: Ints) -> list[str]:
    """Return a sentence for every entrant whose luck is no luck."""
    told = []
    for i in np.flatnonzero((np.nan_to_num(np.abs(z)) > ALARM) & (clusters >= FEWEST)).tolist():
        more, why = ("luckier", "it") if z[i] > 0 else ("unluckier", "another bot")
        told.append(f"{names[i]} was {more} than chance allows (z = {z[i]:+.1f}): {why} may see hidden cards")
    return told


def alarms_of(results: Results, names: Sequence[str], weights: Weights) -> list[str]:
    """Return the alarms of games that are not rated; blocks count as independent."""
    if results.luck is None:
        return []
    games = results.independent(None)
    _, z = _mean_luck(games, weights.points, len(names))
    return alarms(names, z, games.per_block.count(games.seated, len(names)))


def _mean_luck(results: Results, points: float, entrants: int) -> tuple[Floats, Floats]:
    """Mean luck per game, and how many standard errors over clusters that is from 0."""
    shares = results.per_cluster
    total = points * shares.total(results, lambda games: np.asarray(games.luck))
    games = np.bincount(shares.entrant, shares.games(results), minlength=entrants)
    summed = np.bincount(shares.entrant, total, minlength=entrants)
    clusters = np.bincount(shares.entrant, minlength=entrants)
    deviation = total - ratio(summed, clusters)[shares.entrant]
    square = np.bincount(shares.entrant, deviation**2, minlength=entrants)
    error = np.sqrt(ratio(clusters * square, clusters - 1))
    return ratio(summed, games), ratio(summed, error)


def _spread(results: Results, entrants: int) -> float:
    """Sum over all pairs of the squared deviations of their block differences."""
    unit = np.unique(results.block, return_inverse=True)[1].astype(np.int64)
    pair, difference = unit_differences(results, entrants, unit)
    count = np.bincount(pair, minlength=entrants**2)
    mean = ratio(np.bincount(pair, difference, minlength=entrants**2), count)
    return float(((difference - mean[pair]) ** 2).sum())


def fit_weights(results: Results, entrants: int) -> Weights:
    """Fit the weights that leave the least variance of block differences.

    Fit them on other games than they are used for.

    Least squares through the origin of the pair differences of block means, each pair less its own mean: of
    scores on luck, and of wins on luck.
    """
    if results.luck is None or not results.luck.any():
        raise LeagueError("weights of luck need games with luck: give Results.luck")
    unit = np.unique(results.block, return_inverse=True)[1].astype(np.int64)
    luck = _centred(results.with_scores(results.luck), entrants, unit)
    points = _centred(results, entrants, unit)
    wins = _centred(_as_wins(results), entrants, unit)
    return Weights(float(luck @ points / (luck @ luck)), float(luck @ wins / (luck @ luck)))


def _centred(results: Results, entrants: int, unit: Ints) -> Floats:
    pair, difference = unit_differences(results, entrants, unit)
    count = np.bincount(pair, minlength=entrants**2)
    return difference - ratio(np.bincount(pair, difference, minlength=entrants**2), count)[pair]


def _as_wins(results: Results) -> Results:
    """Scores replaced by wins less losses over the other seats, halved, per seat of the table.

    A point of luck more than all others changes it by as much as `Weights.wins` changes each single outcome.
    """
    ranking = np.where(np.isneginf(results.ranking), results.score.min() - 1, results.ranking)
    above = np.sign(ranking[:, :, None] - ranking[:, None, :])
    both = results.seated[:, :, None] & results.seated[:, None, :]
    players = np.maximum(across(results.seated)[:, None], 1)
    return results.with_scores(np.where(both, above, 0).sum(axis=2) / (2 * players))
