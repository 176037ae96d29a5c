"""What repeating a deal is worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import Results, deal_correlation, deal_correlations, seat_scores, worth_of_a_game

from .made import games, rotations


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


@pytest.mark.parametrize(
    "scores", [np.ones((1, 4)), np.ones((4, 1)), np.ones(4), np.ones((3, 3)), np.full((3, 3), np.nan)]
)
def test_deal_correlation_of_nothing_is_refused(scores):
    with pytest.raises(LeagueError):
        deal_correlation(scores)


def table_of_four(rng, blocks, deal, seat_bias=0.0):
    """Blocks of four equal bots: a score is luck of the seat in the deal (a share `deal` of the variance) and
    noise.
    """
    entrant = rotations(rng.permuted(np.tile(np.arange(4), (blocks, 1)), axis=1))
    luck = np.sqrt(deal) * rng.standard_normal((blocks, 1, 4))
    score = luck + np.sqrt(1 - deal) * rng.standard_normal(entrant.shape) + seat_bias * np.arange(4)
    return Results(entrant.reshape(-1, 4), score.reshape(-1, 4), np.repeat(np.arange(blocks), 4))


@pytest.mark.parametrize("deal, bias", [(0.0, 0.0), (0.6, 0.0), (0.6, 3.0)])
def test_a_game_in_a_block_is_worth_more_the_more_the_seat_decides(deal, bias):
    worth = worth_of_a_game(table_of_four(np.random.default_rng(1), 1_500, deal, bias), 4)
    assert worth.median == pytest.approx(1 / (1 - deal), rel=0.1)  # all luck of the seat cancels
    assert worth.low < 1 / (1 - deal) < worth.high and len(worth.pairs) == 6


def test_the_interval_of_the_worth_holds_and_blocks_needed_follow_from_the_spread():
    rng, inside = np.random.default_rng(2), 0
    for _ in range(100):
        worth = worth_of_a_game(table_of_four(rng, 80, 0.5), 4)
        inside += worth.low <= 2 <= worth.high
    assert inside >= 89
    pair = worth.pairs[0]
    assert pair.blocks_for(pair.sd_block * 1.959964 / 10) == pytest.approx(100)
    half_a_sd = replace(pair, difference=pair.sd_block / 2)
    assert half_a_sd.blocks_to_part == pytest.approx(31.4, abs=0.1)  # (1.960 + 0.842)^2 * 4
    assert worth_of_a_game(games(*[("AB", [1, 0])] * 9), 2) is None


def test_scores_by_seat_are_means_over_blocks():
    rows = [("AB", [4, 0]), ("BA", [2, 1]), ("AB", [6, 0]), ("BA", [3, 5])]
    table = seat_scores(games(*rows, block=np.array([0, 0, 1, 1])), 2)
    assert table.mean.tolist() == [[5, 3], [2.5, 0], [3.75, 1.5]]
    assert table.error[0, 0] == 1 and table.blocks.tolist() == [[2, 2], [2, 2], [2, 2]]


def test_deal_correlations_are_those_of_each_entrant_alone():
    results = table_of_four(np.random.default_rng(3), 300, 0.5)
    found = deal_correlations(results, 5)
    for one in range(4):
        mine = (results.entrant == one).argmax(axis=1)
        scores = results.score[np.arange(len(mine)), mine].reshape(-1, 4)
        assert found[one] == pytest.approx(deal_correlation(scores))
    assert np.isnan(found[4])
    assert np.isnan(deal_correlations(results.rows(slice(0, 0)), 5)).all()
