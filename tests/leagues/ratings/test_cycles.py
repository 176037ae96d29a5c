"""Cycles: found where A beats B beats C beats A, and not where one number per bot describes the league."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from leagues.ratings import Results, bradley_terry, least_squares_scores
from leagues.ratings.cycles import lack_of_fit_of_places, lack_of_fit_of_points, untested

from .made import duels, games, league


def both(results, entrants):
    """Lack of fit of places and of points."""
    return (
        lack_of_fit_of_places(results, bradley_terry(results, entrants)),
        lack_of_fit_of_points(results, least_squares_scores(results, entrants)),
    )


def test_rock_paper_scissors_is_nothing_but_a_cycle():
    for found in both(duels(AB=70, BA=30, BC=70, CB=30, CA=70, AC=30), 3):
        assert found.share == pytest.approx(1) and found.clear


def test_the_share_of_a_cycle_in_points_is_that_of_the_squares():
    rows = [
        ("AB", [3, 0]),
        ("BC", [3, 0]),
        ("AC", [3, 0]),
    ] * 20  # potential 2, 0, -2; A-C is 3 where 4 would fit
    noise = np.tile([0.5, -0.5], 30)
    results = games(*((names, [a + more, b]) for (names, (a, b)), more in zip(rows, noise)))
    assert lack_of_fit_of_points(results, least_squares_scores(results, 3)).share == pytest.approx(3 / 27)


SHAPES = [
    {"lineups": 180, "blocks": 1, "seats": 2},
    {"lineups": 100, "blocks": 2, "seats": 4},
    {"lineups": 30, "blocks": 2, "seats": 4},
]


@pytest.mark.parametrize("leagues", [120, pytest.param(300, marks=pytest.mark.soak)])
@pytest.mark.parametrize("shape", SHAPES)
def test_leagues_without_cycles_are_blamed_in_5_percent(shape, leagues):
    rng, p = np.random.default_rng(5), []
    for _ in range(leagues):
        p.append([found.p for found in both(league(rng, np.linspace(-0.8, 0.8, 6), **shape), 6)])
    share = (np.array(p) < 0.05).mean(axis=0)
    assert (share <= 0.05 + 2 * sqrt(0.05 * 0.95 / leagues)).all() and (share > 0).all(), share


def test_a_cycle_among_four_at_tables_of_two_is_found_beside_strength():
    rng, rows = np.random.default_rng(6), []
    for _ in range(60):
        for one, two, more in ((0, 1, 0.8), (1, 2, 0.8), (0, 2, -0.4), (0, 3, 1.5), (1, 3, 1.5), (2, 3, 1.5)):
            rows.append((one, two, more + rng.standard_normal()))
    entrant = np.array([row[:2] for row in rows])
    score = np.array([[row[2], 0.0] for row in rows])
    assert all(found.clear for found in both(Results(entrant, score, np.arange(len(rows))), 4))


def test_nothing_is_said_where_all_sit_at_every_table_or_games_are_few():
    everybody = league(np.random.default_rng(1), np.zeros(4), lineups=40, blocks=1)
    assert both(everybody, 4)[1] is None
    assert both(duels(AB=5, BC=5, CA=5), 3) == (None, None)
    assert both(duels(AB=50, BA=50), 2) == (None, None)


def test_a_bot_that_depends_on_its_match_does_not_keep_the_others_from_being_tested():
    names = [(0, 1), (1, 2), (2, 0), (3, 0), (3, 1), (3, 2)]  # who of the first three beats whom; 3 is moody
    entrant, match = np.repeat(names, 40, axis=0), np.arange(240) // 20
    wins = np.random.default_rng(7).random(240) < 0.8
    score = np.where(entrant == 3, 5 * (match[:, None] % 2), np.stack([wins, ~wins], axis=1))
    results = Results(entrant, score, np.arange(240), stretch=match, match=match).depending((3,))
    assert not untested(results, 4)
    assert all(found is not None and found.clear for found in both(results, 4))
    everybody = Results(entrant, score, np.arange(240), stretch=match)
    assert untested(everybody, 4)
