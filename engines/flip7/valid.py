"""Flip 7: whether a row from outside can be shown and played on. Every number is in its range before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, VIEW, Row, count, has, jit, scratch
from . import state
from .state import COPIES, DRAWS, FLIP_THREE, FLIPS, FREEZE, KINDS, NUMBERS, ROW, Event, Status


@jit
def valid(s: Row) -> bool:
    """Whether every card is somewhere, a row has room for what it can get, and somebody has a choice."""
    counts = scratch(KINDS, np.int64)
    for card in range(KINDS):
        counts[card] = COPIES[card] - s.discards[card]
    for seat in range(s.players):
        if not row_fits(s, seat, counts):
            return False
    if s.card != NOBODY:
        counts[s.card] -= 1
    for i in range(state.EVENTS):  # nothing has these numbers
        if Event.DRAW + KINDS <= s.event_what[i] < Event.SCORE:
            return False
    return flips_fit(s, counts) and pile_fits(s, counts) and (s.seat < 0 or decision_fits(s))


@jit
def row_fits(s: Row, seat: int, counts: Any) -> bool:
    """Whether a row is compact, and what its integer says; its cards are taken off the counts."""
    held, size = I64(0), state.row_size(s, seat)
    for i in range(ROW):
        card = I64(s.row[seat, i])
        if (card != NOBODY) != (i < size):
            return False
        if card != NOBODY:
            counts[card] -= 1
            twice = card < NUMBERS and has(held, card)
            if card in (FREEZE, FLIP_THREE) or (twice and (i != size - 1 or has(s.active, seat))):
                return False
            held += I64(1) << state.SIZE if twice else state.GAIN[card]
    is_out = s.status[seat] != Status.ACTIVE
    return (
        held == s.held[seat]
        and count(held & state.NUMBER_CARDS) < state.SEVEN
        and not (is_out and has(s.active, seat))
    )


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
        elif waiting > 0:
            return False
    return is_open <= s.discards[FLIP_THREE]


@jit
def pile_fits(s: Row, counts: Any) -> bool:
    """Whether the draw pile has the cards that are nowhere else; in a view, as many."""
    left, known = 0, 0 if s.form == VIEW else s.left
    for card in range(KINDS):
        if counts[card] < 0:
            return False
        left += counts[card]
    for i in range(state.DECK):
        if (s.pile[i] != NOBODY) != (i < known):
            return False
        if i < known:
            counts[s.pile[i]] -= 1
            if counts[s.pile[i]] < 0:
                return False
    return left == s.left


@jit
def decision_fits(s: Row) -> bool:
    """Whether the seat to act is active and has what it decides about [7]."""
    if not has(s.active, s.seat) or s.turn == NOBODY:
        return False
    if s.card == NOBODY:
        return s.turn == s.seat
    if s.card < NUMBERS:
        return state.has_chance(s, s.seat)
    return s.card >= FREEZE and state.takers(s, s.card) != 0
