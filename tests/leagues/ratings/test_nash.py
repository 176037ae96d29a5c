"""Nash averaging: against the mixture that no bot beats."""

from itertools import combinations

import numpy as np
import pytest

from leagues.ratings import Results
from leagues.ratings.intervals import t_quantile
from leagues.ratings.nash import nash, nash_rows, open_pairs
from leagues.ratings.rows import RatedBot

from .made import duels, games


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
        assert worse.low is not None and worse.high is not None
        ratios.append((worse.high - worse.low) / (2 * half))
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)  # by percentiles alone it would be 0.81


def test_a_league_that_is_watched_has_wider_intervals() -> None:
    rng, who = np.random.default_rng(4), [RatedBot(name, 1) for name in ("ann", "bob")]
    score = rng.standard_normal((40, 1)) * [1, -1] + [20, -20]
    results = Results(np.tile([0, 1], (40, 1)), score, np.arange(40))
    plain, always = (nash_rows(results.watched(planned), who)[1] for planned in (None, 40.0))
    assert plain.low is not None and plain.high is not None
    assert always.low is not None and always.high is not None
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
