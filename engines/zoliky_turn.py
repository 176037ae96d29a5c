"""Jolly Zoliky: can the turn still be completed? The look-ahead that makes a step legal (rules 4.4).

A depth-first search over meld steps, on the record itself (every step is taken back), with an explicit stack and a table of
positions that are settled. It is exact: what cuts it short are conditions without which no completion exists (`verdict`),
each of them compared in the tests with a plain search that has none.

Once the mover is open and it is no Jolly turn, little can matter: the owed natural needs at most two other cards and two
jokers, and every step that neither frees a joker nor makes room for an owed card can be left out (`matters`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .core import I64, U64, Row, bit, count, has, jit, lowest
from .zoliky_melds import (
    ACES,
    ALL_LANES,
    COST,
    FIND_VALUE,
    HIGH_AT,
    JOKER_HI,
    JOKER_LO,
    JOKER_SET,
    JOKERS,
    JOKERS_FIELD,
    LANE,
    LAY_HI,
    LAY_LO,
    LAY_SET,
    LOW_AT,
    LOW_FIELD,
    N_ACTIONS,
    NATURALS,
    OPENING_POINTS,
    PLACE,
    RUN,
    SET,
    SUIT_AT,
    SUIT_FIELD,
    SUIT_LANES,
    SWAP_RUN,
    folded,
    fresh_points,
    hand_points,
    has_fresh_pure,
    meld_jokers,
    mirrored,
    place,
    put,
    steps,
    target,
    wanted,
)

NO, YES, OPEN_QUESTION, FULL = 0, 1, 2, 3
"""What is known of a position: it cannot be completed, it can, it must be searched; the table of positions is full."""

SLOTS = 1 << 10  # of the table of settled positions; it grows by
GROWTH = 1 << 4  # this factor up to
MOST_SLOTS = 1 << 18  # where it stops learning: the search stays exact

# --- what cards can go where -----------------------------------------------------------------------------------------------


@jit
def in_new_meld(h: int, jokers: int) -> int:
    """Naturals of a mask that can lie in a new meld with the others and 0, 1, 2 or more jokers."""
    if jokers >= 2:
        return h
    m = mirrored(h)
    s0, s1, s2, s3 = h & LANE, h >> 16 & LANE, h >> 32 & LANE, h >> 48 & LANE
    two = s0 & s1 | s2 & s3 | (s0 | s1) & (s2 | s3)
    if jokers == 1:
        return h & (folded(m & (m << 1 | m >> 1 | m << 2 | m >> 2)) | two * ALL_LANES)
    three = s0 & s1 & (s2 | s3) | s2 & s3 & (s0 | s1)
    run = m & m >> 1 & m >> 2
    return h & (folded(run | run << 1 | run << 2) | three * ALL_LANES)


@jit
def chained(m: int, hi: int, lo: int, jokers: int) -> int:
    """Positions of a mirrored hand that continue runs whose next positions are `hi` and `lo`; with jokers over single gaps."""
    up, down = hi & m, lo & m
    if jokers > 0:
        up, down = up | hi << 1 & m, down | lo >> 1 & m
    before = I64(-1)
    while before != up | down:
        before = up | down
        up, down = up | up << 1 & m, down | down >> 1 & m
        if jokers > 0:
            up, down = up | up << 2 & m, down | down >> 2 & m
    return up | down


@jit
def attachable(s: Row, first: int, jokers: int) -> int:
    """Naturals of the mover's hand that could end on a meld from index `first` on, with so many jokers."""
    h = I64(s.h1[s.seat])
    hi, lo, _, _, in_set, _, swap_run, swap_set = wanted(s, first)
    m = mirrored(h)
    return h & (in_set | swap_set | folded(chained(m, hi, lo, jokers) | swap_run & m))


@jit
def jokers_in_reach(s: Row) -> int:
    """Bound on the jokers that the mover can lay where they are not now: those in hand, and those on the table for which
    the hand has naturals (a set of 3 takes one natural before the first swap).
    """
    h = I64(s.h1[s.seat])
    reach = I64(s.jokers[s.seat])
    for i in range(s.n_melds):
        m = I64(s.melds[i])
        if meld_jokers(m) == 0:
            continue
        if m & SET:
            naturals = count(SUIT_LANES[~m & 15] << (m >> LOW_AT & 15) & h) - (4 - (m >> HIGH_AT & 15))
            reach += max(0, min(meld_jokers(m), naturals))
        else:
            reach += count((m & JOKERS_FIELD) << ((m >> SUIT_AT & 3) << 4) & mirrored(h))
    return reach


