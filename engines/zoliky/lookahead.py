"""Jolly Zoliky: can the turn still be completed? The look-ahead that makes a step legal [4.4].

A depth-first search over meld steps, on the record itself (every step is taken back), with an explicit stack
and a table of positions that are settled. It is exact: what cuts it short are conditions without which no
completion exists (`verdict`), each of them compared in the tests with a plain search that has none. Most
questions need no search at all.

Once the mover is open and it is no Jolly turn, little can matter: the owed natural needs at most two other
cards and two jokers, and every step that neither frees a joker nor makes room for an owed card can be left
out (`matters`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import I64, NOBODY, U64, Row, bit, cleared, count, has, jit, jit_with_heap, lowest, scratch
from .hands import folded, hand_points, mirrored, positions, put
from .melds import (
    LOW_FIELD,
    SET,
    SUIT_FIELD,
    WantedCards,
    fresh_points,
    has_fresh_pure,
    high_end,
    is_fresh_pure,
    lacking,
    lane_of,
    low_end,
    meld_jokers,
    must_stay_pure,
    run_jokers,
    wanted,
)
from .memo import NEW, NO, OPEN_QUESTION, YES, key_of, mix, recall, remember, with_room
from .opening import opens_soon
from .plan import chained, has_plan, in_new_meld
from .state import MOST_HELD, N_ACTIONS, OPENING_POINTS, PLACE, Action, owes
from .steps import COST, FIND_VALUE, JOKERS, NATURALS, place, steps, target

# --- what cards can go where --------------------------------------------------------------------------------


@jit
def attachable(s: Row, first: int, jokers: int) -> int:
    """Naturals of the mover's hand that could end on a meld from index `first` on, with so many jokers."""
    hand = s.hand[s.seat]
    melds, cells = wanted(s, first), mirrored(hand)
    in_runs = folded(chained(cells, melds.hi, melds.lo, jokers) | melds.swap_run & cells)
    return hand & (melds.in_set | melds.swap_set | in_runs)


@jit
def jokers_in_reach(s: Row) -> int:
    """Bound the jokers that the mover can lay where they are not now."""
    reach = s.jokers[s.seat]
    for i in range(s.n_melds):
        if meld_jokers(s.melds[i]) > 0:
            reach += jokers_to_free(s, s.melds[i])
    return reach


@jit
def jokers_to_free(s: Row, m: int) -> int:
    """Count the jokers of a meld that the mover's hand could free."""
    hand = s.hand[s.seat]
    if m & SET:
        return max(0, min(meld_jokers(m), count(lacking(m) & hand) - (4 - high_end(m))))
    return count(run_jokers(m) & mirrored(hand))


@jit
def least_points(hand: int) -> int:
    """Points of the cheapest natural of a mask, 10 if it is empty."""
    ranks = positions(hand & 0x03FC_03FC_03FC_03FC)
    return lowest(ranks) if ranks != 0 else I64(10)


@jit
def owed_mask(s: Row) -> int:
    """Return the owed natural as a mask."""
    return bit(PLACE[s.owed]) if s.owed != NOBODY else I64(0)


# --- what can be said without a search ----------------------------------------------------------------------


@jit
def verdict(s: Row) -> int:
    """Return what can be said of a position at once: NO, YES or OPEN_QUESTION [4.4]."""
    if not s.opened[s.seat]:
        return verdict_closed(s)
    if must_stay_pure(s) and not has_fresh_pure(s):
        return NO
    if s.jolly_turn:
        return verdict_jolly(s)
    return verdict_owed(s) if s.owed != NOBODY else verdict_open(s)


@jit
def verdict_open(s: Row) -> int:
    """Return the verdict for a mover who is open and owes no natural."""
    if s.held[s.seat] <= s.owed_jokers:
        return NO
    return YES if s.owed_jokers == 0 or joker_spots(s) >= s.owed_jokers else OPEN_QUESTION


@jit
def joker_spots(s: Row) -> int:
    """Bound from below how many jokers can be laid on the melds as they are, one after another."""
    spots, keeps = I64(0), must_stay_pure(s)
    for i in range(s.n_melds):
        m = s.melds[i]
        low, high = low_end(m), high_end(m)
        if keeps and is_fresh_pure(s, i):
            continue
        if m & SET:
            spots += high == 3 and count(m & 15) >= 2
        else:
            spots += I64(high < 14 and not has(m, high)) + I64(low > 1 and not has(m, low))
    return spots


