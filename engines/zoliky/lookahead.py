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

from ..core import I64, U64, Row, bit, count, has, jit, lowest
from .melds import (
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
from .plan import FULL, GROWTH, NO, OPEN_QUESTION, SLOTS, YES, chained, has_plan, in_new_meld, mix, recall, remember

# --- what cards can go where -----------------------------------------------------------------------------------------------


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


# --- the search ------------------------------------------------------------------------------------------------------------


@jit
def _key(s: Row) -> Any:
    """A position as 64 bits, 0 excluded and the last one free. Of the fresh melds only those of one suit, and the sets of
    one rank, are told apart by their order: it decides which of them is the oldest eligible.
    """
    p = s.seat
    flags = s.jokers[p] | s.opened[p] << 4 | (s.owed + 1) << 5 | s.owed_jokers << 12
    key = mix(mix(U64(s.h1[p]) + U64(1)) + U64(s.h2[p])) + U64(flags)
    old = s.n_melds - s.fresh
    if s.opened[p]:
        for i in range(old):
            key = key + mix(U64(s.melds[i]) | U64(i + 1) << U64(40))
    for i in range(old, s.n_melds):
        m = I64(s.melds[i])
        family = SET | LOW_FIELD if m & SET else SET | SUIT_FIELD
        before = I64(64)
        for k in range(old, i):
            before += (s.melds[k] ^ m) & family == 0
        key = key + mix(U64(m | before << 40))
    return (mix(key) | U64(2)) & ~U64(1)


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
                answer = recall(memo, _key(s))
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
        if answer != FULL and keys[d] != U64(0) and not remember(memo, tally, keys[d], answer):
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
    answer = recall(memo, key)
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
