"""How many games part the two best bots: the formula, and what rotating and luck are worth in it."""

from __future__ import annotations

import numpy as np
import pytest

from leagues.formats.coverage import adaptive_games
from leagues.ratings import Results, Weights
from leagues.ratings.needed import needed_rows
from leagues.ratings.table import RatedBot

WHO = [RatedBot("a", 1), RatedBot("b", 1)]


def heads_up(rng, blocks, difference, deal_sd, chance_sd, noise_sd):
    """Two seats, two rotations: a difference, the cards of a deal, chance that is seen, and noise."""
    deal = deal_sd * rng.standard_normal((blocks, 2))
    entrant = np.tile([[0, 1], [1, 0]], (blocks, 1))
    luck = chance_sd * rng.standard_normal(entrant.shape)
    score = np.repeat(deal, 2, axis=0) + luck + noise_sd * rng.standard_normal(entrant.shape)
    score = score + np.where(entrant == 0, difference / 2, -difference / 2)
    return Results(entrant, score, np.repeat(np.arange(blocks), 2), luck=luck)


def test_games_needed_are_those_of_the_power_formula():
    results = heads_up(np.random.default_rng(1), 6_000, 1.0, 3.0, 2.0, 1.0)
    own, blocks, fair = needed_rows(results, WHO, Weights(1.0, 0.0))
    # 7.849 * variance of a difference: two seats each; a block is the mean of two games
    assert own.games == pytest.approx(7.849 * 2 * (9 + 4 + 1), rel=0.15)
    assert blocks.games == pytest.approx(7.849 * 2 * (4 + 1), rel=0.15)
    assert fair.games == pytest.approx(7.849 * 2 * 1, rel=0.15)
    assert [row.how for row in (own, blocks, fair)] == ["deals of their own", "blocks", "blocks without luck"]
    for row in (own, blocks, fair):
        assert row.low < row.games < row.high and row.bot == "a@1" and row.blocks == 6_000


def test_the_difference_is_that_of_the_better_one_less_the_other_whatever_their_numbers():
    rng = np.random.default_rng(4)
    for sign in (1, -1):
        row = needed_rows(heads_up(rng, 200, sign * 2.0, 1.0, 1.0, 1.0), WHO)[0]
        assert row.bot == ("a@1" if sign > 0 else "b@1") and row.difference == pytest.approx(2, abs=0.5)


def test_a_difference_that_may_be_0_has_no_upper_end():
    (own, blocks) = needed_rows(heads_up(np.random.default_rng(2), 40, 0.05, 3.0, 2.0, 1.0), WHO)
    assert own.high is None and blocks.high is None and blocks.low is not None


def test_the_interval_holds_the_true_number_in_95_of_100():
    rng, holds = np.random.default_rng(3), []
    true = 7.849 * 2 * 5
    for _ in range(300):
        row = needed_rows(heads_up(rng, 60, 1.5, 3.0, 2.0, 1.0), WHO)[1]
        wanted = true / 1.5**2
        holds.append(row.low <= wanted and (row.high is None or wanted <= row.high))
    assert 0.91 < np.mean(holds) < 0.99


def test_too_few_common_blocks_say_nothing():
    assert needed_rows(heads_up(np.random.default_rng(4), 5, 1.0, 1.0, 1.0, 1.0), WHO) == []


def test_an_adaptive_league_of_clear_bots_is_short_and_one_of_equal_bots_has_no_end():
    assert adaptive_games(np.array([400.0, 0, -300]), 2, leagues=5, deals=200) < 300
    assert adaptive_games(np.zeros(3), 2, leagues=5, deals=100) is None
