"""Jolly Zoliky: hands as masks of naturals and numbers of jokers: cards go in and out, masks become lists.

The layout of the masks is told in `state`. Not here: melds (`melds`), whose turn it is (`rules`).
"""

from __future__ import annotations

from typing import Any

from ..core import Row, bit, cards_into, count, jit
from .state import ACES, HIGH_ACES, JOKER, LANE, PLACE

TENS = 0x3C02_3C02_3C02_3C02  # A T J Q K: ten points (the ace at the low end of a run has one)
ODD, TWO_OF_FOUR, FOUR_OF_EIGHT, EIGHT_UP = (
    lane * 0x0001_0001_0001_0001 for lane in (0x02A8, 0x00CC, 0x00F0, 0x0300)
)  # the positions 2..9 whose number has this binary digit


@jit
def mirrored(hand: int) -> int:
    """Return a mask of naturals with the aces at position 14 too."""
    return hand | (hand & ACES) << 13


@jit
def folded(cells: int) -> int:
    """Return a mask of run positions as naturals: position 14 is the ace."""
    return (cells & ~HIGH_ACES) | (cells & HIGH_ACES) >> 13


@jit
def take(s: Row, p: int, cards: int) -> None:
    """Take one natural of each kind of a mask out of the hand of seat p."""
    twice = cards & s.twice[p]
    s.twice[p] &= ~twice
    s.hand[p] &= twice | ~cards


@jit
def put(s: Row, p: int, cards: int) -> None:
    """Put one natural of each kind of a mask into the hand of seat p."""
    s.twice[p] |= cards & s.hand[p]
    s.hand[p] |= cards


@jit
def take_kind(s: Row, p: int, kind: int) -> None:
    """Take one card (a kind, or JOKER) out of the hand of seat p."""
    s.held[p] -= 1
    if kind == JOKER:
        s.jokers[p] -= 1
    else:
        take(s, p, bit(PLACE[kind]))


@jit
def put_kind(s: Row, p: int, kind: int) -> None:
    """Put one card (a kind, or JOKER) into the hand of seat p."""
    s.held[p] += 1
    show_kind(s, p, kind)


@jit
def show_kind(s: Row, p: int, kind: int) -> None:
    """Say of one card in the hand of seat p, which is counted already, what it is."""
    if kind == JOKER:
        s.jokers[p] += 1
    else:
        put(s, p, bit(PLACE[kind]))


@jit
def kinds_into(out: Any, n: int, first: int, mask: int) -> int:
    """Write `first + kind` for every natural of a mask into `out`, ascending."""
    for suit in range(4):
        n = cards_into(out, n, first + 13 * suit, mask >> (16 * suit + 1) & 0x1FFF)
    return n


@jit
def suits_of(hand: int, pos: int) -> int:
    """Return the suits of which a mask holds the natural of a position 1..13, as 4 bits."""
    m = hand >> pos
    return m & 1 | m >> 15 & 2 | m >> 30 & 4 | m >> 45 & 8


@jit
def positions(cells: int) -> int:
    """Return the positions of a mask in whatever suit, as 16 bits."""
    return (cells | cells >> 16 | cells >> 32 | cells >> 48) & LANE


@jit
def set_ranks(hand: int, jokers: int) -> int:
    """Return the ranks of which three cards are there, as bits of their positions."""
    s, h, d, c = hand & LANE, hand >> 16 & LANE, hand >> 32 & LANE, hand >> 48 & LANE
    if jokers >= 2:
        return positions(hand)
    if jokers == 1:
        return s & h | d & c | (s | h) & (d | c)
    return s & h & (d | c) | d & c & (s | h)


@jit
def hand_points(hand: int) -> int:
    """Most points that the naturals of a mask can have in melds [1]."""
    low = hand & ~TENS
    by_digit = (
        count(low & ODD)
        + 2 * count(low & TWO_OF_FOUR)
        + 4 * count(low & FOUR_OF_EIGHT)
        + 8 * count(low & EIGHT_UP)
    )
    return 10 * count(hand & TENS) + by_digit
