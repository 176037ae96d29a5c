"""Ratings: hand-computed cases, degenerate cases, order of arrival, and how often the intervals hold in simulated leagues."""

from __future__ import annotations

import re
import time
from dataclasses import fields, replace
from itertools import permutations
from math import erf, log, log10, sqrt
from pathlib import Path

import numpy as np
import pytest

from leagues import ratings
from leagues.errors import LeagueError
from leagues.ratings import (
    ELO,
    Ratings,
    Results,
    block_differences,
    bradley_terry,
    deal_correlation,
    gsprt,
    least_squares_scores,
    mean_scores,
    pair_table,
    rank_intervals,
    robust_scores,
    same_seat,
)

TABLES = [bradley_terry, same_seat, least_squares_scores, mean_scores, robust_scores, pair_table]


# --- leagues to rate --------------------------------------------------------------------------------------------------------


def games(*rows, block=None):
    """Results of rows (entrants, scores), each a block of its own unless said otherwise: `("AB", [1, 0])`; "-" is no seat."""
    entrant = [["-ABCDEFGH".index(name) - 1 for name in names] for names, _ in rows]
    return Results(
        np.array(entrant), np.array([score for _, score in rows], float), np.arange(len(rows)) if block is None else block
    )


def duels(**counts):
    """One-game blocks of two: `AB=3` is three wins of A over B, `A_B=2` two ties."""
    rows = []
    for pair, count in counts.items():
        rows += [(pair.replace("_", ""), [0, 0] if "_" in pair else [1, 0])] * count
    return games(*rows)


NORMAL = np.frompyfunc(lambda z: (1 + erf(z / sqrt(2))) / 2, 1, 1)


def rotations(order):
    """(blocks, k, k) entrants by seat of all rotations of the blocks' circular orders."""
    return np.stack([np.roll(order, turn, axis=1) for turn in range(order.shape[1])], axis=1)


def league(rng, strength, *, lineups, blocks, common=False, seats=4, seat=0.3, liking=0.1, bot=None):
    """Simulated results whose true ratings are known exactly: 1500 + ELO * strength, and the same differences as scores.

    A score is strength plus Gumbel noise, independent between the seats of a game, so that the chance to finish before another
    is exactly logistic; over the games of a deal the noise shares luck of the seat and a bot's liking for the deal (a Gaussian
    copula). Line-ups are random, orders too. `common`: all line-ups play the same deals; `bot`: which entrants are one bot.
    """
    line = np.repeat(np.arange(lineups), blocks)
    deal = np.tile(np.arange(blocks), lineups) if common else np.arange(lineups * blocks)
    members = rng.permuted(np.tile(np.arange(len(strength)), (lineups, 1)), axis=1)[:, :seats]
    entrant = rotations(rng.permuted(members[line], axis=1))
    bot = np.arange(len(strength)) if bot is None else np.asarray(bot)
    luck = rng.standard_normal((deal.max() + 1, seats))[deal]
    likes = rng.standard_normal((deal.max() + 1, len(strength)))[deal[:, None, None], bot[entrant]]
    noise = sqrt(seat) * luck[:, None] + sqrt(liking) * likes + sqrt(1 - seat - liking) * rng.standard_normal(entrant.shape)
    score = np.asarray(strength)[entrant] - np.log(-np.log(NORMAL(noise).astype(float)))
    return Results(entrant.reshape(-1, seats), score.reshape(-1, seats), np.repeat(deal, seats))


def same_bytes(one, two):
    """Whether two tables are equal byte for byte."""
    return all(np.asarray(getattr(one, f.name)).tobytes() == np.asarray(getattr(two, f.name)).tobytes() for f in fields(one))


# --- Elo by hand ------------------------------------------------------------------------------------------------------------


def test_a_score_of_75_percent_is_190_elo_with_the_error_of_the_textbook():
    rated = bradley_terry(duels(AB=30_000, BA=10_000), 2)
    assert rated.elo[0] - rated.elo[1] == pytest.approx(400 * log10(3), abs=0.05)  # 190.85
    assert rated.elo.mean() == pytest.approx(1500)
    error = 400 / log(10) / sqrt(40_000 * 0.75 * 0.25)  # of a log odds, in Elo
    difference = rated.covariance[0, 0] + rated.covariance[1, 1] - 2 * rated.covariance[0, 1]
    assert sqrt(difference) == pytest.approx(error, rel=1e-3)
    assert rated.elo_high[0] - rated.elo[0] == pytest.approx(1.96 * error / 2, rel=1e-3)  # relative to the mean: half of it


def test_with_few_games_the_rating_is_where_likelihood_and_prior_balance():
    rated = bradley_terry(duels(AB=3, BA=1), 2)
    half = (rated.elo[0] - 1500) / ELO  # strength of A; B has its negative
    chance = 1 / (1 + 10 ** (-(rated.elo[0] - rated.elo[1]) / 400))
    assert 3 - 4 * chance == pytest.approx(half / (700 / ELO) ** 2, abs=1e-9)
    assert 150 < rated.elo[0] - rated.elo[1] < 400 * log10(3)


def test_with_few_games_the_error_is_the_spread_of_blocks_over_the_curvature():
    rated = bradley_terry(duels(AB=9, BA=1), 2)
    chance = 1 / (1 + 10 ** (-(rated.elo[0] - rated.elo[1]) / 400))
    spread = 10 / 9 * 10 * 0.9 * 0.1  # squares around the mean outcome, not around the expected one, which the prior holds back
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
    rated = bradley_terry(games(("AAB", [5, -5, 0]), ("AAB", [5, 6, 0]), ("BAA", [3, 0, 0]), ("BAA", [3, 0, 4])), 2)
    assert rated.elo == pytest.approx(bradley_terry(duels(AB=2, BA=2), 2).elo)  # 4 wins each, half a weight


def test_forfeits_lose_to_everyone_but_each_other_while_scores_stay():
    rank = np.array([[-np.inf, -np.inf, -3.0]] * 40)
    results = replace(games(*[("ABC", [9, 0, 3])] * 40), rank_score=rank)
    rated = bradley_terry(results, 3)
    assert rated.elo[0] == pytest.approx(rated.elo[1])
    assert rated.perfect.tolist() == [0, 0, 1]
    assert mean_scores(results, 3).mean.tolist() == [9, 0, 3]


def test_the_same_seat_rating_takes_the_cards_out():
    rows = [("AB", [10, -10]), ("BA", [8, -8])] * 20  # whoever has the first seat wins, and A makes more of it
    results = games(*rows, block=np.arange(40) // 2)
    assert bradley_terry(results, 2).elo == pytest.approx([1500, 1500])
    assert same_seat(results, 2).perfect.tolist() == [1, -1]
    assert same_seat(results, 2).blocks.tolist() == [20, 20]


def test_same_seats_of_four_count_every_pair_once_per_seat():
    rng = np.random.default_rng(5)
    results = league(rng, [0, 0, 0, 0.0], lineups=1, blocks=3)
    wins = np.zeros((4, 4))
    for block in range(3):
        rows = results.block == block
        for one, two in permutations(np.flatnonzero(rows), 2):
            for seat in range(4):
                wins[results.entrant[one, seat], results.entrant[two, seat]] += (
                    results.score[one, seat] > results.score[two, seat]
                )
    duel = duels(**{f"{'ABCD'[i]}{'ABCD'[j]}": int(wins[i, j]) for i in range(4) for j in range(4) if i != j})
    thrice = [Results(results.entrant, results.score, results.block + 10 * i) for i in range(3)]  # a pair at four weighs 1/3
    tripled = Results(*(np.concatenate([getattr(part, name) for part in thrice]) for name in ("entrant", "score", "block")))
    assert same_seat(tripled, 4).elo == pytest.approx(bradley_terry(duel, 4).elo)


def test_a_block_of_two_line_ups_has_no_same_seats():
    with pytest.raises(LeagueError, match="block 7 has games of different line-ups"):
        same_seat(games(("AB", [1, 0]), ("AC", [1, 0]), block=np.array([7, 7])), 3)


# --- degenerate leagues -----------------------------------------------------------------------------------------------------


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
    assert with_it.elo_high[1] - with_it.elo[1] == pytest.approx(without.elo_high[1] - without.elo[1], rel=0.05)


def test_two_halves_of_a_league_that_always_beats_the_other_are_known_to_differ_but_not_by_how_much():
    rated = bradley_terry(duels(AB=20, BA=20, CD=20, DC=20, AC=20, AD=20, BC=20, BD=20), 4)
    assert rated.perfect.tolist() == [0, 0, 0, 0]
    assert (rated.elo_high - rated.elo > 100).all()
    assert rank_intervals(rated).tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]


