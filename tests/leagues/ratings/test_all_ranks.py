"""Ranks for all rows at once, and ranks at all looks: wider than those of one row at one look."""

from __future__ import annotations

import numpy as np

from leagues.ratings.table import RatedBot, rating_table

from .test_collusion import leagues_games


def test_ranks_for_all_rows_and_at_all_looks_are_wider_and_never_narrower():
    rng, who = np.random.default_rng(6), [RatedBot(name, 1) for name in "abcdef"]
    total = np.zeros(4)
    for _ in range(8):
        games = leagues_games(rng, 90, 0.0)
        kinds = ((None, False), (None, True), (90, False), (90, True))
        tables = [rating_table(games.watched(looks), who, all_ranks=every).rows for looks, every in kinds]
        width = np.array([[row.rank_high - row.rank_low for row in rows] for rows in tables])
        assert (width[1:] >= width[0]).all() and (width[3] >= width[2]).all()
        total += width.sum(axis=1)
    assert (total[1:] > total[0]).all()
