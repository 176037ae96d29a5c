"""Jolly Zoliky: meld steps by their shape alone: which there are, what they change [4.3].

Whether the turn can still be completed after a step is the business of `lookahead`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import I64, NOBODY, Row, cards_into, count, has, jit, lowest
from .hands import folded, kinds_into, mirrored, positions, suits_of, take
from .melds import (
    HIGH_AT,
    HIGH_FIELD,
    LOW_AT,
    LOW_FIELD,
    SET,
    SUIT_AT,
    SUIT_FIELD,
    first_eligible,
    is_last_pure,
    reaches_opening,
    wanted,
)
from .state import END_POSITIONS, FIRST_OF_RUN, N_ACTIONS, OPENED_NOW, PLACE, Action

# --- new melds: which cards they may be made of -------------------------------------------------------------

RUN_JOKERS = ((), (0,), (1,), (2,), (0, 2))
"""The places of the jokers in a new run, by joker pattern [7]."""
SET_SUITS = tuple(sum(1 << s for s in suits) for n in (3, 2, 1) for suits in combinations(range(4), n))
SET_SUITS = SET_SUITS[3::-1] + SET_SUITS[4:]  # three suits: by the one that is missing
"""The natural suits of a new set, as bits, by its number among the sets of a rank [7]."""


def _fits(needed: int, held: int, jokers: int) -> bool:
    """Whether these cards (bits) are held, and jokers for the rest of three."""
    return needed & ~held == 0 and 3 - needed.bit_count() <= jokers


def _choices(melds: tuple[int, ...], most_held: int) -> NDArray[np.int64]:
    """Bits of the melds that can be laid, by cards held (bits) and 0, 1, 2 or more jokers."""
    laid = [
        [sum(1 << i for i, m in enumerate(melds) if _fits(m, held, j)) for j in range(3)]
        for held in range(most_held + 1)
    ]
    return np.array(laid, np.int64)


RUNS_OF = _choices(tuple(sum(1 << i for i in range(3) if i not in jokers) for jokers in RUN_JOKERS), 7)
"""Which joker patterns a run can have whose three positions are held so (bits)."""
SETS_OF = _choices(SET_SUITS, 15)
"""Which of the 14 new sets of a rank can be laid with these suits in hand."""

# --- every step: what it uses, what it changes --------------------------------------------------------------


class Step(NamedTuple):
    """What a meld step does. It goes to a meld with `meld & mask == value`; a new meld is `change` itself."""

    naturals: int = 0  # cards out of the hand, as lanes
    jokers: int = 0  # jokers out of the hand; a swap: -1
    change: int = 0  # added to the meld's integer
    mask: int = 0
    value: int = 0


def _natural(suit: int, pos: int) -> int:
    """Return the mask of the natural at a run position."""
    return 1 << (16 * suit + (1 if pos == 14 else pos))


def _new_runs() -> Iterator[Step]:
    """Yield [7] run c1 c2 c3."""
    for suit in range(4):
        for low in range(1, 13):
            for jokers in RUN_JOKERS:
                naturals = sum(_natural(suit, low + i) for i in range(3) if i not in jokers)
                at_jokers = sum(1 << (low + i) for i in jokers)
                yield Step(
                    naturals, len(jokers), at_jokers | suit << SUIT_AT | low << LOW_AT | (low + 2) << HIGH_AT
                )


def _new_sets() -> Iterator[Step]:
    """Yield [7] set c1 c2 c3."""
    for rank in range(13):
        for suits in SET_SUITS:
            naturals = sum(_natural(suit, rank + 1) for suit in range(4) if suits >> suit & 1)
            yield Step(naturals, 3 - suits.bit_count(), SET | suits | (rank + 1) << LOW_AT | 3 << HIGH_AT)


def _on_ends(upper: bool, joker: bool) -> Iterator[Step]:
    """Yield [7] lay X hi, lay X lo, lay JK X hi, lay JK X lo."""
    for suit in range(4):
        for i in range(END_POSITIONS):
            pos, end = (i + 4, i + 3) if upper else (i + 1, i + 2)
            field, at, grows = (
                (HIGH_FIELD, HIGH_AT, 1 << HIGH_AT) if upper else (LOW_FIELD, LOW_AT, -(1 << LOW_AT))
            )
            mask, value = SET | SUIT_FIELD | field, suit << SUIT_AT | end << at
            if joker:
                yield Step(0, 1, grows + (1 << pos), mask | 1 << end, value)
            else:
                yield Step(_natural(suit, pos), 0, grows, mask, value)


def _into_sets(cards: int, jokers: int) -> Iterator[Step]:
    """Yield [7] lay X set: to a set of 3 cards without X; swap X set: in a set of 4 without X."""
    for suit in range(4):
        for pos in range(1, 14):
            grows, mask = (1 + jokers) << HIGH_AT, SET | LOW_FIELD | HIGH_FIELD | 1 << suit
            value = SET | pos << LOW_AT | cards << HIGH_AT
            yield Step(_natural(suit, pos), jokers, grows + (1 << suit), mask, value)


def _jokers_on_sets() -> Iterator[Step]:
    """Yield [7] lay JK r set: to a set of 3, with at most one joker. See `target`."""
    for pos in range(1, 14):
        yield Step(0, 1, 1 << HIGH_AT, SET | LOW_FIELD | HIGH_FIELD, SET | pos << LOW_AT | 3 << HIGH_AT)


def _swaps_in_runs() -> Iterator[Step]:
    """Yield [7] swap X run: with the joker that holds the position of X."""
    for suit in range(4):
        for pos in range(1, 14):
            yield Step(
                _natural(suit, pos), -1, -(1 << pos), SET | SUIT_FIELD | 1 << pos, suit << SUIT_AT | 1 << pos
            )


STEPS = (
    *[Step()] * Action.RUN,  # draws and discards are no meld steps
    *_new_runs(),
    *_new_sets(),
    *_on_ends(upper=True, joker=False),
    *_on_ends(upper=False, joker=False),
    *_into_sets(3, jokers=0),
    *_on_ends(upper=True, joker=True),
    *_on_ends(upper=False, joker=True),
    *_jokers_on_sets(),
    *_swaps_in_runs(),
    *_into_sets(4, jokers=-1),
)
NATURALS, JOKERS, CHANGE, FIND_MASK, FIND_VALUE = (
    np.array(column, np.int64) for column in zip(*STEPS, strict=True)
)
COST: NDArray[np.int64] = np.array([step.naturals.bit_count() + step.jokers for step in STEPS], np.int64)
"""Cards that leave the hand, by action."""
ACE_SWAP: NDArray[np.bool_] = np.array(
    [Action.SWAP_RUN <= a < Action.SWAP_SET and (a - Action.SWAP_RUN) % 13 == 0 for a in range(N_ACTIONS)]
)
"""Whether an action swaps an ace out of a run: the joker may hold either end."""
OTHER_ACE = 1 << 1 | 1 << 14  # xor: position 1 to 14

# --- the steps that the shape rules allow -------------------------------------------------------------------


@jit
def run_starts(cells: int, jokers: int) -> int:
    """Lowest positions of the new runs for which a mirrored hand has the naturals [4.3]."""
    second, third = cells >> 1, cells >> 2
    if jokers == 0:
        return cells & second & third
    two_of_three = cells & second | second & third | cells & third
    return (two_of_three if jokers == 1 else two_of_three | second) & FIRST_OF_RUN


@jit
def new_runs(out: Any, n: int, hand: int, jokers: int) -> int:
    """Write the new runs that naturals and jokers give into `out` [4.3]."""
    cells = mirrored(hand)
    starts = run_starts(cells, jokers)
    while starts != 0:
        at = lowest(starts)
        starts &= starts - 1
        first = Action.RUN + ((at >> 4) * 12 + (at & 15) - 1) * 5
        n = cards_into(out, n, first, RUNS_OF[cells >> at & 7, min(jokers, 2)])
    return n


@jit
def new_sets(out: Any, n: int, hand: int, jokers: int) -> int:
    """Write the new sets that naturals and jokers give into `out` [4.3]."""
    ranks = positions(hand)
    while ranks != 0:
        pos = lowest(ranks)
        ranks &= ranks - 1
        n = cards_into(out, n, Action.NEW_SET + (pos - 1) * 14, SETS_OF[suits_of(hand, pos), min(jokers, 2)])
    return n


@jit
def ends_into(out: Any, n: int, first: int, mask: int) -> int:
    """Actions at run ends: `mask` holds the lowest position of the block of 11 at bit 1 of every lane."""
    for suit in range(4):
        n = cards_into(out, n, first + END_POSITIONS * suit, mask >> (16 * suit + 1) & 0x7FF)
    return n


@jit
def lay_offs(s: Row, out: Any, n: int) -> int:
    """Write the lay-offs and swaps of the shape rules into `out` [4.3]."""
    hand, jokers = s.hand[s.seat], s.jokers[s.seat]
    melds = wanted(s, first_eligible(s))
    cells = mirrored(hand)
    n = ends_into(out, n, Action.LAY_HI + 0, (melds.hi & cells) >> 3)
    n = ends_into(out, n, Action.LAY_LO + 0, melds.lo & cells)
    n = kinds_into(out, n, Action.LAY_SET + 0, melds.in_set & hand)
    if jokers > 0:
        n = ends_into(out, n, Action.JOKER_HI + 0, melds.joker_hi >> 3)
        n = ends_into(out, n, Action.JOKER_LO + 0, melds.joker_lo)
        n = cards_into(out, n, Action.JOKER_SET + 0, melds.joker_set)
    if s.opened[s.seat]:
        n = kinds_into(out, n, Action.SWAP_RUN + 0, folded(melds.swap_run) & hand)
        n = kinds_into(out, n, Action.SWAP_SET + 0, melds.swap_set & hand)
    return n


@jit
def steps(s: Row, out: Any, n: int) -> int:
    """Write the steps that the shape rules allow into `out`, ascending [4.3]."""
    p = s.seat
    if s.held[p] > 3:
        n = new_runs(out, n, s.hand[p], s.jokers[p])
        n = new_sets(out, n, s.hand[p], s.jokers[p])
    if s.held[p] > 1 and first_eligible(s) < s.n_melds:
        n = lay_offs(s, out, n)
    return n


# --- to take a step -----------------------------------------------------------------------------------------


@jit
def find(s: Row, first: int, mask: int, value: int) -> int:
    """Index of the first meld from `first` on with `meld & mask == value`; n_melds if there is none [4.3]."""
    for i in range(first, s.n_melds):
        if s.melds[i] & mask == value:
            return i
    return s.n_melds


@jit
def target(s: Row, action: int) -> int:
    """Return the index of the meld that a step changes [4.3]."""
    if action < Action.LAY_HI:
        return s.n_melds
    mask, value = FIND_MASK[action], FIND_VALUE[action]
    i = find(s, first_eligible(s), mask, value)
    if Action.JOKER_SET <= action < Action.SWAP_RUN:
        while count(s.melds[i] & 15) < 2 or s.melds[i] & mask != value:
            i += 1
    elif ACE_SWAP[action]:
        i = min(i, find(s, first_eligible(s), mask ^ OTHER_ACE, value ^ OTHER_ACE))
    elif Action.JOKER_HI <= action < Action.JOKER_SET and is_last_pure(s, i):
        other = find(s, i + 1, mask, value)
        i = other if other < s.n_melds else i  # where it takes the last pure run, `lookahead` refuses it
    return i


@jit
def change(s: Row, action: int, i: int) -> int:
    """Return what a step adds to the integer of meld i [4.3]."""
    if ACE_SWAP[action] and not has(s.melds[i], 1):
        return -(I64(1) << 14)
    return CHANGE[action]


@jit
def place(s: Row, action: int, i: int) -> None:
    """Apply a meld step to meld i, its target: cards, table, owed cards and the opening [4.2, 4.3]."""
    p = s.seat
    if i == s.n_melds:
        s.n_melds += 1
        s.fresh += 1
        s.melds[i] = CHANGE[action]
    else:
        s.melds[i] += change(s, action, i)
    take(s, p, NATURALS[action])
    s.jokers[p] -= JOKERS[action]
    s.held[p] -= COST[action]
    pay(s, action)
    if not s.opened[p] and reaches_opening(s):
        s.opened[p] = OPENED_NOW


@jit
def pay(s: Row, action: int) -> None:
    """Note that the cards a step puts on the table are no longer owed [4.2]."""
    if s.owed != NOBODY and has(NATURALS[action], PLACE[s.owed]):
        s.owed = NOBODY
    s.owed_jokers = max(s.owed_jokers - JOKERS[action], 0)
