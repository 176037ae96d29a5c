"""Skeleton: cards, actions, options, the record, and what can be read off a row. Nothing moves here."""

from __future__ import annotations

import numpy as np

from engines.core import I64, NOBODY, Row, jit, mask_of
from engines.option import Option
from engines.record import AMOUNT, Record, within

SUITS, RANKS = "cdsh", "23456789TJQKA"
CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)  # card number = 13 * suit + rank
ALL_CARDS = (1 << 52) - 1
SUIT_CARDS = (1 << 13) - 1
SEATS, TRICKS = 4, 13
ACTIONS = tuple(f"play {card}" for card in CARDS)

OPTIONS = (Option("rounds", 4, "rounds in one game", 1, 100),)
RECORD = Record(
    OPTIONS,
    [
        ("skeleton_round", np.int64, within(0, lambda o: o["rounds"] - 1)),  # rounds that are over
        ("trick", np.int64, within(0, TRICKS - 1)),  # number of the trick in play; blank 0
        ("hand", np.int64, SEATS, within(0, ALL_CARDS)),  # own only
        ("played", np.int8, (SEATS, TRICKS), within(NOBODY, 51)),  # [seat, trick] card; blank -1
        ("leaders", np.int8, TRICKS, within(NOBODY, SEATS - 1)),  # of each trick; blank -1
        ("total", np.int64, SEATS, AMOUNT),  # points of this round and of those before
    ],
)


@jit
def suit_cards(card: int) -> int:
    """Mask of all cards of a card's suit."""
    return I64(SUIT_CARDS) << I64(13 * (card // 13))


@jit
def led_card(s: Row, trick: int) -> int:
    """Return the card that was led to a trick; -1 if none was."""
    leader = s.leaders[trick]
    return I64(s.played[leader, trick]) if leader >= 0 else I64(NOBODY)


@jit
def playable(hand: int, led: int) -> int:
    """Mask of the cards of a hand that may be played to a card; -1: the hand leads [4]."""
    suited = hand & suit_cards(led) if led >= 0 else I64(0)
    return suited if suited != 0 else hand


@jit
def beats(card: int, best: int) -> bool:
    """Whether a card wins over the best card of the trick so far [4]."""
    return card // 13 == best // 13 and card > best


@jit
def winner(s: Row, trick: int) -> int:
    """Return the seat that wins a trick as it lies [4]."""
    best = I64(s.leaders[trick])
    for k in range(1, SEATS):
        p = (s.leaders[trick] + k) % SEATS
        if beats(I64(s.played[p, trick]), I64(s.played[best, trick])):
            best = p
    return best


@jit
def played_by(s: Row, seat: int) -> int:
    """Mask of the cards that a seat has played in this round."""
    return mask_of(s.played[seat])


@jit
def could_hold(s: Row, seat: int) -> int:
    """Mask of the cards that a seat may hold by what it has played: who does not follow has none [4]."""
    cards = I64(ALL_CARDS)
    for t in range(s.trick + 1):
        card, led = s.played[seat, t], led_card(s, t)
        if card != NOBODY and card // 13 != led // 13:
            cards &= ~suit_cards(led)
    return cards
