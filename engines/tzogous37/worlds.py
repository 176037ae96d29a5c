"""Tzogous 37: hidden information (rules 6). What a seat may know of a record, and random worlds that agree with it.

`redact` blanks the rest; `determinize` deals it again. What the viewer knows beyond the table (a card that it saw another seat
take, the cards that a reshuffle put back) is read off the log.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, Row, below, count, fill, has, jit, shuffle_with
from .state import (
    E_HAND,
    E_LOSE,
    E_RESHUFFLE,
    E_TAKE,
    E_TIE,
    EMPTY,
    HIDDEN,
    JOKER,
    LOG,
    ONLOOKER,
    PACK,
    ROUNDS,
    SEATS,
    UNKNOWN,
    add_card,
    all_cards,
    drop_card,
    multiset_into,
    without,
    without_all_in_play,
)

_VALUE = UNKNOWN << 4  # the bits of an event that hold its value


@jit
def redact(s: Row, seat: int) -> None:
    """Blank other hands, the deck, and every table card and logged card that this seat does not know (rules 6)."""
    who = seat if seat >= 0 else ONLOOKER
    for p in range(s.players):
        if p != seat:
            s.hand[p] = 0
            s.twin[p] = 0
    fill(s.deck_cards, EMPTY)
    for r in range(ROUNDS):
        for i in range(2 * SEATS):
            if s.table[r, i] >= 0 and not has(s.knows[r, i], who):
                s.table[r, i] = HIDDEN
    for i in range(LOG):  # a blank event is -1: it counts as known
        s.log[i] |= ((~s.log[i] >> (20 + who)) & 1) * _VALUE


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the cards that the row does not show over the hands, hidden slots and deck (rules 6).

    Honoured: every card that the viewer knows, also among the discards; a card that it knows another seat took is dealt to that
    seat's hand or to a hidden slot that the seat filled later; cards that went into a reshuffle go to the deck. What no rule
    can ask for again stays unknown: face-down cards of an earlier hand or from before a reshuffle, cards in the log.
    """
    ones, twos = unseen(s)
    ones, twos = _deal_taken(s, ones, twos, rng)
    returned = np.empty(PACK, np.int16)
    n_returned, ones, twos = _returned(s, ones, twos, returned)
    cards = np.empty(PACK, np.int16)
    n = multiset_into(cards, ones, twos)
    shuffle_with(cards, n, rng)
    n = _deal_hidden(s, cards, n)
    if s.left > 0 and s.deck_cards[0] == EMPTY:
        for i in range(n_returned, s.left):
            n -= 1
            returned[i] = cards[n]
        shuffle_with(returned, s.left, rng)
        for i in range(s.left):
            s.deck_cards[i] = returned[i]


@jit
def _deal_hidden(s: Row, cards: Any, n: int) -> int:
    """Fill hidden hands and slots with the last of `n` cards; return how many cards are left."""
    for p in range(s.players):
        while count(s.hand[p]) + count(s.twin[p]) < s.held[p]:
            n -= 1
            s.hand[p], s.twin[p] = add_card(s.hand[p], s.twin[p], I64(cards[n]))
    for r in range(s.mixed, s.round_no):
        for i in range(2 * s.players):
            if s.table[r, i] == HIDDEN:
                n -= 1
                s.table[r, i] = cards[n]
    return n


@jit
def unseen(s: Row) -> tuple[int, int]:
    """The cards whose place a view does not show, as a multiset (see `add_card`): deck, other hands, unknown table cards.

    In a view's row; discards that the viewer does not know, or that the log has lost, are among them.
    """
    ones, twos = all_cards(s)
    for r in range(s.mixed, s.round_no - 1):
        ones, twos = without(s.table[r], ones, twos)
    ones, twos = without_all_in_play(s, ones, twos)
    for i in range(_log_begin(s, E_RESHUFFLE), s.logged):
        card = _spent(s.log[i % LOG])
        if card >= 0:
            ones, twos = drop_card(ones, twos, card)
    return ones, twos


@jit
def _spent(event: int) -> int:
    """The card that an event has put among the discards, EMPTY if none is known."""
    kind, card = event & 15, I64((event >> 4) & UNKNOWN)
    if kind == E_TAKE:
        return JOKER
    if kind in (E_TIE, E_LOSE) and card != UNKNOWN:
        return card
    return EMPTY


@jit
def _log_begin(s: Row, kind: int) -> int:
    """Number of the first event after the last deal, or after the last event of this kind if that was later."""
    i = I64(s.logged)
    oldest = max(0, i - LOG)
    while i > oldest:
        event = s.log[(i - 1) % LOG] & 15
        if event in (E_HAND, kind):
            return i
        i -= 1
    return i


@jit
def _deal_taken(s: Row, ones: int, twos: int, rng: Any) -> tuple[int, int]:
    """Deal the cards that the viewer knows to have been taken, latest first; return the multiset without them."""
    begin = _log_begin(s, E_HAND)
    for back in range(s.logged - begin):
        event = s.log[(s.logged - 1 - back) % LOG]
        card = I64((event >> 4) & UNKNOWN)
        known = event & 15 == E_TAKE and card != UNKNOWN and has(ones, card)
        if known and _give_taken(s, I64((event >> 14) & 7), card, I64((event >> 17) & 7), rng):
            ones, twos = drop_card(ones, twos, card)
    return ones, twos


@jit
def _give_taken(s: Row, p: int, card: int, time: int, rng: Any) -> bool:
    """Deal a card that seat p took at that time to its hand or to a hidden slot that it filled later, if there is one."""
    in_hand = s.held[p] - count(s.hand[p]) - count(s.twin[p])
    places = in_hand
    for t in range(max(time + 1, 2 * s.mixed), 2 * s.round_no):
        if s.table[t >> 1, 2 * p + (t & 1)] == HIDDEN:
            places += 1
    if places == 0:
        return False
    pick = below(rng, places) - in_hand
    if pick < 0:
        s.hand[p], s.twin[p] = add_card(s.hand[p], s.twin[p], card)
        return True
    for t in range(max(time + 1, 2 * s.mixed), 2 * s.round_no):
        if s.table[t >> 1, 2 * p + (t & 1)] == HIDDEN:
            if pick == 0:
                s.table[t >> 1, 2 * p + (t & 1)] = card
            pick -= 1
    return True


@jit
def _returned(s: Row, ones: int, twos: int, out: Any) -> tuple[int, int, int]:
    """Write the cards that the viewer knows a reshuffle of this hand to have put back, as far as unseen and the deck has room.

    Returns:
        How many, and the multiset without them.
    """
    n = 0
    for r in range(s.mixed):
        for i in range(2 * s.players):
            card = I64(s.table[r, i])
            if card >= 0 and has(ones, card) and n < s.left:
                ones, twos = drop_card(ones, twos, card)
                out[n] = card
                n += 1
    for i in range(_log_begin(s, E_HAND), _log_begin(s, E_RESHUFFLE)):
        card = _spent(s.log[i % LOG])
        if card >= 0 and has(ones, card) and n < s.left:
            ones, twos = drop_card(ones, twos, card)
            out[n] = card
            n += 1
    return n, ones, twos
