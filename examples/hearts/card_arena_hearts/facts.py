"""What the laws must know of Hearts, found without the engine: see `engines.laws`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from engines import core
from engines.game import Game

from .model import Hearts

Model = Hearts
DRAWN = {"rounds": range(1, 7)}


def conserved(s: Any) -> None:
    """Each card is in one place."""
    places = [s.hand[p] for p in range(4)] + [
        1 << c for p in range(4) for c in s.played[p].tolist() if c >= 0
    ]
    whole = (1 << 52) - 1 if s.seat >= 0 else 0
    assert sum(places) == whole and sum(place.bit_count() for place in places) == whole.bit_count()


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Deal the hidden hands again before anything is known of them; later only their passes are hidden."""
    others = [p for p in range(4) if p != seat]
    if s.phase == 0:
        cards = [card for p in others for card in range(52) if s.hand[p] >> card & 1]
        rng.shuffle(cards)
        for k, p in enumerate(others):
            s.hand[p] = sum(1 << card for card in cards[13 * k : 13 * k + 13])
            s.passed[p] = sum(1 << card for card in cards[13 * k :][: s.passed[p].bit_count()])
        return
    for p in others:
        to = (p + (1, 3, 2, 0)[s.hearts_round % 4]) % 4
        if s.passed[p] and to != seat:
            had = _bits(s.hand[to]) + [card for card in s.played[to].tolist() if card >= 0]
            s.passed[p] = sum(1 << card for card in rng.sample(had, 3))


def most_decisions(players: int, options: dict[str, Any]) -> int:
    """Three cards passed and thirteen played by each seat."""
    return 64 * int(options["rounds"])


def _bits(mask: int) -> list[int]:
    return [card for card in range(52) if mask >> card & 1]


def opening(game: Game, world: np.ndarray) -> np.ndarray | None:
    """Return the row before the deal of this round."""
    states = game.blank(1, 4, **game.options_of(world))
    core.start_rows(core.rows(states))
    if world["seat"][0] >= 0:
        states["hearts_round"], states["shuffle"] = world["hearts_round"], world["hearts_round"] * 64
        states["total"] = world["total"]
    return states


def past(game: Game, world: np.ndarray) -> tuple[list[list[int]], list[int]] | None:
    """Return the deal, passes and plays of this round; None for a game that is over."""
    s = core.plain(world)[0]
    if s.seat < 0:
        return None
    step, passed = (1, 3, 2, 0)[s.hearts_round % 4], [_bits(s.passed[p]) for p in range(4)]
    dealt = []
    for p in range(4):
        had = set(_bits(s.hand[p])) | {card for card in s.played[p].tolist() if card >= 0}
        if s.phase == 1 and step:
            had = had - set(passed[(p - step) % 4]) | set(passed[p])
        dealt += sorted(had)
    plays = [
        s.played[(first + k) % 4, t]
        for t, first in enumerate(s.leaders.tolist())
        if first >= 0
        for k in range(4)
    ]
    return [dealt], [card for cards in passed for card in cards] + [52 + card for card in plays if card >= 0]
