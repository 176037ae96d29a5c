"""The games: what is refused, and that their order of arrival changes nothing."""

import itertools

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import Results, bradley_terry, results
from leagues.ratings.rows import RatedBot, rating_table

from .made import TABLES, league, same_bytes


@pytest.mark.parametrize("table", TABLES)
def test_the_order_in_which_games_arrive_changes_no_byte(table):
    rng = np.random.default_rng(11)
    four = league(rng, np.linspace(-1, 1, 7), lineups=9, blocks=11)
    three = league(rng, np.linspace(-1, 1, 7), lineups=9, blocks=11, seats=3)
    entrant = np.concatenate(
        [four.entrant, np.pad(three.entrant, ((0, 0), (0, 1)), constant_values=-1)]
    ).astype(np.int16)
    score = np.round(
        np.concatenate([four.score, np.pad(three.score, ((0, 0), (0, 1)), constant_values=np.nan)]), 1
    )
    block = np.concatenate([four.block, three.block + 1000])
    rank = np.where(rng.random(score.shape) < 0.05, -np.inf, score)
    sorted_once = table(Results(entrant, score, block, rank), 7)
    for _ in range(5):
        shuffle = rng.permutation(len(block))
        assert same_bytes(
            sorted_once, table(Results(entrant[shuffle], score[shuffle], block[shuffle], rank[shuffle]), 7)
        )


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
    with pytest.raises(LeagueError, match=said):
        bradley_terry(
            Results(
                np.array(entrant), np.array(score), np.array(block), rank if rank is None else np.array(rank)
            ),
            entrants,
        )


def test_portions_are_whole_blocks_and_the_table_is_the_same_whatever_their_size(monkeypatch):
    rng, who = np.random.default_rng(8), [RatedBot(f"b{i}", 1) for i in range(6)]
    games = league(rng, np.linspace(-0.5, 0.5, 6), lineups=9, blocks=7)
    games = Results(games.entrant, games.score, games.block, stretch=games.block // 7, match=games.block // 7)
    whole = rating_table(games, who)
    monkeypatch.setattr(results, "PORTION", 50)
    parts = [part.block for _, part in games.portions()]
    assert len(parts) == 5 and np.concatenate(parts).tolist() == games.block.tolist()
    assert all(one[-1] < two[0] for one, two in itertools.pairwise(parts))
    for row, same in zip(whole.rows, rating_table(games, who).rows, strict=True):
        assert row.bot == same.bot
        assert (row.elo, row.elo_low, row.score_high, row.first) == pytest.approx(
            (same.elo, same.elo_low, same.score_high, same.first), abs=0.1
        )