@jit
def least_points(h: int) -> int:
    """Points of the cheapest natural of a mask, 10 if it is empty."""
    low = h & 0x03FC_03FC_03FC_03FC
    ranks = (low | low >> 16 | low >> 32 | low >> 48) & LANE
    return lowest(ranks) if ranks != 0 else I64(10)


# --- what can be said without a search -------------------------------------------------------------------------------------


@jit
def verdict(s: Row) -> int:
    """What can be said of a position at once: NO, YES or OPEN_QUESTION."""
    if not s.opened[s.seat]:
        return _verdict_closed(s)
    return _verdict_jolly(s) if s.jolly_turn else _verdict_open(s)


@jit
def _verdict_open(s: Row) -> int:
    """The mover is open and it is no Jolly turn: the owed cards must go somewhere and one card must be left."""
    size, owed_jokers = s.held[s.seat], s.owed_jokers
    if s.owed >= 0:
        return _verdict_owed(s)
    if size <= owed_jokers:
        return NO
    if owed_jokers == 0 or joker_spots(s) >= owed_jokers:
        return YES
    return OPEN_QUESTION


@jit
def joker_spots(s: Row) -> int:
    """Number of jokers that can be laid on the melds as they are, one after another."""
    spots = I64(0)
    for i in range(s.n_melds):
        m = I64(s.melds[i])
        low, high = m >> LOW_AT & 15, m >> HIGH_AT & 15
        if m & SET:
            spots += I64(high == 3 and count(m & 15) >= 2)
        else:
            spots += I64(high < 14 and not has(m, high)) + I64(low > 1 and not has(m, low))
    return spots


@jit
def _verdict_owed(s: Row) -> int:
    """A natural is owed (with or without jokers) by a mover who is open."""
    p = s.seat
    size, h = s.held[p], I64(s.h1[p])
    x = bit(PLACE[s.owed])
    if size < 2:
        return NO
    hi, lo, joker_hi, joker_lo, in_set, joker_set, swap_run, swap_set = wanted(s, I64(0))
    on_end, swapped = mirrored(x) & (hi | lo) | x & in_set, mirrored(x) & swap_run | x & swap_set
    if s.owed_jokers == 0:
        if on_end != 0 or (size > 3 and x & in_new_meld(h, I64(s.jokers[p]))):
            return YES
        if swapped != 0 and joker_hi | joker_lo | joker_set:
            return YES
    return OPEN_QUESTION if on_end | swapped or _fits(s, x, hi, lo) else NO


@jit
def _fits(s: Row, x: int, hi: int, lo: int) -> bool:
    """Whether a natural could lie in a new meld, or one card away from a run end. Longer ways hold a new run."""
    h = I64(s.h1[s.seat])
    reach = jokers_in_reach(s)
    if x & in_new_meld(h, reach):
        return True
    between = hi & mirrored(x) >> 1 | lo & mirrored(x) << 1
    return between != 0 and (reach > 0 or between & mirrored(h) != 0)


@jit
def _can_pay(s: Row) -> bool:
    """Whether the owed natural could go anywhere at all, now or after the opening."""
    x = bit(PLACE[s.owed])
    hi, lo, _, _, in_set, _, swap_run, swap_set = wanted(s, I64(0))
    return mirrored(x) & (hi | lo | swap_run) | x & (in_set | swap_set) != 0 or _fits(s, x, hi, lo)


@jit
def _verdict_closed(s: Row) -> int:
    """The mover is not open: NO without a pure run, without points, or if an owed card has no place."""
    p = s.seat
    h, jokers = I64(s.h1[p]), I64(s.jokers[p])
    if s.held[p] < 2:
        return NO
    m = mirrored(h)
    if m & m >> 1 & m >> 2 == 0 and not has_fresh_pure(s):
        return NO
    if fresh_points(s) + _most_points(s, h, jokers) < OPENING_POINTS:
        return NO
    if s.owed >= 0 and not _can_pay(s):
        return NO
    return NO if s.jolly_turn and _stranded(s) else OPEN_QUESTION


@jit
def _most_points(s: Row, h: int, jokers: int) -> int:
    """Bound on the points that the hand can add to the fresh melds, with one card kept."""
    usable = in_new_meld(h, jokers)
    if jokers < 2 and s.fresh > 0:
        usable |= attachable(s, I64(s.n_melds - s.fresh), jokers)
    points = hand_points(usable) + hand_points(usable & s.h2[s.seat]) + 10 * jokers
    return points if h & ~usable else points - least_points(h)


@jit
def _verdict_jolly(s: Row) -> int:
    """The mover is open in a Jolly turn: every card but one must go."""
    size = s.held[s.seat]
    if size < 2:
        return YES if size == 1 and s.owed < 0 and s.owed_jokers == 0 else NO
    return NO if _stranded(s) else OPEN_QUESTION


