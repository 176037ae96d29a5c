"""Julepe: how the house chooses a card [4.6]. What it is dealt and when it plays is in `rules`."""

from __future__ import annotations

from ..core import highest, jit, lowest
from .state import above, playable, suit_cards


@jit
def strength(card: int, trump: int) -> int:
    """Place of a card in the house's order, weak to strong: side suits first, then rank, then o c b [4.6]."""
    return 3 * (card % 10) + card // 10 + (30 if card // 10 == trump else 0)


@jit
def weakest(cards: int, trump: int) -> int:
    """The weakest card of a mask (not empty); of six cards, the one that the house throws away [4.6]."""
    found = lowest(cards)
    while cards != 0:
        card = lowest(cards)
        if strength(card, trump) < strength(found, trump):
            found = card
        cards &= cards - 1
    return found


@jit
def lead(hand: int, trump: int) -> int:
    """The house leads its highest side-suit card (equal ranks: o, c, b); else the highest trump [4.6]."""
    side = hand & ~suit_cards(trump)
    if side == 0:
        return highest(hand)
    found = lowest(side)
    while side != 0:
        card = lowest(side)
        if card % 10 > found % 10:
            found = card
        side &= side - 1
    return found


@jit
def follow(hand: int, trump: int, led: int) -> int:
    """The house wins with the lowest-ranking card that does, else plays its weakest legal card [4.6]."""
    may = playable(hand, trump, led, led, 0)
    win = may & (above(led) if led // 10 == trump else above(led) | suit_cards(trump))
    if win == 0:
        return weakest(may, trump)
    return lowest(win)  # all of one suit: who can follow must, who cannot may only trump


@jit
def choice(hand: int, trump: int, led: int) -> int:
    """The card that the house plays; `led` = -1: it leads [4.6]."""
    return lead(hand, trump) if led < 0 else follow(hand, trump, led)
