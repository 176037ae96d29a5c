"""Kuhn and Leduc poker: hidden are the other's card, and the table's before the second round."""

from typing import Any

from engines.core import NOBODY, OVER, Row, below, jit


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the others' cards, and the table's in the first round."""
    for p in range(2):
        if p != seat:
            s.hand[p] = NOBODY
    if s.second == 0:
        s.table_card = NOBODY


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the unseen cards."""
    if s.seat == OVER:
        return
    for p in range(2):
        if s.hand[p] == NOBODY:
            s.hand[p] = unseen(s, rng)
    if s.leduc == 1 and s.table_card == NOBODY:
        s.table_card = unseen(s, rng)


@jit
def unseen(s: Row, rng: Any) -> int:
    """Return a random card that nobody holds."""
    while True:
        card = below(rng, 6) if s.leduc == 1 else 2 * below(rng, 3)
        if card != s.hand[0] and card != s.hand[1] and card != s.table_card:
            return int(card)


@jit
def put_back(s: Row, w: Row, action: int) -> int:
    """Give the seat the card that it has in a world."""
    s.hand[s.seat] = w.hand[s.seat]
    return action


@jit
def valid(s: Row) -> bool:
    """Whether the cards of a row differ, and are of the pack."""
    for p in range(2):
        card = s.hand[p]
        if card != NOBODY and (card == s.hand[1 - p] or card == s.table_card):
            return False
        if card != NOBODY and s.leduc == 0 and card % 2 == 1:
            return False
    return s.leduc == 1 or s.table_card == NOBODY
