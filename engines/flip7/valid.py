"""Flip 7: whether a row from outside can be shown and played on. Every number is in its range before."""

from __future__ import annotations

import numpy as np

from ..core import I64, NOBODY, VIEW, Row, count, filled, has, jit, n_set, scratch
from . import state
from .state import DRAWS, FLIP_THREE, FLIPS, FREEZE, KINDS, NUMBERS, ROW, Event


@jit
def valid(s: Row) -> bool:
    """Whether every card is somewhere, a row has room for what it can get, and somebody has a choice."""
    for seat in range(s.players):
        if not row_fits(s, seat):
            return False
    for i in range(state.EVENTS):  # nothing has these numbers
        if Event.DRAW + KINDS <= s.event_what[i] < Event.SCORE:
            return False
    return flips_fit(s) and pile_fits(s) and (s.seat < 0 or decision_fits(s))


@jit
def row_fits(s: Row, seat: int) -> bool:
    """Whether a row is compact, its integer says what lies there, and no active one has a number twice."""
    held, size = I64(0), state.row_size(s, seat)
    for i in range(min(size, ROW)):
        card = I64(s.row[seat, i])
        twice = card < NUMBERS and has(held, card)
        if card in (NOBODY, FREEZE, FLIP_THREE) or (twice and has(s.active, seat)):
            return False
        held += I64(1) << state.SIZE if twice else state.GAIN[card]
    return (
        filled(s.row[seat], size) and held == s.held[seat] and count(held & state.NUMBER_CARDS) < state.SEVEN
    )


@jit
def flips_fit(s: Row) -> bool:
    """Whether the open Flip Threes lie on each other, and what waits there is an action card."""
    n_open = n_set(s.flip_seat)
    for flip in range(FLIPS):
        waiting = n_set(s.aside[flip])
        for i in range(waiting):
            if s.aside[flip, i] < FREEZE:
                return False
        if waiting + s.flip_left[flip] > DRAWS or (flip >= n_open and waiting > 0):
            return False
    return filled(s.flip_seat, n_open) and n_open <= s.discards[FLIP_THREE]


@jit
def pile_fits(s: Row) -> bool:
    """Whether the draw pile has the cards that are nowhere else; in a view, as many."""
    counts = scratch(KINDS, np.int64)
    state.pile_counts(s, counts)
    left, known = 0, 0 if s.form == VIEW else s.left
    for card in range(KINDS):
        left += counts[card]
    for i in range(known):
        if s.pile[i] != NOBODY:
            counts[s.pile[i]] -= 1
    for card in range(KINDS):
        if counts[card] < 0:
            return False
    return left == s.left and filled(s.pile, known)


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
