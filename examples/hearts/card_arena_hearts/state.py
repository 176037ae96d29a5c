"""Hearts: cards, actions, options, the record, and what can be read off a row. Nothing moves here."""

from __future__ import annotations

import numpy as np

from engines.core import I64, NOBODY, Row, bit, has, jit
from engines.declaration import Option
from engines.record import AMOUNT, Record, within

SUITS, RANKS = "cdsh", "23456789TJQKA"
CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)  # card number = 13 * suit + rank
ALL_CARDS = (1 << 52) - 1
SUIT_CARDS = (1 << 13) - 1
HEARTS, SPADES = SUIT_CARDS << 39, SUIT_CARDS << 26
QUEEN, LOW_CLUB = 36, 0  # Qs, 2c
QUEEN_POINTS, ALL_POINTS = 13, 26
SEATS, TRICKS, PASSED = 4, 13, 3
PASS, PLAY = 0, 1
PHASES = ("pass", "play")
ACTIONS = (*(f"pass {card}" for card in CARDS), *(f"play {card}" for card in CARDS))
FIRST_PLAY = 52  # number of the action "play 2c"

OPTIONS = (
    Option("rounds", 4, "rounds in one game; they pass left, right, across, not at all, and again", 1, 100),
    Option("queen_breaks", True, "the queen of spades breaks hearts, too"),
)
CARD_SET = within(0, ALL_CARDS)
RECORD = Record(
    OPTIONS,
    [
        ("hearts_round", np.int64, within(0, lambda o: o["rounds"] - 1)),  # rounds that are over
        ("phase", np.int64, within(PASS, PLAY)),  # index into PHASES; of a game that is over: 0
        ("chosen", np.int64, within(0, PASSED - 1)),  # cards that the seat to act has chosen to pass
        ("trick", np.int64, within(0, TRICKS - 1)),  # number of the trick in play; blank 0
        ("hand", np.int64, SEATS, CARD_SET),  # until all have passed with what the seat has chosen; own only
        ("passed", np.int64, SEATS, CARD_SET),  # by giver; its own, and after the passes the receiver's
        ("played", np.int8, (SEATS, TRICKS), within(NOBODY, 51)),  # [seat, trick] card; blank -1
        ("leaders", np.int8, TRICKS, within(NOBODY, SEATS - 1)),  # of each trick; blank -1
        ("total", np.int64, SEATS, AMOUNT),  # the score of the rounds that are over
    ],
)


@jit
def suit_cards(card: int) -> int:
    """Mask of all cards of a card's suit."""
    return I64(SUIT_CARDS) << I64(13 * (card // 13))


@jit
def receiver(s: Row, giver: int) -> int:
    """Return the seat that gets a giver's cards; itself in a round without passes [4.1]."""
    way = s.hearts_round % 4
    return (giver + (1 if way == 0 else 3 if way == 1 else 2 if way == 2 else 0)) % SEATS


@jit
def passes(s: Row) -> bool:
    """Whether cards are passed in this round [4.1]."""
    return s.hearts_round % 4 != 3


@jit
def led_card(s: Row, trick: int) -> int:
    """Return the card that was led to a trick; -1 if none was."""
    leader = s.leaders[trick]
    return I64(s.played[leader, trick]) if leader >= 0 else I64(NOBODY)


@jit
def is_broken(s: Row, trick: int) -> bool:
    """Whether hearts were broken before a trick [4.2]."""
    cards = I64(0)
    for t in range(trick):
        for p in range(SEATS):
            cards |= bit(s.played[p, t])
    return cards & I64(HEARTS) != 0 or (s.queen_breaks == 1 and has(cards, QUEEN))


@jit
def playable(hand: int, trick: int, led: int, broken: bool) -> int:
    """Mask of the cards of a hand that may be played [4.2].

    Args:
        hand: mask.
        trick: its number.
        led: the card led to it; -1 for the leader.
        broken: whether hearts are broken.
    """
    if led < 0:
        if trick == 0:
            return hand & bit(LOW_CLUB)
        others = hand if broken else hand & ~I64(HEARTS)
        return others if others != 0 else hand
    suited = hand & suit_cards(led)
    if suited != 0:
        return suited
    harmless = hand & ~(I64(HEARTS) | bit(QUEEN))
    return harmless if trick == 0 and harmless != 0 else hand


@jit
def winner(s: Row, trick: int) -> int:
    """Return the seat that wins a trick as it lies: the highest card of the suit led [4.3]."""
    best = I64(s.leaders[trick])
    for k in range(1, SEATS):
        p = (s.leaders[trick] + k) % SEATS
        card = s.played[p, trick]
        if card // 13 == s.played[best, trick] // 13 and card > s.played[best, trick]:
            best = p
    return best


@jit
def points_of(s: Row, seat: int) -> int:
    """Return the points in the tricks that a seat has won in this round [5]."""
    points = I64(0)
    for t in range(TRICKS):
        over = t < s.trick or (s.seat < 0 and s.leaders[t] >= 0)
        if over and winner(s, t) == seat:
            for p in range(SEATS):
                card = s.played[p, t]
                points += QUEEN_POINTS if card == QUEEN else I64(has(HEARTS, card))
    return points