@jit
def verdict_owed(s: Row) -> int:
    """Return a natural is owed (with or without jokers) by a mover who is open."""
    p, x = s.seat, owed_mask(s)
    if s.held[p] < 2:
        return NO
    melds = wanted(s, I64(0))
    on_meld = mirrored(x) & (melds.hi | melds.lo) | x & melds.in_set
    in_stead = mirrored(x) & melds.swap_run | x & melds.swap_set
    if s.owed_jokers == 0:
        if on_meld or (s.held[p] > 3 and x & in_new_meld(s.hand[p], s.jokers[p])):
            return YES
        if in_stead and joker_spots(s) > 0:
            return YES
    return OPEN_QUESTION if on_meld or in_stead or fits_later(s, x, melds) else NO


@jit
def fits_later(s: Row, x: int, melds: WantedCards) -> bool:
    """Whether a natural could lie in a new meld, or next but one to a run end: longer ways hold a run."""
    hand, reach = s.hand[s.seat], jokers_in_reach(s)
    if x & in_new_meld(hand, reach):
        return True
    between = melds.hi & mirrored(x) >> 1 | melds.lo & mirrored(x) << 1
    return between != 0 and (reach > 0 or between & mirrored(hand) != 0)


@jit
def can_pay(s: Row) -> bool:
    """Whether the owed natural could go anywhere at all, now or after the opening."""
    x, melds = owed_mask(s), wanted(s, I64(0))
    on_run, on_set = melds.hi | melds.lo | melds.swap_run, melds.in_set | melds.swap_set
    return mirrored(x) & on_run | x & on_set != 0 or fits_later(s, x, melds)


@jit
def verdict_closed(s: Row) -> int:
    """Judge a position whose mover is not open.

    NO without a pure run, without points, or if an owed card has no place; YES if few melds open.
    """
    p = s.seat
    if s.held[p] < 2:
        return NO
    cells = mirrored(s.hand[p])
    if cells & cells >> 1 & cells >> 2 == 0 and not has_fresh_pure(s):
        return NO
    if fresh_points(s) + most_points(s) < OPENING_POINTS:
        return NO
    if s.owed != NOBODY and not can_pay(s):
        return NO
    if s.jolly_turn:
        return NO if is_stranded(s) else OPEN_QUESTION
    return YES if opens_soon(s) else OPEN_QUESTION


@jit
def most_points(s: Row) -> int:
    """Bound on the points that the hand can add to the fresh melds, with one card kept."""
    hand, jokers = s.hand[s.seat], s.jokers[s.seat]
    usable = in_new_meld(hand, jokers)
    if jokers < 2 and s.fresh > 0:
        usable |= attachable(s, s.n_melds - s.fresh, jokers)
    points = hand_points(usable) + hand_points(usable & s.twice[s.seat]) + 10 * jokers
    return points if hand & ~usable else points - least_points(hand)


@jit
def verdict_jolly(s: Row) -> int:
    """Return the mover is open in a Jolly turn: every card but one must go."""
    if s.held[s.seat] < 2:
        return YES if s.held[s.seat] == 1 and not owes(s) else NO
    return NO if is_stranded(s) else OPEN_QUESTION


@jit
def is_stranded(s: Row) -> bool:
    """Whether a Jolly turn must fail: too few jokers for the cards that can go nowhere without.

    A natural that can neither reach the table nor lie in a joker-free meld needs a new meld with a joker, and
    one joker serves at most 4 such cards. A natural without company needs two jokers of its own. One card may
    be kept.
    """
    hand, twice, reach = s.hand[s.seat], s.twice[s.seat], jokers_in_reach(s)
    needy = hand & ~in_new_meld(hand, I64(0)) & ~attachable(s, I64(0), reach)
    lonely = needy & ~in_new_meld(hand, I64(1))
    n_lonely = count(lonely) + count(lonely & twice)
    n_needy = count(needy) + count(needy & twice) - n_lonely
    if n_lonely > 0:
        return 2 * (n_lonely - 1) + (n_needy + 3) // 4 > reach
    return n_needy > 0 and (n_needy + 2) // 4 > reach


# --- which steps can help -----------------------------------------------------------------------------------


@jit
def matters(s: Row, action: int) -> bool:
    """Whether a step can help to complete the turn; to a mover who is open, in no Jolly turn, few do.

    It can if it frees a joker (now, or with the next natural on a set), if it places an owed card, or if it
    makes room for one: brings a run end next to the owed natural (three cards in a row to a run end, that one
    among them, would be a new run), or covers a joker at a run end when only jokers are owed. Where a pure
    run has to remain, it can if it lays one or lengthens one.
    """
    if not s.opened[s.seat] or s.jolly_turn or action >= Action.SWAP_RUN:
        return True
    if must_stay_pure(s) and keeps_pure(s, action):
        return True
    pays = NATURALS[action] & owed_mask(s) != 0
    if Action.LAY_SET <= action < Action.JOKER_HI:
        return pays or meld_jokers(s.melds[target(s, action)]) > 0
    if s.owed != NOBODY:
        return pays or leads_to(action, owed_mask(s))
    if Action.LAY_HI <= action < Action.LAY_SET:
        m = s.melds[target(s, action)]
        return has(m, high_end(m) if action < Action.LAY_LO else low_end(m))
    return JOKERS[action] > 0