@jit
def _stranded(s: Row) -> bool:
    """Whether a Jolly turn must fail: too few jokers for the cards that can go nowhere without.

    A natural that can neither reach the table nor lie in a joker-free meld needs a new meld with a joker, and one joker
    serves at most 4 such cards. A natural without company needs two jokers of its own. One card may be kept.
    """
    p = s.seat
    h, twice = I64(s.h1[p]), I64(s.h2[p])
    reach = jokers_in_reach(s)
    needy = h & ~in_new_meld(h, I64(0)) & ~attachable(s, I64(0), reach)
    lonely = needy & ~in_new_meld(h, I64(1))
    n_lonely = count(lonely) + count(lonely & twice)
    n_needy = count(needy) + count(needy & twice) - n_lonely
    if n_lonely > 0:
        return 2 * (n_lonely - 1) + (n_needy + 3) // 4 > reach
    return n_needy > 0 and (n_needy + 2) // 4 > reach


@jit
def matters(s: Row, action: int) -> bool:
    """Whether a step can help a mover who is open, in no Jolly turn, to place the owed cards.

    It can if it frees a joker (now, or with the next natural on a set), if it places an owed card, or if it makes room for one:
    brings a run end next to the owed natural (three cards in a row to a run end, that one among them, would be a new run), or
    covers a joker at a run end when only jokers are owed.
    """
    if action >= SWAP_RUN:
        return True
    if LAY_SET <= action < JOKER_HI:
        return NATURALS[action] & _owed_mask(s) != 0 or meld_jokers(I64(s.melds[target(s, action)])) > 0
    if s.owed >= 0:
        return NATURALS[action] & _owed_mask(s) != 0 or _leads_to(action, _owed_mask(s))
    if LAY_HI <= action < LAY_SET:
        m = I64(s.melds[target(s, action)])
        return has(m, m >> HIGH_AT & 15 if action < LAY_LO else m >> LOW_AT & 15)
    return JOKERS[action] > 0


@jit
def _owed_mask(s: Row) -> int:
    return bit(PLACE[s.owed]) if s.owed >= 0 else I64(0)


@jit
def _leads_to(action: int, x: int) -> bool:
    """Whether a lay-off on a run brings its end next to a natural x."""
    if not (LAY_HI <= action < LAY_SET or JOKER_HI <= action < JOKER_SET):
        return False
    lane = (FIND_VALUE[action] >> SUIT_AT & 3) << 4
    if LAY_HI <= action < LAY_LO or JOKER_HI <= action < JOKER_LO:
        return has(mirrored(x), lane + (FIND_VALUE[action] >> HIGH_AT & 15) + 2)
    return has(mirrored(x), lane + (FIND_VALUE[action] >> LOW_AT & 15) - 2)


# --- settled positions -----------------------------------------------------------------------------------------------------


@jit
def _mix(x: Any) -> Any:
    """A uint64 well stirred (the finish of SplitMix64)."""
    x = (x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D049BB133111EB)
    return x ^ (x >> U64(31))


@jit
def _recall(memo: Any, key: Any) -> int:
    """What the table knows of a position."""
    last = U64(len(memo) - 1)
    at = (key >> U64(8)) & last
    while memo[at] != U64(0):
        if memo[at] | U64(1) == key | U64(1):
            return YES if memo[at] & U64(1) else NO
        at = (at + U64(1)) & last
    return OPEN_QUESTION


@jit
def _remember(memo: Any, tally: Any, key: Any, answer: int) -> bool:
    """Settle a position; False if the table is full and should grow (at its greatest size it only stops learning)."""
    if 4 * tally[0] > 3 * len(memo):
        return len(memo) >= MOST_SLOTS
    last = U64(len(memo) - 1)
    at = (key >> U64(8)) & last
    while memo[at] != U64(0):
        at = (at + U64(1)) & last
    memo[at] = key | U64(answer == YES)
    tally[0] += 1
    return True


# --- a Jolly turn: is there a plan at all? ---------------------------------------------------------------------------------
# All naturals but one must find a place. The plan leaves out the order of the steps, which of two like melds is the oldest, the
# opening, and where spare jokers go: without a plan there is no completion. The lowest natural of a suit is placed first, so
# that it has few ways: on a run end, with at most one card between (three cards to a run end are a new run), in a set, in a
# joker's stead, in a new run as its lowest natural, in a new set; or it is kept.

