"""Other looks at the games: pairs and versions."""

import numpy as np
import pytest

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
