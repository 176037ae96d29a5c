"""Bots whose processes die: error bars by deal where a death costs one game, by match where it costs all of
them.
"""

from __future__ import annotations

import numpy as np
import pytest

from leagues.ratings import Results, bradley_terry, mean_scores
from leagues.ratings.dependence import stretch_dependence

from .made import league, rotations

STRENGTH = np.array([0.5, 0.2, -0.2, -0.5])
CRASHES = 0  # the entrant whose process dies


def crashing(rng, stretches, death, whole, deals=16):
    """Four bots at tables of four; the first one's process dies in some matches (a rotation of a stretch).

    With `whole` a death costs all games of the match, else the game in which it happened, and it may come
    again.
    """
    blocks = stretches * deals
    entrant = rotations(rng.permuted(np.tile(np.arange(4), (blocks, 1)), axis=1))
    score = STRENGTH[entrant] + rng.standard_normal((blocks, 1, 4)) / 2 + rng.standard_normal((blocks, 4, 4))
    if whole:
        dead = np.repeat(rng.random((stretches, 4)) < death, deals, axis=0)
    else:
        deaths = rng.poisson(-np.log(1 - death), (stretches, 4))
        dead = (rng.random((stretches, deals, 4)).argsort(axis=1) < deaths[:, None]).reshape(blocks, 4)
    lost = dead[:, :, None] & (entrant == CRASHES)
    score = np.where(lost, score.min(axis=2, keepdims=True), score).reshape(-1, 4)
    ranking = np.where(lost.reshape(-1, 4), -np.inf, score)
    block = np.repeat(np.arange(blocks), 4)
    return Results(entrant.reshape(-1, 4), score, block, ranking, block // deals)


def as_rated(results):
    """By stretch where blocks depend on each other, else by block."""
    return results if stretch_dependence(results, 4).entrants else results.independent(None)


def coverage(stretches, death, whole, leagues, seed):
    """Per bot the share of true values inside the 95 % intervals of Elo and of the mean score."""
    rng = np.random.default_rng(seed)
    large = [crashing(rng, 300, death, whole) for _ in range(10)]
    elo = np.mean([bradley_terry(results, 4).elo for results in large], axis=0)
    score = np.mean([mean_scores(results, 4).mean for results in large], axis=0)
    inside = np.zeros((2, 4))
    for _ in range(leagues):
        results = as_rated(crashing(rng, stretches, death, whole))
        rating, mean = bradley_terry(results, 4), mean_scores(results, 4)
        inside[0] += (rating.elo_low <= elo) & (elo <= rating.elo_high)
        inside[1] += (mean.score_low <= score) & (score <= mean.score_high)
    return inside / leagues


@pytest.mark.parametrize("death", [0.05, 0.17])
def test_intervals_of_all_bots_hold_where_a_death_costs_one_game(death):
    share = coverage(16, death, False, leagues=2_000, seed=3)
    assert (share >= 0.93).all() and (share <= 0.97).all(), share


@pytest.mark.parametrize("death", [0.05, 0.17])
def test_intervals_of_all_bots_hold_where_a_death_costs_the_match_if_there_are_many(death):
    share = coverage(62, death, True, leagues=1_000, seed=4)
    assert (share >= 0.93).all() and (share <= 0.97).all(), share


def test_by_deal_they_would_not_hold():
    rng = np.random.default_rng(5)
    elo = np.mean([bradley_terry(crashing(rng, 300, 0.17, True), 4).elo for _ in range(10)], axis=0)
    rated = [bradley_terry(crashing(rng, 62, 0.17, True).independent(None), 4) for _ in range(200)]
    inside = np.mean([(one.elo_low <= elo) & (elo <= one.elo_high) for one in rated], axis=0)
    assert inside[CRASHES] < 0.75 and (inside < 0.92).all()


def test_independent_blocks_are_called_dependent_in_5_percent_of_leagues():
    rng, called = np.random.default_rng(6), 0
    for _ in range(600):
        results = league(rng, np.linspace(-1, 1, 6), lineups=12, blocks=8)
        stretched = results.independent(results.block // 4)
        called += bool(stretch_dependence(stretched, 6).entrants)
    assert called / 600 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 600)


def test_a_bot_with_a_mood_per_match_is_found():
    rng = np.random.default_rng(7)
    results = crashing(rng, 40, 0.0, False)
    mood = rng.standard_normal(40)[results.stretch][:, None] * (results.entrant == 2)
    moody = Results(results.entrant, results.score + mood, results.block, None, results.stretch)
    assert 2 in stretch_dependence(moody, 4).entrants and not stretch_dependence(results, 4).entrants


def test_a_lost_match_is_told_where_there_are_too_few_to_test():
    rng = np.random.default_rng(8)
    results = crashing(rng, 1, 0.0, False)
    ranking = results.ranking.copy()
    ranking[(results.entrant == 3) & (np.arange(len(ranking)) % 4 == 0)[:, None]] = -np.inf
    lost = Results(results.entrant, results.score, results.block, ranking, results.stretch)
    assert stretch_dependence(lost, 4).untested == (3,) and not stretch_dependence(lost, 4).entrants
    assert not stretch_dependence(results, 4).untested
