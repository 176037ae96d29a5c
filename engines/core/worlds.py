"""Random worlds for `determinize`: put unseen cards at places that have room for them and may hold them.

A place is a hand, a discard pile, a talon. `room`, `may` and `put` are int64 arrays with one element a place: how many cards
it still takes, the mask of the cards that may lie there, the mask of those that were put there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .chance import below, shuffle_with
from .compile import jit
from .masks import bit, cards_into, has, lowest


@jit
def only_at(may: Any, place: int, cards: int) -> None:
    """Say that unseen cards of this mask can be at one place only."""
    for other in range(len(may)):
        if other != place:
            may[other] &= ~cards


@jit
def place_cards(unseen: int, room: Any, may: Any, put: Any, rng: Any) -> None:
    """Put every unseen card at a random place that has room and may hold it; `put` gets the masks."""
    cards = np.empty(64, np.int16)
    left = np.empty(len(may), np.int64)
    for place in range(len(may)):
        left[place] = room[place]
        put[place] = 0
    n = cards_into(cards, 0, 0, unseen)
    shuffle_with(cards, n, rng)
    forced_first(cards, n, may)
    for i in range(n):
        place = random_place(cards[i], left, may, rng)
        if place < 0:
            place = make_room(cards[i], left, may, put)
        put[place] |= bit(cards[i])
        left[place] -= 1


@jit
def forced_first(cards: Any, n: int, may: Any) -> None:
    """Move the cards that can be at one place only to the front."""
    front = 0
    for i in range(n):
        choices = 0
        for place in range(len(may)):
            choices += has(may[place], cards[i])
        if choices == 1:
            card = cards[i]
            cards[i] = cards[front]
            cards[front] = card
            front += 1


@jit
def random_place(card: int, left: Any, may: Any, rng: Any) -> int:
    """A place that may hold this card, likely as the room left in it; -1 if all are full."""
    total = 0
    for place in range(len(may)):
        if has(may[place], card):
            total += left[place]
    if total == 0:
        return -1
    ticket = below(rng, total)
    for place in range(len(may)):
        if has(may[place], card):
            ticket -= left[place]
            if ticket < 0:
                return place
    return -1


@jit
def make_room(card: int, left: Any, may: Any, put: Any) -> int:
    """Make room for a card by moving others along the shortest chain of places; return the place that is free now.

    A chain exists as long as the facts agree with each other, since the true world agrees with all of them.
    """
    queue = np.empty(len(may), np.int64)
    came = np.full(len(may), -2)  # -2: not reached, -1: may hold the card itself
    tail = 0
    for place in range(len(may)):
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
