"""Flip 7: helpers for bots: the odds of one more card, from open cards only; the race, solved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import Row, cleared, count, entry, fill, has, jit, rows, scratch
from . import state
from .state import DRAWS, KINDS

LEVELS = DRAWS + 2
BUSTS = -1
RACE: NDArray[np.float64] = np.load(Path(__file__).with_name("race.npy")) / 65535
"""The table of `race_won`, by totals less the goal. Read here, since a bot in its sandbox cannot read it."""


@entry
def hit_chances(s: Row, seat: int, out: Any) -> float:
    """Return the chance of every number of points that a seat's row can be worth after one `hit` [4.3, 4.5].

    Exact, Second Chances and the three draws of a Flip Three included, but for two things: a Flip Three that
    turns up in a Flip Three draws nothing more, and a card that may be given away leaves the row as it is.

    Args:
        s: a state or a view.
        seat: a seat that is active.
        out: float64[172], set in place: `out[p]` is the chance of a row that has not bust and is worth p.

    Returns:
        The chance of a bust; with `out` it sums to 1.
    """
    counts = scratch(KINDS, np.int64)
    size = next_cards(s, counts)
    level = scratch(LEVELS, np.int64)  # level[d]: the row after d draws
    level[0] = s.held[seat]
    tried = cleared(LEVELS, np.int64)  # tried[d]: draw d has tried the kinds below this one
    chance = scratch(LEVELS, np.float64)  # chance[d]: of having come to level d
    chance[0] = 1.0
    fill(out, 0)
    bust, d = 0.0, 0
    while d >= 0:
        card = next_kind(counts, tried[d])
        tried[d] = card + 1
        if card == state.KINDS:  # all were tried: take back the draw before
            d -= 1
            if d >= 0:
                counts[tried[d] - 1] += 1
            continue
        here = chance[d] * counts[card] / (size - d)
        row = row_with(s, level[d], card)
        if row == BUSTS:
            bust += here
        elif size > d + 1 and draws_on(s, row, card, d):
            counts[card] -= 1
            d += 1
            level[d], tried[d], chance[d] = row, 0, here
        else:
            out[state.held_worth(row)] += here
    return bust


@jit
def next_cards(s: Row, out: Any) -> int:
    """Write what the next single draw can be into `out` (int64[22]); return how many cards [3]."""
    if s.left > 0:
        state.pile_counts(s, out)
        return s.left
    n = 0
    for card in range(state.KINDS):
        out[card] = s.discards[card]
        n += out[card]
    return n


@jit
def next_kind(counts: Any, card: int) -> int:
    """Return the first kind from `card` on of which there is a card; KINDS if there is none."""
    while card < state.KINDS and counts[card] == 0:
        card += 1
    return card


@jit
def row_with(s: Row, row: int, card: int) -> int:
    """Return what a row as one integer becomes by one more card; BUSTS if it is lost [4.3]."""
    if card < state.NUMBERS and has(row, card):
        return row - state.GAIN[state.SECOND_CHANCE] if row >> state.CHANCE & 15 != 0 else BUSTS
    if card == state.SECOND_CHANCE and s.targeting == state.ANY and row >> state.CHANCE & 15 != 0:
        return row
    return row + state.GAIN[card]


@jit
def draws_on(s: Row, row: int, card: int, d: int) -> bool:
    """Whether a draw follows on draw `d` (0: the hit; 1 to 3: of its Flip Three), this card [4.5]."""
    if d == 0:
        return card == state.FLIP_THREE and s.targeting == state.SELF
    frozen = card == state.FREEZE and s.flip_three == state.NOW
    return d < state.DRAWS and not frozen and count(row & state.NUMBER_CARDS) < state.SEVEN


def race_won(
    mine: NDArray[np.int64], other: int, last: bool = False, hope: float = 0.0
) -> NDArray[np.float64]:
    """Return the chance to win the race against another seat after a round.

    It was solved exactly for two seats that turn up rows of their own (examples/race_flip7.py): this one the
    best, the other one for points.

    Args:
        mine: totals after the round less the goal.
        other: the other's.
        last: the game ends with this round, whatever the totals.
        hope: above 0, the row goes on, and catches up so many points of what is lost with 1 in 2.7.
    """
    behind = mine - other
    ended = (behind > 0) + 0.5 * (behind == 0)
    if hope:
        ended = np.where(behind <= 0, np.exp((behind - 1) / hope), ended)
    if last or other >= 0:
        return ended
    size = len(RACE)
    return np.where(mine >= 0, ended, RACE[np.clip(mine, -size, -1), max(other, -size)])


def use_all(states: Any) -> None:
    """Call every helper once, so that it is compiled and loaded. `states`: games at their first decision."""
    hit_chances(rows(states)[0], int(states["seat"][0]), np.zeros(state.MOST_POINTS + 1))