H1, HI1, LO1, HIJ1, LOJ1, SET1, SWAP1 = 0, 2, 4, 6, 8, 10, 12
SECOND, OWED, SPARE, KEPT, CARD, WAYS, ROW = range(14, 21)
"""A level of the plan. Pairs of masks, once and twice: the hand; naturals that the table takes at upper ends, at lower ends,
those of them where a joker may lie instead (HIJ1, LOJ1), in sets, for jokers. Then SECOND: naturals that free a joker of a
set of 3 once another one lies there; OWED: a natural that cannot be kept; jokers to spare; whether a natural is kept; the
natural to be placed and the ways that it may still go, as bits."""
PLAN_BUDGET = 4096  # levels; a plan that is not refuted by then counts as found
POSITIONS = 0x7FFE_7FFE_7FFE_7FFE

HI, LO, IN_SET, IN_STEAD, RUN_OF_3, SET_OF_3, KEEP, LO_AND_NEXT = 0, 1, 2, 3, 4, 5, 9, 10
HI_OVER_JOKER, LO_OVER_JOKER, GAP, NEXT_AND_JOKER, JOKER_AND_NEXT, BETWEEN_JOKERS, SET_OF_2, SET_OF_1 = (
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    20,
)
TOP, KING_TOP, QUEEN_KING_TOP, JOKER_TOP, JOKER_KING_TOP, QUEEN_JOKER_TOP = 21, 22, 23, 24, 25, 26
"""The ways of a natural: on a run end, on a set, instead of a joker, with two more as a new run or set, kept, below a run with
the next natural; over a gap that a joker fills, in a new run with jokers, in a new set with jokers; as an ace above the king."""
SET_PARTNERS = (3, 5, 6, 7)  # of the next three suits, for SET_OF_3 and the ways after it


@jit
def _add(row: Any, at: int, cards: int) -> None:
    """Add cards to a pair of masks (once, twice)."""
    row[at + 1] |= row[at] & cards
    row[at] |= cards


@jit
def _remove(row: Any, at: int, cards: int) -> None:
    """Remove cards from a pair of masks (once, twice)."""
    twice = cards & row[at + 1]
    row[at + 1] &= ~twice
    row[at] &= twice | ~cards


@jit
def _plan_start(s: Row, row: Any) -> None:
    """What the hand holds and the table takes. As long as no natural is kept, a joker must be."""
    p = s.seat
    for i in range(ROW):
        row[i] = 0
    row[H1], row[H1 + 1], row[SPARE] = s.h1[p], s.h2[p], s.jokers[p] - 1
    if s.owed >= 0:
        row[OWED] = bit(PLACE[s.owed]) & ~row[H1 + 1]
    for i in range(s.n_melds):
        m = I64(s.melds[i])
        if m & SET:
            lacks = SUIT_LANES[~m & 15] << (m >> LOW_AT & 15)
            full = m >> HIGH_AT & 15 == 4
            _add(row, SWAP1 if full else SET1, lacks)
            if not full and meld_jokers(m) > 0:
                row[SECOND] |= lacks
        else:
            _plan_run(row, m)


@jit
def _plan_run(row: Any, m: int) -> None:
    """What a run on the table takes. A joker at its end may still be swapped if the hand has the natural."""
    lane = (m >> SUIT_AT & 3) << 4
    jokers = (m & JOKERS_FIELD) << lane
    low, high = bit(lane + (m >> LOW_AT & 15)), bit(lane + (m >> HIGH_AT & 15))
    stuck = jokers & ~mirrored(row[H1])
    _add(row, SWAP1, folded(jokers))
    _end_at(row, HI1, high << 1, stuck & high == 0)
    _end_at(row, LO1, low >> 1, stuck & low == 0)


@jit
def _end_at(row: Any, ends: int, position: int, takes_joker: bool) -> None:
    """Add a run end that takes the natural of this position, or a joker."""
    _add(row, ends, position & POSITIONS)
    if takes_joker:
        _add(row, ends + HIJ1 - HI1, position & POSITIONS)


@jit
def _flag(way: int, there: int) -> int:
    return I64(there != 0) << way


@jit
def _ways(row: Any, x: int) -> int:
    """The ways that a natural, the lowest one of its suit, may go, as bits."""
    m = mirrored(row[H1])
    has_next, has_over = m & x << 1, m & x << 2
    ways = _flag(HI, row[HI1] & x) | _flag(LO, row[LO1] & x) | _flag(IN_SET, row[SET1] & x) | _flag(IN_STEAD, row[SWAP1] & x)
    ways |= I64(row[KEPT] == 0 and row[OWED] & x == 0) << KEEP
    if has_next:
        ways |= _flag(RUN_OF_3, has_over) | _flag(LO_AND_NEXT, row[LO1] & x << 1)
    partners = _partners(row[H1], x)
    for k in range(4):
        ways |= I64(SET_PARTNERS[k] & ~partners == 0) << (SET_OF_3 + k)
    if x & ACES:
        ways |= _ace_ways(row, m, x << 13)
    jokers = _most_jokers(row)
    if jokers > 0:
        ways |= _flag(HI_OVER_JOKER, row[HIJ1] & x >> 1) | _flag(LO_OVER_JOKER, row[LOJ1] & x << 1)
        ways |= _flag(GAP, has_over) | _flag(NEXT_AND_JOKER, has_next) | partners << SET_OF_2
        if x & ACES == 0:
            ways |= _flag(JOKER_AND_NEXT, has_next) | I64(jokers > 1) << BETWEEN_JOKERS
    return ways | I64(jokers > 1) << SET_OF_1


