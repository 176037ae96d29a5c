"""Taroky: whole rounds to their last chip, as on the rules page; who is asked for contra: the law on models. And what
each seat may know.
"""

from typing import Any

import pytest

from engines import core
from engines.taroky import policy
from tests.engines.taroky.positions import (
    GAME,
    cards,
    cards_of_talon,
    deck,
    filled,
    numbers,
    one_round,
    position,
    result,
    settlement,
    trumps,
    until,
)

ALONE_TRICKS = """2: 1h 4h 2h 3h; 3 | 3: Qc 9c 7c I; 2 | 2: 4d 1d VIII 2d; 0 | 0: 9s Ts II III; 3
| 3: Rh Qh Jh VI; 2 | 2: VII V XIII IV; 0 | 0: Rs IX XI X; 2 | 2: XII XV XVIII Rc; 0
| 0: Ks Kc XIV XVI; 3 | 3: 3d XX Jd XVII; 0 | 0: Jc Kh XIX Rd; 2 | 2: Sk Kd XXI Qd; 2"""


def test_a_whole_round_that_povinnost_plays_alone_by_its_own_call() -> None:
    pos, said = one_round(deck(5, 0))
    actions = [(seat, action) for seat, action, _ in said]
    assert len(said) == 74 and said[0][:2] == (3, "cut")
    assert [a for a in actions if a[1] == "pass"][:4] == [(2, "pass"), (3, "pass"), (0, "pass"), (1, "pass")]
    discards = [(seat, action[8:]) for seat, action in actions if action.startswith("discard")]
    assert discards == [(2, "8s"), (2, "Js"), (2, "Qs"), (2, "Tc"), (3, "8c"), (0, "7s")]
    assert next(legal for _, action, legal in said if action == "call XIX") == ["call XIX", "call XVIII"]
    plays = [(seat, action[5:]) for seat, action in actions if action.startswith("play")]
    for k, trick in enumerate(ALONE_TRICKS.split("|")):
        leader, cards, winner = (part.strip() for part in trick.replace(";", ":").split(":"))
        assert [card for _, card in plays[4 * k : 4 * k + 4]] == cards.split()
        assert plays[4 * k][0] == int(leader)
        if k < 11:
            assert plays[4 * k + 4][0] == int(winner)
    assert result(pos)["declarers"] == (2,) and result(pos)["points"] == 65
    assert settlement(pos) == [-4, -4, 12, -4] and pos.scores() == [-10, -2, 22, -10]


def test_the_talon_goes_to_povinnost_and_the_two_after_it() -> None:
    pos = GAME.position(shuffles=[deck(5, 0)], rounds=1)
    pos.play("cut")
    assert cards_of_talon(core.PlainRow(pos.states[0])) == ["4d", "I", "VI", "XI", "XVI", "XXI"]
    for _ in range(4):
        pos.play("pass")
    assert {"4d", "I", "VI", "XI"} < set(pos.view(2).hand)
    pos.play("draw")
    pos.play("draw")
    assert "XVI" in pos.view(3).hand and "XXI" in pos.view(0).hand
    assert pos.view(1).hand_sizes == (13, 12, 16, 13) and pos.view(1).offers == ("draw", "draw")
    while pos.view(-1).phase != "valat":
        pos.play(pos.legal()[0])
    assert pos.view(-1).money == ((), ("bida",), ("taroky",), ())


