"""The search's quick player of Tzogous 37 and the worlds that it believes, on cases made by hand."""

from typing import Any

import pytest

from engines import core
from engines.tzogous37 import GAME, policy
from engines.tzogous37.state import CARDS, Bet


def raised(cards: str) -> core.States:
    """Round 1 of two seats: all checked but seat 0, which now raises 10 in the second betting, with these
    cards before it.
    """
    position = GAME.position(seed=1)
    for action in ("check", "check", "check", "raise 10"):
        while position.legal()[0].startswith("place"):
            position.play(position.legal()[0])
        position.play(action)
    states = core.copy_states(position.states)
    for slot, card in enumerate(cards.split()):
        core.plain(states)[0].table[slot] = CARDS.index(card)
    return states


@core.entry
def chance_of_bets(states: Any) -> float:
    return policy.chance_of_bets(states[0])


@core.entry
def chance_against(states: Any, score: int, betting: int) -> float:
    return policy.chance_against(states[0], 1, 0, score, betting)


def test_the_more_is_to_call_the_more_weak_hands_are_left_out() -> None:
    """A bet of the pot: 10 to call where 20 lie; 1.8 * 10 / 30 leaves the weaker 60 % out."""
    assert policy.believed(0.5, 10, 20) == 0
    assert policy.believed(0.8, 10, 20) == pytest.approx((0.8 - 0.6) / 0.4)
    assert policy.believed(0.8, 0, 20) == 0.8
    assert policy.believed(0.95, 90, 20) == pytest.approx((0.95 - 0.9) / 0.1)  # 90 % at the most


BETS = [  # kind, chance, to call, pot, chance of this bet
    (Bet.RAISE, 0.63, 0, 10, 1.0),
    (Bet.CHECK, 0.63, 0, 10, 0.0),
    (Bet.RAISE, 0.2, 0, 10, 0.3),  # a bluff
    (Bet.CHECK, 0.2, 0, 10, 0.7),
    (Bet.RAISE, 0.71, 10, 20, 1.0),
    (Bet.CALL, 0.71, 10, 20, 0.0),
    (Bet.CALL, 0.34, 10, 20, 1.0),  # 10 to win 20: the odds ask for a third
    (Bet.FOLD, 0.34, 10, 20, 0.0),
    (Bet.FOLD, 0.33, 10, 20, 1.0),
    (Bet.RAISE, 0.33, 10, 20, 0.0),
]


@pytest.mark.parametrize("kind, chance, call, pot, likely", BETS)
def test_a_bet_is_as_likely_as_the_quick_player_makes_it(
    kind: Bet, chance: float, call: int, pot: int, likely: float
) -> None:
    assert policy.chance_of_bet(kind, chance, call, pot) == pytest.approx(likely)


def test_worlds_in_which_a_raise_was_a_bluff_are_less_likely() -> None:
    """One bet of ten is as it comes. With 37 points the quick player always raises, so the check of before is
    unlikely; with 6 it checks 7 times of 10 and bluffs 3.
    """
    assert chance_of_bets(core.rows(raised("As Ks"))) == pytest.approx(0.1 * 1.0)
    assert chance_of_bets(core.rows(raised("2h 4d"))) == pytest.approx((0.1 + 0.9 * 0.7) * (0.1 + 0.9 * 0.3))


def test_who_knows_both_cards_of_the_other_knows_who_wins() -> None:
    states = raised("9h 8d")  # 17 and 5 for the straight
    shown = [chance_against(core.rows(states), score, 1) for score in (20, 22, 24)]
    assert 0 < shown[0] < shown[1] < shown[2] < 1
    core.plain(states)[0].knows[0] = 127  # the card that lay face-down
    assert [chance_against(core.rows(states), score, 1) for score in (21, 22, 23)] == [0, 0.5, 1]


def test_a_high_card_that_is_seen_lowers_the_chance() -> None:
    low, high = raised("9h 2d"), raised("9h Ad")
    assert chance_against(core.rows(low), 25, 1) > chance_against(core.rows(high), 25, 1)
    assert chance_against(core.rows(low), 25, 0) == chance_against(core.rows(high), 25, 0)  # not yet seen
