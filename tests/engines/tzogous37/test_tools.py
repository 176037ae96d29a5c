"""Tools for bots of Tzogous 37 against brute force, and the house bots through whole games."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import core
from engines.tzogous37 import GAME
from engines.tzogous37.state import CARDS, pair_score
from engines.tzogous37.tools import (
    WORTH,
    partner_card,
    planned_action,
    showdowns,
    spare_card,
    split_pairs,
    split_values,
)

HANDS = st.lists(st.integers(0, 52), min_size=2, max_size=7)
LAW = settings(max_examples=40)


def best_split(cards: list[int]) -> int:
    """Every way to split, tried one by one: pairs, and one card for round 4 if the number is odd."""
    if not cards:
        return 0
    first, rest = cards[0], cards[1:]
    last = 0 if first == 52 else first % 13 + 2
    ways = [WORTH[last + 10] + best_split(rest)] if len(cards) % 2 else []
    for i, card in enumerate(rest):
        ways.append(WORTH[pair_score(first, card)] + best_split(rest[:i] + rest[i + 1 :]))
    return max(ways)


def numbers(cards: list[int]) -> Any:
    return np.array(cards, np.int16) if core.JIT else core.Cells(np.array(cards, np.int16))


@LAW
@given(cards=HANDS)
def test_a_split_is_worth_what_the_best_of_all_splits_is(cards: list[int]) -> None:
    best = np.zeros(128, np.int64)
    split_values(numbers(cards), len(cards), best)
    assert best[2 ** len(cards) - 1] == best_split(cards)


@LAW
@given(cards=HANDS)
def test_pairs_partner_and_spare_card_belong_to_a_best_split(cards: list[int]) -> None:
    n, out = len(cards), np.zeros(6, np.int16)
    pairs = split_pairs(numbers(cards), n, out)
    scores = [int(pair_score(cards[out[2 * k]], cards[out[2 * k + 1]])) for k in range(pairs)]
    single = [cards[i] for i in range(n) if i not in out[: 2 * pairs]]
    assert pairs == n // 2 and len(single) == n % 2 and scores == sorted(scores, reverse=True)
    total = sum(WORTH[score] for score in scores) + sum(
        WORTH[(0 if c == 52 else c % 13 + 2) + 10] for c in single
    )
    assert total == best_split(cards)

    def without(i: int) -> int:
        return best_split(cards[:i] + cards[i + 1 :])

    if n < 7:
        fixed = 5
        together = [WORTH[pair_score(fixed, card)] + without(i) for i, card in enumerate(cards)]
        assert together[partner_card(numbers(cards), n, fixed)] == max(together)
    assert without(spare_card(numbers(cards), n)) == max(without(i) for i in range(n))


def test_a_planned_placement_lays_the_higher_card_face_down_first() -> None:
    """Ah Kh are the best pair of the hand; round 1 shows the second card."""
    hands = ["Ah", "Kh", "2s", "2d", "7c", "7d", "9s", "Qs", "Qh", "2h", "3h", "4h", "5h", "6h"]
    deck = [*hands, *(card for card in [*CARDS, "JK"] if card not in hands)]
    deck += ["JK"] * (54 - len(deck))
    position = GAME.position(shuffles=[deck], hands=1)
    assert position.texts[planned_action(core.rows(position.states), 0, 0)] == "place Ah"
    assert position.texts[planned_action(core.rows(position.states), 0, 1)] in {"place 7c", "place 7d"}
    for action in ("place Ah", "place Qs", "check", "check"):
        position.play(action)
    assert position.texts[planned_action(core.rows(position.states), 0, 0)] == "place Kh"


def test_a_sampled_showdown_counts_cards_that_are_known_as_they_lie() -> None:
    hands = ["9d", "Kc", "2s", "3s", "4s", "5s", "6s", "Qs", "Qh", "2h", "3h", "4h", "5h", "6h"]
    deck = sorted(
        [*CARDS, "JK"], key=lambda card: hands.index(card) if card in hands else 14 + CARDS.index(card)
    )
    position = GAME.position(shuffles=[deck], hands=1)
    for action in ["place 9d", "place Qs", "raise 10", "call", "place Kc", "place Qh"]:
        position.play(action)
    worlds = GAME.determinize(np.repeat(GAME.views(position.states), 20), seed=1)
    mine, theirs = np.zeros(20, np.int64), np.zeros(20, np.int64)
    showdowns(core.rows(worlds), 1, mine, theirs)
    assert (mine == 31).all()  # Qs Qh
    assert theirs.min() >= 15 and theirs.max() <= 37 and len(set(theirs.tolist())) > 1  # a king and something
