"""Random worlds for `determinize`: put unseen cards at places that have room for them and may hold them.

A place is a hand, a discard pile, a talon. `room`, `may` and `put` are int64 arrays with one element a place:
how many cards it takes, the mask of the cards that may lie there, the mask of those that were put there. Not
here: what a game's facts say about the places; only one card of each number can be placed.

Every placing that the facts allow is equally likely, exactly. Cards that may lie at the same places are a
group; those with fewest choices are dealt first, each card into one of the free slots that it may take, all
equally likely. A card that had F slots to choose from makes its placing 1 / F as likely, so a placing is kept
with a chance in proportion to the product of all F (von Neumann 1951), else all cards are dealt again. While
sets of places are nested (one seat is known to lack a suit; two lack the same) every F is the same in all
placings, and the first deal is kept. Sets that cross (this one has no spades, that one no hearts) cost a few
more deals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .chance import below, draw_from, next_word
from .compile import I64, U64, Row, jit
from .frame import cleared, scratch
from .masks import bit, count, fill, has, lowest

MOST_GROUPS, MOST_PLACES = 64, 16
MOST_TRIES = 1 << 14
"""Far beyond any need: facts that contradict each other, which no game leads to, end here."""

GROUPS = np.dtype(
    [
        ("n", np.int64),  # how many groups there are
        ("cards", np.int64, MOST_GROUPS),  # their masks, fewest choices first
        ("choices", np.int64, MOST_GROUPS),  # masks of the places where they may lie
        ("most", np.int64, MOST_GROUPS),  # free slots that the first card of a group has, at most
    ],
    align=True,
)
"""Cards to be dealt, one row for each side of cards that have slots of their own."""


@jit
def only_at(may: Any, place: int, cards: int) -> None:
    """Say that unseen cards of this mask can be at one place only."""
    for other in range(len(may)):
        if other != place:
            may[other] &= ~cards


@jit
def place_cards(unseen: int, room: Any, may: Any, put: Any, rng: Any) -> None:
    """Put every unseen card at a random place that may hold it.

    No place gets more cards than it has room for. All such placings are equally likely.

    Args:
        unseen: mask of the cards; as many as there is room.
        room: cards that each place takes.
        may: mask of the unseen cards that may lie at each place.
        put: set: mask of the cards that were put at each place.
        rng: uint64[1], modified in place.
    """
    groups = cleared(1, GROUPS)
    group_cards(groups[0], unseen, may)
    bound_groups(groups[0], room, room)
    place_groups(groups[0], room, put, rng)


@jit
def place_groups(g: Row, room: Any, put: Any, rng: Any) -> bool:
    """Place cards as `place_cards` does: groups that `bound_groups` has completed can be placed many times.

    Return whether the facts were kept. Where they contradict each other, cards lie anyhow.
    """
    left = scratch(MOST_PLACES, np.int64)
    for _ in range(MOST_TRIES if has_room(g) else 0):
        for p in range(len(room)):
            left[p] = room[p]
            put[p] = 0
        if deal_groups(g, 0, g.n, left, put, 1.0, a_share(rng), rng) > 0.0:
            return True
    place_anyhow(g, room, put)
    return False


@jit
def group_cards(g: Row, cards: int, may: Any) -> None:
    """Add cards (a mask) to the groups, behind those that have no more choices."""
    while cards != 0:
        card, same, choices = lowest(cards), cards, I64(0)
        for p in range(len(may)):
            if has(may[p], card):
                same &= may[p]
                choices |= bit(p)
            else:
                same &= ~may[p]
        cards &= ~same
        k = g.n
        while k > 0 and count(g.choices[k - 1]) > count(choices):
            g.cards[k] = g.cards[k - 1]
            g.choices[k] = g.choices[k - 1]
            k -= 1
        g.cards[k] = same
        g.choices[k] = choices
        g.n += 1


@jit
def bound_groups(g: Row, fewest: Any, most: Any) -> None:
    """Set `most`: free slots that the first card of each group has, by those of each place (fewest, most)."""
    total = I64(0)
    for k in range(g.n):
        total += count(g.cards[k])
    for k in range(g.n):
        inside, outside = slots_in(g.choices[k], most), total - slots_in(~g.choices[k], fewest)
        g.most[k] = min(inside, outside)
        for j in range(k):
            elsewhere = g.choices[j] & ~g.choices[k]
            g.most[k] -= max(count(g.cards[j]) - slots_in(elsewhere, most), 0)


@jit
def has_room(g: Row) -> bool:
    """Whether each group has slots for all its cards, as far as `bound_groups` tells.

    Else there is no placing, and none may be tried: cards would be counted through slots that are not there.
    """
    enough = True
    for k in range(g.n):
        enough &= g.most[k] >= count(g.cards[k])
    return enough


@jit
def slots_in(places: int, slots: Any) -> int:
    """Sum of the slots of some places (a mask)."""
    total = I64(0)
    for p in range(len(slots)):
        total += slots[p] * ((places >> p) & 1)
    return total


@jit
def a_share(rng: Any) -> float:
    """Return a random number from 0 up to 1, in 53 bits."""
    return I64(next_word(rng) >> U64(11)) * 2.0**-53


@jit
def deal_groups(
    g: Row, first: int, end: int, left: Any, put: Any, share: float, ticket: float, rng: Any
) -> float:
    """Deal groups `first` to `end - 1` into the slots that are left; 0 if the placing is not kept.

    Args:
        left: free slots of each place, modified in place.
        put: mask of the cards at each place, modified in place.
        share: chance with which the groups before were kept: the product of F / most.
        ticket: the placing is dropped as soon as the share is not above it.
        rng: uint64[1], modified in place.

    Returns:
        The share with these groups.
    """
    for k in range(first, end):
        cards, choices, most = g.cards[k], g.choices[k], g.most[k]
        free = slots_in(choices, left)
        if k == g.n - 1 and free == count(cards):
            fill_up(cards, left, put, rng)
            return share
        while cards != 0:
            share *= free / most
            if share <= ticket:
                return 0.0
            p = slot_of(choices, left, below(rng, free))
            put[p] |= cards & -cards
            left[p] -= 1
            cards &= cards - 1
            free -= 1
            most -= 1
    return share


@jit
def slot_of(places: int, left: Any, slot: int) -> int:
    """Return the place of a slot: they are counted through the places of a mask."""
    p = lowest(places)
    while slot >= left[p]:
        slot -= left[p]
        places &= places - 1
        p = lowest(places)
    return p


@jit
def fill_up(cards: int, left: Any, put: Any, rng: Any) -> None:
    """Deal the last group, which fills all slots that are left."""
    rest = count(cards)
    for p in range(len(put)):
        if left[p] > 0:
            drawn = cards if left[p] >= rest else draw_from(cards, left[p], rng)
            put[p] |= drawn
            cards &= ~drawn
            rest -= left[p]


@jit
def place_anyhow(g: Row, room: Any, put: Any) -> None:
    """Fill the room in any way: the counts hold at least, where the facts contradict each other."""
    fill(put, 0)
    p = 0
    for k in range(g.n):
        cards = g.cards[k]
        while cards != 0:
            while p < len(room) and count(put[p]) >= room[p]:
                p += 1
            if p < len(room):
                put[p] |= cards & -cards
            cards &= cards - 1
