"""The rating table: what a row says, how groups stand, what is told about the league; two bots of one owner
are found where they help each other, and not where they are only strong.
"""

import gc
import json
from itertools import combinations
from weakref import ref

import numpy as np
import pytest
from pydantic import TypeAdapter

from leagues.ratings.collusion import collusion
from leagues.ratings.results import Results
from leagues.ratings.rows import COLUMNS, RatedBot, RatingTable, first_places, label, rating_table, sentences

from .made import duels, games

WHO = [RatedBot(name, 1) for name in ("ann", "bob", "cleo", "dan", "eve")]


def test_guests_of_one_name_are_told_apart_by_the_beginning_of_their_hash():
    who = [RatedBot("draft", 0, guest=True, mark="1a2b3c"), RatedBot("draft", 0, guest=True, mark="4d5e6f")]
    better, worse = rating_table(duels(AB=10, BA=30), who).rows
    assert (label(better), label(worse)) == ("draft (guest 4d5e6f)", "draft (guest 1a2b3c)")


def test_rows_stand_by_elo_with_what_the_harness_counted():
    who = [
        RatedBot("ann", 2, faults={"cpu": 3, "crash": 1}, cpu_s=0.5, decisions=1_000),
        RatedBot("bob", 1, guest=True),
    ]
    bob, ann = rating_table(duels(AB=10, BA=30), who).rows
    assert (bob.bot, bob.rank, bob.guest, bob.games, bob.blocks, bob.first) == ("bob", 1, True, 40, 40, 0.75)
    assert (ann.version, ann.forfeits, ann.faults, ann.cpu_us) == (2, 4, "3 cpu, 1 crash", 500)
    assert tuple(bob.plain()) == COLUMNS


def test_a_notebook_shows_a_table_and_no_markup_that_a_name_brings():
    who = [RatedBot("<b>ann", 2), RatedBot("bob", 1)]
    shown = rating_table(duels(AB=10, BA=30), who)._repr_html_()
    assert shown.startswith("<table><tr><th>#</th>") and shown.count("<tr>") == 3
    assert "<td>bob@1</td>" in shown and "<td>&lt;b&gt;ann@2</td>" in shown and "<b>" not in shown
    assert RatingTable((), ("a & b",))._repr_html_().endswith("</table><p>a &amp; b</p>")


def test_the_score_takes_the_company_out_and_the_mean_does_not():
    # C makes 6 less than A, as much as B
    rows = [("AC", [10, 4]), ("CA", [2, 8]), ("BC", [4, 4]), ("CB", [2, 2])] * 20
    table = {row.bot: row for row in rating_table(games(*rows), WHO[:3]).rows}
    assert table["ann"].mean == 9 and table["bob"].mean == 3 and table["cleo"].mean == 3
    assert table["ann"].score - table["cleo"].score == pytest.approx(6)
    assert table["bob"].score == pytest.approx(table["cleo"].score)
    assert [table[name].score for name in ("ann", "bob", "cleo")] == [9, 3, 3]  # at the level of all scores


def test_groups_that_never_met_are_ranked_apart_and_it_is_told():
    table = rating_table(duels(AB=30, BA=10, CD=30, DC=20, DE=30, ED=20), WHO)
    assert [(row.group, row.rank, row.bot) for row in table.rows] == [
        *((1, 1, "cleo"), (1, 2, "dan"), (1, 3, "eve")),
        *((2, 1, "ann"), (2, 2, "bob")),
    ]
    assert table.rows[3].rank_high == 1
    assert "2 groups of bots never met" in table.notes[0]


def test_who_has_no_game_has_no_row_and_changes_no_rank():
    three, two = (rating_table(duels(AB=30, BA=10), WHO[:entrants]) for entrants in (3, 2))
    assert [row.bot for row in three.rows] == ["ann", "bob"] and three == two
    nothing = Results(np.zeros((0, 4), int), np.zeros((0, 4)), np.zeros(0, int))
    assert rating_table(nothing, WHO) == RatingTable((), ())


def test_an_unrated_table_has_scores_but_no_elo_and_no_rank():
    one, two = rating_table(games(*[("AB", [1, 5])] * 9, *[("AB", [1, 0])] * 9), WHO[:2], rated=False).rows
    assert (one.bot, one.mean, one.elo, one.rank, two.bot) == ("bob", 2.5, None, None, "ann")


