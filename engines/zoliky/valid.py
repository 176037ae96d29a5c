"""Jolly Zoliky: whether a row from outside can be used. Every number is in its range before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, OVER, WHOLE, Row, bit, count, has, jit, n_set, scratch
from .lookahead import can_complete
from .melds import (
    HIGH_AT,
    JOKERS_FIELD,
    LOW_AT,
    SET,
    SUIT_AT,
    SUITS_FIELD,
    fresh_points,
    has_fresh_pure,
    high_end,
    low_end,
    must_stay_pure,
)
from .rules import may_discard
from .slots import count_unseen
from .state import (
    CUT,
    DECK_SIZE,
    JOKERS_IN_DECK,
    MOST_MELDS,
    N_ACTIONS,
    N_KINDS,
    OPENED_NOW,
    OPENING_POINTS,
    PLACE,
    TWO_BYTES,
    Action,
    Phase,
    cutter,
    owes,
    reshuffles,
)


@jit
def valid(s: Row) -> bool:
    """Whether cards and counts fit, the history can be read, and the seat to act can draw or end its turn."""
    if s.jolly == NOBODY or not (piles_fit(s) and melds_fit(s) and hands_fit(s) and history_fits(s)):
        return False
    if s.seat == OVER:
        return s.mover == NOBODY and cards_fit(s)
    if s.seat != s.mover or s.round_number < 1 or s.shuffle < s.deal_number * 64:
        return False
    return cards_fit(s) and turn_fits(s)


@jit
def is_filled(cards: Any, n: int) -> bool:
    """Whether exactly the first `n` places of an array hold something."""
    fits = True
    for i in range(len(cards)):
        fits &= (cards[i] != NOBODY) == (i < n)
    return fits


@jit
def piles_fit(s: Row) -> bool:
    """Whether stock, pile and draws have as many cards as their counts say."""
    whole, seen = s.form == WHOLE, n_set(s.seen)
    if s.n_drawn + s.n_stock > DECK_SIZE or not (
        is_filled(s.pile, s.n_pile) and is_filled(s.drawer, s.n_drawn)
    ):
        return False
    if not is_filled(s.stock, s.n_stock if whole else I64(0)) or (
        whole and not is_filled(s.drawn, s.n_drawn)
    ):
        return False
    return seen == CUT or (seen == 0 and not whole)


@jit
def melds_fit(s: Row) -> bool:
    """Whether every integer on the table is a meld."""
    for i in range(MOST_MELDS):
        if i >= s.n_melds:
            if s.melds[i] != 0:
                return False
        elif not is_meld(s.melds[i]):
            return False
    return s.fresh <= s.n_melds


@jit
def is_meld(m: int) -> bool:
    """Whether an integer is a run of three or more cards or a set of three or four, with enough naturals."""
    low, high = low_end(m), high_end(m)
    if m & SET:
        suits = m & SUITS_FIELD
        made = SET | suits | low << LOW_AT | high << HIGH_AT
        return m == made and 1 <= low <= 13 and 3 <= high <= 4 and 0 <= high - count(suits) <= 2
    inside = (bit(high + 1) - bit(low)) & JOKERS_FIELD
    if (
        m & ~(JOKERS_FIELD | 3 << SUIT_AT | 15 << LOW_AT | 15 << HIGH_AT) != 0
        or not 1 <= low <= high - 2 <= 12
    ):
        return False
    jokers = m & JOKERS_FIELD
    return jokers & ~inside == 0 and jokers & jokers >> 1 == 0


@jit
def hands_fit(s: Row) -> bool:
    """Whether a row shows as many cards of a hand as the seat holds; only at the end a hand is empty."""
    for p in range(s.players):
        n = count(s.hand[p]) + count(s.twice[p]) + s.jokers[p]
        if (s.held[p] < 1 and s.seat != OVER) or s.twice[p] & ~s.hand[p] != 0:
            return False
        if n != s.held[p] and (n != 0 or s.form == WHOLE):
            return False
    p = cutter(s)
    return s.sure_jokers <= (s.jokers[p] if s.form == WHOLE or s.hand[p] != 0 else s.held[p])


@jit
def cards_fit(s: Row) -> bool:
    """Whether no card is too often, and as many are unseen as stock and hidden hands hold."""
    counts = scratch(N_KINDS, np.int16)
    count_unseen(s, counts)
    hidden = s.n_stock if s.form != WHOLE else I64(0)
    for p in range(s.players):
        hidden += s.held[p] if s.hand[p] == 0 and s.jokers[p] == 0 else I64(0)
    for i in range(s.n_stock if s.form == WHOLE else 0):
        counts[s.stock[i]] -= 1
    for kind in range(N_KINDS):
        if counts[kind] < 0:
            return False
        hidden -= counts[kind]
    return hidden == 0


@jit
def history_fits(s: Row) -> bool:
    """Whether the history is one of actions, which worlds and texts look up."""
    if reshuffles(s) == 0 and s.n_drawn + s.n_stock < CUT and s.form != WHOLE:
        return False
    at = I64(0)
    while at < s.n_events:
        first, second = I64(s.history[at]), I64(s.history[at + 1]) if at + 1 < s.n_events else I64(NOBODY)
        action = (first - TWO_BYTES) * 64 + second
        if first >= TWO_BYTES:
            drawn = action == Action.DRAW_DISCARD or action == Action.DRAW_JOLLY
            if not (0 <= second < 64 and (drawn or Action.RUN <= action < N_ACTIONS)):
                return False
            at += 1
        elif not 0 <= first < N_KINDS:
            return False
        at += 1
    return True


@jit
def turn_fits(s: Row) -> bool:
    """Whether the mover can draw, or end its turn with what it has drawn [4.2 to 4.5]."""
    p = s.seat
    for q in range(s.players):
        if s.opened[q] == OPENED_NOW and (q != p or s.phase != Phase.MELDING or not has_opened(s)):
            return False
    if s.phase == Phase.DRAWING:
        waits = not owes(s) and s.fresh == 0 and s.jolly_turn == 0
        return waits and s.n_stock + s.n_pile > 0
    shown = s.form == WHOLE or s.hand[p] != 0 or s.jokers[p] != 0
    if s.phase != Phase.MELDING or s.owed_jokers > JOKERS_IN_DECK or not shown:
        return s.phase == Phase.MELDING
    return s.owed_jokers <= s.jokers[p] and (s.owed == NOBODY or has(s.hand[p], PLACE[s.owed]))


@jit
def has_opened(s: Row) -> bool:
    """Whether the melds of this turn are an opening still [4.3]."""
    return fresh_points(s) >= OPENING_POINTS and (has_fresh_pure(s) or not must_stay_pure(s))


@jit
def stuck(s: Row) -> bool:
    """Whether the mover can neither discard nor lay out what it must [4.4]: in some worlds of other seats."""
    return s.seat >= 0 and s.phase == Phase.MELDING and not may_discard(s) and not can_complete(s)
