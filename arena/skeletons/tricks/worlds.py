"""Skeleton: what a seat may know of a record [6], and random worlds that agree with it.

Every deal of the unseen cards that what was played allows is equally likely.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.core import I64, OVER, Row, cleared, count, jit, scratch
from engines.core.worlds import place_cards

from .state import ALL_CARDS, SEATS, TRICKS, could_hold, played_by


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the hands of others [6]."""
    for p in range(SEATS):
        if p != seat:
            s.hand[p] = 0


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the unseen cards to the hidden hands."""
    if s.seat == OVER:
        return
    room, may, put = cleared(SEATS, np.int64), scratch(SEATS, np.int64), cleared(SEATS, np.int64)
    unseen = I64(ALL_CARDS)
    for p in range(SEATS):
        unseen &= ~(s.hand[p] | played_by(s, p))
    for p in range(SEATS):
        may[p] = unseen & could_hold(s, p)
        if s.hand[p] == 0:
            room[p] = TRICKS - count(played_by(s, p))
    place_cards(unseen, room, may, put, rng)
    for p in range(SEATS):
        s.hand[p] |= put[p]
