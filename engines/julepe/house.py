"""Julepe: how the house chooses a card, and what its cards tell of its hand [4.6].

What the house is dealt and when it plays is in `rules`.
"""

from __future__ import annotations

from typing import Any

from ..core import I64, NOBODY, Row, below, bit, count, draw_from, highest, jit, lowest
from . import state
from .state import HOUSE, card_of, cards_of, dealer

PILED = 2  # cards that the house has from the pile [4.2]

# --- its choice ---------------------------------------------------------------------------------------------


@jit
def strength(card: int, trump: int) -> int:
    """Place of a card in the house's order, weak to strong: side suits first, then rank, then o c b [4.6]."""
    return 3 * (card % 10) + card // 10 + (30 if card // 10 == trump else 0)


@jit
def weakest(cards: int, trump: int) -> int:
    """Return the weakest card of a mask, which is not empty: of six, the one that the house throws [4.6]."""
    least = lowest(cards)
    while cards != 0:
        card = lowest(cards)
        if strength(card, trump) < strength(least, trump):
            least = card
        cards &= cards - 1
    return least


@jit
def lead(hand: int, trump: int) -> int:
    """Lead the highest side-suit card (equal ranks: o, c, b), else its highest trump [4.6]."""
    side = hand & ~state.suit_cards(trump)
    if side == 0:
        return highest(hand)
    best = lowest(side)
    while side != 0:
        card = lowest(side)
        if card % 10 > best % 10:
            best = card
        side &= side - 1
    return best


@jit
def follow(hand: int, trump: int, led: int) -> int:
    """Win with the lowest-ranking card that does, else play the weakest legal card [4.6]."""
    may = state.playable(hand, trump, led, led, led, 0)
    win = may & (state.above(led) if led // 10 == trump else state.above(led) | state.suit_cards(trump))
    if win == 0:
        return weakest(may, trump)
    return lowest(win)  # all of one suit: who can follow must, who cannot may only trump


@jit
def choice(hand: int, trump: int, led: int) -> int:
    """Return the card that the house plays; `led` = -1: it leads [4.6]."""
    return lead(hand, trump) if led < 0 else follow(hand, trump, led)


# --- what its play tells ------------------------------------------------------------------------------------


@jit
def could_hold(s: Row, cards: int) -> int:
    """Those cards that the house can have had beside all that it played: it would have played the same.

    One card at a time is enough: it makes another one illegal, or is preferred to it, whatever else there is.
    """
    d, trump = dealer(s), state.trump_suit(s)
    for t in range(s.trick + 1):
        card = card_of(s, HOUSE, t)
        led = card_of(s, d, t) if s.leaders[s.slot, t] == d else I64(NOBODY)
        others = cards if card != NOBODY else I64(0)
        while others != 0:
            other = bit(lowest(others))
            if choice(bit(card) | other, trump, led) != card:
                cards &= ~other
            others &= others - 1
    return cards


@jit
def could_throw(s: Row, cards: int) -> int:
    """Those cards that are weaker than all that the house has played."""
    played, trump = cards_of(s, HOUSE), state.trump_suit(s)
    return cards & ~stronger(cards, weakest(played, trump), trump) if played != 0 else cards


@jit
def would_play(s: Row, cards: int) -> bool:
    """Whether the house, with these beside those it played, would have thrown one and played as it did."""
    thrown = bit(weakest(cards | cards_of(s, HOUSE), state.trump_suit(s)))
    return thrown & cards != 0 and could_hold(s, cards & ~thrown) == cards & ~thrown


@jit
def random_cards(s: Row, unseen: int, rng: Any) -> int:
    """Random hidden cards of the house, hand and throw-away, all sets that it can have equally likely.

    For a view of the dealer: an ace of trumps that he has not seen is in no pile and not his, so the house's.
    """
    trump, sure = state.trump_suit(s), unseen & bit(state.trump_ace(s))
    hand = could_hold(s, unseen) & ~sure
    n = state.TRICKS - count(cards_of(s, HOUSE)) - count(sure)
    sets = I64(0)
    thrown = I64(NOBODY)
    weaker = could_throw(s, unseen) & ~sure
    while weaker != 0:
        card = lowest(weaker)
        weaker &= weaker - 1
        ways = subsets(count(stronger(hand, card, trump)), n)
        sets += ways
        if ways > 0 and below(rng, sets) < ways:
            thrown = card
    return sure | bit(thrown) | draw_from(stronger(hand, thrown, trump), n, rng)


@jit
def stronger(cards: int, than: int, trump: int) -> int:
    """Those cards of a mask that the house finds stronger than a card."""
    those = I64(0)
    while cards != 0:
        if strength(lowest(cards), trump) > strength(than, trump):
            those |= bit(lowest(cards))
        cards &= cards - 1
    return those


@jit
def subsets(n: int, k: int) -> int:
    """Return the number of subsets of `k` of `n` cards."""
    if k < 0 or k > n:
        return 0
    ways = 1
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways
