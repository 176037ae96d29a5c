"""Points per game: hand-computed cases. Which games are refused, and that their order of arrival changes nothing."""

from itertools import pairwise, permutations
from math import sqrt

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import results
from leagues.ratings.elo import bradley_terry
from leagues.ratings.pairs import pair_table
from leagues.ratings.results import Results
from leagues.ratings.rows import RatedBot, rating_table
from leagues.ratings.scores import carried_by_few, least_squares_scores, mean_scores

from .made import TABLES, games, league, rotations, same_bytes


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


def test_one_freak_block_moves_the_mean_but_not_the_ranks_of_elo():
    rng = np.random.default_rng(3)
    results = league(rng, [1.2, 0.4, -0.4, -1.2], lineups=1, blocks=60)
    freak = results.score.copy()
    last = results.entrant[results.block == 17] == 3
    freak[results.block == 17] = np.where(last, 30_000, -10_000)  # the last wins one pot
    after = Results(results.entrant, freak, results.block)
    assert np.argsort(-mean_scores(results, 4).mean).tolist() == [0, 1, 2, 3]
    assert np.argmax(mean_scores(after, 4).mean) == 3
    assert np.argsort(-bradley_terry(after, 4).elo).tolist() == [0, 1, 2, 3]
    # and the mean's own interval says so
    assert mean_scores(after, 4).score_low[3] < mean_scores(after, 4).mean[0]


def test_least_squares_takes_the_company_out_where_means_mislead():
    true = np.array([3.0, 1.0, 0.0, -4.0])
    rows = []
    for names, table in (("AB", 10), ("BA", 7), ("AC", -5), ("CD", 2), ("DC", 0), ("ABD", 4)):
        scores = [true["ABCD".index(name)] + table for name in names]  # score = entrant + table
        rows.append((names.ljust(3, "-"), scores + [0] * (3 - len(names))))
    fitted = least_squares_scores(games(*rows), 4)
    assert np.diff(fitted.mean) == pytest.approx(np.diff(true), abs=1e-9)
    assert fitted.mean @ [4, 3, 3, 3] == pytest.approx(0, abs=1e-9)  # weighted by blocks
    assert fitted.error == pytest.approx(0, abs=1e-9)
    assert np.argmax(mean_scores(games(*rows), 4).mean) == 1


def test_least_squares_of_two_is_the_paired_t_test():
    rows = [("AB", [1, 0]), ("BA", [1, 3]), ("AB", [3, 0])]  # differences 1, 2, 3
    fitted = least_squares_scores(games(*rows), 2)
    assert fitted.mean == pytest.approx([1, -1])
    assert 2 * fitted.error == pytest.approx([1 / sqrt(3)] * 2)


def test_least_squares_gives_no_number_to_those_who_met_nobody_and_centres_groups_apart():
    rows = [("AB", [4, 0]), ("BA", [0, 2]), ("CC", [9, 1]), ("DE", [1, 0]), ("DE", [1, 0])]
    fitted = least_squares_scores(games(*rows), 6)
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


def test_a_mean_that_hangs_on_one_huge_pot_is_marked():
    scores = (1, -2, 3, -1, 2, -3, 1, 2, -2, 1, -1, 2, 3, -1, -2, 1, 2, -3, 1, -1)
    calm = [("AB", [score, -score]) for score in scores]
    assert not carried_by_few(games(*calm), 3).any()  # squares 76, the largest of one block in 20 is 9
    assert carried_by_few(games(*calm[1:], ("AC", [12, 0])), 3).tolist() == [True, False, False]


def test_normal_scores_are_hardly_ever_marked_and_lognormal_pots_nearly_always():
    rng, marked = np.random.default_rng(4), np.zeros((2, 2))
    for size, at in ((40, 0), (100, 1)):
        for _ in range(200):
            normal = rng.standard_normal((size, 2))
            pots = rng.lognormal(0, 1.2, (size, 1)) * normal
            for kind, score in enumerate((normal, pots)):
                entrant = np.tile([0, 1], (size, 1))
                marked[kind, at] += carried_by_few(Results(entrant, score, np.arange(size)), 2).mean() / 200
    assert (marked[0] < 0.02).all() and (marked[1] > 0.75).all(), marked


@pytest.mark.parametrize("table", TABLES)
def test_the_order_in_which_games_arrive_changes_no_byte(table):
    rng = np.random.default_rng(11)
    four = league(rng, np.linspace(-1, 1, 7), lineups=9, blocks=11)
    three = league(rng, np.linspace(-1, 1, 7), lineups=9, blocks=11, seats=3)
    seat = (0, 0), (0, 1)
    entrant = np.concatenate([four.entrant, np.pad(three.entrant, seat, constant_values=-1)]).astype(np.int16)
    score = np.concatenate([four.score, np.pad(three.score, seat, constant_values=np.nan)]).round(1)
    block = np.concatenate([four.block, three.block + 1000])
    rank = np.where(rng.random(score.shape) < 0.05, -np.inf, score)
    sorted_once = table(Results(entrant, score, block, rank), 7)
    for _ in range(5):
        order = rng.permutation(len(block))
        shuffled = Results(entrant[order], score[order], block[order], rank[order])
        assert same_bytes(sorted_once, table(shuffled, 7))


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


STRETCHES = [  # stretch, said
    ([0, 1, 1], "a block lies in two stretches"),
    ([0, 0], "one number for every game"),
]


@pytest.mark.parametrize("stretch, said", STRETCHES)
def test_stretches_are_made_of_whole_blocks(stretch, said):
    with pytest.raises(LeagueError, match=said):
        Results(np.array([[0, 1]] * 3), np.zeros((3, 2)), np.array([5, 5, 6]), None, np.array(stretch))


@pytest.mark.parametrize("entrant, score, block, rank, entrants, said", BAD)
def test_results_that_cannot_be_are_refused_with_the_reason(entrant, score, block, rank, entrants, said):
    rank = None if rank is None else np.array(rank)
    with pytest.raises(LeagueError, match=said):
        bradley_terry(Results(np.array(entrant), np.array(score), np.array(block), rank), entrants)


def test_portions_are_whole_blocks_and_the_table_is_the_same_whatever_their_size(monkeypatch):
    rng, who = np.random.default_rng(8), [RatedBot(f"b{i}", 1) for i in range(6)]
    games = league(rng, np.linspace(-0.5, 0.5, 6), lineups=9, blocks=7)
    games = Results(games.entrant, games.score, games.block, stretch=games.block // 7, match=games.block // 7)
    whole = rating_table(games, who)
    monkeypatch.setattr(results, "PORTION", 50)
    parts = [part.block for _, part in games.portions()]
    assert len(parts) == 5 and np.concatenate(parts).tolist() == games.block.tolist()
    assert all(one[-1] < two[0] for one, two in pairwise(parts))
    for row, same in zip(whole.rows, rating_table(games, who).rows, strict=True):
        assert row.bot == same.bot
        for name in ("elo", "elo_low", "score_high", "first"):
            assert getattr(row, name) == pytest.approx(getattr(same, name), abs=0.1)
