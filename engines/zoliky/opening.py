"""Jolly Zoliky: can the mover open with few melds? A quick yes that spares the look-ahead most searches.

A pure run, with a new meld or a lay-off where its points do not do, opens; afterwards any card may be
discarded [4.3, 4.4]. Where this way is barred there may be longer ones: what is not found here is searched
for (`lookahead`).
"""

from __future__ import annotations

from ..core import I64, NOBODY, Row, bit, highest, jit, lowest
from .hands import folded, mirrored, positions, set_ranks
from .melds import (
    RUN_POINTS,
    SET,
    SET_POINTS,
    end_bits,
    fresh_points,
    has_fresh_pure,
    high_end,
    lacking,
    wanted,
)
from .state import ACES, OPENING_POINTS, PLACE
from .steps import run_starts

LONGEST = 13  # a run of 14 has two aces, of which the hand may have one only


@jit
def opens_soon(s: Row) -> bool:
    """Return whether the mover, not open, can open in a simple way [4.3, 4.4].

    The mover opens with a pure run and at most one more meld or lay-off, pays the owed natural, and keeps a
    card. False: perhaps in another way.
    """
    p = s.seat
    if s.owed_jokers > 0:
        return False
    hand, room, need = s.hand[p], s.held[p] - 1, OPENING_POINTS - fresh_points(s)
    x = bit(PLACE[s.owed]) if s.owed != NOBODY else I64(0)
    if x and fits_table(s, x):  # it is paid after the opening
        x, room = I64(0), room - 1
    if has_fresh_pure(s) and (
        new_meld(hand, s.jokers[p], room, need, x) or (x == 0 and lay_off(s, room, need))
    ):
        return True
    return opens_with_run(s, room, need, x)


@jit
def opens_with_run(s: Row, room: int, need: int, x: int) -> bool:
    """Return whether the cards of a suit that lie in a row open the hand.

    All of them, with at most one new meld of the others, make so many points, place the natural x, if there
    is one, and are no more cards than there is room for.
    """
    p = s.seat
    hand = s.hand[p]
    cells = mirrored(hand)
    starts = cells & cells >> 1 & cells >> 2
    while starts != 0 and room > 2:
        at = lowest(starts)
        after = at + lowest(~(cells >> at))
        starts &= I64(-1) << after
        length = min(after - at, room, LONGEST)
        cards = folded(((I64(1) << length) - 1) << (after - length))
        high = (after & 15) - 1
        left, unpaid = need - RUN_POINTS[high] + RUN_POINTS[high - length], x & ~cards
        if left <= 0 and unpaid == 0:
            return True
        if new_meld(hand & (s.twice[p] | ~cards), s.jokers[p], room - length, left, unpaid):
            return True
    return False


@jit
def fits_table(s: Row, x: int) -> bool:
    """Whether a natural can be laid on a meld that lay there before this turn [4.3]."""
    cells = mirrored(x)
    for i in range(s.n_melds - s.fresh):
        m = s.melds[i]
        if m & SET:
            if high_end(m) == 3 and x & lacking(m):
                return True
        else:
            above, below = end_bits(m)
            if cells & (above | below):
                return True
    return False


@jit
def new_meld(hand: int, jokers: int, room: int, need: int, x: int) -> bool:
    """Whether three cards are a new meld of so many points that holds the natural x, if there is one."""
    if room < 3:
        return False
    starts, ranks = run_starts(mirrored(hand), jokers), set_ranks(hand, jokers)
    if x:
        cells = mirrored(x)
        starts &= cells | cells >> 1 | cells >> 2
        ranks &= positions(x)
    if ranks and 3 * SET_POINTS[dearest(ranks)] >= need:
        return True
    low = positions(starts)
    return low != 0 and RUN_POINTS[highest(low) + 2] - RUN_POINTS[highest(low) - 1] >= need


@jit
def lay_off(s: Row, room: int, need: int) -> bool:
    """Whether a natural has so many points on a meld laid in this turn [1, 4.3]."""
    hand, melds = s.hand[s.seat], wanted(s, s.n_melds - s.fresh)
    in_runs, in_sets = positions((melds.hi | melds.lo) & mirrored(hand)), positions(melds.in_set & hand)
    if room < 1:
        return False
    if in_sets and SET_POINTS[dearest(in_sets)] >= need:
        return True
    return in_runs != 0 and RUN_POINTS[highest(in_runs)] - RUN_POINTS[highest(in_runs) - 1] >= need


@jit
def dearest(ranks: int) -> int:
    """Return the position of the rank with most points in a set: the ace, else the highest."""
    return I64(1) if ranks & ACES else highest(ranks)
