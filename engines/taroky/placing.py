"""Taroky: unseen cards dealt to places of which some get only so many cards of a kind, as announcements say.

A place is a hand, all secret discards, the talon; a kind is a mask of cards (trumps, five-pointers ...).
Every placing that keeps what may lie where and every number is equally likely. Not here: what a view says
about places (`worlds`).

Cards with fewest choices are placed first, at a place by the room that is left. That is exact while any two
sets of choices are nested or apart: such deals are made some times, and the first whose numbers fit too
stands. Otherwise a chain of random exchanges follows (Metropolis et al. 1953). It may leave the numbers, each
card too many or too few making a step 64 times less likely, and only its steps where they fit are counted: a
chain that is watched in some of its states visits these equally often.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    I64,
    U64,
    Row,
    below,
    bit,
    cards_into,
    count,
    fill,
    has,
    jit,
    lowest,
    next_word,
    scratch,
    shuffle_with,
)
from ..core.worlds import draw_slots, fewest_choices_first, make_room, only_at, sixteenth
from .state import N_CARDS

PLACES = 6
DISCARDS, TALON = 4, 5
"""The places: the hands by seat, all secret discards, the talon."""
KINDS = 5
TRUMPS, FIVES, TRUL, KINGS, LOW = range(KINDS)
"""The kinds by number; LOW are the trumps below the deciding card."""

DEALS, FAR = 8, 2
"""Exact deals before the chain begins: so many at most, and none after one with more than FAR cards too few
or too many, as others would hardly fit then."""
FEWEST_STEPS, STEPS = 16, 4
"""Steps of the chain that are counted: four a card and some. Measured with 26 cards: where it begins, a hand
has up to half a card of a suit too many on average; after 32 steps a sixth; after 110 steps 3 000 worlds show
no difference."""
LONG_BITS = 4
"""One step in 2 ** LONG_BITS is a cycle of three or more cards; the others swap two."""
PENALTY = 6
"""A step into `change` cards more that do not fit is taken with a chance of 2 ** -(PENALTY * change)."""
PATIENCE = 1000
"""Steps in all for each that counts, before facts that contradict each other are given up."""

FACTS = np.dtype(
    [
        ("unseen", np.int64),  # mask of the cards to place
        ("room", np.int64, PLACES),  # cards that each place takes
        ("may", np.int64, PLACES),  # mask of the unseen cards that may lie there
        ("kinds", np.int64, KINDS),  # masks
        ("least", np.int64, (KINDS, PLACES)),  # unseen cards of each kind that each place gets, at least ...
        ("most", np.int64, (KINDS, PLACES)),  # ... and at most
        ("put", np.int64, PLACES),  # the result: mask of the cards at each place
    ],
    align=True,
)
"""What is known of the unseen cards, and where they were put."""

DEALT = np.dtype(
    [
        ("cards", np.int16, N_CARDS),  # fewest choices first
        ("choices", np.int64, N_CARDS),  # places where each may lie
        ("left", np.int64, PLACES),  # room that is left
        ("slot", np.int64, N_CARDS),  # the placed cards, those of the first place first: see `line_up`
        ("place", np.int64, N_CARDS),  # place of each slot
        ("first", np.int64, PLACES + 1),  # slot where each place begins
        ("places", np.int64, PLACES),  # those that hold cards
        ("n_places", np.int64),
        ("held", np.int64, (KINDS, PLACES)),  # cards of each kind at each place
        ("drawn", np.int64, PLACES),  # slots of a cycle
    ],
    align=True,
)
"""The unseen cards while they are dealt and exchanged."""
KIND_BITS, CARD_BITS = 8, 16
"""Where kinds and card begin in a slot; its lowest bits are the choices."""
KIND_MASK = (1 << CARD_BITS) - (1 << KIND_BITS)


@jit
def narrow(f: Row) -> None:
    """Narrow where cards may lie by what the numbers make certain; no placing is lost.

    So a hand that has only trumps takes no other card: the chain, where a single cycle is the way to such a
    placing, seldom finds it.
    """
    for kind in range(KINDS):
        for p in range(PLACES):
            if f.room[p] == 0:
                continue
            if f.most[kind, p] <= 0:
                f.may[p] &= ~f.kinds[kind]
            if f.least[kind, p] >= f.room[p]:
                f.may[p] &= f.kinds[kind]
            cards = f.unseen & f.kinds[kind] & f.may[p]
            if cards != 0 and f.least[kind, p] >= count(cards):
                only_at(f.may, p, cards)


@jit
def place(f: Row, d: Row, rng: Any) -> None:
    """Put every unseen card at a random place; all placings that keep the facts are equally likely.

    Args:
        f: one row of FACTS; `put` is set.
        d: one row of DEALT, work space.
        rng: uint64[1], modified in place.
    """
    n = cards_into(d.cards, 0, 0, f.unseen)
    shuffle_with(d.cards, n, rng)
    fewest_choices_first(d.cards, d.choices, n, f.may)
    exact = apart_or_nested(d.choices, n)
    excess = 0
    for _ in range(DEALS if exact else 1):
        exact = deal_by_room(f, d, n, rng) and exact
        excess = count_kinds(f, d)
        if exact and excess == 0:
            return
        if excess > FAR:
            break
    line_up(f, d, n)
    mix(f, d, n, excess, rng)


@jit
def apart_or_nested(choices: Any, n: int) -> bool:
    """Whether of any two sets of choices one holds the other, or they have no place in common."""
    known = scratch(N_CARDS, np.int64)
    n_known = 0
    for i in range(n):
        k = 0
        while k < n_known and known[k] != choices[i]:
            both = known[k] & choices[i]
            if both != 0 and both != known[k] and both != choices[i]:
                return False
            k += 1
        known[k] = choices[i]
        n_known = max(n_known, k + 1)
    return True


@jit
def deal_by_room(f: Row, d: Row, n: int, rng: Any) -> bool:
    """Deal the cards in order, each to a place that may hold it, by the room left; whether none was short."""
    smooth = True
    for p in range(PLACES):
        d.left[p] = f.room[p]
        f.put[p] = 0
    for i in range(n):
        p = place_by_room(d.choices[i], d.left, rng)
        if p < 0:
            p = make_room(d.cards[i], d.left, f.may, f.put)
            smooth = False
        f.put[p] |= bit(d.cards[i])
        d.left[p] -= 1
    return smooth


@jit
def place_by_room(places: int, left: Any, rng: Any) -> int:
    """One of the places of a mask, likely as the room left in it; -1 if all are full."""
    total, rest = 0, places
    while rest != 0:
        total += left[lowest(rest)]
        rest &= rest - 1
    if total == 0:
        return -1
    ticket = below(rng, total)
    while ticket >= left[lowest(places)]:
        ticket -= left[lowest(places)]
        places &= places - 1
    return lowest(places)


@jit
def outside(f: Row, kind: int, p: int, n: int) -> int:
    """By how many cards a number of a kind at a place is too small or too large."""
    return max(f.least[kind, p] - n, n - f.most[kind, p], 0)


@jit
def count_kinds(f: Row, d: Row) -> int:
    """Count the kinds at every place into `held`; return how many cards are too few or too many in all."""
    excess = 0
    for kind in range(KINDS):
        for p in range(PLACES):
            d.held[kind, p] = count(f.put[p] & f.kinds[kind])
            excess += outside(f, kind, p, d.held[kind, p])
    return excess


@jit
def line_up(f: Row, d: Row, n: int) -> None:
    """Write the placed cards into slots, place by place: choices, kinds and card in one number."""
    at = scratch(PLACES, np.int64)
    d.n_places = 0
    size = 0
    for p in range(PLACES):
        d.first[p] = at[p] = size
        size += count(f.put[p])
        if size > d.first[p]:
            d.places[d.n_places] = p
            d.n_places += 1
    d.first[PLACES] = size
    for i in range(n):
        word = d.choices[i] | I64(d.cards[i]) << CARD_BITS
        for kind in range(KINDS):
            word |= ((f.kinds[kind] >> d.cards[i]) & 1) << (KIND_BITS + kind)
        p = lowest(d.choices[i])
        while not has(f.put[p], d.cards[i]):
            p += 1
        d.slot[at[p]] = word
        d.place[at[p]] = p
        at[p] += 1


@jit
def mix(f: Row, d: Row, n: int, excess: int, rng: Any) -> None:
    """Exchange cards at random until where the chain began does not matter; `put` gets the masks."""
    steps = FEWEST_STEPS + STEPS * n if d.n_places > 1 else 0
    for _ in range(PATIENCE * steps):
        word = next_word(rng)
        excess += (
            cycle(f, d, rng) if d.n_places > 2 and word >> U64(64 - LONG_BITS) == 0 else swap(f, d, word, rng)
        )
        steps -= excess == 0
        if steps == 0:
            break
    fill(f.put, 0)
    for p in range(PLACES):
        for k in range(d.first[p], d.first[p + 1]):
            f.put[p] |= bit(d.slot[k] >> CARD_BITS)


@jit
def swap(f: Row, d: Row, word: Any, rng: Any) -> int:
    """Perhaps exchange a card of one place for one of another, both drawn by the lower half of a random word;
    return the change of the excess.
    """
    i, j = sixteenth(word, 0, d.first[PLACES]), sixteenth(word, 1, d.first[PLACES])
    a, b = d.place[i], d.place[j]
    if a == b:
        return 0
    x, y = d.slot[i], d.slot[j]
    if (x >> b) & (y >> a) & 1 == 0:
        return 0
    change = 0
    if (x ^ y) & KIND_MASK != 0:
        change = change_at(f, d, a, x, y) + change_at(f, d, b, y, x)
        if not accepted(change, rng):
            return 0
        recount(d, a, x, y)
        recount(d, b, y, x)
    d.slot[i] = y
    d.slot[j] = x
    return change


@jit
def cycle(f: Row, d: Row, rng: Any) -> int:
    """Perhaps move a random card of each of some places on to the next; return the change of the excess."""
    length = 3 + below(rng, d.n_places - 2)
    draw_slots(d.drawn, length, d.places, d.n_places, d.first, rng)
    change = 0
    gained = d.slot[d.drawn[length - 1]]
    for k in range(length):
        lost = d.slot[d.drawn[k]]
        if not has(gained, d.places[k]):
            return 0
        change += change_at(f, d, d.places[k], lost, gained)
        gained = lost
    if not accepted(change, rng):
        return 0
    gained = d.slot[d.drawn[length - 1]]
    for k in range(length):
        lost = d.slot[d.drawn[k]]
        recount(d, d.places[k], lost, gained)
        d.slot[d.drawn[k]] = gained
        gained = lost
    return change


@jit
def change_at(f: Row, d: Row, p: int, lost: int, gained: int) -> int:
    """Change of the excess when a place loses one card and gets another, both as in `slot`."""
    change = 0
    differ = (lost ^ gained) & KIND_MASK
    while differ != 0:
        kind = lowest(differ) - KIND_BITS
        differ &= differ - 1
        n = d.held[kind, p]
        if has(lost, KIND_BITS + kind):
            change += (n <= f.least[kind, p]) - (n > f.most[kind, p])
        else:
            change += (n >= f.most[kind, p]) - (n < f.least[kind, p])
    return change


@jit
def recount(d: Row, p: int, lost: int, gained: int) -> None:
    """Note in `held` that a place has lost one card and got another, both as in `slot`."""
    differ = (lost ^ gained) & KIND_MASK
    while differ != 0:
        kind = lowest(differ) - KIND_BITS
        differ &= differ - 1
        d.held[kind, p] += -1 if has(lost, KIND_BITS + kind) else 1


@jit
def accepted(change: int, rng: Any) -> bool:
    """Whether a step is taken: always if no more cards do not fit than before, else seldom."""
    return change <= 0 or (PENALTY * change < 64 and next_word(rng) >> U64(64 - PENALTY * change) == 0)