@jit
def _ace_ways(row: Any, m: int, top: int) -> int:
    king, queen = m & top >> 1, m & top >> 2
    ways = _flag(TOP, row[HI1] & top) | _flag(JOKER_TOP, row[HIJ1] & top >> 1) | _flag(QUEEN_JOKER_TOP, queen)
    if king:
        ways |= _flag(KING_TOP, row[HI1] & top >> 1) | _flag(QUEEN_KING_TOP, queen) | 1 << JOKER_KING_TOP
    return ways


@jit
def _partners(h: int, x: int) -> int:
    """Which of the next three suits (bits 0 - 2) have a natural of the rank of x in hand."""
    at = lowest(x)
    return I64(has(h, at + 16 & 63)) | I64(has(h, at + 32 & 63)) << 1 | I64(has(h, at + 48 & 63)) << 2


@jit
def _most_jokers(row: Any) -> int:
    """Bound on the jokers that can be spared, with those that the hand can still free and the one that need not be kept."""
    return row[SPARE] + count(row[H1] & (row[SWAP1] | row[SECOND])) + count(row[H1 + 1] & row[SWAP1 + 1]) + 1 - row[KEPT]


@jit
def _too_needy(row: Any) -> bool:
    """Whether the hand needs more jokers than it can have.

    A natural that no run end reaches through naturals, no set takes, no joker stands for and no three naturals hold needs a
    joker next to its stretch of at most two hand cards. One joker can serve two such cards only if they are of one rank, or
    of one suit at most 4 apart. A card without any company needs two jokers. One natural may be kept, then no joker must be.
    """
    h = row[H1]
    m = mirrored(h)
    placed = row[SET1] | row[SWAP1] | row[SECOND] | folded(chained(m, row[HI1], row[LO1], 0)) | in_new_meld(h, I64(0))
    needy = h & ~placed
    over_gap = folded(m & (row[HIJ1] << 1 | row[LOJ1] >> 1))
    lonely = needy & ~in_new_meld(h, I64(1)) & ~over_gap
    jokers = row[SPARE] + count(h & (row[SWAP1] | row[SECOND])) + count(row[H1 + 1] & row[SWAP1 + 1])
    needs = 2 * count(lonely)
    needy &= ~lonely
    while needy != 0:
        needs += 1
        x = needy & -needy
        apart = x | x << 1 | x << 2 | x << 3 | x << 4
        if x & ACES:
            apart |= I64(0x7C00) << (lowest(x) - 1)
        needy &= ~(apart | ALL_LANES << (lowest(x) & 15))
    if row[KEPT] or needs <= jokers:
        return needs > jokers
    most = 2 if lonely & ~row[OWED] else 1
    return needs - most > jokers + 1


@jit
def _lay(row: Any, cards: int, jokers: int) -> None:
    """These positions and jokers leave the hand."""
    _remove(row, H1, folded(cards))
    row[SPARE] -= jokers


@jit
def _extend(row: Any, ends: int, end: int, cards: int, jokers: int) -> None:
    """Lay these positions and jokers on a run that takes `end`: the one with a joker there if only naturals are laid."""
    _lay(row, cards, jokers)
    _remove(row, ends, end)
    likewise = ends + HIJ1 - HI1
    if jokers > 0:
        _remove(row, likewise, end)
    row[likewise] &= row[ends]
    row[likewise + 1] &= row[ends + 1]


@jit
def _lay_set(row: Any, partners: int) -> None:
    """Lay the natural with these of the next suits as a new set, with jokers up to three cards."""
    at = lowest(row[CARD])
    cards = row[CARD]
    for k in range(3):
        if has(partners, k):
            cards |= bit(at + 16 * (k + 1) & 63)
    _lay(row, cards, max(0, 3 - count(cards)))