def test_groups_that_never_met_are_centred_apart_and_not_ranked_against_each_other():
    rated = bradley_terry(duels(AB=90, BA=10, CD=60, DC=40), 4)
    assert rated.group[0] == rated.group[1] != rated.group[2] == rated.group[3]
    assert rated.elo[:2].mean() == pytest.approx(1500) and rated.elo[2:].mean() == pytest.approx(1500)
    assert rank_intervals(rated).tolist() == [[1, 3], [2, 4], [1, 4], [1, 4]]


def test_an_entrant_without_games_changes_nothing_for_the_others():
    without, with_it = (bradley_terry(duels(AB=30, BA=20), entrants) for entrants in (2, 3))
    assert with_it.elo[:2] == pytest.approx(without.elo)
    assert with_it.elo_low[:2] == pytest.approx(without.elo_low)
    assert with_it.elo[2] == pytest.approx(1500) and np.isposinf(with_it.elo_high[2])


def test_all_ties_are_1500_for_all_and_nobody_is_surely_better():
    for rated in (bradley_terry(duels(A_B=40, B_C=40, A_C=40, A_D=40), 4), bradley_terry(games(*[("ABCD", [2] * 4)] * 41), 4)):
        assert rated.elo == pytest.approx([1500] * 4)
        assert rated.elo_high == pytest.approx(rated.elo_low)
        assert rank_intervals(rated).tolist() == [[1, 4]] * 4


def test_rounding_is_not_taken_for_a_sure_difference_where_all_blocks_agree():
    block = duels(A_B=1, AC=6, CA=2, AD=7, DA=2, BC=6, CB=2, BD=7, DB=2, CD=5, DC=1)
    ten = Results(np.tile(block.entrant, (10, 1)), np.tile(block.score, (10, 1)), np.repeat(np.arange(10), len(block.block)))
    assert rank_intervals(bradley_terry(ten, 4)).tolist() == [[1, 2], [1, 2], [3, 3], [4, 4]]  # A and B did the same


def test_one_block_gives_no_error_bar():
    rated = bradley_terry(games(("AB", [1, 0]), ("BA", [0, 1]), block=np.array([3, 3])), 2)
    assert np.isposinf(rated.elo_high).all() and rated.clusters == 1


def test_under_thirty_blocks_is_provisional():
    assert bradley_terry(duels(AB=20, BA=9), 2).provisional.all()
    assert not bradley_terry(duels(AB=20, BA=10), 2).provisional.any()


def test_no_convergence_is_an_error(monkeypatch):
    monkeypatch.setattr(ratings, "NEWTON_STEPS", 2)
    with pytest.raises(LeagueError, match="do not converge"):
        bradley_terry(duels(AB=1000, BA=1), 2)


def test_a_million_wins_still_converge():
    wins = np.array([[0, 1e6, 0], [0, 0, 1e6], [1e-6, 0, 0]])
    strength, _ = ratings._strengths(wins)
    assert np.isfinite(strength).all() and strength[0] > strength[1] > strength[2]


