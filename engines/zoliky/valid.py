"""Jolly Zoliky: whether a row from outside can be used. Every number is in its range before."""

from __future__ import annotations

import numpy as np

from ..core import I64, NOBODY, OVER, WHOLE, Row, bit, count, filled, has, jit, n_set, scratch
from . import state
from .lookahead import can_complete
from .melds import JOKERS_FIELD, SET, SUITS_FIELD, high_end, low_end
from .rules import may_discard
from .slots import count_unseen
from .state import CUT, DECK_SIZE, N_ACTIONS, N_KINDS, PLACE, TWO_BYTES, Action, Phase


@jit
def valid(s: Row) -> bool:
    """Whether cards and counts fit, the history can be read, and the seat to act can draw or end its turn."""
    if s.jolly == NOBODY or not (piles_fit(s) and hands_fit(s) and history_fits(s)):
        return False
    if s.seat == OVER:
        return s.mover == NOBODY and cards_fit(s)
    if s.seat != s.mover or s.round_number < 1 or s.shuffle < s.deal_number * 64:
        return False
    return cards_fit(s) and turn_fits(s)


@jit
def piles_fit(s: Row) -> bool:
    """Whether stock, pile, draws and melds are as many as their counts say."""
    whole, seen = s.form == WHOLE, n_set(s.seen)
    for i in range(s.n_melds):
        if not is_meld(s.melds[i]):
            return False
    if s.fresh > s.n_melds or s.n_drawn + s.n_stock > DECK_SIZE or not filled(s.pile, s.n_pile):
        return False
    if not filled(s.drawer, s.n_drawn) or not filled(s.stock, s.n_stock if whole else I64(0)):
        return False
    return filled(s.drawn, s.n_drawn) and seen == CUT if whole else seen in (0, CUT)


@jit
def is_meld(m: int) -> bool:
    """Whether an integer is a set of three or four with enough naturals, or a run of three cards or more."""
    low, high = low_end(m), high_end(m)
    if m & SET:
        return 1 <= low <= 13 and 3 <= high <= 4 and high - 2 <= count(m & SUITS_FIELD) <= high
    return 1 <= low <= high - 2 <= 12 and m & JOKERS_FIELD & ~(bit(high + 1) - bit(low)) == 0


@jit
def hands_fit(s: Row) -> bool:
    """Whether a row shows as many cards of a hand as the seat holds; only at the end a hand is empty."""
    for p in range(s.players):
        n = count(s.hand[p]) + count(s.twice[p]) + s.jokers[p]
        if (s.held[p] < 1 and s.seat != OVER) or s.twice[p] & ~s.hand[p] != 0:
            return False
        if n != s.held[p] and (n != 0 or s.form == WHOLE):
            return False
    p = state.cutter(s)
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
    if s.phase == Phase.DRAWING:
        waits = not state.owes(s) and s.fresh == 0 and s.jolly_turn == 0
        return waits and s.n_stock + s.n_pile > 0
    shown = s.form == WHOLE or s.hand[p] != 0 or s.jokers[p] != 0
    held = s.owed_jokers <= s.jokers[p] and (s.owed == NOBODY or has(s.hand[p], PLACE[s.owed]))
    return s.phase == Phase.MELDING and (held or not shown)


@jit
def stuck(s: Row) -> bool:
    """Whether the mover can neither discard nor lay out what it must [4.4]: in some worlds of other seats."""
    return s.seat >= 0 and s.phase == Phase.MELDING and not may_discard(s) and not can_complete(s)
