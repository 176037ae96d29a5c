"""Flip 7: whether a row could be one of a game, for rows from outside. Every number is in its range."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, OVER, VIEW, Row, bit, has, jit, scratch
from . import state
from .state import COPIES, DRAWS, FLIP_THREE, FLIPS, FREEZE, KINDS, NUMBERS, ROW, SECOND_CHANCE, Event, Status


@jit
def valid(s: Row) -> bool:
    """Whether all 94 cards are somewhere, each place holds what it may, and somebody has a choice."""
    counts = scratch(KINDS, np.int64)
    for card in range(KINDS):
        counts[card] = COPIES[card] - s.discards[card]
    fits = rows_fit(s, counts) and flips_fit(s, counts) and seats_fit(s)
    if s.card != NOBODY:
        counts[s.card] -= 1
    return fits and pile_fits(s, counts) and decision_fits(s) and events_fit(s)


@jit
def rows_fit(s: Row, counts: Any) -> bool:
    """Whether every row is compact, and what its integer says; its cards are taken off the counts."""
    for seat in range(s.players):
        n, held, numbers, twice = 0, 0, 0, False
        size = state.row_size(s, seat)
        if size > ROW:
            return False
        for i in range(size):
            card = s.row[seat, i]
            if card in (NOBODY, FREEZE, FLIP_THREE):
                return False
            counts[card] -= 1
            twice = card < NUMBERS and has(numbers, card)
            if twice and (s.status[seat] != Status.BUSTED or i != size - 1):
                return False
            numbers |= bit(card)
            n += 1 if card < NUMBERS and not twice else 0
            held += I64(1) << state.SIZE if twice else state.GAIN[card]
        for i in range(size, ROW):
            if s.row[seat, i] != NOBODY:
                return False
        if size > 0 and s.status[seat] == Status.BUSTED and not twice:
            return False
        if held != s.held[seat] or n >= state.SEVEN or (s.status[seat] == Status.FLIP7 and s.seat >= 0):
            return False
    return True


@jit
def flips_fit(s: Row, counts: Any) -> bool:
    """Whether the open Flip Threes lie on each other; the cards that wait there are taken off the counts."""
    is_open = 0
    for flip in range(FLIPS):
        waiting = 0
        for i in range(DRAWS):
            card = s.aside[flip, i]
            if card != NOBODY:
                if card < FREEZE or waiting != i:
                    return False
                counts[card] -= 1
                waiting += 1
        if s.flip_seat[flip] != NOBODY:
            if is_open != flip or waiting + s.flip_left[flip] > DRAWS:
                return False
            is_open += 1
        elif waiting > 0 or s.flip_left[flip] != 0:
            return False
    return is_open <= s.discards[FLIP_THREE]


@jit
def seats_fit(s: Row) -> bool:
    """Whether the mask of active seats says what their states are."""
    for seat in range(s.players):
        if has(s.active, seat) != (s.status[seat] == Status.ACTIVE and s.active != 0):
            return False
    return True


@jit
def pile_fits(s: Row, counts: Any) -> bool:
    """Whether the draw pile has the cards that are nowhere else; in a view, as many."""
    left = 0
    for card in range(KINDS):
        if counts[card] < 0:
            return False
        left += counts[card]
    if left != s.left:
        return False
    known = 0 if s.form == VIEW else s.left
    for i in range(state.DECK):
        if (s.pile[i] != NOBODY) != (i < known):
            return False
        if i < known:
            counts[s.pile[i]] -= 1
    for card in range(KINDS):
        if s.form != VIEW and counts[card] != 0:
            return False
    return True


@jit
def decision_fits(s: Row) -> bool:
    """Whether the seat to act has what it decides about [7]; after the end nothing lies before anybody."""
    if s.seat == OVER:
        return s.card == NOBODY and s.active == 0 and s.turn == NOBODY and s.flip_seat[0] == NOBODY
    if not has(s.active, s.seat) or s.turn == NOBODY or s.events == 0:
        return False
    if s.card == NOBODY:
        return s.turn == s.seat and s.dealt == s.players and s.flip_seat[0] == NOBODY
    if s.card < NUMBERS:
        return has(s.held[s.seat], s.card) and state.has_chance(s, s.seat)
    if s.card < FREEZE or s.targeting != state.ANY:
        return False
    return s.card != SECOND_CHANCE or state.takers(s, s.card) != 0


@jit
def events_fit(s: Row) -> bool:
    """Whether the record has the events that it keeps, each an action, a card or points, and no others."""
    fits = True
    for i in range(state.EVENTS):
        what = s.event_what[i]
        fits &= (what != NOBODY) == (i < s.events)
        fits &= what < Event.DRAW + KINDS or what >= Event.SCORE
    return fits