BAD = [  # entrant, score, block, rank_score, entrants, said
    ([[0, 1]], [[1.0, np.nan]], [0], None, 2, "finite, game 0, seat 1"),
    ([[0, 1]], [[1.0, 0.0]], [0, 1], None, 2, "one block number for every game"),
    ([[0, 1]], [[1.0]], [0], None, 2, "one number for every seat"),
    ([[0.0, 1.0]], [[1.0, 0.0]], [0], None, 2, "of integers"),
    ([[-1, -1]], [[1.0, 0.0]], [0], None, 2, "no table is empty"),
    ([[0, -2]], [[1.0, 0.0]], [0], None, 2, "-1 is an empty seat"),
    ([[0, 1]], [[1.0, 0.0]], [0], [[np.nan, 0.0]], 2, "rank_score is NaN at game 0, seat 0"),
    ([[0, 2]], [[1.0, 0.0]], [0], None, 2, "2 entrants, but the games have an entrant 2"),
    ([[0, 1]], [[1.0, 0.0]], [0], None, 0, "0 entrants"),
]


@pytest.mark.parametrize("entrant, score, block, rank, entrants, said", BAD)
def test_results_that_cannot_be_are_refused_with_the_reason(entrant, score, block, rank, entrants, said):
    with pytest.raises(LeagueError, match=said):
        bradley_terry(
            Results(np.array(entrant), np.array(score), np.array(block), rank if rank is None else np.array(rank)), entrants
        )


# --- the order of arrival ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
def test_the_order_in_which_games_arrive_changes_no_byte(table):
    rng = np.random.default_rng(11)
    four = league(rng, np.linspace(-1, 1, 7), lineups=9, blocks=11)
    three = league(rng, np.linspace(-1, 1, 7), lineups=9, blocks=11, seats=3)
    entrant = np.concatenate([four.entrant, np.pad(three.entrant, ((0, 0), (0, 1)), constant_values=-1)]).astype(np.int16)
    score = np.round(np.concatenate([four.score, np.pad(three.score, ((0, 0), (0, 1)), constant_values=np.nan)]), 1)
    block = np.concatenate([four.block, three.block + 1000])
    rank = np.where(rng.random(score.shape) < 0.05, -np.inf, score)
    sorted_once = table(Results(entrant, score, block, rank), 7)
    for _ in range(5):
        shuffle = rng.permutation(len(block))
        assert same_bytes(sorted_once, table(Results(entrant[shuffle], score[shuffle], block[shuffle], rank[shuffle]), 7))


def test_error_bars_summed_in_pieces_are_the_same(monkeypatch):
    results = league(np.random.default_rng(2), np.linspace(-1, 1, 6), lineups=8, blocks=10)
    whole = bradley_terry(results, 6)
    monkeypatch.setattr(ratings, "CHUNK", 6 * 7)  # seven blocks at a time
    np.testing.assert_allclose(bradley_terry(results, 6).covariance, whole.covariance, rtol=1e-9, atol=1e-9)


def test_a_hundred_thousand_games_of_four_are_rated_within_a_second():
    rng = np.random.default_rng(1)
    entrant = rotations(rng.permuted(np.tile(np.arange(50), (25_000, 1)), axis=1)[:, :4]).reshape(-1, 4)
    score, block = np.round(rng.gumbel(size=entrant.shape) + entrant / 25, 2), np.repeat(np.arange(25_000), 4)
    start = time.process_time()
    rated = bradley_terry(Results(entrant, score, block), 50)
    assert time.process_time() - start < 1
    assert np.corrcoef(rated.elo, np.arange(50))[0, 1] > 0.99


# --- points per game --------------------------------------------------------------------------------------------------------


def test_mean_scores_take_their_error_from_the_blocks():
    rows = [("AB", [4, 0]), ("BA", [2, 0]), ("AB", [6, 0]), ("BA", [2, 4]), ("AB", [5, 0]), ("BA", [2, 7])]
    means = mean_scores(games(*rows, block=np.array([1, 1, 2, 2, 3, 3])), 2)  # A: 2, 5, 6 a block; B: 1, 1, 1
    assert means.mean == pytest.approx([13 / 3, 1])
    assert means.error == pytest.approx([sqrt(13 / 3 / 3), 0])  # sd^2 = (49 + 4 + 25) / 9 / 2
    assert means.score_high[0] - means.mean[0] == pytest.approx(4.302653 * sqrt(13 / 9))
    assert means.blocks.tolist() == [3, 3]


