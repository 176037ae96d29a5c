"""The quick player of the search, which is the bot `rule`: its calls and discards, worked out in plain Python."""

import random
from typing import Any

import pytest

from bots import rule
from engines import core
from engines.laws.setups import setups_of
from engines.taroky import GAME
from engines.taroky.state import KINGS, MOND, POINTS, SKYZ, SUIT, SUITS, TRUMPS, Action, Phase
from tests.engines.taroky import facts


def called(s: Any, hand: int, word: int) -> bool:
    trumps, top = hand & TRUMPS, (~hand & TRUMPS).bit_length() - 1
    worth = trumps.bit_count() + 0.6 * (trumps >> 46).bit_count() + 2.25 * (trumps >> MOND).bit_count()
    worth += 0.75 * (hand & KINGS).bit_count() + 0.6 * sum(not hand & int(suit) for suit in SUITS[:4])
    if word == Action.PREVER:
        return worth >= 11.8
    if word == Action.VALAT:  # no card can lose
        sure = trumps.bit_count() >= 10 and (trumps >> top).bit_count() >= 5
        return s.povinnost == s.seat and sure and not hand & ~TRUMPS & ~KINGS
    if word == Action.PAGAT:
        return trumps.bit_count() >= 9
    if s.valat >= 0:
        return word == Action.CONTRA and bool(hand >> SKYZ & 1)
    contra_rhea_supra = (10, 14.5, 14) if s.prever >= 0 else (13, 13.5, 15)
    return worth >= contra_rhea_supra[word - Action.CONTRA]


@pytest.mark.parametrize("seed", range(15))
def test_the_quick_player_calls_and_discards_by_the_worth_of_its_hand(seed: int) -> None:
    rng = random.Random(seed)
    players, options = setups_of(GAME, facts, rng)
    position = GAME.position(seed=seed, players=players, **options)
    while not position.over:
        view, s = position.view(), core.plain(position.states)[0]
        legal, hand = view.legal.tolist(), s.hand[s.seat]
        (theirs,) = rule.act_batch([view])
        if s.phase == Phase.DISCARD:  # from the suit that is soonest empty, but a King stays guarded
            suits = {action: hand & int(SUITS[SUIT[action - Action.DISCARD]]) for action in legal}
            rest = {a: POINTS[a - Action.DISCARD] - 4 * (suits[a] & ~KINGS).bit_count() for a in legal}
            assert theirs == max(legal, key=lambda a: rest[a] + (0 if suits[a] & KINGS else 6))
        elif len(legal) > 1 and legal[0] == Action.PASS:
            assert theirs == (legal[-1] if called(s, hand, legal[-1]) else legal[0]), view
        position.play(int(rng.choice(legal) if rng.random() < 0.25 else theirs))
