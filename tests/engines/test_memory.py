"""A seat's view is enough: what it shows of a hand contradicts nothing that the seat saw of it before.

A random world of a seat's last view is played from its shuffles by the actions of the record, those of the
seat itself as they were; every view that the seat has on the way must be one that it had, byte for byte, in
the same order. The past is read off the world by `<game>/facts.py` (see `test_laws`).
"""

import random
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core import copy_states
from engines.game import Game
from engines.laws.replay import replay
from engines.laws.setups import difference, step_by_words
from tests.engines.test_laws import SEEDS, facts, setups

HAND_SHUFFLES = 64
DECISIONS = 150


def of_hand(views: list[np.ndarray], last: np.ndarray) -> list[np.ndarray]:
    """Those of the hand that is played, each once where it stays the same."""
    kept: list[np.ndarray] = []
    for view in views:
        same = kept and kept[-1].tobytes() == view.tobytes()
        if hand_of(view) == hand_of(last) and not same:
            kept.append(view)
    return kept


def hand_of(states: np.ndarray) -> int:
    """The number of the deal of this round."""
    return int(states["shuffle"][0]) // HAND_SHUFFLES


def compared(game: Game, data: st.DataObject) -> int:
    """Play a random game, deal a world of the last view, play it again; how many views were compared."""
    players, options = data.draw(setups(game))
    states = game.new(1, seed=data.draw(SEEDS), players=players, **options)
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    seat = data.draw(st.integers(0, players - 1))
    views, own = [], []
    for _ in range(rng.randrange(1, DECISIONS)):
        views.append(game.views(states, seat))
        mover = int(game.seats(states)[0])
        before = copy_states(states)
        action = step_by_words(game, states, rng)[0]
        if game.over(states).all():
            states = before
            break
        own += [action] * (mover == seat and hand_of(before) == hand_of(states))
        own = own if hand_of(before) == hand_of(states) else []
    view = game.views(states, seat)
    world = game.determinize(view, seed=data.draw(SEEDS))
    seen = of_hand([*views, view], view)
    past = facts(game).past
    found = past(game, world, seat, seen) if "earlier" in signature(past).parameters else past(game, world)
    if found is None:
        return 0
    shuffles, actions = found
    rows = [
        (hand_of(row), int(game.seats(row)[0]))
        for row, _ in replay(game, facts(game), world, shuffles, actions, seen)
    ]
    mine = [at for at, who in enumerate(rows[: len(actions)]) if who == (hand_of(view), seat)]
    for at, action in zip(mine, own[len(own) - len(mine) :], strict=True):
        actions[at] = action
    rerun = replay(game, facts(game), world, shuffles, actions, seen)
    again = of_hand([game.views(row, seat) for row, _ in rerun], view)
    had = seen[len(seen) - len(again) :]
    for then, now in zip(had, again, strict=True):
        assert then.tobytes() == now.tobytes(), difference(then, now)
    return len(again)


@settings(max_examples=25)
@given(data=st.data())
def test_a_world_contradicts_no_earlier_view_of_its_seat(game: Game, data: st.DataObject) -> None:
    compared(game, data)


@pytest.mark.soak
@settings(max_examples=3000)
@given(data=st.data())
def test_worlds_of_thousands_of_games_contradict_no_earlier_view(game: Game, data: st.DataObject) -> None:
    compared(game, data)
