"""Skeleton: whether a row could be one of a game, for rows from outside. Every number is in its range."""

from __future__ import annotations

from engines.core import I64, NOBODY, OVER, WHOLE, Row, count, jit, n_set

from .state import SEATS, TRICKS, could_hold, played_by, winner


@jit
def valid(s: Row) -> bool:
    """Whether each card is in one place, and the right seats have played."""
    if s.seat != OVER:
        return hands_fit(s) and tricks_fit(s)
    cards = I64(0)
    for p in range(SEATS):
        cards |= s.hand[p] | played_by(s, p)
    return cards == 0 and s.trick == 0 and n_set(s.leaders) == 0


@jit
def hands_fit(s: Row) -> bool:
    """Whether the hands have the right size, no card is twice, and no seat has what it cannot have."""
    seen, n = I64(0), 0
    for p in range(SEATS):
        played = played_by(s, p)
        hidden = s.hand[p] == 0 and s.form != WHOLE
        if not hidden and count(s.hand[p]) + count(played) != TRICKS:
            return False
        if s.hand[p] & ~could_hold(s, p) != 0:
            return False
        seen |= s.hand[p] | played
        n += count(s.hand[p]) + count(played)
    return count(seen) == n


@jit
def tricks_fit(s: Row) -> bool:
    """Whether each trick was led by the winner of the one before, and the seat to act is next [4]."""
    if n_set(s.leaders) != s.trick + 1 or s.leaders[0] != s.skeleton_round % SEATS:
        return False
    for t in range(TRICKS):
        if t <= s.trick and s.leaders[t] == NOBODY:
            return False
        if 0 < t <= s.trick and s.leaders[t] != winner(s, t - 1):
            return False
        for p in range(SEATS):
            if (s.played[p, t] != NOBODY) != has_played(s, p, t):
                return False
    return True


@jit
def has_played(s: Row, seat: int, trick: int) -> bool:
    """Whether it was a seat's turn in a trick before now."""
    leader = s.leaders[trick]
    return trick < s.trick or (trick == s.trick and (seat - leader) % SEATS < (s.seat - leader) % SEATS)