def test_rows_and_ranks_follow_the_aim():
    often = games(*[("AB", [1, 0])] * 30, *[("AB", [0, 9])] * 10)  # ann wins often, bob wins much
    by_place = rating_table(often, WHO[:2])
    by_points = rating_table(often, WHO[:2], aim="points")
    assert (by_place.headline, by_points.headline) == ("elo", "score")
    assert [row.bot for row in by_place.rows] == ["ann", "bob"] and by_place.rows[0].rank_high == 1
    assert [row.bot for row in by_points.rows] == ["bob", "ann"] and by_points.rows[0].rank_high == 1
    assert by_points.rows[0].elo == by_place.rows[1].elo


def test_first_places_are_shared_by_those_who_tie_and_not_by_forfeits():
    results = games(("ABC", [5, 5, 1]), ("ABC", [2, 9, 1]), ("ABC", [7, 1, 1]))
    assert first_places(results, 3) == pytest.approx([0.5, 0.5, 0])
    twice = rating_table(games(("AAB", [5, 5, 1]), ("ABA", [2, 9, 1])), WHO[:2]).rows
    assert {(row.bot, row.games, row.first) for row in twice} == {("ann", 2, 0.5), ("bob", 2, 0.5)}
    ranking = np.array([[-np.inf, 5, 1]] * 3)
    lost = Results(results.entrant, results.score, results.block, ranking)
    assert first_places(lost, 3).tolist() == [0, 1, 0]


