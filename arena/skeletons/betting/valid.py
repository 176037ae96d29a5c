"""Skeleton: whether a row could be one of a game, for rows from outside. Every number is in its range."""

from __future__ import annotations

from engines.core import NOBODY, OVER, WHOLE, Row, count, jit

from .state import MOST_ACTIONS, SEATS, first, is_finished, n_done


@jit
def valid(s: Row) -> bool:
    """Whether each seat has one card, and the actions lead to the seat that is to act."""
    n = n_done(s)
    for k in range(n, MOST_ACTIONS):
        if s.done[k] != NOBODY:
            return False
    if s.total[0] + s.total[1] != 0:
        return False
    if s.seat == OVER:
        return n == 0 and s.hand[0] == 0 and s.hand[1] == 0
    for p in range(SEATS):
        if count(s.hand[p]) != 1 and not (s.hand[p] == 0 and s.form != WHOLE):
            return False
    return s.hand[0] & s.hand[1] == 0 and not is_finished(s) and s.seat == (first(s) + n) % SEATS