DOUBLED = "1 contra, 0 rhea, 1 supra"
PREVER = [  # deck, script, points of the declarers, kind, settlement, scores, decisions (0: not given)
    ((7, 47), "0 prever, 0 keep", 53, "counted", "-9 3 3 3", "-5 -1 7 -1", 66),
    ((7, 47), "0 prever, 0 reject, 0 reject", 53, "counted", "-36 12 12 12", "-32 8 16 8", 67),
    ((5, 36), "0 prever, 0 keep", 48, "counted", "-15 5 5 5", "-11 1 1 9", 0),
    ((7, 42), "3 prever, 3 reject, 3 keep", 58, "counted", "-5 -5 -5 15", "-7 -7 -7 21", 0),
    ((5, 29), "2 prever, 2 keep", None, "uncalled valat", "20 20 -60 20", "20 20 -60 20", 0),
    ((5, 29), "2 prever, 2 reject, 2 reject", None, "uncalled valat", "80 80 -240 80", "80 80 -240 80", 0),
    ((11, 23), "3 pass, 0 prever", 59, "counted", "15 -5 -5 -5", "15 -5 -5 -5", 67),
    ((11, 23), f"3 pass, 0 prever, {DOUBLED}", 59, "counted", "120 -40 -40 -40", "120 -40 -40 -40", 67),
    ((11, 33), "", 53, "counted", "-2 -2 2 2", "-2 -2 2 2", 0),  # a tie of partners
]


@pytest.mark.parametrize(("cards", "script", "points", "kind", "paid", "scores", "decisions"), PREVER)
def test_rounds_with_prever_and_a_tie_of_partners_are_settled_as_the_rules_say(
    cards: tuple[int, int], script: str, points: int | None, kind: str, paid: str, scores: str, decisions: int
) -> None:
    pos, said = one_round(deck(*cards), script)
    assert result(pos)["kind"] == kind and points in (None, result(pos)["points"])
    assert (settlement(pos), pos.scores()) == (numbers(paid), numbers(scores))
    assert decisions in (0, len(said))


VALAT_DECK = cards(
    "I Ks Qs Rs XI X Sk XXI XX XIX XVIII XVII XVI XV XIV XIII XII II III IV V Kc Qc Rc Jc Tc 9c 1d 7s 8s "
    "VI VII VIII Kh Qh Rh Jh 4h 3h 2d 9s Ts Js 7c 8c 1h 2h 3d 4d Jd Rd Qd Kd IX"
)


def script_of(calls: str, leads: str) -> str:
    """What seat 1 discards, says and leads."""
    discards, plays = (f"1 discard {card}" for card in ("Qs", "Rs", "II", "XII")), leads.split()
    return ", ".join(
        ["3 knock 12", *discards, *([calls] if calls else []), *(f"1 play {card}" for card in plays)]
    )


ALL_TRICKS = "Sk XXI XX XIX XVIII XVII XVI XV XIV XIII Ks I"

EARLY_I = "Sk XXI XX XIX XVIII XVII XVI XV XIV I Ks XIII"

VALATS = [  # calls, leads of seat 1, options, kind, settlement, scores, decisions
    ("1 pagat", ALL_TRICKS, {}, "uncalled valat", "-24 72 -24 -24", "-26 94 -34 -34", 71),
    ("", ALL_TRICKS, {}, "uncalled valat", "-22 66 -22 -22", "-24 88 -32 -32", 74),
    ("1 valat", ALL_TRICKS, {}, "valat", "-40 120 -40 -40", "-42 142 -50 -50", 67),
    ("1 valat, 2 contra", ALL_TRICKS, {}, "valat", "-80 240 -80 -80", "-82 262 -90 -90", 68),
    ("1 pagat", EARLY_I, {}, "uncalled valat", "-16 48 -16 -16", "-18 70 -26 -26", 71),
    ("1 pagat", EARLY_I, {"pagat_fail": 20}, "uncalled valat", "0 0 0 0", "-2 22 -10 -10", 71),
]


@pytest.mark.parametrize(("calls", "leads", "options", "kind", "paid", "scores", "decisions"), VALATS)
def test_valat_and_pagat_on_the_end_are_paid_as_called_and_played(
    calls: str, leads: str, options: dict[str, Any], kind: str, paid: str, scores: str, decisions: int
) -> None:
    pos, said = one_round(VALAT_DECK, script_of(calls, leads), **options)
    assert [legal for seat, action, legal in said if action == "discard Qs"] == [["discard Rs", "discard Qs"]]
    assert [legal for _, action, legal in said if action.startswith("call")] == [["call XIX"]]
    assert result(pos)["declarers"] == (1,) and result(pos)["kind"] == kind
    assert (settlement(pos), pos.scores(), len(said)) == (numbers(paid), numbers(scores), decisions)