def test_mean_scores_count_games_not_blocks():
    rows = [("AB", [1, 0]), ("AB", [1, 0]), ("AB", [4, 0])]
    assert mean_scores(games(*rows, block=np.array([0, 0, 1])), 2).mean[0] == 2


def test_robust_scores_are_the_trimmed_mean_of_tukey_and_mclaughlin():
    rows = [("AB", [score, 0]) for score in (0, 1, 2, 3, 4, 5, 6, 7, 8, 1e9)]  # one block in 20, at least one, off each end
    robust = robust_scores(games(*rows), 2)
    assert robust.mean[0] == 4.5  # of 1 .. 8
    error = sqrt(66.5 / 9) * sqrt(10) / 8  # winsorised squares: 4 * 3.5^2 + 2 (2.5^2 + 1.5^2 + 0.5^2) = 66.5
    assert robust.error[0] == pytest.approx(error)
    assert robust.score_high[0] == pytest.approx(4.5 + 2.364624 * error)  # t with 7 degrees of freedom
    forty = robust_scores(games(*[("AB", [score, 0]) for score in range(40)]), 2)
    assert forty.mean[0] == 19.5 and robust_scores(games(*rows[:4]), 2).mean[0] == 1.5


def test_one_freak_block_moves_the_mean_but_neither_elo_ranks_nor_robust_ranks():
    rng = np.random.default_rng(3)
    results = league(rng, [1.2, 0.4, -0.4, -1.2], lineups=1, blocks=60)
    freak = results.score.copy()
    freak[results.block == 17] = np.where(results.entrant[results.block == 17] == 3, 30_000, -10_000)  # the last wins one pot
    after = Results(results.entrant, freak, results.block)
    assert np.argsort(-mean_scores(results, 4).mean).tolist() == [0, 1, 2, 3]
    assert np.argmax(mean_scores(after, 4).mean) == 3
    assert np.argsort(-robust_scores(after, 4).mean).tolist() == [0, 1, 2, 3]
    assert np.argsort(-bradley_terry(after, 4).elo).tolist() == [0, 1, 2, 3]
    assert mean_scores(after, 4).score_low[3] < mean_scores(after, 4).mean[0]  # and the mean's own interval says so


def test_least_squares_takes_the_company_out_where_means_mislead():
    true = np.array([3.0, 1.0, 0.0, -4.0])
    rows = []
    for names, table in (("AB", 10), ("BA", 7), ("AC", -5), ("CD", 2), ("DC", 0), ("ABD", 4)):  # score = entrant + table
        rows.append((names.ljust(3, "-"), [true["ABCD".index(name)] + table for name in names] + [0] * (3 - len(names))))
    fitted = least_squares_scores(games(*rows), 4)
    assert fitted.mean == pytest.approx(true, abs=1e-9)
    assert fitted.error == pytest.approx(0, abs=1e-9)
    assert np.argmax(mean_scores(games(*rows), 4).mean) == 1


def test_least_squares_of_two_is_the_paired_t_test():
    rows = [("AB", [1, 0]), ("BA", [1, 3]), ("AB", [3, 0])]  # differences 1, 2, 3
    fitted = least_squares_scores(games(*rows), 2)
    assert fitted.mean == pytest.approx([1, -1])
    assert 2 * fitted.error == pytest.approx([1 / sqrt(3)] * 2)


def test_least_squares_gives_no_number_to_those_who_met_nobody_and_centres_groups_apart():
    fitted = least_squares_scores(games(("AB", [4, 0]), ("BA", [0, 2]), ("CC", [9, 1]), ("DE", [1, 0]), ("DE", [1, 0])), 6)
    assert fitted.mean[[0, 1, 3, 4]] == pytest.approx([1.5, -1.5, 0.5, -0.5])
    assert np.isnan(fitted.mean[[2, 5]]).all() and np.isposinf(fitted.score_high[[2, 5]]).all()


