"""Flip 7, for the search: a quick player for playouts, where a round ends, and what the race is worth there.

The player counts cards: it hits while the next card is expected to add points, as the bot `oddsman` does.
"""

from __future__ import annotations

from math import erf, sqrt
from typing import Any

import numpy as np

from ..core import Row, count, has, jit, legal, scratch
from . import state
from .state import KINDS, SECOND_CHANCE, Action, row_points
from .tools import next_cards

ROUND_POINTS, ROUND_SPREAD = 21.0, 24.0
"""Mean points of a round, and how far one moves a seat, as the bot `racer` has them from measured games."""


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Hit while that is expected to add points; give a Freeze or Flip Three to the leader, a Second Chance to
    the last of the others.
    """
    n = legal(s, out)
    if out[0] >= Action.GIVE:
        return taker(s, out, n)
    if n == 2 and out[1] == Action.STAY and not pays(s, s.seat):
        return int(out[1])
    return int(out[0])


@jit
def pays(s: Row, seat: int) -> bool:
    """Whether the next card is expected to add points to a row [4.3, 5.1].

    Action cards count as nothing, and a Second Chance in the row saves it.
    """
    held = state.kinds(s, seat)
    if has(held, SECOND_CHANCE):
        return True
    counts = scratch(KINDS, np.int64)
    next_cards(s, counts)
    seventh = count(held & state.NUMBER_CARDS) == state.SEVEN - 1
    gain, total, lost = 0, 0, 0
    for card in range(state.NUMBERS):
        if has(held, card):
            lost += counts[card]
            total += card
        else:
            gain += counts[card] * (card + (state.BONUS if seventh else 0))
            if has(held, state.DOUBLE):
                gain += counts[card] * card
    for card in range(state.NUMBERS, state.FREEZE):
        gain += counts[card] * (total if card == state.DOUBLE else state.VALUES[card])
    return gain > lost * row_points(s, seat)


@jit
def taker(s: Row, out: Any, n: int) -> int:
    """The `give` of the first `n` actions to the other seat with most points, or with fewest for a Second
    Chance.
    """
    best, most = int(out[0]), -1 << 40
    for k in range(n):
        seat = int(out[k]) - Action.GIVE
        points = int(s.total[seat]) + row_points(s, seat)
        worth = -points if s.card == SECOND_CHANCE else points
        if seat != s.seat and worth > most:
            best, most = int(out[k]), worth
    return best


@jit
def stage(s: Row) -> int:
    """The round."""
    return int(s.round_no)


@jit
def standing(s: Row, points: Any, out: Any) -> None:
    """The race: the rounds to come are alike for all and spread the totals."""
    best = 0
    for seat in range(s.players):
        best = max(best, s.total[seat])
    rounds = 0.0 if state.game_over(s) else max(0.5, (s.goal - best) / ROUND_POINTS)
    spread = ROUND_SPREAD * sqrt(2 * rounds)
    for seat in range(s.players):
        ahead = -0.5  # itself
        for other in range(s.players):
            ahead += below(points[seat] - points[other], spread)
        out[seat] = ahead / max(1, s.players - 1)


@jit
def below(gap: float, spread: float) -> float:
    """The chance that a normal deviate is below `gap`; without a spread a step, with a half at 0."""
    if spread > 0:
        return 0.5 * (1 + erf(gap / (spread * sqrt(2.0))))
    return 1.0 if gap > 0 else 0.5 if gap == 0 else 0.0
