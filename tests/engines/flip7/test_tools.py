"""Flip 7: the odds of one more card against all orders of a small draw pile."""

from collections import Counter
from itertools import permutations
from typing import Any

import pytest

from engines.flip7 import GAME
from tests.engines.built import built

from .positions import facing, opened

ODDS = [  # row of seat 1, the cards of the draw pile, options
    ("5 7", "5 9 +4 7 0", {}),
    ("5 X2 +2", "FZ SC 5 12", {}),
    ("SC 5", "5 5 8 X2", {}),
    ("1 2 3 4 5 6", "6 7 SC F3 X2", {}),
    ("4 9", "F3 4 SC 10 FZ", {}),
    ("4 9", "F3 4 SC 10 FZ", {"flip_three": "after"}),
    ("4 9 SC", "F3 4 9 9 +8", {}),
    ("1 2 3 4 5", "F3 6 7 1 SC", {}),
    ("4 9 SC", "F3 4 SC 9 FZ", {"targeting": "any"}),
    ("4 9", "F3 4", {}),
]


def after_one_hit(states: Any, cards: tuple[int, ...]) -> int | None:
    """What the row of seat 1 is worth if the draw pile has this order; None: bust. A gift goes to seat 0."""
    states = states.copy()
    states["pile"][0, : len(cards)] = cards
    position = built(GAME, states)
    position.play("hit")
    if "give 0" in position.legal():
        position.play("give 0")
    view = position.view(-1)
    if view.round > 1 or position.over:
        return view.last[1] or None
    return None if view.status[1] == "busted" else view.points[1]


@pytest.mark.parametrize(("row", "pile", "options"), ODDS)
def test_the_odds_of_a_hit_are_those_of_all_orders_of_the_draw_pile(
    row: str, pile: str, options: dict[str, Any]
) -> None:
    states = facing(row, pile, options)
    orders = list(permutations(GAME.card(card) for card in pile.split()))
    outcomes = Counter(after_one_hit(states, order) for order in orders)
    bust, chances = built(GAME, states).view(1).odds
    assert bust == pytest.approx(outcomes.pop(None, 0) / len(orders))
    assert chances == pytest.approx({points: n / len(orders) for points, n in outcomes.items()})


def test_with_an_empty_draw_pile_the_odds_are_those_of_the_discard_pile() -> None:
    states = facing("12 11 10", "", {})
    bust, chances = built(GAME, states).view(1).odds
    f3_apart = {"FZ": 3, "SC": 3, "0": 1}
    assert bust > (11 + 9 + 9) / 90  # a number that the row has, or a Flip Three that busts
    assert chances[33] > sum(f3_apart.values()) / 90
    assert bust + sum(chances.values()) == pytest.approx(1)


def test_there_are_no_odds_for_an_onlooker_or_a_seat_that_is_out() -> None:
    position = opened("5 9", "stay")
    assert position.view(-1).odds == position.view(1).odds == (0.0, {})
    assert position.view(0).odds[1]