def test_who_sits_behind_whom_does_not_matter_when_all_orders_are_played():
    orders = np.array([(0, *rest) for rest in permutations([1, 2, 3])])
    entrant = rotations(orders).reshape(-1, 4)
    gift = 5.0 * (np.roll(entrant, 1, axis=1) == 3)  # whoever sits behind entrant 3 gains 5
    score, block = np.array([3.0, 2.0, 1.0, 0.0])[entrant] + gift, np.repeat(np.arange(6), 4)
    difference = pair_table(Results(entrant, score, block), 4).mean
    assert difference[0, 1] == pytest.approx(1) and difference[1, 2] == pytest.approx(1)
    fixed = pair_table(Results(entrant[:4], score[:4], block[:4]), 4).mean
    assert fixed[0, 1] == pytest.approx(6)  # in one fixed order it does: 0 always sits behind 3


# --- comparisons ------------------------------------------------------------------------------------------------------------


def test_a_pair_is_compared_by_its_block_differences():
    rows = [("ABC", [1, 0, 9]), ("BAC", [1, 3, 0]), ("ACB", [3, 0, 0]), ("CB-", [7, 0, 0])]  # A - B: 1, 2, 3
    results = games(*rows)
    table = pair_table(results, 3)
    assert table.mean[0, 1] == 2 and table.mean[1, 0] == -2 and table.blocks[0, 1] == 3
    assert table.score_high[0, 1] == pytest.approx(2 + 4.302653 / sqrt(3))
    t = 2 * sqrt(3)
    assert table.superiority[0, 1] == pytest.approx(0.5 + t / (2 * sqrt(2 + t * t)))  # t distribution, 2 degrees of freedom
    assert table.superiority + table.superiority.T == pytest.approx(np.ones((3, 3)))
    assert block_differences(results, 0, 1).tolist() == [1, 2, 3]
    assert block_differences(results, 2, 1).tolist() == [9, -1, 0, 7]
    with pytest.raises(LeagueError, match="two different entrants"):
        block_differences(results, 1, 1)
    assert np.isnan(pair_table(results, 4).mean[0, 3]) and pair_table(results, 4).superiority[0, 3] == 0.5


def test_a_block_counts_once_however_many_games_it_has():
    results = games(("AB", [4, 0]), ("BA", [0, 0]), ("AB", [8, 0]), block=np.array([0, 0, 1]))
    assert block_differences(results, 0, 1).tolist() == [2, 8]
    assert pair_table(results, 2).mean[0, 1] == 5


def test_copies_that_play_alike_differ_by_nothing_and_constant_winners_by_certainty():
    table = pair_table(games(*[("ABC", [1, 1, 0])] * 5), 3)
    assert table.mean[0, 1] == 0 and table.superiority[0, 1] == 0.5
    assert table.superiority[0, 2] == 1 and table.superiority[2, 0] == 0


def rated(elo, error, blocks=1_000_000, group=None):
    """Independent ratings with these errors."""
    elo, size = np.array(elo, float), len(elo)
    zero = np.zeros(size, np.int64)
    number = np.full(size, blocks)
    return Ratings(
        elo, elo, elo, np.diag(np.square(error)), zero.astype(np.int8), zero if group is None else group, number, blocks, zero > 0
    )


RANKS = [  # elo, errors, blocks, level, best and worst ranks; a difference is sure from 1.96 * sqrt(2) * 10 = 27.7 up
    ([1530, 1500, 1470], [10, 10, 10], 1_000_000, 0.05, [[1, 1], [2, 2], [3, 3]]),
    ([1525, 1500, 1475], [10, 10, 10], 1_000_000, 0.05, [[1, 2], [1, 3], [2, 3]]),
    ([1530, 1500, 1470], [10, 10, 10], 1_000_000, 0.025, [[1, 2], [1, 3], [2, 3]]),  # 2.24 * 14.1 = 31.7
    ([1530, 1500, 1470], [10, 10, 10], 6, 0.05, [[1, 2], [1, 3], [2, 3]]),  # 2.571 * 14.1 = 36.4
    ([1530, 1500, 1470], [10, 10, 10], 1, 0.05, [[1, 3]] * 3),
]


