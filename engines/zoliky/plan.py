"""Jolly Zoliky: is there a plan for a Jolly turn? And what the look-ahead of `zoliky_turn` remembers.

In a Jolly turn all naturals but one must find a place (rules 4.4). The plan leaves out the order of the steps, which of two like
melds is the oldest, the points of the opening, and where spare jokers go: without a plan there is no completion.
The lowest natural of a suit is placed first, so that it has few ways: on a run end, with at most one card between (three
cards to a run end are a new run), in a set, in a joker's stead, in a new run as its lowest natural, in a new set; or it is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, U64, Row, bit, count, has, jit, lowest
from .melds import (
    ACES,
    ALL_LANES,
    HIGH_AT,
    JOKERS_FIELD,
    LANE,
    LOW_AT,
    PLACE,
    SET,
    SUIT_AT,
    SUIT_LANES,
    folded,
    has_fresh_pure,
    meld_jokers,
    mirrored,
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


# --- settled positions -----------------------------------------------------------------------------------------------------


@jit
def mix(x: Any) -> Any:
    """A uint64 well stirred (the finish of SplitMix64)."""
    x = (x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D049BB133111EB)
    return x ^ (x >> U64(31))


@jit
def recall(memo: Any, key: Any) -> int:
    """What the table knows of a position."""
    last = U64(len(memo) - 1)
    at = (key >> U64(8)) & last
    while memo[at] != U64(0):
        if memo[at] | U64(1) == key | U64(1):
            return YES if memo[at] & U64(1) else NO
        at = (at + U64(1)) & last
    return OPEN_QUESTION


@jit
def remember(memo: Any, tally: Any, key: Any, answer: int) -> bool:
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


# --- the levels of a plan --------------------------------------------------------------------------------------------------

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
        key = mix(key + U64(row[i] & 0x7FFF_FFFF_FFFF_FFFF))
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
    answer = recall(memo, keys[0])
    for _ in range(PLAN_BUDGET):
        tally[1] += 1
        if answer == OPEN_QUESTION and rows[d, H1] == 0:
            answer = YES if rows[d, SPARE] >= 0 else NO
        if answer == YES:
            return _settle_levels(keys, d, memo, tally)
        if answer == OPEN_QUESTION and _next_way(rows[d], rows[d + 1]):
            d += 1
            keys[d] = _level_key(rows[d])
            answer = recall(memo, keys[d])
            continue
        if answer == OPEN_QUESTION:
            remember(memo, tally, keys[d], NO)
        if d == 0:
            return False
        d -= 1
        answer = OPEN_QUESTION
    return True


@jit
def _settle_levels(keys: Any, d: int, memo: Any, tally: Any) -> bool:
    """Note that the levels above level d have a plan."""
    for i in range(d):
        remember(memo, tally, keys[i], YES)
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
