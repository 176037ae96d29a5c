"""Jolly Zoliky, for the search: a quick player, and where a deal ends."""

from __future__ import annotations

from typing import Any

from ..core import Row, count, jit, legal
from .state import ALL_LANES, DECK_SIZE, JOKER, Action
from .steps import COST, JOKERS


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Draws what can be used at once, lays out what costs few jokers and many cards, discards the card with
    least company.
    """
    n = legal(s, out)
    if n == 1 or out[0] < Action.DISCARD:
        return int(out[n - 1])  # the Jolly card rather than the pile, the pile rather than the stock
    if out[n - 1] >= Action.RUN:
        return best_step(out, n)
    return least_company(s, out, n)


@jit
def best_step(out: Any, n: int) -> int:
    """The meld step among the first `n` actions with fewest jokers, of those the one with most cards."""
    best, most = -1, -1 << 20
    for k in range(n):
        if out[k] >= Action.RUN:
            worth = COST[out[k]] - 100 * JOKERS[out[k]]
            if worth > most:
                best, most = int(out[k]), worth
    return best


@jit
def least_company(s: Row, out: Any, n: int) -> int:
    """The discard with the fewest kinds near it in its suit or of its rank."""
    hand = s.hand[s.seat]
    best, least = -1, 1 << 20
    for k in range(n):
        near = company(hand, int(out[k]) - Action.DISCARD)
        if near < least:
            best, least = int(out[k]), near
    return best


@jit
def company(hand: int, kind: int) -> int:
    """How many other kinds of a hand (a lane mask) lie within two positions in the suit, or are of the rank;
    a joker has most.
    """
    if kind == JOKER:
        return DECK_SIZE
    suit, rank = kind // 13, kind % 13
    lane = (hand >> (16 * suit)) & 0x3FFE
    lane |= (lane & 2) << 13  # the ace is high, too
    near = lane & ((0b11011 << rank) >> 1)
    if rank == 0:
        near |= lane & 0x3000
    return count(near) + count((hand >> (rank + 1)) & ALL_LANES) - 1


@jit
def stage(s: Row) -> int:
    """The deal."""
    return int(s.deal_number)