WINS, VALAT = policy.EVENTS[0], policy.EVENTS[3]


@pytest.mark.parametrize(
    ("calls", "leads", "told"),
    [
        ("1 valat", ALL_TRICKS, [WINS, VALAT]),
        ("1 valat", "I", [VALAT]),  # it loses the first trick
        ("", ALL_TRICKS, [WINS, VALAT]),
        ("", "I", [WINS]),
    ],
)
def test_the_outcome_of_a_valat_is_told_of_called_ones_and_of_those_that_were_made(
    calls: str, leads: str, told: list[str]
) -> None:
    pos, _ = one_round(VALAT_DECK, script_of(calls, leads))
    happened = getattr(policy.happened, "py_func", policy.happened)
    bits = happened(core.PlainRow(pos.states[0]), core.PlainRow(GAME.new(1)[0]), 1)
    assert "called" in VALAT and "made" in VALAT
    assert [text for bit, text in enumerate(policy.EVENTS[:4]) if bits >> bit & 1 and bit in (0, 3)] == told


def test_a_hand_without_plain_cards_shows_the_trumps_that_it_discards_and_its_money_cards_are_paid() -> None:
    pos = GAME.position(shuffles=[VALAT_DECK], rounds=1)
    pos.play("knock 12")
    while pos.view(-1).phase != "valat":
        wanted = [f"discard {card}" for card in ("Qs", "Rs", "II", "XII") if pos.seat == 1]
        pos.play(next((one for one in wanted if one in pos.legal()), pos.legal()[0]))
    assert pos.view(2).discards == ((), ("II", "XII"), ("7s",), ())
    assert pos.view(2).discard_counts == (0, 4, 1, 1)
    assert pos.view(0).money == (("bida",), ("taroky", "trul", "pane"), (), ())
    assert pos.view(0).totals == (-2, 22, -10, -10)


def test_secret_discards_are_seen_by_their_seat_only_and_counted_by_all() -> None:
    pos = until("call", deck(7, 3))
    for seat in range(4):
        view = pos.view(seat)
        assert [len(cards) for cards in view.discards] == [
            view.discard_counts[p] if p == seat else 0 for p in range(4)
        ]
    assert sum(pos.view(-1).discard_counts) == 6


def test_prever_alone_looks_at_the_talon_and_a_refused_half_is_shown_to_all() -> None:
    pos = until("talon", deck(7, 47), "0 prever")
    talon = tuple(cards_of_talon(core.PlainRow(pos.states[0])))
    blank = ("", "", "")
    assert [pos.view(seat).talon for seat in (0, 1)] == [talon[:3] + blank, 2 * blank]
    pos.play("reject")
    assert [pos.view(seat).talon for seat in (0, 1)] == [talon, talon[:3] + blank]
    pos.play("keep")
    assert [pos.view(seat).talon for seat in (0, 1)] == 2 * [talon[:3] + blank]
    assert set(talon[3:]) < set(pos.view(0).hand) and set(pos.view(2).shown) == set(talon[:3])


def test_a_half_that_prever_did_not_take_stays_unseen() -> None:
    pos = until("discard", deck(7, 47), "0 prever, 0 keep")
    assert all(pos.view(seat).talon == 6 * ("",) for seat in range(-1, 4))


def test_after_two_refusals_prever_holds_the_shown_top_half_and_the_bottom_half_lies_open() -> None:
    pos = until("discard", deck(7, 47), "0 prever, 0 reject, 0 reject")
    shown, talon = pos.view(3).shown, pos.view(3).talon
    assert len(shown) == 6 and talon[:3] == ("", "", "") and "" not in talon[3:]
    assert set(shown) - set(talon) < set(pos.view(0).hand)


