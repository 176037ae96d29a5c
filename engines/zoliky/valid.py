"""Jolly Zoliky: whether a row from outside could be one of a game.

Every number is in its range before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, OVER, WHOLE, Row, bit, count, has, jit, lowest, n_set, scratch
from .hands import kinds_into
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
    meld_jokers,
    must_stay_pure,
)
from .rules import may_discard
from .slots import naturals_in
from .state import (
    CUT,
    DECK_SIZE,
    HISTORY,
    JOKER,
    JOKERS_IN_DECK,
    KIND,
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
    leader,
    owes,
    reshuffles,
)
from .steps import JOKERS, NATURALS


@jit
def valid(s: Row) -> bool:
    """Return whether the cards, the counts, the history and the turn fit.

    All 108 cards are somewhere, the counts are true, the history can be read, and the seat to act can end its
    turn.
    """
    if not (piles_fit(s) and melds_fit(s) and hands_fit(s) and history_is_used(s)):
        return False
    if s.seat == OVER:
        return s.mover == NOBODY and s.jolly != NOBODY and cards_fit(s)
    if s.seat != s.mover or s.round_number < 1 or s.jolly == NOBODY or s.shuffle < s.deal_number * 64:
        return False
    # worlds read the history, rules only add to it
    return cards_fit(s) and turn_fits(s) and (s.form == WHOLE or history_fits(s))


# --- cards --------------------------------------------------------------------------------------------------


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
    if (
        not is_filled(s.pile, s.n_pile)
        or not is_filled(s.drawer, s.n_drawn)
        or s.n_drawn + s.n_stock > DECK_SIZE
    ):
        return False
    if not is_filled(s.stock, s.n_stock if s.form == WHOLE else I64(0)):
        return False
    for i in range(DECK_SIZE):
        if (i >= s.n_drawn or s.form == WHOLE) and (s.drawn[i] != NOBODY) != (i < s.n_drawn):
            return False
    seen = n_set(s.seen)
    return seen == CUT or (seen == 0 and s.form != WHOLE)


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
    counts, kinds = scratch(N_KINDS, np.int64), scratch(DECK_SIZE, np.int16)
    for kind in range(JOKER):
        counts[kind] = 2
    counts[JOKER] = JOKERS_IN_DECK
    hidden = s.n_stock if s.form != WHOLE else I64(0)
    for p in range(s.players):
        n = kinds_into(kinds, kinds_into(kinds, 0, 0, s.hand[p]), 0, s.twice[p])
        for i in range(n):
            counts[kinds[i]] -= 1
        counts[JOKER] -= s.jokers[p]
        if n + s.jokers[p] == 0:
            hidden += s.held[p]
    for i in range(s.n_pile):
        counts[s.pile[i]] -= 1
    for i in range(s.n_stock if s.form == WHOLE else 0):
        counts[s.stock[i]] -= 1
    for i in range(s.n_melds):
        counts[JOKER] -= meld_jokers(s.melds[i])
        naturals = naturals_in(s.melds[i])
        while naturals != 0:
            counts[KIND[lowest(naturals)]] -= 1
            naturals &= naturals - 1
    if not s.jolly_turn:
        counts[s.jolly] -= 1
    unseen, fits = 0, True
    for kind in range(N_KINDS):
        unseen += counts[kind]
        fits &= counts[kind] >= 0
    return fits and unseen == hidden


# --- the history --------------------------------------------------------------------------------------------


@jit
def history_fits(s: Row) -> bool:
    """Whether the history can be read, has the draws of this stock, and no more cards than were played.

    A position that was built by hand may leave out how it came about.
    """
    if reshuffles(s) == 0 and s.n_drawn + s.n_stock < CUT:
        return False
    if s.n_events == 0:
        return s.stock_event == 0 and rest_fits(s, False, I64(0))
    at, seat, draws, drawn, since = I64(0), leader(s), I64(0), True, False
    turns, naturals, jokers, taken = 0, 0, 0, 0
    while at < s.n_events:
        if at >= s.stock_event and not since:
            if at != s.stock_event or seat != s.stock_seat:
                return False
            since, drawn = True, reshuffles(s) == 0  # the leader's first turn begins without a draw
        action = action_at(s, at)
        if action == NOBODY:
            return False
        at += 1 if Action.DISCARD <= action < Action.RUN else 2
        takes = action < Action.DISCARD
        if since and not drawn and not takes:
            if draws >= s.n_drawn or s.drawer[draws] != seat:
                return False
            draws += 1
        drawn = True
        if takes:
            taken += 1
        elif action >= Action.RUN:
            naturals += count(NATURALS[action])
            jokers += JOKERS[action]
        else:
            turns, seat, drawn = turns + 1, (seat + 1) % s.players, False
    if at == s.stock_event and not since:
        since, drawn = seat == s.stock_seat, False
    over = (s.round_number - 1) * s.players + (s.mover - leader(s) + s.players) % s.players
    if turns > over or naturals > naturals_on_table(s) or not 0 <= jokers <= JOKERS_IN_DECK or not since:
        return False
    if taken > naturals + JOKERS_IN_DECK + 2 or seat != s.mover:
        return False
    return rest_fits(s, drawn, draws)


@jit
def action_at(s: Row, at: int) -> int:
    """Return the action that the history has at a byte; NOBODY if it has none that is kept there."""
    first = I64(s.history[at])
    if 0 <= first < N_KINDS:
        return first + Action.DISCARD
    if first < TWO_BYTES or at + 1 >= s.n_events or not 0 <= s.history[at + 1] < TWO_BYTES:
        return I64(NOBODY)
    action = (first - TWO_BYTES) * 64 + s.history[at + 1]
    other_draw = action == Action.DRAW_DISCARD or action == Action.DRAW_JOLLY
    return action if other_draw or Action.RUN <= action < N_ACTIONS else I64(NOBODY)


@jit
def rest_fits(s: Row, drawn: bool, draws: int) -> bool:
    """Whether the draws that were read are those of the row; the last may have led to no action yet."""
    if not drawn and s.phase == Phase.MELDING and draws == s.n_drawn - 1:
        return s.drawer[draws] == s.mover
    return draws == s.n_drawn and (drawn or s.phase == Phase.DRAWING or s.n_events == 0)


@jit
def naturals_on_table(s: Row) -> int:
    """Return the number of naturals in melds."""
    n = 0
    for i in range(s.n_melds):
        n += count(naturals_in(s.melds[i]))
    return n


@jit
def history_is_used(s: Row) -> bool:
    """Whether the history is blank beyond its end."""
    blank = True
    for i in range(s.n_events, HISTORY):
        blank &= s.history[i] == NOBODY
    return blank


# --- the turn -----------------------------------------------------------------------------------------------


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
