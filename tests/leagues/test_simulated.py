"""Verdicts in simulated leagues: what `python -m benchmarks.verdicts` measures, at small size."""

import numpy as np
import pytest

from benchmarks import verdicts
from leagues.ratings.intervals import always_quantile
from leagues.ratings.results import Results
from leagues.ratings.scores import least_squares_scores


def shares(lines: list[verdicts.Line]) -> dict[str, float]:
    """What was found, by what it says."""
    return {one.said: one.share for one in lines}


def test_a_bot_that_differs_between_processes_is_found_though_no_line_up_has_two_stretches() -> None:
    found = shares(verdicts.mood(12, seed=1))
    assert found["the mood is found"] > 0.9 and found["its interval holds"] > 0.7
    assert found["the others' intervals hold"] > 0.9
    assert shares(verdicts.mood(12, seed=2, sd=0.0))["the mood is found"] == 0


@pytest.mark.soak
def test_it_widens_no_comparison_of_the_others() -> None:
    found = shares(verdicts.mood(12, seed=3, bots=4, sd=150.0))
    assert found["the mood is found"] == 1
    assert found["the others' errors of differences / by deal"] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("blocks", [40, 250, 1_000])
def test_who_looks_after_every_block_is_shown_a_false_difference_in_5_percent_at_most(blocks: int) -> None:
    found = shares(verdicts.watcher(2_000 if blocks < 1_000 else 500, blocks, seed=5))
    assert found["plain interval misses 0 at some look"] > 0.2
    assert found["interval for all looks misses 0 at some look"] <= 0.05
    assert 1.3 < found["width at the planned length / plain"] <= 1.6


@pytest.mark.parametrize("leagues, most", [(20, 0.15), pytest.param(400, 0.07, marks=pytest.mark.soak)])
def test_nobody_in_a_table_of_equal_bots_becomes_first_by_being_watched(leagues: int, most: float) -> None:
    found = shares(verdicts.watched_table(leagues, deals=60, seed=6))
    assert max(found.values()) <= most  # 5 %, and two standard errors


@pytest.mark.parametrize("leagues", [200, pytest.param(2_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("bots", [3, 4, 6])
def test_a_table_looked_at_after_every_block_misses_in_5_percent_at_most(bots: int, leagues: int) -> None:
    found = shares(verdicts.equal_table(leagues, bots, seed=12))
    assert found["a bot's plain interval misses at some look"] > 0.2
    assert found["a bot's interval for all looks misses at some look"] <= 0.05
    assert found["a bot's ranks leave one out at some look"] <= 0.05


@pytest.mark.parametrize("places", [False, True])
def test_tables_that_are_simulated_at_once_are_those_of_the_ratings(places: bool) -> None:
    score = verdicts.table_scores(1, 4, 60, np.random.default_rng(13))
    value = verdicts.block_means(score, places)
    mean, t = value.mean(axis=1)[0], verdicts.looks(value)[0, -1]
    seat, rotation = np.arange(4), np.arange(4)[:, None]
    entrant = np.tile((seat - rotation) % 4, (60, 1))
    made = score.reshape(-1, 4)
    if places:
        made = (made[:, :, None] > made[:, None, :]).sum(axis=2) / 3
    results = Results(entrant, made, np.repeat(np.arange(60), 4)).watched(40)
    table = least_squares_scores(results, 4)
    np.testing.assert_allclose(table.mean, mean, atol=1e-9)
    half = always_quantile(0.05, 59, 40) * np.abs(mean) / t
    np.testing.assert_allclose(table.score_high - table.mean, half, rtol=1e-6)


@pytest.mark.soak
def test_intervals_of_the_nash_view_hold_while_games_hardly_tell_bots_apart() -> None:
    found = shares(verdicts.planned_nash(6, seats=4, seed=15))
    assert found["one planned look: a bot's interval misses"] <= 0.05


@pytest.mark.soak
@pytest.mark.parametrize("seats", [2, 4])
def test_a_watched_nash_view_misses_seldom_and_is_not_much_wider(seats: int) -> None:
    found = shares(verdicts.watched_nash(60, seats, seed=16))
    assert found["a bot's interval for all looks misses at some look"] <= 0.05
    assert found["width at the planned length / plain"] <= 1.6


@pytest.mark.soak
@pytest.mark.parametrize("sd", [0.0, 80.0, 150.0])
def test_intervals_hold_in_many_leagues_with_such_a_bot(sd: float) -> None:
    found = shares(verdicts.mood(400, seed=4, sd=sd))
    assert found["the others' intervals hold"] > 0.93
    assert found["its interval holds"] > 0.92
    assert found["the mood is found"] <= 0.02 if sd == 0 else found["the mood is found"] > 0.9
