"""Taroky: the worked examples of its rules as tables, what each seat may know, and a slow second model of the settlement."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import engines
from engines import core
from engines.position import Position
from engines.taroky import state, text
from tests.engines.facts_taroky import DECK, KINGS, PLAIN, TRUMPS

GAME = engines.load("taroky")
CARDS = list(GAME.cards)
PHASE = {name: number for number, name in enumerate(state.PHASES)}


# --- builders ----------------------------------------------------------------------------------------------------------------


def deck(a: int, b: int) -> list[str]:
    """The list whose element i is card a*i + b mod 54."""
    return [CARDS[(a * i + b) % 54] for i in range(54)]


def cards(text: str) -> list[str]:
    return text.split()


def mask(text: str) -> int:
    return sum(1 << CARDS.index(card) for card in text.split())


def trumps(first: str, last: str) -> str:
    return " ".join(CARDS[CARDS.index(first) : CARDS.index(last) + 1])


def position(phase: str, hands: dict[int, str], **fields: Any) -> Position:
    """A position in some phase of the first round: dealer 3, Povinnost 0, the seat to act 0; the hands given, no other card."""
    options = {name: fields.pop(name) for name in list(fields) if name in GAME.options}
    states = GAME.new(1, **options)
    row = core.PlainRow(states[0])
    core.start_row(core.rows(states), 0)
    row.phase, row.seat, row.dealer, row.lead = PHASE[phase], 0, 3, 0
    for seat, cards in hands.items():
        row.hand[seat] = mask(cards)
        row.size[seat] = len(cards.split())
    for name, value in fields.items():
        setattr(row, name, value)
    return Position.of(GAME, states)


def lead_position(hands: dict[int, str], **fields: Any) -> Position:
    return position("play", hands, leads=[0] + 11 * [-1], **fields)


def cards_of_talon(s: Any) -> list[str]:
    return [CARDS[card] for card in s.talon if card >= 0]


Said = list[tuple[int, str, list[str]]]


def play(pos: Position, script: str = "") -> Said:
    """Play to the end: lowest actions, but the next item of the script ("3 contra, 0 rhea, 1 play Sk") once its seat may.

    Returns what was said: seat, action, legal actions.
    """
    said: Said = []
    items = [item.strip().split(" ", 1) for item in script.split(",") if item.strip()]
    while not pos.over:
        assert pos.seat is not None
        seat, legal = pos.seat, pos.legal()
        action = legal[0]
        if items and int(items[0][0]) == seat and items[0][1] in legal:
            action = items.pop(0)[1]
        said.append((seat, action, legal))
        pos.play(action)
    assert not items, f"never legal: {items}"
    return said


def one_round(cards: list[str], script: str = "", **options: Any) -> tuple[Position, Said]:
    pos = GAME.position(shuffles=[cards], rounds=1, **options)
    return pos, play(pos, script)


def result(pos: Position) -> dict[str, Any]:
    return dict(pos.view(-1).results[-1])


def settlement(pos: Position) -> list[int]:
    """What the settlement alone paid, by seat."""
    last = result(pos)
    alone = len(last["declarers"]) == 1
    return [last["pay"] * (3 if alone else 1) if seat in last["declarers"] else -last["pay"] for seat in range(4)]


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


# --- counting and deals ------------------------------------------------------------------------------------------------------

COUNTED = [
    (2, 0, 2),
    (2, 2, 2),
    (2, 3, 3),
    (2, 6, 3),
    (2, 53, 13),
    (3, 0, 3),
    (3, 1, 3),
    (3, 2, 4),
    (3, 5, 5),
    (3, 6, 5),
    (3, 50, 18),
]


@pytest.mark.parametrize(("factor", "difference", "chips"), COUNTED)
def test_a_counted_round_costs_a_head_what_the_difference_gives_rounded_to_tens(factor: int, difference: int, chips: int) -> None:
    assert state.base_of(53 + difference, factor) == chips
    assert state.base_of(53 - difference, factor) == chips


def test_the_whole_deck_counts_106_points() -> None:
    assert state.card_points(DECK) == 106
    values = "Kh 5, Sk 5, XXI 5, I 5, Qd 4, Rc 3, Js 2, Ts 1, 1h 1, II 1, XX 1"
    for card, points in (item.split() for item in values.split(", ")):
        assert state.card_points(mask(card)) == state.POINTS[CARDS.index(card)] == int(points)


DEALS = [  # style, hand of seat 1, Povinnost
    ("cut", "II III IV V VI VII Ts Js Rs Qs Ks 7c", 1),
    ("knock 1", "Qs 9c Qc 3h Qh 3d Qd III VII XI XV XIX", 0),
    ("knock 2", "Qs Ks Qc Kc Qh Kh Qd Kd VII VIII XV XVI", 2),
    ("knock 3", "Qs Ks 7c 3h 4h Jh Qd Kd I XI XII XIII", 2),
    ("knock 4", "Qs Ks 7c 8c Qh Kh 1d 2d VII VIII IX X", 3),
    ("knock 6", "Qs Ks 7c 8c 9c Tc Qd Kd I II III IV", 1),
    ("knock 12", "Qs Ks 7c 8c 9c Tc Jc Rc Qc Kc 1h 2h", 3),
    ("knock 345", "Qs Ks 7c 3h 4h Jh Rh III IV V VI VII", 0),
]


@pytest.mark.parametrize(("style", "hand", "povinnost"), DEALS)
def test_the_cutter_chooses_how_the_deck_is_dealt(style: str, hand: str, povinnost: int) -> None:
    pos = GAME.position(shuffles=[CARDS])
    assert pos.seat == 3 and len(pos.legal()) == 9
    pos.play(style)
    assert set(pos.view(1).hand) == set(hand.split())
    assert (pos.seat, pos.view(-1).povinnost, pos.view(-1).deciding) == (povinnost, povinnost, "II")
    talon = cards_of_talon(core.PlainRow(pos.states[0]))
    assert talon == ("4d Jd Rd Qd Kd I" if style == "cut" else "7s 8s 9s Ts Js Rs").split()


def test_piles_are_chosen_in_the_order_of_the_deal_and_the_dealer_gets_the_last() -> None:
    pos = GAME.position(shuffles=[CARDS])
    asked = []
    for action in ("knock choice", "pile 3", "pile 1", "pile 4"):
        asked.append((pos.seat, pos.legal()))
        assert all(not pos.view(seat).hand for seat in range(4))
        pos.play(action)
    assert asked[1:] == [
        (1, ["pile 1", "pile 2", "pile 3", "pile 4"]),
        (2, ["pile 1", "pile 2", "pile 4"]),
        (3, ["pile 2", "pile 4"]),
    ]
    assert pos.view(0).hand[0] == "3h" and len(pos.view(0).hand) == 12 and pos.view(-1).povinnost == 1
    assert pos.view(2).piles == (2, 0, 1, 3)


def test_the_highest_drawn_card_deals_and_a_tie_goes_to_the_higher_number() -> None:
    rest = [card for card in CARDS if card not in ("Kd", "7s", "XXI", "Qs")]
    pos = GAME.position(shuffles=[["Kd", "7s", "XXI", "Qs", *rest], CARDS], first_dealer=-1)
    assert pos.view(0).drawn == ("Kd", "7s", "XXI", "Qs")
    assert pos.view(-1).dealer == 2 and pos.seat == 1


def test_povinnost_is_found_by_the_next_trump_when_ii_lies_in_the_talon() -> None:
    cards = ["II", *(card for card in CARDS if card != "II")]
    pos = GAME.position(shuffles=[cards])
    pos.play("knock 6")
    assert pos.view(-1).deciding == "III" and "III" in pos.view(pos.seat).hand
    worlds = GAME.determinize(GAME.views(np.repeat(pos.states, 50), pos.seat), seed=3)
    assert all("II" in cards_of_talon(core.PlainRow(world)) for world in worlds)


def test_povinnost_moves_on_and_deals_the_round_after() -> None:
    pos = GAME.position(seed=11)
    seen = []
    while not pos.over:
        view = pos.view(-1)
        if view.povinnost >= 0 and (not seen or seen[-1][0] != view.round):
            seen.append((view.round, view.povinnost, view.dealer))
        pos.play(pos.legal()[0])
    first = seen[0][1]
    assert seen == [(1, first, 0)] + [(k + 1, (first + k) % 4, (first + k - 1) % 4) for k in range(1, 4)]


# --- calls, money, tricks, discards ------------------------------------------------------------------------------------------

PARTNER_CALLS = [
    ("", "XIX"),
    ("XIX", "XIX XVIII"),
    ("XIX XVIII", "XIX XVII"),
    ("XIX XVII", "XIX XVIII"),
    ("XIX XVIII XVII", "XIX XVI"),
    ("XIX XVIII XVII XVI", "XIX XV"),
    ("XIX XVIII XVII XVI XV", "XIX"),
    ("XVIII XVII", "XIX"),
]


@pytest.mark.parametrize(("held", "calls"), PARTNER_CALLS)
def test_povinnost_calls_xix_or_the_highest_missing_trump_below_it(held: str, calls: str) -> None:
    assert position("call", {0: held + " 7s"}).legal() == [f"call {card}" for card in calls.split()]


MONEY = [  # hand, announced, chips that each other seat pays
    ("Ks Qs Rs Js Ts 9s 8s 7s Qc Jc 1h 2h", "uni", 4),
    ("I XXI Sk Ks 7s 8s 9s Ts Js Rs Rh Qh", "trul pane", 4),
    ("Ks Kc Kh Kd I V 7s 8s 7c 8c 1h 2h", "bida rosa-pane+", 8),
    ("Ks Kc Kh Kd II V VI 8s 7c 8c 1h 2h", "rosa-pane", 4),
    (trumps("I", "IX") + " Kh Qh Rh", "tarocky", 2),
    (trumps("I", "X") + " Ks Qs", "taroky", 4),
    ("Ks Kc Kh Kd I XXI Sk II 7s 8s 1h 2h", "trul rosa-pane+", 8),
    ("Ks Kc Kh I II III IV 7s 8s 9s 1h 2h", "pane", 2),
]


def filled(hand: str) -> dict[int, str]:
    """Seat 0 has this hand, the others hands of 12 without any money card."""
    rest = [card for card in CARDS if card not in hand.split()]
    high = [card for card in rest if CARDS.index(card) >= 32]
    low = [card for card in rest if CARDS.index(card) < 32 and card[0] != "K"]
    n = min(7, len(high) // 3)
    return {0: hand} | {p: " ".join(high[p - 1 : 3 * n : 3] + low[p - 1 : 3 * (12 - n) : 3]) for p in (1, 2, 3)}


@pytest.mark.parametrize(("hand", "names", "chips"), MONEY)
def test_money_cards_are_announced_and_paid_by_each_other_seat(hand: str, names: str, chips: int) -> None:
    pos = position("money", filled(hand))
    pos.play("announce")
    assert pos.view(-1).money == (tuple(names.split()), (), (), ())
    assert pos.view(-1).chips == (3 * chips, -chips, -chips, -chips)


TRICKS = [
    ("1h 2h 4h Ks", "4h", "1h"),
    ("Kd I Qd 1d", "I", "I"),
    ("7c Ts 8c Kh", "8c", "8c"),
    ("II XXI Sk XX", "Sk", "Sk"),
    ("1d 4d Jd 3d", "Jd", "Jd"),
]


@pytest.mark.parametrize("ace_high", [False, True])
@pytest.mark.parametrize(("cards", "winner", "winner_ace_high"), TRICKS)
def test_the_highest_trump_takes_the_trick_else_the_highest_of_the_led_suit(
    cards: str, winner: str, winner_ace_high: str, ace_high: bool
) -> None:
    order = cards.split()
    pos = lead_position(dict(enumerate(order)), ace_high=ace_high)
    for card in order:
        pos.play(f"play {card}")
    seat = order.index(winner_ace_high if ace_high else winner)
    assert pos.seat == seat and set(pos.view(-1).won[seat]) == set(order)


FOLLOW = [  # led, hand, may be played
    ("Ts", "7s Kh II IX", "7s"),
    ("9c", "7s Kh II IX", "II IX"),
    ("9c", "7s Kh", "7s Kh"),
    ("XX", "7s Kh II IX", "II IX"),
    ("XX", "7s Kh", "7s Kh"),
]


@pytest.mark.parametrize(("led", "hand", "playable"), FOLLOW)
def test_a_seat_follows_suit_else_plays_a_trump_else_anything(led: str, hand: str, playable: str) -> None:
    pos = lead_position({0: led, 1: hand})
    pos.play(f"play {led}")
    assert pos.legal() == [f"play {card}" for card in playable.split()]


DISCARDS = [  # hand, may be discarded
    ("Jd Qh Kh I II XXI X XI XII XIII XIV XV XVI", "Qh Jd"),
    ("Ks Kc Kh I II III IV V VI VII VIII XXI Sk", "II III IV V VI VII VIII"),
]


@pytest.mark.parametrize(("hand", "cards"), DISCARDS)
def test_plain_cards_are_discarded_first_and_trumps_only_when_there_is_none(hand: str, cards: str) -> None:
    pos = position("discard", {0: hand})
    assert sorted(pos.legal()) == sorted(f"discard {card}" for card in cards.split())
    pos.play(pos.legal()[0])
    shown = pos.view(2).discards[0]
    assert shown == (() if "Qh" in cards else ("II",)) and pos.view(2).discard_counts[0] == 1


# --- whole rounds ------------------------------------------------------------------------------------------------------------

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


CONTRAS = [  # script, who is asked in the contra phase with which words, settlement, scores, decisions
    ("", "3 contra | 0 | 1 contra", "3 -3 3 -3", "-5 5 3 -3", 74),
    ("3 contra", "3 contra | 0 rhea | 1 | 2 rhea", "6 -6 6 -6", "-2 2 6 -6", 75),
    ("3 contra, 0 rhea", "3 contra | 0 rhea | 1 supra | 2 | 3 supra", "12 -12 12 -12", "4 -4 12 -12", 76),
    ("3 contra, 0 rhea, 1 supra", "3 contra | 0 rhea | 1 supra", "24 -24 24 -24", "16 -16 24 -24", 74),
]


@pytest.mark.parametrize(("script", "asked", "paid", "scores", "decisions"), CONTRAS)
def test_contra_rhea_and_supra_double_and_only_the_right_side_may_say_them(
    script: str, asked: str, paid: str, scores: str, decisions: int
) -> None:
    pos = GAME.position(shuffles=[deck(7, 3)], rounds=1)
    contra_phase = []
    items = [item.strip().split(" ") for item in script.split(",") if item]
    n = 0
    while not pos.over:
        seat, legal = pos.seat, pos.legal()
        if pos.view(-1).phase == "contra":
            contra_phase.append(" ".join([str(seat), *(word for word in legal if word != "pass")]))
        said = items.pop(0)[1] if items and [str(seat), items[0][1]] == items[0] and items[0][1] in legal else legal[0]
        pos.play(said)
        n += 1
    assert contra_phase == asked.split(" | ")
    assert result(pos)["declarers"] == (0, 2) and result(pos)["points"] == 59
    assert (settlement(pos), pos.scores(), n) == (numbers(paid), numbers(scores), decisions)


PREVER = [  # deck, script, points of the declarers, kind, settlement, scores, decisions (0: not given)
    ((7, 47), "0 prever, 0 keep", 53, "counted", "-9 3 3 3", "-5 -1 7 -1", 66),
    ((7, 47), "0 prever, 0 reject, 0 reject", 53, "counted", "-36 12 12 12", "-32 8 16 8", 67),
    ((5, 36), "0 prever, 0 keep", 48, "counted", "-15 5 5 5", "-11 1 1 9", 0),
    ((7, 42), "3 prever, 3 reject, 3 keep", 58, "counted", "-5 -5 -5 15", "-7 -7 -7 21", 0),
    ((5, 29), "2 prever, 2 keep", None, "uncalled valat", "20 20 -60 20", "20 20 -60 20", 0),
    ((5, 29), "2 prever, 2 reject, 2 reject", None, "uncalled valat", "80 80 -240 80", "80 80 -240 80", 0),
    ((11, 23), "3 pass, 0 prever", 59, "counted", "15 -5 -5 -5", "15 -5 -5 -5", 67),
    ((11, 23), "3 pass, 0 prever, 1 contra, 0 rhea, 1 supra", 59, "counted", "120 -40 -40 -40", "120 -40 -40 -40", 67),
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


def test_povinnost_leads_the_first_trick_also_when_another_seat_plays_prever() -> None:
    _, said = one_round(deck(11, 23), "3 pass, 0 prever")
    assert next(seat for seat, action, _ in said if action.startswith("play")) == 3


def test_with_prever_only_the_side_that_may_speak_is_asked_for_contra() -> None:
    pos = GAME.position(shuffles=[deck(11, 23)], rounds=1)
    asked, items = [], ["contra", "rhea"]
    while not pos.over:
        legal = pos.legal()
        action = "prever" if pos.seat == 0 and "prever" in legal else legal[0]
        if pos.view(-1).phase == "contra":
            asked.append((pos.seat, legal[1:]))
            action = items.pop(0) if items else "pass"
        pos.play(action)
    assert asked == [(1, ["contra"]), (0, ["rhea"]), (1, ["supra"]), (2, ["supra"]), (3, ["supra"])]


VALAT_DECK = cards(
    "I Ks Qs Rs XI X Sk XXI XX XIX XVIII XVII XVI XV XIV XIII XII II III IV V Kc Qc Rc Jc Tc 9c 1d 7s 8s "
    "VI VII VIII Kh Qh Rh Jh 4h 3h 2d 9s Ts Js 7c 8c 1h 2h 3d 4d Jd Rd Qd Kd IX"
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
    discards = "1 discard Qs, 1 discard Rs, 1 discard II, 1 discard XII"
    lead_script = ", ".join(f"1 play {card}" for card in leads.split())
    pos, said = one_round(VALAT_DECK, f"3 knock 12, {discards}, {calls}{', ' if calls else ''}{lead_script}", **options)
    assert [legal for seat, action, legal in said if action == "discard Qs"] == [["discard Rs", "discard Qs"]]
    assert [legal for _, action, legal in said if action.startswith("call")] == [["call XIX"]]
    assert result(pos)["declarers"] == (1,) and result(pos)["kind"] == kind
    assert (settlement(pos), pos.scores(), len(said)) == (numbers(paid), numbers(scores), decisions)


def test_a_hand_without_plain_cards_shows_the_trumps_that_it_discards_and_its_money_cards_are_paid() -> None:
    pos = GAME.position(shuffles=[VALAT_DECK], rounds=1)
    pos.play("knock 12")
    while pos.view(-1).phase != "valat":
        choose = [a for a in ("discard Qs", "discard Rs", "discard II", "discard XII") if a in pos.legal() and pos.seat == 1]
        pos.play(choose[0] if choose else pos.legal()[0])
    assert pos.view(2).discards == ((), ("II", "XII"), ("7s",), ()) and pos.view(2).discard_counts == (0, 4, 1, 1)
    assert pos.view(0).money == (("bida",), ("taroky", "trul", "pane"), (), ()) and pos.view(0).chips == (-2, 22, -10, -10)


LONG = [  # deck, policy, options, decisions, scores
    ((7, 3), (6, 5), {}, 297, "7 -3 -17 13"),
    ((7, 3), (3, 7), {}, 271, "310 -170 30 -170"),
    ((23, 5), (6, 5), {}, 295, "9 -21 5 7"),
    ((31, 8), (3, 7), {}, 267, "286 126 -282 -130"),
    ((7, 3), (2, 3), {}, 240, "152 -152 160 -160"),
    ((7, 3), (6, 5), {"ace_high": True}, 297, "5 -5 -19 19"),
    ((7, 3), (3, 7), {"prever_override": True}, 285, "-286 282 -110 114"),
    ((31, 8), (3, 7), {"pagat_with_valat": True, "pagat_fail": 20}, 282, "352 -256 40 -136"),
    ((23, 5), (2, 3), {"pagat_with_valat": True, "pagat_fail": 20}, 263, "-20 -20 -20 60"),
    ((7, 3), (3, 7), {"first_dealer": -1, "rounds": 5}, 343, "470 -538 126 -58"),
    ((31, 8), (6, 5), {"first_dealer": 2, "rounds": 3}, 222, "14 -18 -2 6"),
]


@pytest.mark.parametrize(("cards", "policy", "options", "decisions", "scores"), LONG)
def test_whole_games_replay_to_the_scores_of_the_rules(
    cards: tuple[int, int], policy: tuple[int, int], options: dict[str, Any], decisions: int, scores: str
) -> None:
    lists = [deck(cards[0], (cards[1] + k) % 54) for k in range(6)]
    pos = GAME.position(shuffles=lists, **options)
    n = 0
    while not pos.over:
        legal = pos.legal_numbers()
        if 121 in legal and n % policy[0] != 0:
            pos.play(121)
        else:
            pos.play(legal[n * n // policy[1] % len(legal)])
        n += 1
    assert (n, pos.scores()) == (decisions, numbers(scores))


# --- what each seat may know -------------------------------------------------------------------------------------------------


def until(phase: str, cards: list[str], script: str = "") -> Position:
    """The first decision of a phase; lowest actions and the script lead there."""
    pos = GAME.position(shuffles=[cards], rounds=1)
    items = [item.strip().split(" ", 1) for item in script.split(",") if item.strip()]
    while pos.view(-1).phase != phase:
        legal = pos.legal()
        scripted = items and int(items[0][0]) == pos.seat and items[0][1] in legal
        pos.play(items.pop(0)[1] if scripted else legal[0])
    return pos


def test_a_seat_sees_its_own_hand_and_the_sizes_of_the_others() -> None:
    pos = until("call", deck(7, 3))
    for seat in range(4):
        row = core.PlainRow(pos.view(seat).state[0])
        assert [p for p in range(4) if row.hand[p]] == [seat] and pos.view(seat).hand_sizes == (12, 12, 12, 12)
    assert not any(core.PlainRow(pos.view(-1).state[0]).hand)


def test_secret_discards_are_seen_by_their_seat_only_and_counted_by_all() -> None:
    pos = until("call", deck(7, 3))
    for seat in range(4):
        view = pos.view(seat)
        assert [len(cards) for cards in view.discards] == [view.discard_counts[p] if p == seat else 0 for p in range(4)]
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
    assert len(pos.view(3).shown) == 6 and pos.view(3).talon[:3] == ("", "", "") and "" not in pos.view(3).talon[3:]
    assert set(pos.view(3).shown) - set(pos.view(3).talon) < set(pos.view(0).hand)


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
    ("script", "known"), [("", [-1, 0, -1, -1, -1]), ("3 contra", [-1, 0, -1, -1, -1]), ("3 contra, 0 rhea", 5 * [0])]
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
    assert pos.view(1).money[0] == ("rosa-pane+",) and pos.view(1).chips == (18, -6, -6, -6)
    assert position("money", filled(trumps("II", "IV") + " 7s 8s 9s 7c 8c 9c 1h 2h 3h")).legal() == ["announce"]


def test_a_silent_holder_of_the_pagat_stays_unknown() -> None:
    pos = until("pagat", deck(5, 0))
    holder = next(seat for seat in range(4) if "I" in pos.view(seat).hand)
    asked = {}
    while pos.view(-1).phase == "pagat":
        asked[pos.seat] = pos.legal()
        pos.play("pass")
    assert asked == {seat: ["pass", "pagat"] if seat == holder else ["pass"] for seat in range(4)}


def random_positions(n: int, seed: int) -> np.ndarray:
    """Positions at random places of random games, among them many late ones and many with calls."""
    states = GAME.new(n, seed=seed)
    rng = np.random.default_rng(seed)
    steps = rng.integers(1, 70, n)
    for k in range(70):
        legal = GAME.legal_mask(states)
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
        going = np.flatnonzero(steps > k)
        some = np.ascontiguousarray(states[going])
        GAME.step(some, actions[going])
        states[going] = some
    return states


def test_a_random_world_agrees_with_voids_calls_money_and_open_discards() -> None:
    states = random_positions(400 if core.JIT else 60, 5)
    money_agrees, announced = 0, 0
    for seat in range(4):
        worlds = GAME.determinize(GAME.views(states, seat), seed=seat)
        for i in range(len(states)):
            world = core.PlainRow(worlds[i])
            if world.phase < PHASE["bid"]:
                continue
            check_world(world)
            if world.phase > PHASE["money"]:
                announced += 1
                money_agrees += money_is_right(world)
    assert announced and money_agrees >= 0.97 * announced


def played(s: Any) -> list[list[int]]:
    cards: list[list[int]] = [[], [], [], []]
    for k in range(s.played):
        cards[(s.leads[k // 4] + k) % 4].append(s.tricks[k])
    return cards


def check_world(s: Any) -> None:
    for seat in range(4):
        assert not s.discard[seat] & KINGS
        if s.discard[seat] & TRUMPS:
            assert not s.hand[seat] & PLAIN
    for k in range(s.played):
        led, card, seat = s.tricks[k // 4 * 4], s.tricks[k], (s.leads[k // 4] + k) % 4
        if min(card // 8, 4) != min(led // 8, 4):
            assert not any(s.hand[seat] >> c & 1 for c in range(54) if min(c // 8, 4) == min(led // 8, 4))
            assert card >= 32 or not s.hand[seat] & TRUMPS
    mine = played(s)
    if s.called >= 0:
        assert s.partner == next((p for p in range(4) if s.hand[p] >> s.called & 1 or s.called in mine[p]), s.lead)
        for card in range(s.called + 1, 51):
            assert s.hand[s.lead] >> card & 1 or card in mine[s.lead] or s.discard[s.lead] >> card & 1
        caller = s.contras[0]
        if caller >= 0 and s.valat < 0:
            assert caller not in (s.lead, s.partner)
    if s.pagat >= 0:
        assert s.hand[s.pagat] & 1 << 32 or 32 in mine[s.pagat]
    if s.deciding >= 0:
        assert (s.hand[s.lead] | s.discard[s.lead]) >> s.deciding & 1 or s.deciding in mine[s.lead]


def money_is_right(s: Any) -> bool:
    for seat, cards in enumerate(played(s)):
        hand = s.hand[seat] | sum(1 << card for card in cards)
        money = state.money_of(hand)
        if s.money[seat] not in (money, money & ~3 if seat == s.lead else money):
            return False
    return True


# --- a slow second model of trick and settlement -----------------------------------------------------------------------------

VALUES = {"K": 5, "Q": 4, "R": 3, "J": 2}


def worth(card: str) -> int:
    return 5 if card in ("I", "XXI", "Sk") else VALUES.get(card[0], 1) if CARDS.index(card) < 32 else 1


def model_payment(pos: Position, last: str) -> list[int]:
    """Chips of the settlement when `last` is the card that ends the round: text, lists and fractions instead of masks."""
    s, view = core.PlainRow(pos.states[0]), pos.view(-1)
    lead, prever = view.povinnost, view.prever
    side = {prever} if prever >= 0 else {lead, s.partner}
    tricks = [*view.tricks, (*view.trick, last)]
    took = [winner_of(cards, pos.options["ace_high"], leader) for cards, leader in zip(tricks, view.leaders, strict=True)]
    own = [card for cards, seat in zip(tricks, took, strict=True) if seat in side for card in cards]
    own += [card for seat in side for card in text.cards_of(s.discard[seat])]
    points, n = sum(worth(card) for card in own), sum(seat in side for seat in took)
    if view.valat >= 0:
        caller_wins = all((seat in side) == (view.valat in side) for seat in took)
        won, main = caller_wins == (view.valat in side), 40.0
    elif n in (0, 12):
        won, main = n == 12, 20.0
    else:
        won = points > 53
        main = (abs(points - 53) + 10) * (3 if prever >= 0 else 2) / 10
        main = float(int(main + 0.5))
    main *= 2.0 ** len(view.contras)
    if prever >= 0 and not won and view.valat < 0:
        main *= 2.0**view.rejections
    pay = (main if won else -main) + model_pagat(pos, tricks[-1], view.leaders[-1], side)
    return [int(pay * (3 if len(side) == 1 else 1)) if seat in side else int(-pay) for seat in range(4)]


def model_pagat(pos: Position, cards: tuple[str, ...], leader: int, side: set[int]) -> int:
    view = pos.view(-1)
    if view.valat >= 0 and not pos.options["pagat_with_valat"]:
        return 0
    lonely = [card for card in cards if CARDS.index(card) >= 32] == ["I"]
    if view.pagat >= 0:
        chips, seat = (4 if lonely else -int(pos.options["pagat_fail"])), view.pagat
    elif "I" in cards:
        chips, seat = (2 if lonely else -2), (leader + cards.index("I")) % 4
    else:
        return 0
    return chips if seat in side else -chips


def winner_of(cards: tuple[str, ...], ace_high: Any, leader: int) -> int:
    high = [card for card in cards if CARDS.index(card) >= 32]
    if high:
        return (leader + cards.index(max(high, key=CARDS.index))) % 4
    order = ("2341JRQK" if ace_high else "1234JRQK") if cards[0][1] in "hd" else "789TJRQK"
    following = [card for card in cards if card[1] == cards[0][1]]
    return (leader + cards.index(max(following, key=lambda card: order.index(card[0])))) % 4


@pytest.mark.parametrize("ace_high", [False, True])
def test_every_round_is_settled_as_a_slow_second_model_says(ace_high: bool) -> None:
    rng = random.Random(4)
    kinds = set()
    for seed in range(60 if core.JIT else 8):
        pos = GAME.position(seed=seed, ace_high=ace_high, pagat_with_valat=seed % 2 == 1, pagat_fail=9)
        quiet = seed % 3 > 0  # two games of three with few calls, or Valat would end most
        while not pos.over:
            legal = pos.legal()
            action = "pass" if quiet and "pass" in legal and rng.random() < 0.9 else rng.choice(legal)
            last = sum(pos.view(-1).hand_sizes) == 1 and pos.view(-1).phase == "play"
            before = pos.view(-1).chips
            expected = model_payment(pos, action[5:]) if last else []
            pos.play(action)
            if last:
                assert settlement(pos) == expected
                assert [a - b for a, b in zip(pos.view(-1).chips, before, strict=True)] == expected
                kinds.add((result(pos)["kind"], result(pos)["won"]))
    assert not core.JIT or len(kinds) >= 4


# --- bad input ---------------------------------------------------------------------------------------------------------------

BAD_OPTIONS = [
    {"rounds": 0},
    {"rounds": 65},
    {"rounds": True},
    {"first_dealer": 4},
    {"ace_high": 1},
    {"pagat_fail": 3},
    {"no_such": 1},
]


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_bad_options_are_refused_by_name(options: dict[str, Any]) -> None:
    with pytest.raises(engines.OptionError, match=next(iter(options))):
        GAME.position(**options)


@pytest.mark.parametrize("players", [0, 3, 5])
def test_only_four_can_play(players: int) -> None:
    with pytest.raises(engines.OptionError, match="4 players"):
        GAME.new(1, players=players)


BAD_SHUFFLES = [[CARDS[:53]], [[*CARDS[:53], CARDS[0]]], [[*CARDS, "Sk"]], []]


@pytest.mark.parametrize("shuffles", BAD_SHUFFLES)
def test_a_shuffle_must_hold_the_54_cards_once_each(shuffles: list[list[str]]) -> None:
    with pytest.raises(engines.ShuffleError):
        GAME.position(shuffles=shuffles)


def test_when_the_shuffles_run_out_the_last_card_is_not_played() -> None:
    pos = GAME.position(shuffles=[CARDS])
    with pytest.raises(engines.ShuffleError, match="missing"):
        while True:
            before, legal = pos.states.tobytes(), pos.legal()
            pos.play(legal[0])
    assert pos.states.tobytes() == before and pos.legal() == legal


def test_a_text_that_is_not_legal_is_refused_with_the_legal_ones_and_changes_nothing() -> None:
    pos = until("call", deck(5, 0))
    before = pos.states.tobytes()
    with pytest.raises(engines.IllegalAction, match=r"call XIX.*call XVIII"):
        pos.play("call XV")
    with pytest.raises(engines.TextError, match="call XX"):
        pos.play("call XX")
    assert pos.states.tobytes() == before