@jit
def keeps_pure(s: Row, action: int) -> bool:
    """Whether a step lays a pure run, or lengthens one of this turn by a natural."""
    if action < Action.NEW_SET:
        return JOKERS[action] == 0
    return Action.LAY_HI <= action < Action.LAY_SET and is_fresh_pure(s, target(s, action))


@jit
def leads_to(action: int, x: int) -> bool:
    """Whether a lay-off on a run brings its end next to a natural x."""
    run = FIND_VALUE[action]
    if Action.LAY_HI <= action < Action.LAY_LO or Action.JOKER_HI <= action < Action.JOKER_LO:
        return has(mirrored(x), lane_of(run) + high_end(run) + 2)
    if Action.LAY_LO <= action < Action.LAY_SET or Action.JOKER_LO <= action < Action.JOKER_SET:
        return has(mirrored(x), lane_of(run) + low_end(run) - 2)
    return False


# --- to try a step and take it back -------------------------------------------------------------------------


class Undo(NamedTuple):
    """What a step changed, but for the hand."""

    action: int
    meld: int  # its index
    was: int  # what stood there
    opened: int
    owed: int
    owed_jokers: int


@jit
def attempt(s: Row, action: int) -> Undo:
    """Take a step; return what `take_back` needs."""
    i = target(s, action)
    undo = Undo(action, i, s.melds[i] if i < s.n_melds else I64(0), s.opened[s.seat], s.owed, s.owed_jokers)
    place(s, action, i)
    return undo


@jit
def take_back(s: Row, undo: Any) -> None:
    """Undo a step: an `Undo`, or a level of the search that holds one."""
    p, action = s.seat, undo.action
    put(s, p, NATURALS[action])
    s.jokers[p] += JOKERS[action]
    s.held[p] += COST[action]
    s.melds[undo.meld] = undo.was
    s.opened[p], s.owed, s.owed_jokers = undo.opened, undo.owed, undo.owed_jokers
    if action < Action.LAY_HI:
        s.n_melds -= 1
        s.fresh -= 1


# --- the search ---------------------------------------------------------------------------------------------

LEVEL = np.dtype(
    [
        *((name, np.int64) for name in Undo._fields),  # the step that led from this level to the next
        ("next", np.int64),  # place of the next candidate among all levels' candidates
        ("end", np.int64),  # where the candidates of this level end
        ("key", np.uint64),  # of its position; 0 if that was settled before
    ],
    align=True,
)
LEVELS = 2 * MOST_HELD + 2  # a step but a swap shrinks the hand, and a swap uses up a natural
MOST_TRIED = LEVELS * (N_ACTIONS - int(Action.RUN))


@jit
def position_key(s: Row) -> Any:
    """Make the key of a position in the table.

    The order of fresh melds counts only among those of one suit, and among sets of one rank: there it decides
    which of them is the oldest eligible.
    """
    p = s.seat
    flags = s.jokers[p] | s.opened[p] << 4 | (s.owed + 1) << 6 | s.owed_jokers << 12
    key = mix(mix(U64(s.hand[p]) + U64(1)) + U64(s.twice[p])) + U64(flags)
    old = s.n_melds - s.fresh
    if s.opened[p]:
        for i in range(old):
            key = key + mix(U64(s.melds[i]) | U64(i + 1) << U64(40))
    for i in range(old, s.n_melds):
        m = s.melds[i]
        family = SET | LOW_FIELD if m & SET else SET | SUIT_FIELD
        before = I64(64)
        for k in range(old, i):
            before += I64((s.melds[k] ^ m) & family == 0)
        key = key + mix(U64(m | before << 40))
    return key_of(mix(key))


@jit
def known_after(s: Row, action: int, memo: Any) -> int:
    """Return what is known of the position after a step."""
    undo = attempt(s, action)
    answer = verdict(s)
    if answer == OPEN_QUESTION:
        answer = recall(memo, position_key(s))
    take_back(s, undo)
    return answer