@pytest.mark.parametrize("elo, error, blocks, level, ranks", RANKS)
def test_ranks_are_bounded_by_who_is_surely_better_and_worse(elo, error, blocks, level, ranks):
    assert rank_intervals(rated(elo, error, blocks), level).tolist() == ranks


def test_a_rank_level_outside_0_to_1_is_refused():
    with pytest.raises(LeagueError, match="level 5"):
        rank_intervals(rated([1500], [1]), 5)


# --- when to stop -----------------------------------------------------------------------------------------------------------


def test_the_sequential_test_follows_its_formula_between_the_bounds_of_wald():
    sample = np.tile([1.3, -0.7], 50)  # mean 0.3, sd 1
    verdict = gsprt(sample, 0, 0.5)
    assert verdict.llr == pytest.approx(50 * log(1.09 / 1.04)) and verdict.decision == "continue"
    assert (verdict.lower, verdict.upper) == pytest.approx((-log(19), log(19)))
    assert verdict.effect == pytest.approx(0.3) and verdict.blocks == 100
    assert gsprt(np.tile(sample, 2), 0, 0.5).decision == "H1"  # 4.7 > 2.94
    assert gsprt(-sample, 0, 0.5).decision == "H0"
    assert gsprt(sample, 0, 0.5, alpha=0.2).decision == "H1"  # ln 4.75 = 1.56
    assert gsprt(sample[::-1], 0, 0.5) == verdict


def test_the_sequential_test_does_not_decide_on_few_blocks_or_few_that_differ():
    assert gsprt(np.tile([1.3, 0.7], 15), 0, 0.5).decision == "continue"
    assert gsprt(np.tile([1.3, 0.7], 16), 0, 0.5).decision == "H1"
    assert gsprt(np.zeros(10_000)).decision == "continue"
    assert gsprt(np.zeros(0)).decision == "continue"
    assert gsprt(np.r_[np.zeros(10_000), np.tile([1.0, -1.0], 7)]).decision == "continue"


def test_a_clearer_difference_never_speaks_less_for_it():
    llrs = [gsprt(np.tile([1 + mean, mean - 1], 50)).llr for mean in np.linspace(-9, 9, 181)]
    assert (np.diff(llrs) >= 0).all() and llrs[-1] == pytest.approx(-llrs[0])
    assert gsprt(np.full(100, 3.0)).decision == "H1" and gsprt(np.full(100, 3.0)).effect == np.inf


@pytest.mark.parametrize("change", [{"t1": 0}, {"alpha": 0}, {"alpha": 0.6, "beta": 0.5}, {"differences": np.array([np.inf])}])
def test_a_sequential_test_that_makes_no_sense_is_refused(change):
    with pytest.raises(LeagueError, match="sequential test"):
        gsprt(**{"differences": np.arange(9.0), **change})


@pytest.mark.parametrize("truth, wrong", [(0.0, "H1"), (0.3, "H0")])
def test_the_gate_errs_in_at_most_some_5_percent(truth, wrong):
    rng = np.random.default_rng(8)
    decisions = [decide(rng.standard_normal(3_000) + truth) for _ in range(2_000)]
    assert "continue" not in decisions
    assert 0.03 - 0.015 * (truth > 0) <= decisions.count(wrong) / 2_000 <= 0.07


def decide(sample):
    """The gate's decision on this sample for an effect of 0.3, looking after every fourth block."""
    for size in range(16, len(sample), 4):
        verdict = gsprt(sample[:size], 0, 0.3, least=16, moved=0)
        if verdict.decision != "continue":
            return verdict.decision
    return "continue"


def test_deal_correlation_is_that_of_the_paper():
    judged = [
        [9, 2, 5, 8],
        [6, 1, 3, 2],
        [8, 4, 6, 8],
        [7, 1, 2, 6],
        [10, 5, 6, 9],
        [6, 2, 4, 7],
    ]  # Shrout & Fleiss 1979, table 2
    assert round(deal_correlation(np.array(judged, float)), 2) == 0.17