def test_an_offered_card_is_seen_only_by_the_seat_that_takes_it() -> None:
    pos = until("draw", deck(5, 0))
    pos.play("offer")
    assert all("XVI" not in (*pos.view(seat).talon, *pos.view(seat).hand) for seat in range(4))
    pos.play("accept")
    assert [seat for seat in range(4) if "XVI" in pos.view(seat).hand] == [1] and pos.seat == 0
    pos.play("offer")
    pos.play("reject")
    assert [seat for seat in range(4) if "XXI" in pos.view(seat).hand] == [0]
    assert pos.view(2).offers == ("accept", "reject") and pos.view(2).hand_sizes == (13, 13, 16, 12)


def test_only_the_partner_knows_the_partner_until_the_called_card_is_played() -> None:
    pos = until("play", deck(7, 3))
    assert [pos.view(seat).partner for seat in range(-1, 4)] == [-1, 0, -1, -1, -1]
    assert pos.view(1).sides == ("", "opponent", "declarer", "")
    while "play XIX" not in pos.legal():
        pos.play(pos.legal()[0])
    pos.play("play XIX")
    assert [pos.view(seat).partner for seat in range(-1, 4)] == 5 * [0]


def test_povinnost_alone_knows_that_it_is_alone() -> None:
    pos = until("play", deck(5, 0))
    assert [pos.view(seat).partner for seat in range(-1, 4)] == [-1, -1, -1, 2, -1]


@pytest.mark.parametrize(
    ("script", "known"),
    [("", [-1, 0, -1, -1, -1]), ("3 contra", [-1, 0, -1, -1, -1]), ("3 contra, 0 rhea", 5 * [0])],
)
def test_a_call_that_only_one_side_may_make_shows_the_side(script: str, known: list[int]) -> None:
    pos = until("play", deck(7, 3), script)
    assert [pos.view(seat).partner for seat in range(-1, 4)] == known
    assert pos.view(1).sides[3] == ("opponent" if "contra" in script else "")


def test_calling_valat_shows_the_callers_side() -> None:
    pos = until("contra", deck(7, 3), "0 valat")
    assert pos.view(1).sides == ("declarer", "opponent", "declarer", "opponent") and pos.view(1).partner == 0
    pos = until("contra", deck(7, 3), "1 valat")
    assert pos.view(2).sides == ("", "opponent", "declarer", "") and pos.view(2).partner == -1


def test_seats_of_the_wrong_side_are_asked_in_a_partner_round_but_can_only_pass() -> None:
    pos = until("contra", deck(7, 3), "2 valat")
    asked = []
    while pos.view(-1).phase == "contra":
        asked.append((pos.seat, pos.legal()))
        pos.play("pass")
    assert asked == [(3, ["pass", "contra"]), (0, ["pass"]), (1, ["pass", "contra"])]


def test_povinnost_may_hide_uni_and_bida_and_nobody_sees_the_word() -> None:
    hands = filled("Ks Kc Kh Kd I V 7s 8s 7c 8c 1h 2h")
    pos = position("money", hands)
    assert pos.legal() == ["announce", "conceal"]
    pos.play("conceal")
    assert pos.view(1).money[0] == ("rosa-pane+",) and pos.view(1).totals == (18, -6, -6, -6)
    assert position("money", filled(trumps("II", "IV") + " 7s 8s 9s 7c 8c 9c 1h 2h 3h")).legal() == [
        "announce"
    ]


def test_a_silent_holder_of_the_pagat_stays_unknown() -> None:
    pos = until("pagat", deck(5, 0))
    holder = next(seat for seat in range(4) if "I" in pos.view(seat).hand)
    asked = {}
    while pos.view(-1).phase == "pagat":
        asked[pos.seat] = pos.legal()
        pos.play("pass")
    assert asked == {seat: ["pass", "pagat"] if seat == holder else ["pass"] for seat in range(4)}
