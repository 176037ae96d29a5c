"""Flip 7, for the search: a quick player for playouts, and where a round ends."""

from __future__ import annotations

from typing import Any

from ..core import Row, jit, legal
from .state import SECOND_CHANCE, Action, row_points

ENOUGH = 27
"""Points of a row with which the quick player stays."""


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Hit below so many points; give a Freeze or Flip Three to the leader, a Second Chance to the last of the
    others.
    """
    n = legal(s, out)
    if out[0] >= Action.GIVE:
        return taker(s, out, n)
    if n == 2 and out[1] == Action.STAY and row_points(s, s.seat) >= ENOUGH:
        return int(out[1])
    return int(out[0])


@jit
def taker(s: Row, out: Any, n: int) -> int:
    """The `give` of the first `n` actions to the other seat with most points, or with fewest for a Second
    Chance.
    """
    best, most = int(out[0]), -1 << 40
    for k in range(n):
        seat = int(out[k]) - Action.GIVE
        points = int(s.total[seat]) + row_points(s, seat)
        worth = -points if s.card == SECOND_CHANCE else points
        if seat != s.seat and worth > most:
            best, most = int(out[k]), worth
    return best


@jit
def stage(s: Row) -> int:
    """The round."""
    return int(s.round_no)