def test_deal_correlation_is_1_if_the_deal_decides_and_least_if_rotations_cancel():
    assert deal_correlation(np.array([[1.0, 1.0, 1.0], [5.0, 5.0, 5.0]])) == 1
    assert deal_correlation(np.array([[1.0, 2.0, -3.0], [5.0, -1.0, -4.0]])) == pytest.approx(-1 / 2)
    noise = np.random.default_rng(1).standard_normal((20_000, 4))
    assert deal_correlation(noise) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("scores", [np.ones((1, 4)), np.ones((4, 1)), np.ones(4), np.ones((3, 3)), np.full((3, 3), np.nan)])
def test_deal_correlation_of_nothing_is_refused(scores):
    with pytest.raises(LeagueError):
        deal_correlation(scores)


# --- do the intervals hold --------------------------------------------------------------------------------------------------

LEAGUES = {  # what `league` plays
    "10 common deals": {"lineups": 14, "blocks": 10, "common": True},
    "40 common deals": {"lineups": 14, "blocks": 40, "common": True},
    "10 own deals": {"lineups": 10, "blocks": 1},
    "40 own deals": {"lineups": 40, "blocks": 1},
}


def covered(shape, leagues, entrants, seed):
    """Share of the true values that lie in the 95 % intervals of the rating and of the least-squares scores."""
    rng, strength = np.random.default_rng(seed), np.linspace(-0.8, 0.8, entrants)
    inside = np.zeros(2)
    for _ in range(leagues):
        results = league(rng, strength, **shape)
        elo, score = bradley_terry(results, entrants), least_squares_scores(results, entrants)
        inside[0] += ((elo.elo_low <= 1500 + ELO * strength) & (1500 + ELO * strength <= elo.elo_high)).mean()
        inside[1] += ((score.score_low <= strength) & (strength <= score.score_high)).mean()
    return inside / leagues


@pytest.mark.parametrize("name", LEAGUES)
def test_95_percent_intervals_hold_in_95_percent(name):
    share = covered(LEAGUES[name], leagues=200, entrants=6, seed=4)
    assert (share > 0.93).all() and (share < 0.97).all(), share


@pytest.mark.soak
@pytest.mark.parametrize("name", LEAGUES)
@pytest.mark.parametrize("entrants", [5, 8])
def test_95_percent_intervals_hold_in_95_percent_of_many_leagues(name, entrants):
    share = covered(LEAGUES[name], leagues=2_000, entrants=entrants, seed=6)
    assert (share > 0.935).all() and (share < 0.97).all(), share


def test_common_deals_make_the_error_bars_longer_where_bots_like_deals():
    rng, width = np.random.default_rng(9), []
    for common in (False, True):
        results = league(rng, np.zeros(6), lineups=30, blocks=40, common=common, liking=0.4)
        rating = bradley_terry(results, 6)
        width.append((rating.elo_high - rating.elo_low).mean())
    assert width[1] > 1.2 * width[0]


def test_two_copies_of_one_bot_are_told_apart_in_5_percent_of_leagues():
    rng, strength, apart = np.random.default_rng(12), [0.5, 0.5, 0.0, -0.5, -0.5], 0
    for _ in range(600):
        rating = bradley_terry(league(rng, strength, lineups=15, blocks=6, bot=[0, 0, 1, 2, 3]), 5)
        variance = rating.covariance[0, 0] + rating.covariance[1, 1] - 2 * rating.covariance[0, 1]
        apart += abs(rating.elo[0] - rating.elo[1]) > 1.96 * sqrt(variance)
    assert 0.03 <= apart / 600 <= 0.07


# --- the page for readers ---------------------------------------------------------------------------------------------------


def test_the_page_on_the_numbers_gives_the_constants_of_the_code():
    page = (Path(__file__).parents[2] / "docs" / "numbers.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([A-Z_]+)` \| ([\d.]+) \|", page, re.MULTILINE))
    assert {name: float(value) for name, value in told.items()} == {name: getattr(ratings, name) for name in told}
    assert len(told) == 5
    functions = {table.__name__ for table in [*TABLES, rank_intervals, gsprt, deal_correlation]}
    assert functions <= set(re.findall(r"`(\w+)`", page))
