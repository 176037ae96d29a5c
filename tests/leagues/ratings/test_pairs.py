"""Who is better than whom: pairs and ranks."""

from math import sqrt

import numpy as np
import pytest

from leagues.ratings import Ratings, Results, pair_table, rank_intervals

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
    assert np.isnan(pair_table(results, 4).mean[0, 3]) and pair_table(results, 4).superiority[0, 3] == 0.5


def test_a_block_counts_once_however_many_games_it_has():
    results = games(("AB", [4, 0]), ("BA", [0, 0]), ("AB", [8, 0]), block=np.array([0, 0, 1]))
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
        zero > 0,
    )


# elo, blocks, best and worst ranks; of three, a difference is sure from 2.24 * sqrt(2) * 10 = 31.7 up
RANKS = [
    ([1535, 1500, 1465], 1_000_000, [[1, 1], [2, 2], [3, 3]]),
    ([1530, 1500, 1470], 1_000_000, [[1, 2], [1, 3], [2, 3]]),
    ([1535, 1500, 1465], 6, [[1, 2], [1, 3], [2, 3]]),  # 3.163 * 14.1 = 44.7
    ([1535, 1500, 1465], 1, [[1, 3]] * 3),
    ([1530, 1500], 1_000_000, [[1, 1], [2, 2]]),  # of two, from 1.96 * 14.1 = 27.7 up
    ([1527, 1500], 1_000_000, [[1, 2], [1, 2]]),
]


@pytest.mark.parametrize("elo, blocks, ranks", RANKS)
def test_ranks_are_bounded_by_who_is_surely_better_and_worse(elo, blocks, ranks):
    assert rank_intervals(rated(elo, [10] * len(elo), blocks)).tolist() == ranks


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
