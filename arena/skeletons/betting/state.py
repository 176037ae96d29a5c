"""Skeleton: cards, actions, options, the record, and what can be read off a row. Nothing moves here."""

from __future__ import annotations

import numpy as np

from engines.core import NOBODY, Row, jit
from engines.option import Option
from engines.record import AMOUNT, Record, within

CARDS = ("J", "Q", "K")
ALL_CARDS = 0b111
SEATS, MOST_ACTIONS = 2, 3
ACTIONS = ("pass", "bet")
PASS, BET = range(2)

OPTIONS = (Option("hands", 1, "hands in one game; the other seat begins the next one", 1, 1000),)
RECORD = Record(
    OPTIONS,
    [
        ("skeleton_hand", np.int64, within(0, lambda o: o["hands"] - 1)),  # hands that are over
        ("hand", np.int64, SEATS, within(0, ALL_CARDS)),  # a card; own only; blank 0
        ("done", np.int8, MOST_ACTIONS, within(NOBODY, BET)),  # actions of this hand; blank -1
        ("total", np.int64, SEATS, AMOUNT),  # chips won in the hands that are over
    ],
)


@jit
def first(s: Row) -> int:
    """Return the seat that begins this hand [3]."""
    return s.skeleton_hand % SEATS


@jit
def n_done(s: Row) -> int:
    """How many actions there were in this hand."""
    n = 0
    for k in range(MOST_ACTIONS):
        n += s.done[k] != NOBODY
    return n


@jit
def is_finished(s: Row) -> bool:
    """Whether the last two actions end the hand: all but a pass before a bet [4]."""
    n = n_done(s)
    return n >= 2 and not (s.done[n - 2] == PASS and s.done[n - 1] == BET)
