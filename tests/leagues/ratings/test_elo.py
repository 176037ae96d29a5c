"""Elo: hand-computed cases and degenerate leagues."""

from dataclasses import fields, replace
from math import log, log10, sqrt

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import elo
from leagues.ratings.elo import ELO, bradley_terry
from leagues.ratings.intervals import holm, scatter, t_cdf, t_quantile
from leagues.ratings.pairs import rank_intervals
from leagues.ratings.results import Results
from leagues.ratings.scores import mean_scores

from .made import TABLES, duels, games, league


def test_a_score_of_75_percent_is_190_elo_with_the_error_of_the_textbook():
    rated = bradley_terry(duels(AB=30_000, BA=10_000), 2)
    assert rated.elo[0] - rated.elo[1] == pytest.approx(400 * log10(3), abs=0.05)  # 190.85
    assert rated.elo.mean() == pytest.approx(1500)
    error = 400 / log(10) / sqrt(40_000 * 0.75 * 0.25)  # of a log odds, in Elo
    difference = rated.covariance[0, 0] + rated.covariance[1, 1] - 2 * rated.covariance[0, 1]
    assert sqrt(difference) == pytest.approx(error, rel=1e-3)
    # relative to the mean: half of it
    assert rated.elo_high[0] - rated.elo[0] == pytest.approx(1.96 * error / 2, rel=1e-3)


def test_with_few_games_the_rating_is_where_likelihood_and_prior_balance():
    rated = bradley_terry(duels(AB=3, BA=1), 2)
    half = (rated.elo[0] - 1500) / ELO  # strength of A; B has its negative
    chance = 1 / (1 + 10 ** (-(rated.elo[0] - rated.elo[1]) / 400))
    assert 3 - 4 * chance == pytest.approx(half / (700 / ELO) ** 2, abs=1e-9)
    assert 150 < rated.elo[0] - rated.elo[1] < 400 * log10(3)


def test_with_few_games_the_error_is_the_spread_of_blocks_over_the_curvature():
    rated = bradley_terry(duels(AB=9, BA=1), 2)
    chance = 1 / (1 + 10 ** (-(rated.elo[0] - rated.elo[1]) / 400))
    # squares around the mean outcome, not around the expected one, which the prior holds back
    spread = 10 / 9 * 10 * 0.9 * 0.1
    error = ELO * sqrt(spread) / (2 * 10 * chance * (1 - chance) + (ELO / 700) ** 2)
    assert rated.elo_high[0] - rated.elo[0] == pytest.approx(2.262157 * error)


def test_odds_that_multiply_are_fitted_exactly():
    rated = bradley_terry(duels(AB=20_000, BA=10_000, BC=20_000, CB=10_000, AC=24_000, CA=6_000), 3)
    assert rated.elo - 1500 == pytest.approx([400 * log10(2), 0, -400 * log10(2)], abs=0.1)


def test_a_tie_is_half_a_win_for_both():
    ties = bradley_terry(duels(AB=200, A_B=200), 2)
    wins = bradley_terry(duels(AB=300, BA=100), 2)
    assert ties.elo == pytest.approx(wins.elo)
    assert ties.elo_high[0] < wins.elo_high[0]  # but ties vary less


def test_a_pair_at_a_table_of_three_counts_half_so_that_a_game_counts_the_same_at_every_size():
    three = bradley_terry(games(*[("ABC", [2, 1, 0])] * 200, *[("CBA", [2, 1, 0])] * 100), 3)
    two = bradley_terry(duels(AB=100, AC=100, BC=100, BA=50, CA=50, CB=50), 3)
    assert three.elo == pytest.approx(two.elo)


def test_two_seats_of_one_entrant_are_not_compared():
    rows = [("AAB", [5, -5, 0]), ("AAB", [5, 6, 0]), ("BAA", [3, 0, 0]), ("BAA", [3, 0, 4])]
    rated = bradley_terry(games(*rows), 2)
    assert rated.elo == pytest.approx(bradley_terry(duels(AB=2, BA=2), 2).elo)  # 4 wins each, half a weight