@jit
def list_candidates(s: Row, steps_tried: Any, levels: Any, memo: Any, d: int) -> int:
    """Write the steps of level d whose outcome is open."""
    first = levels[d - 1].end if d > 0 else I64(0)
    end = first
    for k in range(first, steps(s, steps_tried, first)):
        action = I64(steps_tried[k])
        answer = known_after(s, action, memo) if matters(s, action) else NO
        if answer == YES:
            return YES
        if answer == OPEN_QUESTION:
            steps_tried[end] = action
            end += 1
    levels[d].next, levels[d].end = first, end
    return OPEN_QUESTION if end > first else NO


@jit
def enter(s: Row, steps_tried: Any, levels: Any, memo: Any, d: int) -> int:
    """Begin level d of the search: what is known of the position, else its candidates."""
    key = position_key(s)
    levels[d].key = U64(0)
    answer = recall(memo, key)
    if answer != OPEN_QUESTION:
        return answer
    levels[d].key = key
    if s.jolly_turn and not has_plan(s, memo):
        return NO
    return list_candidates(s, steps_tried, levels, memo, d)


@jit_with_heap
def search(s: Row, memo: Any) -> tuple[bool, Any]:
    """Search whether the turn can be completed, where `verdict` does not say [4.4].

    Returns the answer, and the table, which may have grown.

    Args:
        s: the position; the mover is `s.seat`. The same again afterwards.
        memo: settled positions of this turn (`memo`).
    """
    levels, steps_tried = scratch(LEVELS, LEVEL), scratch(MOST_TRIED, np.int16)
    d = I64(0)
    answer = enter(s, steps_tried, levels, memo, d)
    while True:
        level = levels[d]
        if answer == OPEN_QUESTION and level.next < level.end:
            undo = attempt(s, I64(steps_tried[level.next]))
            level.action, level.meld, level.was, level.opened, level.owed, level.owed_jokers = undo
            level.next += 1
            d += 1
            memo = with_room(memo)
            answer = enter(s, steps_tried, levels, memo, d)
            continue
        if level.key != U64(0):
            remember(memo, level.key | U64(answer == YES))
        if d == 0:
            return answer == YES, memo
        d -= 1
        take_back(s, levels[d])
        if answer != YES:
            answer = OPEN_QUESTION


# --- what the rules ask -------------------------------------------------------------------------------------

UNSETTLED = 1 << 10  # added to an action whose question is open


@jit_with_heap
def can_complete(s: Row) -> bool:
    """Whether the turn can be completed from here [4.4]. The position is the same again afterwards."""
    answer = verdict(s)
    if answer != OPEN_QUESTION:
        return answer == YES
    return search(s, cleared(NEW, np.uint64))[0]


@jit
def owes_nothing(s: Row) -> bool:
    """Whether every step but a swap that leaves a card can be taken [4.4].

    It can if the mover is open since an earlier turn, in no Jolly turn, and owes nothing.
    """
    return s.opened[s.seat] == 1 and not s.jolly_turn and not owes(s)


@jit
def promising_steps(s: Row, out: Any, n: int) -> int:
    """Write the steps that the shape rules allow; return the new length."""
    return n if verdict(s) == NO else steps(s, out, n)


@jit
def ask_verdicts(s: Row, out: Any, first: int, end: int) -> tuple[int, bool]:
    """Keep those of the steps `out[first:end]` that have no verdict of NO."""
    free, n, some_open = owes_nothing(s), first, False
    for k in range(first, end):
        action = I64(out[k])
        answer = I64(YES)
        if not free or action >= Action.SWAP_RUN:
            undo = attempt(s, action)
            answer = verdict(s)
            take_back(s, undo)
        if answer != NO:
            is_open = answer == OPEN_QUESTION
            out[n] = action + UNSETTLED if is_open else action
            some_open = some_open or is_open
            n += 1
    return n, some_open


@jit_with_heap
def completable_steps(s: Row, out: Any, first: int) -> int:
    """Write the steps after which the turn can be completed [4.4]."""
    end, some_open = ask_verdicts(s, out, first, promising_steps(s, out, first))
    if not some_open:
        return end
    memo, n = cleared(NEW, np.uint64), first
    for k in range(first, end):
        action = I64(out[k])
        completable = action < UNSETTLED
        if not completable:
            action -= UNSETTLED
            undo = attempt(s, action)
            completable, memo = search(s, memo)
            take_back(s, undo)
        if completable:
            out[n] = action
            n += 1
    return n


@jit
def can_take(s: Row, action: int) -> bool:
    """Whether the turn can be completed after a step [4.4]. The position is the same again afterwards."""
    if owes_nothing(s) and action < Action.SWAP_RUN:
        return True
    undo = attempt(s, action)
    completable = can_complete(s)
    take_back(s, undo)
    return completable
