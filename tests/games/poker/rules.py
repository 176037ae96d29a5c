"""Kuhn and Leduc poker: the rules. Kuhn 1950, "A simplified two-person poker"; Southey et al. 2005 (UAI)."""

from typing import Any

from engines.core import OVER, SHUFFLE, Row, clear, jit

from .state import CALL, FOLD, RAISE


@jit
def start(s: Row) -> None:
    """Both pay one chip; the deal is due [1]."""
    clear(s, "hand table_card second bets paid made moves won")
    s.paid[0] = 1
    s.paid[1] = 1
    s.shuffle = 0
    s.seat = SHUFFLE


@jit
def deck(s: Row, out: Any) -> int:
    """Three cards, or six [1]."""
    if s.leduc == 1:
        for card in range(6):
            out[card] = card
        return 6
    for rank in range(3):
        out[rank] = 2 * rank
    return 3


@jit
def deal(s: Row, cards: Any) -> None:
    """A card to each seat; in Leduc poker one for the table [1]."""
    s.hand[0] = cards[0]
    s.hand[1] = cards[1]
    if s.leduc == 1:
        s.table_card = cards[2]
    s.seat = 0


@jit
def legal(s: Row, out: Any) -> int:
    """To fold needs a bet to fold to; there are so many bets a round [2]."""
    n = 0
    if s.paid[0] != s.paid[1]:
        out[n] = FOLD
        n += 1
    out[n] = CALL
    n += 1
    if s.bets < 1 + s.leduc:
        out[n] = RAISE
        n += 1
    return n


@jit
def step(s: Row, action: int) -> None:
    """Fold, check or call, bet or raise [2]."""
    seat, other = s.seat, 1 - s.seat
    facing = s.paid[0] != s.paid[1]
    s.moves[s.made] = action
    s.made += 1
    if action == FOLD:
        end(s, other)
    elif action == RAISE:
        size = (4 if s.second == 1 else 2) if s.leduc == 1 else 1
        s.paid[seat] = s.paid[other] + size
        s.bets += 1
        s.seat = other
    elif facing:
        s.paid[seat] = s.paid[other]
        close(s)
    elif seat == 1:
        close(s)
    else:
        s.seat = 1


@jit
def close(s: Row) -> None:
    """End a round of bets: turn up the card, or show the hands [3]."""
    if s.leduc == 1 and s.second == 0:
        s.second = 1
        s.bets = 0
        s.seat = 0
        return
    mine, other = strength(s, 0), strength(s, 1)
    end(s, 0 if mine > other else 1 if other > mine else -1)


@jit
def strength(s: Row, seat: int) -> int:
    """Return how good a hand is: a pair with the table's card beats all else [3]."""
    rank = s.hand[seat] // 2
    return rank + 10 * (s.leduc == 1 and rank == s.table_card // 2)


@jit
def end(s: Row, winner: int) -> None:
    """Pay the pot; -1: it is shared, which is nothing won [3]."""
    s.seat = OVER
    if winner >= 0:
        s.won[winner] = s.paid[1 - winner]
        s.won[1 - winner] = -s.paid[1 - winner]


@jit
def score(s: Row, out: Any) -> None:
    """Write the chips."""
    for seat in range(2):
        out[seat] = s.won[seat]
