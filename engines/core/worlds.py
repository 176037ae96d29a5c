"""Random worlds for `determinize`: put unseen cards at places that have room for them and may hold them.

A place is a hand, a discard pile, a talon. `room`, `may` and `put` are int64 arrays with one element a place:
how many cards it takes, the mask of the cards that may lie there, the mask of those that were put there. Not
here: what a game's facts say about the places; only one card of each number can be placed.

Every placing that the facts allow is equally likely. Cards with fewest choices are placed first, at a place
by the room that is left: that is exact while the sets of choices are nested (nobody is known to lack a suit;
one seat is; two are known to lack the same). Sets that cross (this one has no spades, that one no hearts)
leave a bias, and a chain of random exchanges, whose equilibrium is uniform, takes it away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .chance import below, next_word, shuffle_with
from .compile import I64, U64, jit
from .frame import scratch
from .masks import bit, cards_into, count, has, lowest

MOST_CARDS, MOST_PLACES = 64, 16
MOST_ENDS = MOST_PLACES + 1
EXCHANGES, FEWEST_EXCHANGES = 3, 80
"""Steps of the chain: three a card and some.

Where it begins, a seat can have 0.9 of 6 cards of a suit too few on average; after half as many steps 0.04;
after all of them 60 000 worlds show no difference.
"""
LONG = 6
"""One step in this many is a cycle of three or more cards; the others swap two."""


@jit
def only_at(may: Any, place: int, cards: int) -> None:
    """Say that unseen cards of this mask can be at one place only."""
    for other in range(len(may)):
        if other != place:
            may[other] &= ~cards


@jit
def place_cards(unseen: int, room: Any, may: Any, put: Any, rng: Any) -> None:
    """Put every unseen card at a random place that has room and may hold it; all such placings are equally
    likely.

    Args:
        unseen: mask of the cards; as many as there is room.
        room: cards that each place takes.
        may: mask of the unseen cards that may lie at each place.
        put: set: mask of the cards that were put at each place.
        rng: uint64[1], modified in place.
    """
    cards, choices = scratch(MOST_CARDS, np.int16), scratch(MOST_CARDS, np.int64)
    left = scratch(MOST_PLACES, np.int64)[: len(may)]
    for place in range(len(may)):
        left[place] = room[place]
        put[place] = 0
    n = cards_into(cards, 0, 0, unseen)
    shuffle_with(cards, n, rng)
    nested = fewest_choices_first(cards, choices, n, may)
    if n > 0 and nested and choices[0] == choices[n - 1]:
        deal_out(cards, n, choices[0], left, put)
        return
    for i in range(n):
        place = random_place(choices[i], left, rng)
        if place < 0:
            place = make_room(cards[i], left, may, put)
            nested = False
        put[place] |= bit(cards[i])
        left[place] -= 1
    if not nested:
        exchange(cards, choices, n, put, rng)


@jit
def fewest_choices_first(cards: Any, choices: Any, n: int, may: Any) -> bool:
    """Order shuffled cards by how many places may hold them; whether each set of places is part of the next.

    `choices[i]` gets the mask of the places that may hold `cards[i]`.
    """
    for i in range(n):  # a stable insertion sort: most cards have the same choices, so little is moved
        card, places = cards[i], 0
        for place in range(len(may)):
            places |= ((may[place] >> card) & 1) << place
        at, size = i, count(places)
        while at > 0 and count(choices[at - 1]) > size:
            cards[at] = cards[at - 1]
            choices[at] = choices[at - 1]
            at -= 1
        cards[at] = card
        choices[at] = places
    for i in range(n - 1):
        if choices[i] & ~choices[i + 1] != 0:
            return False
    return True


@jit
def deal_out(cards: Any, n: int, places: int, left: Any, put: Any) -> None:
    """Deal shuffled cards that may all lie at the same places."""
    i = 0
    for place in range(len(left)):
        while has(places, place) and left[place] > 0 and i < n:
            put[place] |= bit(cards[i])
            left[place] -= 1
            i += 1


@jit
def random_place(places: int, left: Any, rng: Any) -> int:
    """One of the places of a mask, likely as the room left in it; -1 if all are full."""
    total = 0
    for place in range(len(left)):
        total += left[place] * ((places >> place) & 1)
    if total == 0:
        return -1
    ticket = below(rng, total)
    for place in range(len(left)):
        ticket -= left[place] * ((places >> place) & 1)
        if ticket < 0:
            return place
    return -1


@jit
def make_room(card: int, left: Any, may: Any, put: Any) -> int:
    """Make room for a card by moving others along the shortest chain of places; return the place that is free
    now.

    A chain exists as long as the facts agree with each other, since the true world agrees with all of them.
    """
    queue, came = scratch(MOST_PLACES, np.int64), scratch(MOST_PLACES, np.int64)
    tail = 0
    for place in range(len(may)):
        came[place] = -2  # not reached; -1: may hold the card itself
        if has(may[place], card):
            came[place] = -1
            queue[tail] = place
            tail += 1
    for head in range(len(may)):
        if head >= tail:
            break
        place = queue[head]
        if left[place] > 0:
            return pull_back(place, came, left, may, put)
        for other in range(len(may)):
            if came[other] == -2 and put[place] & may[other] != 0:
                came[other] = place
                queue[tail] = other
                tail += 1
    return first_open(left)  # contradictory facts: a row that no game leads to; the counts still hold


@jit
def pull_back(place: int, came: Any, left: Any, may: Any, put: Any) -> int:
    """Move one card along each link of the chain that ends at `place`; return its first place."""
    while came[place] >= 0:
        source = came[place]
        moved = bit(lowest(put[source] & may[place]))
        put[source] &= ~moved
        put[place] |= moved
        left[place] -= 1
        left[source] += 1
        place = source
    return place


@jit
def first_open(left: Any) -> int:
    """The first place with room."""
    place = 0
    while left[place] == 0:
        place += 1
    return place


@jit
def exchange(cards: Any, choices: Any, n: int, put: Any, rng: Any) -> None:
    """Walk at random among the allowed placings until it does not matter where the walk began.

    A step draws some places in random order and a card at each, and lets each card go to the next place, if
    every one may lie there. A step and its reverse are equally likely, so that all placings are visited
    equally often (Metropolis et al. 1953); any two placings differ by cycles that visit a place once, so that
    the steps connect them all.
    """
    slot = scratch(MOST_CARDS, np.int64)  # index into `cards`: those of the first place, of the second ...
    first = scratch(MOST_ENDS, np.int64)  # ... where each place begins
    places = scratch(MOST_PLACES, np.int64)  # those that hold cards
    size, n_places, first[0] = 0, 0, 0
    for place in range(len(put)):
        for i in range(n):
            if has(put[place], cards[i]):
                slot[size] = i
                size += 1
        first[place + 1] = size
        if size > first[place]:
            places[n_places] = place
            n_places += 1
    drawn = scratch(MOST_PLACES, np.int64)
    steps = FEWEST_EXCHANGES + EXCHANGES * n if n_places > 1 else 0
    for _ in range(steps):
        if n_places > 2 and below(rng, LONG) == 0:
            length = 3 + below(rng, n_places - 2)
            draw_slots(drawn, length, places, n_places, first, rng)
            if may_rotate(drawn, length, places, choices, slot):
                rotate(drawn, length, slot)
        else:
            swap_two(places, n_places, first, choices, slot, rng)
    for place in range(len(put)):
        put[place] = 0
        for k in range(first[place], first[place + 1]):
            put[place] |= bit(cards[slot[k]])


@jit
def swap_two(places: Any, n_places: int, first: Any, choices: Any, slot: Any, rng: Any) -> None:
    """Exchange a random card of one place for one of another, if both may.

    16 bits a choice: quick, and as likely backwards.
    """
    word = next_word(rng)
    a = sixteenth(word, 0, n_places)
    b = sixteenth(word, 1, n_places - 1)
    b += b >= a
    a, b = places[a], places[b]
    i = first[a] + sixteenth(word, 2, first[a + 1] - first[a])
    j = first[b] + sixteenth(word, 3, first[b + 1] - first[b])
    if (choices[slot[i]] >> b) & (choices[slot[j]] >> a) & 1 == 1:
        card = slot[i]
        slot[i] = slot[j]
        slot[j] = card


@jit
def sixteenth(word: Any, part: int, n: int) -> int:
    """A number 0 .. n-1 from 16 of a word's 64 bits."""
    return (I64((word >> U64(16 * part)) & U64(0xFFFF)) * n) >> 16


@jit
def draw_slots(drawn: Any, length: int, places: Any, n_places: int, first: Any, rng: Any) -> None:
    """Put `length` random places to the front of `places`, and into `drawn` a random slot of each."""
    for k in range(length):
        other = k + below(rng, n_places - k)
        place = places[other]
        places[other] = places[k]
        places[k] = place
        drawn[k] = first[place] + below(rng, first[place + 1] - first[place])


@jit
def may_rotate(drawn: Any, length: int, places: Any, choices: Any, slot: Any) -> bool:
    """Whether each of the drawn cards may lie at the place of the next."""
    for k in range(length):
        if (choices[slot[drawn[k]]] >> places[(k + 1) % length]) & 1 == 0:
            return False
    return True


@jit
def rotate(drawn: Any, length: int, slot: Any) -> None:
    """Move each of the drawn cards to the slot of the next."""
    last = slot[drawn[length - 1]]
    for k in range(length - 1, 0, -1):
        slot[drawn[k]] = slot[drawn[k - 1]]
    slot[drawn[0]] = last