@jit
def _go_free(row: Any, x: int, way: int) -> None:
    """A way without jokers."""
    if way == HI:
        _extend(row, HI1, x, x, 0)
        _end_at(row, HI1, x << 1, True)
    elif way == LO:
        _extend(row, LO1, x, x, 0)
    elif way == IN_SET:
        rank = ALL_LANES << (lowest(x) & 15)
        _lay(row, x, 0)
        _remove(row, SET1, x)
        _add(row, SWAP1, row[SECOND] & rank & ~x)
        row[SECOND] &= ~rank
    elif way == IN_STEAD:
        _lay(row, x, -1)
        _remove(row, SWAP1, x)
    elif way == RUN_OF_3:
        _lay(row, x | x << 1 | x << 2, 0)
        _end_at(row, HI1, x << 3, True)
    elif way < KEEP:
        _lay_set(row, SET_PARTNERS[way - SET_OF_3])
    elif way == KEEP:
        _lay(row, x, -1)
        row[KEPT] = 1
    else:
        _extend(row, LO1, x << 1, x | x << 1, 0)


@jit
def _go_joker(row: Any, x: int, way: int) -> None:
    """A way with jokers."""
    if way == HI_OVER_JOKER:
        _extend(row, HI1, x >> 1, x, 1)
        _end_at(row, HI1, x << 1, True)
    elif way == LO_OVER_JOKER:
        _extend(row, LO1, x << 1, x, 1)
    elif way == GAP:
        _lay(row, x | x << 2, 1)
        _end_at(row, HI1, x << 3, True)
    elif way == NEXT_AND_JOKER:
        _lay(row, x | x << 1, 1)
        _end_at(row, HI1, x << 3, False)
    elif way == JOKER_AND_NEXT:
        _lay(row, x | x << 1, 1)
        _end_at(row, HI1, x << 2, True)
    elif way == BETWEEN_JOKERS:
        _lay(row, x, 2)
        _end_at(row, HI1, x << 2, False)
    else:
        _lay_set(row, 0 if way == SET_OF_1 else 1 << (way - SET_OF_2))


@jit
def _go_top(row: Any, top: int, way: int) -> None:
    """A way of an ace above the king; the lower end of a new run matters, too."""
    king, queen = top >> 1, top >> 2
    if way == TOP:
        _extend(row, HI1, top, top, 0)
    elif way == KING_TOP:
        _extend(row, HI1, king, king | top, 0)
    elif way == JOKER_TOP:
        _extend(row, HI1, king, top, 1)
    else:
        cards = queen | king if way == QUEEN_KING_TOP else king if way == JOKER_KING_TOP else queen
        _lay(row, cards | top, I64(way != QUEEN_KING_TOP))
        _end_at(row, LO1, top >> 3, way != JOKER_KING_TOP)


@jit
def _go(row: Any, way: int) -> None:
    """Place the natural of this level this way."""
    x = row[CARD]
    if way != KEEP:
        row[OWED] &= ~x
    if way < HI_OVER_JOKER:
        _go_free(row, x, way)
    elif way < TOP:
        _go_joker(row, x, way)
    else:
        _go_top(row, x << 13, way)


@jit
def _look_on(row: Any) -> bool:
    """Choose the natural with the fewest ways, of those that are the lowest of their suit; False if the jokers cannot do."""
    if _too_needy(row):
        return False
    _forget(row)
    fewest = I64(64)
    for suit in range(4):
        lane = row[H1] & I64(0x3FFE) << (16 * suit)
        if lane != 0:
            ways = _ways(row, lane & -lane)
            if count(ways) < fewest:
                row[CARD], row[WAYS], fewest = lane & -lane, ways, count(ways)
    return True


@jit
def _forget(row: Any) -> None:
    """Drop what the hand cannot use, so that levels which mean the same are the same."""
    m = mirrored(row[H1])
    for i in range(2):
        row[HI1 + i] &= m | m >> 1
        row[LO1 + i] &= m | m << 1
        row[HIJ1 + i] &= m >> 1
        row[LOJ1 + i] &= m << 1
        row[SET1 + i] &= row[H1 + i]
        row[SWAP1 + i] &= row[H1 + i]
    row[SECOND] &= row[H1]
    row[CARD] = row[WAYS] = 0


@jit
def _level_key(row: Any) -> Any:
    """A level as 64 bits, 0 excluded and the last one free."""
    key = U64(CARD)
    for i in range(CARD):
        key = _mix(key + U64(row[i] & 0x7FFF_FFFF_FFFF_FFFF))
    return (key | U64(2)) & ~U64(1)


