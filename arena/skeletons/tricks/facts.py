"""What the laws must know of Skeleton, found without the engine: see `engines.laws`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from engines import core
from engines.game import Game

from .model import Model as Model

DRAWN = {"rounds": range(1, 6)}


def _bits(mask: int) -> list[int]:
    return [card for card in range(52) if mask >> card & 1]


def _played(s: Any, seat: int) -> list[int]:
    return [card for card in s.played[seat].tolist() if card >= 0]


def conserved(s: Any) -> None:
    """Each card is in one place."""
    cards = [card for p in range(4) for card in [*_bits(s.hand[p]), *_played(s, p)]]
    assert sorted(cards) == (list(range(52)) if s.seat >= 0 else [])


def _lacks(s: Any, seat: int) -> set[int]:
    """Return the suits that a seat does not have: it has not followed."""
    led = [s.played[first, t] for t, first in enumerate(s.leaders.tolist()) if first >= 0]
    return {
        one // 13 for one, card in zip(led, s.played[seat].tolist()) if card >= 0 and card // 13 != one // 13
    }


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Exchange cards of hidden hands where both may have the other's card."""
    others = [p for p in range(4) if p != seat and s.hand[p]]
    for _ in range(100 * (len(others) > 1)):
        one, two = rng.sample(others, 2)
        mine, theirs = rng.choice(_bits(s.hand[one])), rng.choice(_bits(s.hand[two]))
        if theirs // 13 not in _lacks(s, one) and mine // 13 not in _lacks(s, two):
            s.hand[one] ^= 1 << mine | 1 << theirs
            s.hand[two] ^= 1 << mine | 1 << theirs


def most_decisions(players: int, options: dict[str, Any]) -> int:
    """Thirteen cards of each seat."""
    return 52 * int(options["rounds"])


def opening(game: Game, world: np.ndarray) -> np.ndarray:
    """Return the row before the deal of this round: the points of its tricks are not won yet."""
    states, s = game.blank(1, 4, **game.options_of(world)), core.plain(world)[0]
    core.start_rows(core.rows(states))
    states["skeleton_round"], states["shuffle"] = world["skeleton_round"], world["shuffle"]
    states["total"] = world["total"]
    for leader in s.leaders.tolist()[1:]:
        if leader >= 0:
            states["total"][0, leader] -= 1
    return states


def past(game: Game, world: np.ndarray) -> tuple[list[list[int]], list[int]] | None:
    """Return the deal of this round and what was played; None for a game that is over."""
    s = core.plain(world)[0]
    if s.seat < 0:
        return None
    dealt = [card for p in range(4) for card in sorted([*_bits(s.hand[p]), *_played(s, p)])]
    plays = [
        s.played[(first + k) % 4, t]
        for t, first in enumerate(s.leaders.tolist())
        if first >= 0
        for k in range(4)
    ]
    return [dealt], [card for card in plays if card >= 0]