def test_forfeits_lose_to_everyone_but_each_other_while_scores_stay():
    rank = np.array([[-np.inf, -np.inf, -3.0]] * 40)
    results = replace(games(*[("ABC", [9, 0, 3])] * 40), rank_score=rank)
    rated = bradley_terry(results, 3)
    assert rated.elo[0] == pytest.approx(rated.elo[1])
    assert rated.perfect.tolist() == [0, 0, 1]
    assert mean_scores(results, 3).mean.tolist() == [9, 0, 3]


def test_one_entrant_alone_is_1500_and_nothing_is_known():
    rated = bradley_terry(games(("AA", [1, 0]), ("AA", [0, 1])), 1)
    assert (rated.elo[0], rated.elo_low[0], rated.elo_high[0]) == (1500, -np.inf, np.inf)
    assert rated.blocks.tolist() == [0] and rated.provisional[0] and rated.perfect[0] == 0
    assert rank_intervals(rated).tolist() == [[1, 1]]


@pytest.mark.parametrize("table", TABLES)
def test_a_league_without_games_is_rated_without_an_opinion(table):
    nothing = table(Results(np.zeros((0, 4), np.int64), np.zeros((0, 4)), np.zeros(0, np.int64)), 3)
    low, high = (getattr(nothing, f.name) for f in fields(nothing) if f.name.endswith(("_low", "_high")))
    assert np.isneginf(low).all() and np.isposinf(high).all() and not nothing.blocks.any()


def test_all_wins_and_all_losses_are_finite_bounds_and_marked():
    rated = bradley_terry(duels(AB=40, AC=40, BC=20, CB=20), 3)
    assert rated.perfect.tolist() == [1, 0, 0]
    assert 1900 < rated.elo[0] < 3000
    assert rated.elo[0] - rated.elo_low[0] > 200  # every block agrees, and still it is not known exactly
    assert rank_intervals(rated).tolist() == [[1, 1], [2, 3], [2, 3]]
    assert bradley_terry(duels(BA=40, CA=40, BC=20, CB=20), 3).perfect.tolist() == [-1, 0, 0]


def test_a_perfect_score_does_not_widen_the_intervals_of_the_others():
    with_it = bradley_terry(duels(AB=40, AC=40, BC=20, CB=20), 3)
    without = bradley_terry(duels(BC=20, CB=20), 3)
    half, before = (one.elo_high[1] - one.elo[1] for one in (with_it, without))
    assert half == pytest.approx(before, rel=0.05)


def test_two_halves_of_a_league_that_always_beats_the_other_are_known_to_differ_but_not_by_how_much():
    rated = bradley_terry(duels(AB=20, BA=20, CD=20, DC=20, AC=20, AD=20, BC=20, BD=20), 4)
    assert rated.perfect.tolist() == [0, 0, 0, 0]
    assert (rated.elo_high - rated.elo > 100).all()
    assert rank_intervals(rated).tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]


def test_groups_that_never_met_are_centred_apart_and_not_ranked_against_each_other():
    rated = bradley_terry(duels(AB=90, BA=10, CD=60, DC=40), 4)
    assert rated.group[0] == rated.group[1] != rated.group[2] == rated.group[3]
    assert rated.elo[:2].mean() == pytest.approx(1500) and rated.elo[2:].mean() == pytest.approx(1500)
    assert rank_intervals(rated).tolist() == [[1, 1], [2, 2], [1, 2], [1, 2]]


def test_an_entrant_without_games_changes_nothing_for_the_others():
    without, with_it = (bradley_terry(duels(AB=30, BA=20), entrants) for entrants in (2, 3))
    assert with_it.elo[:2] == pytest.approx(without.elo)
    assert with_it.elo_low[:2] == pytest.approx(without.elo_low)
    assert with_it.elo[2] == pytest.approx(1500) and np.isposinf(with_it.elo_high[2])


def test_all_ties_are_1500_for_all_and_nobody_is_surely_better():
    for played in (duels(A_B=40, B_C=40, A_C=40, A_D=40), games(*[("ABCD", [2] * 4)] * 41)):
        rated = bradley_terry(played, 4)
        assert rated.elo == pytest.approx([1500] * 4)
        assert rated.elo_high == pytest.approx(rated.elo_low)
        assert rank_intervals(rated).tolist() == [[1, 4]] * 4


