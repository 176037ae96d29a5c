"""How often the intervals hold in simulated leagues."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from leagues.ratings import bradley_terry, least_squares_scores
from leagues.ratings.elo import ELO

from .made import league

LEAGUES = {  # what `league` plays
    "10 common deals": {"lineups": 14, "blocks": 10, "common": True},
    "40 common deals": {"lineups": 14, "blocks": 40, "common": True},
    "10 own deals": {"lineups": 10, "blocks": 1},
    "40 own deals": {"lineups": 40, "blocks": 1},
}


def covered(shape, leagues, entrants, seed):
    """Share of the true values that lie in the 95 % intervals of the rating and of the least-squares
    scores.
    """
    rng, strength = np.random.default_rng(seed), np.linspace(-0.8, 0.8, entrants)
    inside = np.zeros(2)
    for _ in range(leagues):
        results = league(rng, strength, **shape)
        elo, score = bradley_terry(results, entrants), least_squares_scores(results, entrants)
        inside[0] += ((elo.elo_low <= 1500 + ELO * strength) & (1500 + ELO * strength <= elo.elo_high)).mean()
        inside[1] += ((score.score_low <= strength) & (strength <= score.score_high)).mean()
    return inside / leagues


@pytest.mark.parametrize("leagues", [200, pytest.param(2_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak if name[0] == "4" else ()) for name in LEAGUES]
)
def test_95_percent_intervals_hold_in_95_percent(name, leagues):
    share = covered(LEAGUES[name], leagues, entrants=6, seed=4)
    assert (share > 0.93).all() and (share < 0.97).all(), share


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
