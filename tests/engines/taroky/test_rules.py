"""Taroky: points, deals and Povinnost as tables.

Calls, money cards, discards and tricks: the law on models (`tests/models/taroky.py`).
"""

import numpy as np
import pytest

from engines import core
from engines.taroky import state
from tests.engines.taroky.facts import DECK
from tests.engines.taroky.positions import CARDS, GAME, cards_of_talon, mask

COUNTED = [
    (2, 0, 2), (2, 2, 2), (2, 3, 3), (2, 6, 3), (2, 53, 13),
    (3, 0, 3), (3, 1, 3), (3, 2, 4), (3, 5, 5), (3, 6, 5), (3, 50, 18),
]  # fmt: skip


@pytest.mark.parametrize(("factor", "difference", "chips"), COUNTED)
def test_a_round_costs_a_head_the_difference_in_tens(factor: int, difference: int, chips: int) -> None:
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
