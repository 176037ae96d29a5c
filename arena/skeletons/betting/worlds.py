"""Skeleton: what a seat may know of a record [6], and random worlds that agree with it."""

from __future__ import annotations

from typing import Any

from engines.core import I64, OVER, Row, draw_from, jit

from .state import ALL_CARDS, SEATS


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the cards of others [6]."""
    for p in range(SEATS):
        if p != seat:
            s.hand[p] = 0


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal one of the unseen cards to each hidden hand."""
    if s.seat == OVER:
        return
    unseen = I64(ALL_CARDS)
    for p in range(SEATS):
        unseen &= ~s.hand[p]
    for p in range(SEATS):
        if s.hand[p] == 0:
            s.hand[p] = draw_from(unseen, 1, rng)
            unseen &= ~s.hand[p]