@jit
def has_plan(s: Row, memo: Any, tally: Any) -> bool:
    """Whether the hand of a Jolly turn could go out at all; if not, the turn cannot be completed (rules 4.4).

    Before the opening a pure run is planned first. Adds the levels it needed to tally[1].
    """
    rows, keys = np.empty((s.held[s.seat] + 3, ROW), np.int64), np.empty(s.held[s.seat] + 3, np.uint64)
    _plan_start(s, rows[0])
    if s.opened[s.seat] or has_fresh_pure(s):
        return _look_on(rows[0]) and _plan_rest(rows, keys, memo, tally)
    m = mirrored(I64(s.h1[s.seat]))
    starts = m & m >> 1 & m >> 2
    while starts != 0:
        x = starts & -starts
        starts &= starts - 1
        _plan_start(s, rows[0])
        _lay(rows[0], x | x << 1 | x << 2, 0)
        rows[0, OWED] &= ~folded(x | x << 1 | x << 2)
        _end_at(rows[0], HI1, x << 3, True)
        _end_at(rows[0], LO1, x >> 1, True)
        if _look_on(rows[0]) and _plan_rest(rows, keys, memo, tally):
            return True
    return False


@jit
def _plan_rest(rows: Any, keys: Any, memo: Any, tally: Any) -> bool:
    """Whether the naturals of the first level can be placed: depth first, with a table of settled levels."""
    d = I64(0)
    keys[0] = _level_key(rows[0])
    answer = _recall(memo, keys[0])
    for _ in range(PLAN_BUDGET):
        tally[1] += 1
        if answer == OPEN_QUESTION and rows[d, H1] == 0:
            answer = YES if rows[d, SPARE] >= 0 else NO
        if answer == YES:
            return _settle_levels(keys, d, memo, tally)
        if answer == OPEN_QUESTION and _next_way(rows[d], rows[d + 1]):
            d += 1
            keys[d] = _level_key(rows[d])
            answer = _recall(memo, keys[d])
            continue
        if answer == OPEN_QUESTION:
            _remember(memo, tally, keys[d], NO)
        if d == 0:
            return False
        d -= 1
        answer = OPEN_QUESTION
    return True


@jit
def _settle_levels(keys: Any, d: int, memo: Any, tally: Any) -> bool:
    """Note that the levels above level d have a plan."""
    for i in range(d):
        _remember(memo, tally, keys[i], YES)
    return True


@jit
def _copy(row: Any, child: Any) -> None:
    for i in range(ROW):
        child[i] = row[i]


@jit
def _next_way(row: Any, child: Any) -> bool:
    """Go the next way that is left for the natural of a level; False if none leads on."""
    while row[WAYS] != 0:
        way = lowest(row[WAYS])
        row[WAYS] &= row[WAYS] - 1
        _copy(row, child)
        _go(child, way)
        if _look_on(child):
            return True
    return False


# --- the search ------------------------------------------------------------------------------------------------------------


@jit
def _key(s: Row) -> Any:
    """A position as 64 bits, 0 excluded and the last one free. Of the fresh melds only those of one suit, and the sets of
    one rank, are told apart by their order: it decides which of them is the oldest eligible.
    """
    p = s.seat
    flags = s.jokers[p] | s.opened[p] << 4 | (s.owed + 1) << 5 | s.owed_jokers << 12
    key = _mix(_mix(U64(s.h1[p]) + U64(1)) + U64(s.h2[p])) + U64(flags)
    old = s.n_melds - s.fresh
    if s.opened[p]:
        for i in range(old):
            key = key + _mix(U64(s.melds[i]) | U64(i + 1) << U64(40))
    for i in range(old, s.n_melds):
        m = I64(s.melds[i])
        family = SET | LOW_FIELD if m & SET else SET | SUIT_FIELD
        before = I64(64)
        for k in range(old, i):
            before += (s.melds[k] ^ m) & family == 0
        key = key + _mix(U64(m | before << 40))
    return (_mix(key) | U64(2)) & ~U64(1)


@jit
def attempt(s: Row, action: int, stack: Any, d: int) -> None:
    """Take a step, and note in row d of the stack how to take it back."""
    i = target(s, action)
    row = stack[d]
    row[0], row[1], row[2] = action, i, s.melds[i] if i < s.n_melds else 0
    row[3], row[4], row[5] = s.opened[s.seat], s.owed, s.owed_jokers
    place(s, action, i)


@jit
def take_back(s: Row, stack: Any, d: int) -> None:
    """Undo the step that row d of the stack notes."""
    row = stack[d]
    p, action = s.seat, row[0]
    put(s, p, NATURALS[action])
    s.jokers[p] += JOKERS[action]
    s.held[p] += COST[action]
    s.melds[row[1]] = row[2]
    s.opened[p], s.owed, s.owed_jokers = row[3], row[4], row[5]
    if action < LAY_HI:
        s.n_melds -= 1
        s.fresh -= 1


