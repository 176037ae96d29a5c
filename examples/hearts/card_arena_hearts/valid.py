"""Hearts: whether a row could be one of a game, for rows from outside. Every number is in its range."""

from __future__ import annotations

from engines.core import I64, NOBODY, OVER, WHOLE, Row, count, has, jit, n_set

from .state import LOW_CLUB, PASS, PASSED, SEATS, TRICKS, passes, receiver, winner
from .worlds import could_hold, played_by


@jit
def valid(s: Row) -> bool:
    """Whether each card is in one place, and the right seats have passed and played."""
    if s.seat == OVER:
        return is_cleared(s)
    if s.phase == PASS:
        return passes(s) and s.trick == 0 and n_played(s) == 0 and hands_fit(s) and passes_fit(s)
    return s.chosen == 0 and tricks_fit(s) and hands_fit(s) and received_fits(s)


@jit
def is_cleared(s: Row) -> bool:
    """Whether a game that is over has no cards left."""
    cards = I64(0)
    for p in range(SEATS):
        cards |= s.hand[p] | s.passed[p]
    none = s.phase == PASS and s.chosen == 0 and s.trick == 0
    return none and cards == 0 and n_played(s) == 0 and n_set(s.leaders) == 0


@jit
def n_played(s: Row) -> int:
    """How many cards were played in this round."""
    n = 0
    for p in range(SEATS):
        n += n_set(s.played[p])
    return n


@jit
def hands_fit(s: Row) -> bool:
    """Whether the hands have the right size, no card is twice, and cards are left for the hidden hands."""
    seen, n, hidden = I64(0), 0, 0
    for p in range(SEATS):
        played = played_by(s, p)
        due = TRICKS - count(played)
        if s.hand[p] == 0 and s.form != WHOLE:
            hidden += due
        elif count(s.hand[p]) != due or s.hand[p] & ~could_hold(s, p) != 0:
            return False
        seen |= s.hand[p] | played
        n += count(s.hand[p]) + count(played)
    return count(seen) == n and n + hidden == SEATS * TRICKS


@jit
def passes_fit(s: Row) -> bool:
    """Whether the seats before the one to act have chosen three cards of their own [4.1]."""
    if n_set(s.leaders) != 0:
        return False
    for p in range(SEATS):
        due = PASSED if p < s.seat else s.chosen if p == s.seat else 0
        if s.hand[p] == 0:
            due = 0
        if count(s.passed[p]) != due or s.passed[p] & ~s.hand[p] != 0:
            return False
    return True


@jit
def received_fits(s: Row) -> bool:
    """Whether three cards of each seat have come to the seat that holds or has played them [4.1]."""
    for p in range(SEATS):
        to = receiver(s, p)
        had = s.hand[to] | played_by(s, to)
        hidden = s.form != WHOLE and s.passed[p] == 0
        if not hidden and count(s.passed[p]) != (PASSED if passes(s) else 0):
            return False
        if s.hand[to] != 0 and s.passed[p] & ~had != 0:
            return False
    return True


@jit
def tricks_fit(s: Row) -> bool:
    """Whether each trick was led by the winner of the one before, and the seat to act is next [4.2]."""
    first = s.leaders[0]
    if first == NOBODY or n_set(s.leaders) != s.trick + 1:
        return False
    for t in range(s.trick + 1):
        if s.leaders[t] == NOBODY or (t > 0 and s.leaders[t] != winner(s, t - 1)):
            return False
        for p in range(SEATS):
            before = (p - s.leaders[t]) % SEATS < (s.seat - s.leaders[t]) % SEATS
            if (s.played[p, t] != NOBODY) != (t < s.trick or before):
                return False
    if n_played(s) != 4 * s.trick + (s.seat - s.leaders[s.trick]) % SEATS:
        return False
    if s.played[first, 0] != NOBODY:
        return s.played[first, 0] == LOW_CLUB
    return s.hand[first] == 0 or has(s.hand[first], LOW_CLUB)
