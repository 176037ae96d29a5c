"""Other looks at the games: pairs, seats, versions, variance."""

from __future__ import annotations

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings.results import Results
from leagues.ratings.table import RatedBot
from leagues.ratings.views import family_rows, pair_rows, seat_rows, variance_rows

from .made import duels, games, league

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
    gained = family_rows(results, who, "mine")[1]
    assert gained.gain < 0 and (gained.low, gained.high, gained.superiority) == (None, None, None)
    seats = seat_rows(results, who)
    assert all(row.low is None for row in seats if row.bot == "mine@2")
    assert all(row.low is not None for row in seats if row.bot == "mine@1")


def test_versions_that_always_tied_in_a_few_blocks_have_no_interval():
    who = [RatedBot("mine", 1), RatedBot("mine", 2)]
    assert family_rows(games(*[("AB", [1, 1])] * 6), who, "mine")[1].low is None
    assert family_rows(games(*[("AB", [1, 1])] * 40), who, "mine")[1].low == 0


def test_seats_are_told_for_every_bot_and_for_all():
    rows = seat_rows(games(*[("AB", [4, 0]), ("BA", [2, 1])] * 5), WHO)
    assert [(row.bot, row.seat, row.score) for row in rows] == [
        *(("ann@1", 0, 4), ("ann@1", 1, 1), ("bob@1", 0, 2), ("bob@1", 1, 0)),
        *(("all", 0, 3), ("all", 1, 0.5)),
    ]


def test_a_version_is_compared_with_the_one_before_it_that_played():
    who = [RatedBot("mine", 3), RatedBot("rule", 1), RatedBot("mine", 1), RatedBot("mine", 2)]
    first, third = family_rows(duels(AB=70, BA=30, BC=70, CB=30), who, "mine")  # version 2 did not play
    assert (first.version, first.gain, third.version, third.games) == (1, None, 3, 100)
    assert third.gain == pytest.approx(third.elo - first.elo, abs=0.2) and third.low < third.gain < third.high
    assert third.low > 0 and third.superiority > 0.999
    assert family_rows(duels(AB=3), who, "nobody") == []


def test_versions_that_no_game_connects_are_not_compared():
    who = [RatedBot("mine", 1), RatedBot("rule", 1), RatedBot("mine", 2), RatedBot("plain", 1)]
    assert [row.gain for row in family_rows(duels(AB=30, BA=20, CD=30, DC=20), who, "mine")] == [None, None]


def test_variance_tells_blocks_for_the_bar_that_is_wanted():
    results = league(np.random.default_rng(1), [0.5, 0.0, 0.0, -0.5], lineups=1, blocks=200)
    found = variance_rows(results, WHO, bar=0.1)
    assert len(found.rows) == 6 and found.worth[1] < found.worth[0] < found.worth[2]
    for row in found.rows:
        assert row.blocks_for_bar == pytest.approx((1.96 * row.sd_block / 0.1) ** 2, rel=0.01)
    with pytest.raises(LeagueError, match="error bar of 0"):
        variance_rows(results, WHO, bar=0)
    alike = variance_rows(games(*[("AB", [3, 1]), ("BA", [1, 3])] * 15), WHO, bar=1)
    assert alike.worth is None and alike.rows[0].blocks_for_bar is alike.rows[0].games_to_part is None
    assert variance_rows(duels(AB=3), WHO).rows == () and variance_rows(duels(AB=3), WHO).worth is None


def test_nothing_is_told_of_no_games():
    nothing = games(("AB", [0, 0])).independent(None)
    empty = type(nothing)(np.zeros((0, 2), int), np.zeros((0, 2)), np.zeros(0, int))
    assert pair_rows(empty, WHO) == seat_rows(empty, WHO) == family_rows(empty, WHO, "ann") == []