@jit
def _list_children(s: Row, acts: Any, stack: Any, memo: Any, d: int) -> int:
    """Write the steps of level d whose outcome is open; YES if one of them finishes at once, NO if none is left."""
    at = stack[d - 1, 7] if d > 0 else I64(0)
    end = at
    all_matter = not s.opened[s.seat] or s.jolly_turn
    for k in range(at, steps(s, acts, at)):
        action = I64(acts[k])
        if all_matter or matters(s, action):
            attempt(s, action, stack, d)
            answer = verdict(s)
            if answer == OPEN_QUESTION:
                answer = _recall(memo, _key(s))
            take_back(s, stack, d)
            if answer == YES:
                return YES
            if answer == OPEN_QUESTION:
                acts[end] = action
                end += 1
    stack[d, 6], stack[d, 7] = at, end
    return OPEN_QUESTION if end > at else NO


@jit
def completable(s: Row, acts: Any, stack: Any, keys: Any, memo: Any, tally: Any) -> int:
    """Whether the turn can be completed (rules 4.4): YES or NO, or FULL if the table of positions must grow first.

    Args:
        s: the position; the mover is `s.seat`. The same again afterwards.
        acts, stack, keys, tally: see `work_space`.
        memo: uint64[a power of 2], settled positions; the last bit is the answer. Kept between calls for the same turn.
    """
    answer = verdict(s)
    if answer != OPEN_QUESTION:
        return answer
    d = I64(0)
    answer = _enter(s, acts, stack, keys, memo, tally, d)
    while True:
        if answer == OPEN_QUESTION and stack[d, 6] < stack[d, 7]:
            attempt(s, I64(acts[stack[d, 6]]), stack, d)
            stack[d, 6] += 1
            d += 1
            answer = _enter(s, acts, stack, keys, memo, tally, d)
            continue
        if answer == OPEN_QUESTION:
            answer = NO
        if answer != FULL and keys[d] != U64(0) and not _remember(memo, tally, keys[d], answer):
            answer = FULL
        if d == 0:
            return answer
        d -= 1
        take_back(s, stack, d)
        if answer == NO:
            answer = OPEN_QUESTION


@jit
def _enter(s: Row, acts: Any, stack: Any, keys: Any, memo: Any, tally: Any, d: int) -> int:
    """Begin level d of the search: what is known of the position, else its candidates."""
    key = _key(s)
    keys[d] = U64(0)
    answer = _recall(memo, key)
    if answer == OPEN_QUESTION:
        keys[d] = key
        tally[1] += 1
        if s.jolly_turn and not has_plan(s, memo, tally):
            return NO
        answer = _list_children(s, acts, stack, memo, d)
    return answer


@jit
def work_space(s: Row) -> tuple[Any, Any, Any, Any]:
    """Arrays for `completable`.

    Returns:
        acts: int16, candidate steps of all levels.
        stack: int64[levels, 8], a level a row: step, its meld, what it replaced (meld, opened, owed, owed jokers), next and
            last candidate. The last row is the caller's.
        keys: uint64[levels], the positions on the way down.
        tally: int64[2], number of settled positions, number of positions searched (levels of plans, too).
    """
    levels = 2 * s.held[s.seat] + 3  # a step but a swap shrinks the hand, and a swap uses up a natural
    acts = np.empty(levels * (N_ACTIONS - RUN), np.int16)
    return acts, np.empty((levels, 8), np.int64), np.empty(levels, np.uint64), np.zeros(2, np.int64)


@jit
def can_complete(s: Row) -> bool:
    """Whether the turn can be completed from here (rules 4.4). The position is the same again afterwards."""
    answer = verdict(s)
    if answer != OPEN_QUESTION:
        return answer == YES
    acts, stack, keys, tally = work_space(s)
    slots = SLOTS
    answer = completable(s, acts, stack, keys, np.zeros(slots, np.uint64), tally)
    while answer == FULL:
        slots *= GROWTH
        tally[0] = 0
        answer = completable(s, acts, stack, keys, np.zeros(slots, np.uint64), tally)
    return answer == YES


@jit
def completable_steps(s: Row, out: Any, n: int) -> int:
    """Write the steps after which the turn can be completed (rules 4.4) into `out` from place n on; return the new length."""
    if verdict(s) == NO:
        return n
    acts, stack, keys, tally = work_space(s)
    memo = np.zeros(SLOTS, np.uint64)
    for k in range(n, steps(s, out, n)):
        action = I64(out[k])
        attempt(s, action, stack, len(stack) - 1)
        answer = completable(s, acts, stack, keys, memo, tally)
        while answer == FULL:
            memo = np.zeros(len(memo) * GROWTH, np.uint64)
            tally[0] = 0
            answer = completable(s, acts, stack, keys, memo, tally)
        take_back(s, stack, len(stack) - 1)
        if answer == YES:
            out[n] = action
            n += 1
    return n