def test_lost_matches_are_told():
    block = np.repeat(np.arange(80), 2)
    ranking = np.zeros((160, 2))
    ranking[:40:2, 0] = -np.inf  # twenty blocks in a row, one rotation
    lost = Results(np.tile([[0, 1], [1, 0]], (80, 1)), np.zeros((160, 2)), block, ranking, block // 20)
    assert "intervals count 4 stretches of deals, not 80 deals" in rating_table(lost, WHO[:2]).notes[0]
    alone = Results(lost.entrant, lost.score, block, lost.ranking, np.zeros(160, int))
    assert not rating_table(alone, WHO[:2]).notes  # 20 of 80: not a whole match


def test_a_bot_that_lost_its_only_matches_has_no_known_error():
    rng, block = np.random.default_rng(1), np.repeat(np.arange(40), 3)
    entrant = np.tile([[0, 1, 2], [1, 2, 0], [2, 0, 1]], (40, 1))
    score = rng.standard_normal(entrant.shape) + (entrant == 1)
    ranking = np.where(entrant == 0, -np.inf, score)
    table = rating_table(Results(entrant, score, block, ranking, np.zeros(120, int)), WHO[:3])
    last = table.rows[-1]
    assert last.bot == WHO[0].bot and last.perfect == -1 and (last.rank_low, last.rank_high) == (1, 3)
    assert last.elo is not None and last.score is not None
    assert {last.elo_low, last.elo_high, last.score_low, last.mean_high} == {None}
    assert None not in (table.rows[0].elo_low, table.rows[0].score_low)
    assert "its error is not known" in table.notes[0]


def test_a_table_is_stored_and_read_back_whole():
    table = rating_table(duels(AB=30, BA=10, CD=3), WHO)
    stored = json.dumps(table.plain())
    assert TypeAdapter(RatingTable).validate_json(stored, strict=True) == table


def test_games_that_were_rated_go_at_once_and_do_not_wait_for_the_garbage_collector() -> None:
    draw = np.random.default_rng(4)
    match = np.arange(240) // 12
    score = draw.normal(size=(240, 3)) + draw.normal(size=(20, 3)).repeat(12, axis=0)
    entrant = np.tile(np.arange(3), (240, 1))
    results = Results(entrant, score, np.arange(240), stretch=match // 2, match=match)
    known = ref(results)
    gc.disable()
    try:
        rating_table(results, [RatedBot(name, 1) for name in "abc"])
        del results
        assert known() is None
    finally:
        gc.enable()


def test_a_row_says_how_surely_it_is_ahead_and_how_many_more_deals_would_tell():
    clear, close = rating_table(duels(AB=200, BA=20), WHO).rows, rating_table(duels(AB=60, BA=50), WHO).rows
    assert (clear[0].ahead, clear[0].ahead_deals, clear[1].ahead) == ("sure", None, None)
    assert clear[0].rank_high == 1 and close[0].ahead == "open" and close[0].rank_high == 2
    assert sentences(close)[0].endswith(f"open; about {close[0].ahead_deals} more deals would tell")
    assert rating_table(duels(AB=60 + 55 * 20, BA=50 + 45 * 20), WHO).rows[0].ahead == "sure"


def test_a_bot_that_lost_all_changes_no_number_of_the_others():
    alone = rating_table(duels(AB=60, BA=50), WHO).rows
    beside = rating_table(duels(AB=60, BA=50, AC=40, BC=40), WHO).rows
    assert [row.elo for row in beside[:2]] == pytest.approx([row.elo for row in alone], abs=1)
    assert beside[2].perfect == -1 and beside[1].ahead == "sure"


OWNERS = ["ada", "ada", "", "", "bob", "bob"]
STRENGTH = np.array([30.0, 20, 5, -5, -20, -30])


def leagues_games(rng, blocks, gift, given=0.0, styles=0.0):
    """All line-ups of four of six, zero-sum; at tables with 0 and 1 both, each of them gains, the others pay.

    Args:
        rng: chance.
        blocks: deals.
        gift: points that each of the two gains.
        given: points that 1 then gives to 0.
        styles: standard deviation of what passes between any two bots because one style suits another.
    """
    suits = styles * np.random.default_rng(9).standard_normal((6, 6))
    suits = (suits - suits.T) / np.sqrt(2)
    entrant, score, block = [], [], []
    for number in range(blocks):
        line = list(combinations(range(6), 4))[number % 15]
        liking = 10 * rng.standard_normal(4)
        for turn in range(4):
            seats = np.roll(line, turn)
            made = STRENGTH[seats] + np.roll(liking, turn) + 40 * rng.standard_normal(4)
            if 0 in line and 1 in line:
                made = made + np.where(seats < 2, gift, -gift)
                made = made + given * (seats == 0) - given * (seats == 1)
            made = made + suits[seats][:, seats].sum(axis=1)
            entrant.append(seats)
            score.append(made - made.mean())
            block.append(number)
    return Results(np.array(entrant), np.array(score), np.array(block))


def test_what_the_others_lose_is_what_the_two_were_given():
    (ada, bob) = collusion(leagues_games(np.random.default_rng(1), 3_000, 8.0), OWNERS)
    assert (ada.one, ada.two, bob.one, bob.two) == (0, 1, 4, 5)
    assert ada.others == pytest.approx(-8, abs=1.5)
    assert ada.gain == pytest.approx(8, abs=1.5) and ada.p < 0.001
    assert abs(bob.others) < 1.5 and ada.blocks == 1_200


def test_what_one_gives_to_the_other_is_found_though_the_others_lose_nothing():
    games = leagues_games(np.random.default_rng(6), 1_000, 0.0, given=8.0)
    (ada, bob) = collusion(games, OWNERS)
    assert ada.gift == pytest.approx(8, abs=2) and ada.gift_p < 0.001 < ada.p
    assert abs(bob.gift) < 2 and bob.gift_p > 0.05
    who = [RatedBot(name, 1, owner=owner) for name, owner in zip("abcdef", OWNERS)]
    (said,) = [note for note in rating_table(games, who).notes if "sit together" in note]
    assert "points a game pass from b@1 to a@1" in said


@pytest.mark.soak
def test_a_style_that_suits_another_is_no_gift():
    """Without the pairs of different owners to compare with, most of these would be called one."""
    found = []
    for seed in range(20):
        games = leagues_games(np.random.default_rng(seed), 300, 0.0, styles=5.0)
        found += collusion(games, np.random.default_rng(seed).permutation(OWNERS))
    assert np.mean([one.gift_p < 0.05 for one in found]) < 0.1


@pytest.mark.soak
def test_strong_bots_of_one_owner_are_called_colluding_at_the_level_of_the_test_only():
    rng, p = np.random.default_rng(2), []
    for _ in range(100):
        p += [one.p for one in collusion(leagues_games(rng, 60, 0.0), OWNERS)]
    assert 0.005 < np.mean(np.array(p) < 0.05) < 0.06  # adjusted for two pairs: about half of it


def test_pairs_that_are_never_or_always_together_cannot_be_told():
    score = np.random.default_rng(3).normal(size=(50, 4))
    always = Results(np.tile([0, 1, 2, 3], (50, 1)), score, np.arange(50))
    assert collusion(always, ["ada", "ada", "", ""]) == []
    never = Results(np.tile([[0, 2], [1, 2]], (50, 1)), np.zeros((100, 2)), np.arange(100))
    assert collusion(never, ["ada", "ada", ""]) == []


def test_the_rating_table_speaks_of_collusion_only_where_it_is_sure():
    who = [RatedBot(name, 1, owner=owner) for name, owner in zip("abcdef", OWNERS)]
    notes = rating_table(leagues_games(np.random.default_rng(4), 600, 15.0), who).notes
    (said,) = [note for note in notes if "sit together" in note]
    assert said.startswith("a@1 and b@1, both of ada") and "every other bot makes -1" in said
    notes = rating_table(leagues_games(np.random.default_rng(5), 600, 0.0), who).notes
    assert not any("both of" in note for note in notes)