def test_rounding_is_not_taken_for_a_sure_difference_where_all_blocks_agree():
    block = duels(A_B=1, AC=6, CA=2, AD=7, DA=2, BC=6, CB=2, BD=7, DB=2, CD=5, DC=1)
    thirty = repeated(block, 30)
    # A and B did the same
    assert rank_intervals(bradley_terry(thirty, 4)).tolist() == [[1, 2], [1, 2], [3, 3], [4, 4]]


def test_few_blocks_that_all_agree_tell_no_error():
    block = duels(AC=6, CA=2, AD=7, DA=2, CD=5, DC=1)
    rated = bradley_terry(repeated(block, 29), 4)
    assert np.isinf(rated.elo_low).all() and (rank_intervals(rated)[[0, 2, 3]] == [1, 3]).all()
    assert np.isfinite(bradley_terry(repeated(block, 30), 4).elo_low[[0, 2, 3]]).all()


def repeated(block: Results, times: int) -> Results:
    """Blocks that all have the games of this one."""
    entrant, score = (np.tile(one, (times, 1)) for one in (block.entrant, block.score))
    return Results(entrant, score, np.repeat(np.arange(times), len(block.block)))


def test_one_block_gives_no_error_bar():
    rated = bradley_terry(games(("AB", [1, 0]), ("BA", [0, 1]), block=np.array([3, 3])), 2)
    assert np.isposinf(rated.elo_high).all()


def test_under_thirty_blocks_is_provisional():
    assert bradley_terry(duels(AB=20, BA=9), 2).provisional.all()
    assert not bradley_terry(duels(AB=20, BA=10), 2).provisional.any()


def test_no_convergence_is_an_error(monkeypatch):
    monkeypatch.setattr(elo, "NEWTON_STEPS", 2)
    with pytest.raises(LeagueError, match="do not converge"):
        bradley_terry(duels(AB=1000, BA=1), 2)


def test_a_million_wins_still_converge():
    wins = np.array([[0, 1e6, 0], [0, 0, 1e6], [1e-6, 0, 0]])
    strength, _ = elo._strengths(wins)
    assert np.isfinite(strength).all() and strength[0] > strength[1] > strength[2]


PRINTED = [  # degrees of freedom, 0.95, 0.975, 0.995 quantiles as printed in statistical tables
    (1, [6.314, 12.706, 63.657]),
    (5, [2.015, 2.571, 4.032]),
    (29, [1.699, 2.045, 2.756]),
    (120, [1.658, 1.980, 2.617]),
    (10**9, [1.645, 1.960, 2.576]),  # the normal distribution
]


@pytest.mark.parametrize("df, quantiles", PRINTED)
def test_quantiles_are_the_printed_ones(df, quantiles):
    assert [round(float(t_quantile(p, df)), 3) for p in (0.95, 0.975, 0.995)] == quantiles
    assert t_cdf(t_quantile(0.975, df), df) == pytest.approx(0.975)


def test_without_degrees_of_freedom_nothing_is_known():
    assert np.isposinf(t_quantile(0.975, [0, -1])).all()
    assert (t_cdf([-3, 0, 3], 0) == 0.5).all()
    assert t_cdf([-np.inf, np.inf], 5).tolist() == [0, 1]


def test_holm_multiplies_the_smallest_by_all_and_never_falls():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.9])).tolist() == [1, 1]
    square = holm(np.array([[np.nan, 0.02], [0.04, np.nan]]))
    np.testing.assert_array_equal(square, [[np.nan, 0.04], [0.04, np.nan]])


@pytest.mark.parametrize("common", [False, True])
def test_scatter_is_the_sum_over_clusters_of_squares_around_the_mean(common):
    results = league(np.random.default_rng(2), np.linspace(-1, 1, 6), lineups=8, blocks=10, common=common)
    residual = np.random.default_rng(3).standard_normal(results.score.shape)
    sums = np.zeros((results.block.max() + 1, 6))
    np.add.at(sums, (results.block[:, None], results.entrant), residual)
    sums -= sums.mean(axis=0)
    np.testing.assert_allclose(scatter(results, lambda _: residual, 6), sums.T @ sums)
