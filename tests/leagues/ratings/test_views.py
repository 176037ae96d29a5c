"""Other looks at the games: who is better than whom, ranks, versions, and Nash averaging against the mixture that no bot beats."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from leagues.ratings.elo import Ratings
from leagues.ratings.intervals import t_quantile
from leagues.ratings.nash import nash, nash_rows, open_pairs
from leagues.ratings.pairs import pair_table, rank_intervals
from leagues.ratings.results import Results
from leagues.ratings.rows import RatedBot
from leagues.ratings.views import families, pair_rows

from .made import duels, games

WHO = [RatedBot(name, 1) for name in ("ann", "bob", "cleo", "dan")]


def test_pairs_are_told_with_the_one_that_scores_more_first():
    rows = pair_rows(games(*[("AB", [1, 3]), ("BA", [2, 2])] * 10, *[("AC", [5, 0])] * 3), WHO)
    assert [(row.bot, row.against, row.difference, row.blocks) for row in rows] == [
        ("bob@1", "ann@1", 1, 20),
        ("ann@1", "cleo@1", 5, 3),
    ]
    assert rows[0].low < 1 < rows[0].high and rows[0].superiority > 0.99 and rows[0].p < 0.01
    assert pair_rows(games(("AB", [1, 0])), WHO)[0].low is None


def test_no_pair_is_told_to_differ_with_certainty():
    row = pair_rows(games(*[("AB", [90, 3]), ("BA", [2, 80])] * 60), WHO)[0]
    assert 0 < row.p < 1e-9
    same = pair_rows(games(*[("AB", [3, 1])] * 4), WHO)[0]  # four of four: (1/2)^4 if they were equal
    assert (same.superiority, same.p, same.low) == (1 - 1 / 16, 1 / 8, None)


def losing_matches_whole():
    """One stretch of 40 blocks, in which the second of two bots loses a whole match."""
    found = games(*[("AB", [5, 3]), ("BA", [2, 6]), ("AC", [4, 3]), ("CA", [2, 4])] * 20)
    block = np.repeat(np.arange(40), 2)
    ranking = found.score.copy()
    ranking[1::4, 0] = -np.inf
    return Results(found.entrant, found.score, block, ranking, np.where(np.arange(80) % 4 < 2, 0, 1))


def test_a_bot_whose_error_is_not_known_differs_surely_from_nobody():
    results = losing_matches_whole()
    who = [RatedBot("mine", 1), RatedBot("mine", 2), RatedBot("plain", 1)]
    lost, other = sorted(pair_rows(results, who), key=lambda row: row.against)
    assert (lost.against, lost.low, lost.high, lost.superiority, lost.p) == ("mine@2", None, None, 0.5, None)
    assert lost.difference == 3 and lost.blocks == 20
    assert other.against == "plain@1" and other.superiority > 0.99 and other.p is not None
    gained = families(results, who)["mine"][1]
    assert gained.gain < 0 and (gained.low, gained.high) == (None, None)


def test_versions_that_always_tied_in_a_few_blocks_have_no_interval():
    who = [RatedBot("mine", 1), RatedBot("mine", 2)]
    assert families(games(*[("AB", [1, 1])] * 6), who)["mine"][1].low is None
    assert families(games(*[("AB", [1, 1])] * 40), who)["mine"][1].low == 0


def test_a_version_is_compared_with_the_one_before_it_that_played():
    who = [RatedBot("mine", 3), RatedBot("rule", 1), RatedBot("mine", 1), RatedBot("mine", 2)]
    first, third = families(duels(AB=70, BA=30, BC=70, CB=30), who)["mine"]  # version 2 did not play
    assert (first.version, first.gain, third.version, third.games) == (1, None, 3, 100)
    assert third.gain == pytest.approx(third.elo - first.elo, abs=0.2) and third.low < third.gain < third.high
    assert third.low > 0


def test_versions_that_no_game_connects_are_not_compared():
    who = [RatedBot("mine", 1), RatedBot("rule", 1), RatedBot("mine", 2), RatedBot("plain", 1)]
    assert [row.gain for row in families(duels(AB=30, BA=20, CD=30, DC=20), who)["mine"]] == [None, None]


def test_nothing_is_told_of_no_games():
    nothing = games(("AB", [0, 0])).independent(None)
    empty = type(nothing)(np.zeros((0, 2), int), np.zeros((0, 2)), np.zeros(0, int))
    assert pair_rows(empty, WHO) == [] and families(empty, WHO) == {}


def test_a_pair_is_compared_by_its_block_differences():
    rows = [("ABC", [1, 0, 9]), ("BAC", [1, 3, 0]), ("ACB", [3, 0, 0]), ("CB-", [7, 0, 0])]  # A - B: 1, 2, 3
    results = games(*rows)
    table = pair_table(results, 3)
    assert table.mean[0, 1] == 2 and table.mean[1, 0] == -2 and table.blocks[0, 1] == 3
    assert table.score_high[0, 1] == pytest.approx(2 + 4.302653 / sqrt(3))
    t = 2 * sqrt(3)
    # t distribution, 2 degrees of freedom
    assert table.superiority[0, 1] == pytest.approx(0.5 + t / (2 * sqrt(2 + t * t)))
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
    zero, covariance = np.zeros(size, np.int64), np.diag(np.square(error))
    group = zero if group is None else group
    return Ratings(elo, elo, elo, covariance, zero.astype(np.int8), group, np.full(size, blocks), zero > 0)


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


def test_who_beats_all_is_the_mixture_and_the_others_lose_to_it() -> None:
    ratings, mixture = nash(np.array([[0.0, 8, 20], [-8, 0, 60], [-20, -60, 0]]))
    assert mixture == pytest.approx([1, 0, 0]) and ratings == pytest.approx([0, -8, -20])


def test_three_of_which_each_beats_the_next_are_equal() -> None:
    ratings, mixture = nash(np.array([[0.0, 10, -10], [-10, 0, 10], [10, -10, 0]]))
    assert ratings == pytest.approx([0, 0, 0], abs=1e-6) and mixture == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("copied", range(4))
def test_copies_change_nobody(copied: int) -> None:
    """Bot 3 loses to a ring of three, to each as much as it pleases."""
    points = np.array([[0.0, 9, -4, 30], [-9, 0, 6, 5], [4, -6, 0, 70], [-30, -5, -70, 0]])
    kind = np.array([0, 1, 2, 3, *[copied] * 20])
    ratings, mixture = nash(points[np.ix_(kind, kind)])
    before = nash(points)
    assert ratings[:4] == pytest.approx(before[0], abs=1e-5)
    shared = np.bincount(kind, mixture)
    assert shared == pytest.approx(before[1], abs=1e-5)


def test_rows_are_in_order_and_an_interval_needs_some_blocks() -> None:
    who = [RatedBot(name, 1) for name in ("ann", "bob")]
    first, second = nash_rows(duels(AB=10, BA=30), who)
    assert (first.bot, first.rating, first.share) == ("bob@1", 0, 1) and second.rating == -0.5
    assert second.low is not None and second.high is not None and second.low < -0.5 < second.high <= 0
    assert nash_rows(duels(BA=3), who)[1].low is None
    assert nash_rows(games(("A", [1])), who[:1])[0].rating == 0


def test_an_interval_from_few_blocks_is_as_wide_as_by_students_t() -> None:
    rng, who, ratios = np.random.default_rng(3), [RatedBot(name, 1) for name in ("ann", "bob")], []
    for _ in range(8):
        score = rng.standard_normal((12, 1)) * [1, -1] + [20, -20]
        results = Results(np.tile([0, 1], (12, 1)), score, np.arange(12))
        worse = nash_rows(results, who)[1]
        half = t_quantile(0.975, 11) * (score[:, 0] - score[:, 1]).std(ddof=1) / np.sqrt(12)
        ratios.append((worse.high - worse.low) / (2 * half))
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)  # by percentiles alone it would be 0.81


def test_a_league_that_is_watched_has_wider_intervals() -> None:
    rng, who = np.random.default_rng(4), [RatedBot(name, 1) for name in ("ann", "bob")]
    score = rng.standard_normal((40, 1)) * [1, -1] + [20, -20]
    results = Results(np.tile([0, 1], (40, 1)), score, np.arange(40))
    plain, always = (nash_rows(results.watched(planned), who)[1] for planned in (None, 40.0))
    assert 1.4 < (always.high - always.low) / (plain.high - plain.low) < 1.7


def test_one_table_of_all_bots_leaves_open_who_wins_from_whom() -> None:
    def of(*line_ups: list[int]) -> Results:
        entrant = np.array(line_ups)
        return Results(entrant, np.zeros(entrant.shape), np.arange(len(entrant)))

    assert open_pairs(of([0, 1, 2, 3], [1, 2, 3, 0])) and open_pairs(of([0, 1, 2]))
    assert not open_pairs(of([0, 1], [0, 2], [1, 2])) and not open_pairs(of([0, 1], [1, -1]))
    every = [list(four) for four in combinations(range(6), 4)]
    assert not open_pairs(of(*every)) and open_pairs(of(*every[:4]))


def test_of_some_that_nobody_beats_each_has_an_equal_part() -> None:
    ratings, mixture = nash(np.array([[0.0, 0, 5], [0, 0, 3], [-5, -3, 0]]))
    assert mixture == pytest.approx([0.5, 0.5, 0]) and ratings == pytest.approx([0, 0, -4])
