"""Who is better than whom: pairs and ranks."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import (
    Ratings,
    Results,
    block_differences,
    chance_to_be_best,
    pair_table,
    rank_intervals,
    superiority,
)

from .made import games


def test_a_pair_is_compared_by_its_block_differences():
    rows = [("ABC", [1, 0, 9]), ("BAC", [1, 3, 0]), ("ACB", [3, 0, 0]), ("CB-", [7, 0, 0])]  # A - B: 1, 2, 3
    results = games(*rows)
    table = pair_table(results, 3)
    assert table.mean[0, 1] == 2 and table.mean[1, 0] == -2 and table.blocks[0, 1] == 3
    assert table.score_high[0, 1] == pytest.approx(2 + 4.302653 / sqrt(3))
    t = 2 * sqrt(3)
    assert table.superiority[0, 1] == pytest.approx(
        0.5 + t / (2 * sqrt(2 + t * t))
    )  # t distribution, 2 degrees of freedom
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


def test_copies_that_play_alike_differ_by_nothing_and_constant_winners_are_told_by_the_sign_test():
    table = pair_table(games(*[("ABC", [1, 1, 0])] * 5), 3)
    assert table.mean[0, 1] == 0 and table.superiority[0, 1] == 0.5
    assert table.superiority[0, 2] == 1 - 1 / 32 and table.superiority[2, 0] == 1 / 32
    assert np.isinf(table.score_low[0, 2])  # five blocks may agree by chance


def rated(elo, error, blocks=1_000_000, group=None):
    """Independent ratings with these errors."""
    elo, size = np.array(elo, float), len(elo)
    zero = np.zeros(size, np.int64)
    number = np.full(size, blocks)
    return Ratings(
        elo,
        elo,
        elo,
        np.diag(np.square(error)),
        zero.astype(np.int8),
        zero if group is None else group,
        number,
        blocks,
        zero > 0,
    )


# elo, errors, blocks, level, best and worst ranks; a difference is sure from 1.96 * sqrt(2) * 10 = 27.7 up
RANKS = [
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


def test_the_default_level_of_ranks_is_shared_by_all_the_others():
    three = rated([1530, 1500, 1470], [10, 10, 10])
    assert rank_intervals(three).tolist() == rank_intervals(three, 0.025).tolist() == [[1, 2], [1, 3], [2, 3]]
    assert rank_intervals(rated([1530, 1500], [10, 10])).tolist() == [[1, 1], [2, 2]]


def test_the_true_best_of_many_close_bots_is_hardly_ever_denied_the_first_rank():
    rng, truth, denied, outside = np.random.default_rng(7), np.linspace(3, 0, 20), 0, 0
    for _ in range(2_000):
        ranks = rank_intervals(rated(truth + 10 * rng.standard_normal(20), [10] * 20))
        denied += ranks[0, 0] > 1
        outside += ((ranks[:, 0] > np.arange(1, 21)) | (ranks[:, 1] < np.arange(1, 21))).mean()
    assert denied / 2_000 <= 0.05 and outside / 2_000 <= 0.05


def test_pairs_are_adjusted_for_being_many():
    rng, false = np.random.default_rng(8), 0
    for _ in range(400):
        entrant = np.tile(np.arange(6), (30, 1))
        false += bool(
            np.nanmin(pair_table(Results(entrant, rng.standard_normal((30, 6)), np.arange(30)), 6).p) < 0.05
        )
    assert false / 400 <= 0.05 + 2 * sqrt(0.05 * 0.95 / 400)
    assert pair_table(games(*[("AB", [1, 0]), ("AB", [3, 0])] * 20, ("AC", [1, 0])), 4).p[0, 1] < 1e-9
    assert np.isnan(pair_table(games(("AB", [1, 0]), ("AB", [3, 0]), ("AC", [1, 0])), 4).p[0, 2])


def test_superiority_is_shrunken_and_nears_the_normal_probability_where_bots_differ_by_many_errors():
    near = superiority(rated([1510, 1500, 1500], [6, 8, 8], group=np.array([0, 0, 1])))
    assert 0.6 < near[0, 1] < 0.8 and near[0, 1] + near[1, 0] == pytest.approx(1)  # normal: 0.84
    assert near[1, 1] == pytest.approx(0.5) and np.isnan(near[0, 2])
    far = superiority(rated([1900, 1700, 1510, 1500, 1300, 1100], [6, 6, 6, 8, 6, 6]))
    assert far[2, 3] == pytest.approx(0.841345, abs=0.02) and far[0, 5] > 0.999


def test_whose_error_is_not_known_is_in_nobodys_draw():
    assert np.isnan(chance_to_be_best(rated([1800, 1200], [20, 20], blocks=1))).all()
    assert chance_to_be_best(rated([1800, 1200], [20, 20], blocks=100))[0] > 0.99
    blocks = np.array([100, 100, 1])
    three = chance_to_be_best(rated([1510, 1500, 1900], [6, 6, 6], blocks=blocks))
    assert np.isnan(three[2]) and three[:2].sum() == pytest.approx(1) and three[0] > 0.5


def test_the_chance_to_be_best_of_two_is_the_superiority_and_equals_share_it():
    two = rated([1510, 1500], [6, 8])
    assert chance_to_be_best(two)[0] == pytest.approx(superiority(two)[0, 1], abs=0.015)
    assert chance_to_be_best(rated([1500] * 4, [5] * 4)) == pytest.approx([0.25] * 4, abs=0.015)
    assert chance_to_be_best(rated([1500, 1400, 1300], [5] * 3, group=np.array([0, 1, 1]))) == pytest.approx(
        [1, 1, 0]
    )
