"""What the laws must know of Skeleton, found without the engine: see `engines.laws`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from engines import core
from engines.game import Game

from .model import Model as Model

DRAWN = {"hands": range(1, 6)}


def conserved(s: Any) -> None:
    """Two seats have two cards, and chips add up to 0."""
    assert sum(s.total.tolist()) == 0
    assert sorted(s.hand.tolist()) in ([1, 2], [1, 4], [2, 4]) if s.seat >= 0 else not any(s.hand.tolist())


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Deal the hidden cards again."""
    if s.seat < 0:
        return
    unseen = [card for card in (1, 2, 4) if seat < 0 or card != s.hand[seat]]
    rng.shuffle(unseen)
    for p in range(2):
        if p != seat:
            s.hand[p] = unseen.pop()


def most_decisions(players: int, options: dict[str, Any]) -> int:
    """Pass, bet, and an answer."""
    return 3 * int(options["hands"])


def opening(game: Game, world: np.ndarray) -> np.ndarray:
    """Return the row before the deal of this hand."""
    states = game.blank(1, 2, **game.options_of(world))
    core.start_rows(core.rows(states))
    for name in ("skeleton_hand", "shuffle", "total"):
        states[name] = world[name]
    return states


def past(game: Game, world: np.ndarray) -> tuple[list[list[int]], list[int]] | None:
    """Return the two cards and the actions of this hand; None for a game that is over."""
    s = core.plain(world)[0]
    if s.seat < 0:
        return None
    cards = [mask.bit_length() - 1 for mask in s.hand.tolist()]
    return [cards], [action for action in s.done.tolist() if action >= 0]
