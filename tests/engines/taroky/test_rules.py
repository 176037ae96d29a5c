"""Taroky: the rules of single phases as tables: deals, Povinnost, calls, money cards, tricks, discards."""

from __future__ import annotations

import numpy as np
import pytest

from engines import core
from engines.taroky import state
from tests.engines.taroky.facts import DECK
from tests.engines.taroky.positions import (
    CARDS,
    GAME,
    cards_of_talon,
    filled,
    lead_position,
    mask,
    position,
    trumps,
)

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
def test_a_counted_round_costs_a_head_what_the_difference_gives_rounded_to_tens(
    factor: int, difference: int, chips: int
) -> None:
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


@pytest.mark.parametrize(("hand", "names", "chips"), MONEY)
def test_money_cards_are_announced_and_paid_by_each_other_seat(hand: str, names: str, chips: int) -> None:
    pos = position("money", filled(hand))
    pos.play("announce")
    assert pos.view(-1).money == (tuple(names.split()), (), (), ())
    assert pos.view(-1).totals == (3 * chips, -chips, -chips, -chips)


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
