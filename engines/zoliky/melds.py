"""Jolly Zoliky: melds on the table: how an integer holds one, its points, what the table takes [1, 4.3].

    run   bits 1..14 the positions held by jokers, 15..16 suit, 17..20 lowest, 21..24 highest position
    set   bits 0..3 the natural suits, 17..20 position of the rank (ace 1 .. king 13),
          21..24 number of cards, bit 25

Not here: the steps that lay and change melds (`steps`), melds as text (`text`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import I64, Row, bit, count, has, jit
from .hands import folded
from .state import KEPT, OPENED_NOW, OPENING_POINTS

SUIT_AT, LOW_AT, HIGH_AT = 15, 17, 21
SUIT_FIELD, LOW_FIELD, HIGH_FIELD = 3 << SUIT_AT, 15 << LOW_AT, 15 << HIGH_AT
SET = 1 << 25
SUITS_FIELD = 15  # of a set
JOKERS_FIELD = 0x7FFE  # of a run

RUN_POINTS: NDArray[np.int64] = np.cumsum([0, *range(1, 10), 10, 10, 10, 10, 10]).astype(np.int64)
"""Points of the positions 1..p together [1]."""
SET_POINTS: NDArray[np.int64] = np.array([0, 10, *range(2, 10), 10, 10, 10, 10], np.int64)
"""Points of a card of a set, by the position of its rank [1]."""
SUIT_LANES: NDArray[np.int64] = np.array(
    [sum((m >> s & 1) << 16 * s for s in range(4)) for m in range(16)], np.int64
)
"""Lane bits (position 0) of a set of suits."""


@jit
def low_end(m: int) -> int:
    """Lowest position of a run; position of the rank of a set."""
    return m >> LOW_AT & 15


@jit
def high_end(m: int) -> int:
    """Highest position of a run; number of cards of a set."""
    return m >> HIGH_AT & 15


@jit
def lane_of(m: int) -> int:
    """Bit number of position 0 in the lane of a run's suit."""
    return (m >> SUIT_AT & 3) << 4


@jit
def lacking(m: int) -> int:
    """Return the naturals of its rank that a set does not have, as lanes."""
    return SUIT_LANES[~m & SUITS_FIELD] << low_end(m)


@jit
def run_jokers(m: int) -> int:
    """Return the positions that a run's jokers hold, as lanes."""
    return (m & JOKERS_FIELD) << lane_of(m)


@jit
def meld_jokers(m: int) -> int:
    """Return the number of jokers in a meld."""
    if m & SET:
        return high_end(m) - count(m & SUITS_FIELD)
    return count(m & JOKERS_FIELD)


@jit
def meld_points(m: int) -> int:
    """Points of a meld: a joker counts as the card it stands for [1]."""
    if m & SET:
        return SET_POINTS[low_end(m)] * high_end(m)
    return RUN_POINTS[high_end(m)] - RUN_POINTS[low_end(m) - 1]


@jit
def is_pure(m: int) -> bool:
    """Whether a meld is a run without joker [1]."""
    return m & (SET | JOKERS_FIELD) == 0


@jit
def fresh_points(s: Row) -> int:
    """Points of the melds laid in this turn, all together [4.3]."""
    points = I64(0)
    for i in range(s.n_melds - s.fresh, s.n_melds):
        points += meld_points(s.melds[i])
    return points


@jit
def has_fresh_pure(s: Row) -> bool:
    """Whether one of the melds laid in this turn is a pure run [4.3]."""
    for i in range(s.n_melds - s.fresh, s.n_melds):
        if is_pure(s.melds[i]):
            return True
    return False


@jit
def reaches_opening(s: Row) -> bool:
    """Whether the melds laid in this turn open [4.3]."""
    return fresh_points(s) >= OPENING_POINTS and has_fresh_pure(s)


@jit
def must_stay_pure(s: Row) -> bool:
    """Whether a pure run has to remain among the melds of this turn: in the turn that opens [4.3]."""
    return s.opened[s.seat] == OPENED_NOW and s.opening == KEPT


@jit
def is_fresh_pure(s: Row, i: int) -> bool:
    """Whether meld i is a pure run that was laid in this turn [4.3]."""
    return s.n_melds - s.fresh <= i < s.n_melds and is_pure(s.melds[i])


@jit
def is_last_pure(s: Row, i: int) -> bool:
    """Whether meld i is the only pure run of a turn in which one has to remain [4.3]."""
    if not must_stay_pure(s) or not is_fresh_pure(s, i):
        return False
    for k in range(s.n_melds - s.fresh, s.n_melds):
        if k != i and is_pure(s.melds[k]):
            return False
    return True


@jit
def first_eligible(s: Row) -> int:
    """Index of the first meld that the mover may lay cards on: before the opening only fresh ones [4.3]."""
    return I64(0) if s.opened[s.seat] else s.n_melds - s.fresh


class WantedCards(NamedTuple):
    """What melds take, as lane masks of positions or naturals; `joker_set`: of ranks, ace bit 0."""

    hi: int  # positions at the upper ends of runs
    lo: int  # at the lower ends
    joker_hi: int  # those of `hi` where a joker may go
    joker_lo: int
    in_set: int  # naturals that a set of 3 lacks
    joker_set: int  # ranks whose set of 3 takes a joker
    swap_run: int  # positions that a run's joker holds
    swap_set: int  # naturals for which a joker stands in a set of 4


@jit
def wanted(s: Row, first: int) -> WantedCards:
    """Return what the melds from index `first` on take [4.3]."""
    hi = lo = joker_hi = joker_lo = in_set = joker_set = swap_run = swap_set = I64(0)
    for i in range(first, s.n_melds):
        m = s.melds[i]
        low, high = low_end(m), high_end(m)
        if m & SET:
            if high == 4:
                swap_set |= lacking(m)
            else:
                in_set |= lacking(m)
                joker_set |= I64(count(m & SUITS_FIELD) >= 2) << (low - 1)
            continue
        above, below = end_bits(m)
        hi |= above
        lo |= below
        joker_hi |= 0 if has(m, high) else above
        joker_lo |= 0 if has(m, low) else below
        swap_run |= run_jokers(m)
    return WantedCards(hi, lo, joker_hi, joker_lo, in_set, joker_set, swap_run, swap_set)


@jit
def welcome(s: Row) -> int:
    """Return the naturals that the melds take from a seat that is open [4.3]."""
    melds = wanted(s, I64(0))
    return folded(melds.hi | melds.lo | melds.swap_run) | melds.in_set | melds.swap_set


@jit
def end_bits(m: int) -> tuple[int, int]:
    """Return the positions above and below a run, as lanes; 0 beyond the ace at either end."""
    low, high = low_end(m), high_end(m)
    above = bit(lane_of(m) + high + 1) if high < 14 else I64(0)
    below = bit(lane_of(m) + low - 1) if low > 1 else I64(0)
    return above, below
