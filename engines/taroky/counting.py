"""Taroky: all placings counted, for views in which most random deals would be dropped (`placing`).

Cards that may lie at the same places are a layer. How many of a layer come to each place is a *split*; its
ways are a multinomial coefficient. From the first layer to the last, `count_layers` adds up in how many ways
the slots of each place can have been used so far; `draw_splits` goes back from full places to empty ones and
draws the split of each layer by its share of the ways. So contingency tables with given margins and forbidden
cells are sampled exactly. Used slots are one number, a byte a place.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from ..core import I64, Row, count, draw_from, fill, has, jit, scratch
from ..core.worlds import a_share
from .state import N_CARDS

PLACES = 6
OTHERS, TRUMP_SIDE = 0, 1
LAYERS, SPLITS, USES = 12, 1024, 2048
"""At most so many layers, splits of all layers, ways to have used the slots: else nothing is counted."""
BYTE = 8
TOPS = 0x8080_8080_8080
"""The highest bit of every byte: it stays set where `cap | TOPS` less a number of slots is not below 0."""

COUNTS = np.dtype(
    [
        ("n", np.int64),  # layers
        ("cards", np.int64, LAYERS),  # their masks, those of the cards that are no trumps first
        ("choices", np.int64, LAYERS),  # masks of places
        ("stride", np.int64, PLACES),  # of a place's used slots in an index of `ways`
        ("full", np.int64),  # the room, a byte a place
        ("last", np.int64),  # its index
        ("size", np.int64),  # how many indices there are
        ("first", np.int64, LAYERS + 1),  # the first split of each layer
        ("split", np.int64, SPLITS),  # cards that each place gets, a byte a place
        ("step", np.int64, SPLITS),  # the same as a difference of indices
        ("share", np.float64, SPLITS),  # ways of the split
        ("used", np.int64, (2, USES)),  # slots used before and after a layer, wherever there is a way
        ("index", np.int64, (2, USES)),  # their indices
        ("ways", np.float64, (LAYERS, USES)),  # to have used these slots after each layer
        ("total", np.float64),  # all ways
        ("chosen", np.int64, LAYERS),  # the split that was drawn
    ],
    align=True,
)
FACTORIALS = np.array([factorial(n) for n in range(N_CARDS + 1)], np.float64)


@jit
def count_placings(f: Row, g: Any, c: Row) -> bool:
    """Count the placings for `place_counted`; False if they are too many, or none."""
    c.n = 0
    for side in range(2):
        for k in range(g[side].n):
            again = c.n > 0 and k > 0 and c.choices[c.n - 1] == g[side].choices[k]
            if not again:
                if c.n == LAYERS:
                    return False
                c.n += 1
                c.cards[c.n - 1] = 0
                c.choices[c.n - 1] = g[side].choices[k]
            c.cards[c.n - 1] |= g[side].cards[k]
    if not index_uses(f, c):
        return False
    c.first[0] = 0
    for k in range(c.n):
        if not write_splits(f, c, k):
            return False
    count_layers(f, c)
    return c.total > 0.0


@jit
def index_uses(f: Row, c: Row) -> bool:
    """Give every used slot a number; return False if there are too many ways.

    The largest place is left out: the other places tell what it has got.
    """
    largest, size = 0, 1
    for p in range(PLACES):
        if f.room[p] > f.room[largest]:
            largest = p
    c.full = packed(f.room)
    c.last = 0
    for p in range(PLACES):
        c.stride[p] = 0
        if p != largest:
            c.stride[p] = size
            c.last += size * f.room[p]
            size *= f.room[p] + 1
    c.size = size
    return size <= USES


@jit
def packed(slots: Any) -> int:
    """Slots of the places as one number, a byte a place."""
    number = I64(0)
    for p in range(PLACES):
        number |= I64(slots[p]) << I64(BYTE * p)
    return number


@jit
def write_splits(f: Row, c: Row, k: int) -> bool:
    """List the splits of layer `k`; False if there are too many."""
    places, got = scratch(PLACES, np.int64), scratch(PLACES, np.int64)
    m, size, at = 0, count(c.cards[k]), c.first[k]
    for p in range(PLACES):
        if has(c.choices[k], p) and f.room[p] > 0:
            places[m] = p
            got[m] = 0
            m += 1
    left = size
    while m > 0:  # the last place takes what is left, the others are counted up like digits
        if left <= f.room[places[m - 1]]:
            if at == SPLITS:
                return False
            got[m - 1] = left
            write_split(c, at, size, places, got, m)
            at += 1
        j = 0
        while j < m - 1 and (got[j] == f.room[places[j]] or left == 0):
            left += got[j]
            got[j] = 0
            j += 1
        if j == m - 1:
            break
        got[j] += 1
        left -= 1
    c.first[k + 1] = at
    return True


@jit
def write_split(c: Row, at: int, size: int, places: Any, got: Any, m: int) -> None:
    """Write one split: what each of the first `m` places got."""
    c.split[at] = 0
    c.step[at] = 0
    c.share[at] = FACTORIALS[size]
    for j in range(m):
        c.split[at] |= got[j] << I64(BYTE * places[j])
        c.step[at] += got[j] * c.stride[places[j]]
        c.share[at] /= FACTORIALS[got[j]]


@jit
def count_layers(f: Row, c: Row) -> None:
    """Count the ways to have used the slots after each layer but the last, and all ways."""
    now, n = 0, 1
    c.used[0, 0] = c.index[0, 0] = 0
    for k in range(c.n - 1):
        n = count_layer(f, c, k, now, n)
        now = 1 - now
    c.total = 0.0
    for at in range(c.first[c.n - 1], c.first[c.n]):
        c.total += ways_before(c, c.n - 1, c.full, c.last, at)


@jit
def count_layer(f: Row, c: Row, k: int, now: int, n: int) -> int:
    """Count the ways to have used the slots after layer `k`; return how many there are.

    Args:
        now: where in `used` the slots before it are.
        n: how many.
    """
    trumps, trumps_next = c.cards[k] & f.kinds[0] != 0, c.cards[k + 1] & f.kinds[0] != 0
    most = c.full if trumps else packed(f.slots[OTHERS])
    least = packed(f.fewest[OTHERS]) if trumps_next and not trumps else I64(0)
    ways, after, index = c.ways[k], c.used[1 - now], c.index[1 - now]
    for i in range(c.size):
        ways[i] = 0.0
    n_after = 0
    for i in range(n):
        used, place = c.used[now, i], c.index[now, i]
        before = c.ways[k - 1, place] if k > 0 else 1.0
        for at in range(c.first[k], c.first[k + 1]):
            to = used + c.split[at]
            if ((most | TOPS) - to) & ((to | TOPS) - least) & TOPS == TOPS:
                if ways[place + c.step[at]] == 0.0:
                    after[n_after] = to
                    index[n_after] = place + c.step[at]
                    n_after += 1
                ways[place + c.step[at]] += before * c.share[at]
    return n_after


@jit
def ways_before(c: Row, k: int, used: int, index: int, at: int) -> float:
    """Ways to have used these slots after layer `k`, if its split is the one at `at`."""
    if ((used | TOPS) - c.split[at]) & TOPS != TOPS:
        return 0.0
    if k == 0:
        return c.share[at] if used == c.split[at] else 0.0
    return c.share[at] * c.ways[k - 1, index - c.step[at]]


@jit
def place_counted(f: Row, c: Row, rng: Any) -> None:
    """Put every unseen card at a random place, as counted; kinds of cards but trumps are not heeded."""
    draw_splits(c, rng)
    fill(f.put, 0)
    for k in range(c.n):
        cards, split = c.cards[k], c.split[c.chosen[k]]
        for p in range(PLACES):
            drawn = draw_from(cards, (split >> I64(BYTE * p)) & 255, rng)
            f.put[p] |= drawn
            cards &= ~drawn


@jit
def draw_splits(c: Row, rng: Any) -> None:
    """Draw how the cards of each layer are split, from the last layer to the first."""
    used, index = c.full, c.last
    for k in range(c.n - 1, -1, -1):
        ticket = a_share(rng) * (c.total if k == c.n - 1 else c.ways[k, index])
        chosen = c.first[k]
        for at in range(c.first[k], c.first[k + 1]):
            ways = ways_before(c, k, used, index, at)
            if ways > 0.0:
                chosen = at
                ticket -= ways
                if ticket < 0.0:
                    break
        c.chosen[k] = chosen
        used -= c.split[chosen]
        index -= c.step[chosen]
