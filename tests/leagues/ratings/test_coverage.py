"""How often the intervals hold in simulated leagues."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from leagues.ratings import bradley_terry, least_squares_scores
from leagues.ratings.elo import ELO
from leagues.ratings.intervals import above_mean, error_of_difference, standard_error

from ..simulated import joined
from .made import league

LEAGUES = {  # what `league` plays
    "10 common deals": {"lineups": 14, "blocks": 10, "common": True},
    "40 common deals": {"lineups": 14, "blocks": 40, "common": True},
    "10 own deals": {"lineups": 10, "blocks": 1},
    "40 own deals": {"lineups": 40, "blocks": 1},
}


def covered(play, leagues, seed):
    """Shares of true ratings and scores in their 95 % intervals; `play(rng)` gives strengths and results."""
    rng, inside = np.random.default_rng(seed), []
    for _ in range(leagues):
        strength, results = play(rng)
        elo, score = bradley_terry(results, len(strength)), least_squares_scores(results, len(strength))
        true = strength - np.average(strength, weights=elo.blocks)
        ends = ((elo.elo_low - 1500) / ELO, (elo.elo_high - 1500) / ELO), (score.score_low, score.score_high)
        inside.append([(low <= true) & (true <= high) for low, high in ends])
    return np.mean(inside, axis=0)


def season(rng, newcomers, settled, blocks):
    """Strengths and results of four bots in many blocks, then of newcomers in a few with three of them."""
    strength = np.append([0.6, 0.2, -0.2, -0.6], rng.normal(0, 0.5, newcomers))
    results = league(rng, strength[:4], lineups=1, blocks=settled)
    for new in range(4, 4 + newcomers):
        who = np.append(rng.permutation(4)[:3], new)
        games = league(rng, strength[who], lineups=1, blocks=blocks)
        games = replace(games, entrant=who[games.entrant], block=games.block + results.block.max() + 1)
        results = joined(results, games)
    return strength, results


@pytest.mark.parametrize("leagues", [200, pytest.param(2_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak if name[0] == "4" else ()) for name in LEAGUES]
)
def test_95_percent_intervals_hold_in_95_percent(name, leagues):
    strength = np.linspace(-0.8, 0.8, 6)
    share = covered(lambda rng: (strength, league(rng, strength, **LEAGUES[name])), leagues, seed=4)
    assert (np.abs(share.mean(axis=1) - 0.95) < 0.02).all(), share


def test_intervals_of_settled_bots_and_newcomers_hold_in_95_percent():
    share = covered(lambda rng: season(rng, 3, settled=100, blocks=12), 200, seed=5)
    assert (np.abs(share.mean(axis=0) - 0.95) < 0.03).all(), share


@pytest.mark.parametrize("newcomers", [1, 3, 12])
def test_newcomers_hardly_move_or_widen_the_numbers_of_settled_bots(newcomers):
    rng, changes = np.random.default_rng(3), []
    for _ in range(20):
        results = season(rng, newcomers, settled=400, blocks=4)[1]
        for table in (bradley_terry, least_squares_scores):
            before, after = table(results.of_blocks(np.arange(400)), 4), table(results, 4 + newcomers)
            error, now = standard_error(before.covariance), standard_error(after.covariance)[:4]
            changes.append([now / error - 1, np.abs(after.value[:4] - before.value) / error])
    wider, moved = np.mean(changes, axis=(0, 2))
    assert wider < 0.05 and moved < 0.5, (wider, moved)


def test_what_the_mean_is_changes_no_difference_and_no_error_of_one():
    rng = np.random.default_rng(6)
    half, estimate = rng.standard_normal((5, 5)), rng.standard_normal(5)
    for weight in (np.ones(5), np.array([1, 0.5, 0, 0.1, 0]), np.zeros(5)):
        centred, covariance = above_mean(weight, np.zeros(5, np.int64), estimate, half @ half.T)
        assert np.average(centred, weights=weight if weight.any() else None) == pytest.approx(0)
        assert np.diff(centred) == pytest.approx(np.diff(estimate))
        assert error_of_difference(covariance) == pytest.approx(error_of_difference(half @ half.T))


def test_common_deals_make_the_error_bars_longer_where_bots_like_deals():
    rng, width = np.random.default_rng(9), []
    for common in (False, True):
        results = league(rng, np.zeros(6), lineups=30, blocks=40, common=common, liking=0.4)
        rating = bradley_terry(results, 6)
        width.append((rating.elo_high - rating.elo_low).mean())
    assert width[1] > 1.2 * width[0]


@pytest.mark.parametrize("leagues", [250, pytest.param(1_000, marks=pytest.mark.soak)])
def test_two_copies_of_one_bot_are_told_apart_in_5_percent_of_leagues(leagues):
    rng, strength, apart = np.random.default_rng(12), [0.5, 0.5, 0.0, -0.5, -0.5], 0
    for _ in range(leagues):
        rating = bradley_terry(league(rng, strength, lineups=15, blocks=6, bot=[0, 0, 1, 2, 3]), 5)
        variance = rating.covariance[0, 0] + rating.covariance[1, 1] - 2 * rating.covariance[0, 1]
        apart += abs(rating.elo[0] - rating.elo[1]) > 1.96 * sqrt(variance)
    assert abs(apart / leagues - 0.05) <= 2 * sqrt(0.05 * 0.95 / leagues)
