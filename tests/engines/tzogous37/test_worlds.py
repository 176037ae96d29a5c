"""Tzogous 37: what worlds fill in. Their chances are judged in `test_uniform`."""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.stats import chi2

from engines import core
from engines.core import copy_states
from engines.tzogous37 import GAME
from engines.tzogous37.state import CARDS

from .endings import endings
from .facts import JOKER, moves_of_hand
from .test_rules import E1, P, game, play


def test_an_unknown_place_holds_each_unseen_card_equally_often() -> None:
    """E1, then both place a card: of 48 cards that seat 1 does not know one lies on the table, 4 are in the
    hand.
    """
    position = play(game(P), f"{E1}, place 2h, place 2s")
    views = GAME.views(position.states, 1)
    worlds = GAME.determinize(np.repeat(views, 12_000), seed=2)
    known = {CARDS.index(card) for card in ["9d", "Kc", "Qs", "Qh", "2h", "3h", "4h", "5h", "6h"]}
    slot = Counter(worlds["table"][:, 0].tolist())
    assert not known & set(slot)
    unseen = 54 - 9
    expected = {card: 12_000 / unseen for card in range(52) if card not in known} | {
        JOKER: 2 * 12_000 / unseen
    }
    assert set(slot) == set(expected)
    distance = sum((slot[card] - n) ** 2 / n for card, n in expected.items())
    assert distance < chi2.ppf(0.9999, len(expected) - 1)


def test_the_past_of_a_world_is_filled_in_and_copies_of_a_view_differ() -> None:
    view, *_ = next(endings(0))
    worlds = GAME.determinize(np.repeat(copy_states(view), 50), seed=1)
    for world in worlds:
        row = core.PlainRow(world)
        assert -2 not in [card for _, _, card, *_ in moves_of_hand(row) or []]
    assert len({world.tobytes() for world in worlds}) == 50
