"""Taroky: unseen cards dealt to places of which some get only so many cards of a kind, as announcements say.

A place is a hand, all secret discards, the talon; a kind is a mask of cards (trumps, five-pointers ...).
Every placing that keeps what may lie where and every number is equally likely, exactly. Not here: what a view
says about places (`worlds`).

First the number of trumps at every place is drawn. A place with room for r cards gets t trumps in
C(r, t) ways, so that the ways of all places together are counted from the last place to the first
(`count_ways`), and each number is drawn with the chance that its ways have. Then trumps and other cards are
dealt, each into their own slots (`core.worlds`), which keeps a placing with the chance that makes all equally
likely. A placing with too few or too many cards of another kind is dropped, and all is drawn again. Where
most placings are dropped, `counting` counts them all instead.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from ..core import Row, count, fill, jit, scratch
from ..core.worlds import MOST_TRIES, a_share, bound_groups, deal_groups, group_cards, has_room, only_at
from . import counting

PLACES = 6
DISCARDS, TALON = 4, 5
"""The places: the hands by seat, all secret discards, the talon."""
KINDS = 5
TRUMPS, FIVES, TRUL, KINGS, LOW = range(KINDS)
"""The kinds by number; LOW are the trumps below the deciding card."""
SIDES = OTHERS, TRUMP_SIDE = 0, 1
"""The groups: cards that are no trumps, trumps."""
MOST_ROOM, MOST_TRUMPS = 18, 22
DEALS = 100
"""Deals before the placings are counted, which takes as long as some hundred deals."""

FACTS = np.dtype(
    [
        ("unseen", np.int64),  # mask of the cards to place
        ("room", np.int64, PLACES),  # cards that each place takes
        ("may", np.int64, PLACES),  # mask of the unseen cards that may lie there
        ("kinds", np.int64, KINDS),  # masks
        ("least", np.int64, (KINDS, PLACES)),  # unseen cards of each kind that each place gets, at least ...
        ("most", np.int64, (KINDS, PLACES)),  # ... and at most
        ("put", np.int64, PLACES),  # the result: mask of the cards at each place
        # set by `prepare`
        ("special", np.int64),  # mask of the cards of all kinds but TRUMPS
        ("trumps", np.int64),  # unseen trumps
        ("fewest", np.int64, (2, PLACES)),  # slots of each place, by side, at least ...
        ("slots", np.int64, (2, PLACES)),  # ... and at most
        ("left", np.int64, (2, PLACES)),  # slots that are left while cards are dealt
        ("ways", np.float64, (PLACES + 1, MOST_TRUMPS + 1)),  # to give n trumps to the places from p on
    ],
    align=True,
)
"""What is known of the unseen cards, and where they were put."""

WAYS = np.array([[comb(r, t) for t in range(MOST_ROOM + 1)] for r in range(MOST_ROOM + 1)], np.float64)
"""Number of ways to choose which of r cards are the t trumps."""


@jit
def narrow(f: Row) -> None:
    """Narrow where cards may lie by what the numbers make certain; no placing is lost, fewer are dropped."""
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
def prepare(f: Row, g: Any) -> None:
    """Group the cards, and count the ways to give trumps to the places, once for all placings."""
    f.special = 0
    for kind in range(TRUMPS + 1, KINDS):
        f.special |= f.kinds[kind]
    for side in range(2):
        cards = f.unseen & (f.kinds[TRUMPS] if side == TRUMP_SIDE else ~f.kinds[TRUMPS])
        group_cards(g[side], cards & f.special, f.may)
        group_cards(g[side], cards & ~f.special, f.may)
    f.trumps = count(f.unseen & f.kinds[TRUMPS])
    bound_trumps(f)
    count_ways(f)
    for side in range(2):
        bound_groups(g[side], f.fewest[side], f.slots[side])


@jit
def bound_trumps(f: Row) -> None:
    """Write how many slots of each place go to trumps and to other cards, at least and at most."""
    least, most = f.fewest[TRUMP_SIDE], f.slots[TRUMP_SIDE]
    in_all_least, in_all_most = 0, 0
    for p in range(PLACES):
        cards = f.unseen & f.may[p]
        trumps = count(cards & f.kinds[TRUMPS])
        least[p] = max(f.least[TRUMPS, p], f.room[p] - (count(cards) - trumps), 0)
        most[p] = min(f.most[TRUMPS, p], f.room[p], trumps)
        in_all_least += least[p]
        in_all_most += most[p]
    for p in range(PLACES):
        fewest, slots = least[p], most[p]
        least[p] = max(fewest, f.trumps - (in_all_most - slots))
        most[p] = min(slots, f.trumps - (in_all_least - fewest))
        f.fewest[OTHERS, p] = f.room[p] - most[p]
        f.slots[OTHERS, p] = f.room[p] - least[p]


@jit
def count_ways(f: Row) -> None:
    """Count the ways to give n trumps to the places from p on, from the last place to the first."""
    for n in range(f.trumps + 1):
        f.ways[PLACES, n] = 1.0 if n == 0 else 0.0
    for p in range(PLACES - 1, -1, -1):
        for n in range(f.trumps + 1):
            f.ways[p, n] = 0.0
            for t in range(f.fewest[TRUMP_SIDE, p], min(f.slots[TRUMP_SIDE, p], n) + 1):
                f.ways[p, n] += WAYS[f.room[p], t] * f.ways[p + 1, n - t]


@jit
def place(f: Row, g: Any, rng: Any) -> bool:
    """Put every unseen card at a random place; all placings that keep the facts are equally likely.

    Return whether they are kept: no placing keeps facts that contradict each other.
    """
    possible = f.ways[0, f.trumps] > 0.0 and has_room(g[OTHERS]) and has_room(g[TRUMP_SIDE])
    for _ in range(DEALS if possible else 0):
        if deal(f, g, rng):
            return True
    counts = scratch(1, counting.COUNTS)
    counted = possible and counting.count_placings(f, g, counts[0])
    for _ in range(MOST_TRIES if possible else 0):
        if counted:
            counting.place_counted(f, counts[0], rng)
            if numbers_fit(f):
                return True
        elif deal(f, g, rng):
            return True
    return False


@jit
def deal(f: Row, g: Any, rng: Any) -> bool:
    """Deal all cards once; whether the placing is kept."""
    draw_slots(f, rng)
    fill(f.put, 0)
    share, ticket = 1.0, a_share(rng)
    for side in range(2):
        if share > 0.0:
            share = deal_groups(g[side], 0, body(f, g[side]), f.left[side], f.put, share, ticket, rng)
    if share == 0.0 or not numbers_fit(f):
        return False
    for side in range(2):
        if share > 0.0:
            first = body(f, g[side])
            share = deal_groups(g[side], first, g[side].n, f.left[side], f.put, share, ticket, rng)
    return share > 0.0


@jit
def body(f: Row, g: Row) -> int:
    """How many groups are dealt before the numbers are looked at: all but a last one that does not count."""
    return g.n - 1 if g.n > 0 and g.cards[g.n - 1] & f.special == 0 else g.n


@jit
def draw_slots(f: Row, rng: Any) -> None:
    """Draw the number of trumps at every place."""
    left = f.trumps
    for p in range(PLACES):
        t = f.fewest[TRUMP_SIDE, p]
        most = min(f.slots[TRUMP_SIDE, p], left)
        if t < most:
            ticket = a_share(rng) * f.ways[p, left]
            while t < most:
                ticket -= WAYS[f.room[p], t] * f.ways[p + 1, left - t]
                if ticket < 0.0:
                    break
                t += 1
        f.left[TRUMP_SIDE, p] = t
        f.left[OTHERS, p] = f.room[p] - t
        left -= t


@jit
def numbers_fit(f: Row) -> bool:
    """Whether every place has as many cards of each kind as it should; trumps have been heeded."""
    for p in range(PLACES):
        for kind in range(TRUMPS + 1, KINDS if f.room[p] > 0 else 0):
            n = count(f.put[p] & f.kinds[kind])
            if n < f.least[kind, p] or n > f.most[kind, p]:
                return False
    return True
