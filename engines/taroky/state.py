"""Taroky: the vocabulary, the record, and what rules, views and bots ask about masks and records.

Cards, masks and tables, phases, actions, options, `STATE`; then small functions in which nothing moves. Numbers in brackets are
the sections of `docs/rules/taroky.md`. What may be done and what it does is in `taroky`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .. import core
from ..core import Row, bit, count, has, jit
from ..option import Option, state_dtype

# --- vocabulary (1) --------------------------------------------------------------------------------------------------------

SUIT_RANKS = {"s": "789TJRQK", "c": "789TJRQK", "h": "1234JRQK", "d": "1234JRQK"}
TRUMP_TEXTS = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI Sk"
CARDS = (*(rank + suit for suit, ranks in SUIT_RANKS.items() for rank in ranks), *TRUMP_TEXTS.split())


def mask_of(text: str) -> int:
    """The mask of cards named in text, blank-separated: `mask_of("Ks XXI")`."""
    return sum(1 << CARDS.index(card) for card in text.split())


N_CARDS = 54
DECK_POINTS = 106
HAND = 12
TRICKS = 12
PLAYS = 48
PAGAT_CARD, II, VIII, XV, XIX, MOND, SKYZ = (CARDS.index(card) for card in ("I", "II", "VIII", "XV", "XIX", "XXI", "Sk"))
ALL = (1 << N_CARDS) - 1
TRUMPS = ALL ^ ((1 << PAGAT_CARD) - 1)
KINGS = mask_of("Ks Kc Kh Kd")
TRUL_CARDS = mask_of("I XXI Sk")
FIVES = KINGS | TRUL_CARDS
QUEENS, RIDERS, JACKS = (mask_of(" ".join(rank + suit for suit in "schd")) for rank in "QRJ")
PLAIN = ALL & ~TRUMPS & ~KINGS  # what may be discarded unseen
SUITS = np.array([255, 255 << 8, 255 << 16, 255 << 24, TRUMPS], np.int64)  # spades, clubs, hearts, diamonds, trumps
TRUMP_SUIT = 4
SUIT = tuple(min(card // 8, TRUMP_SUIT) for card in range(N_CARDS))
POINTS = tuple(
    1 + sum(worth * (mask >> card & 1) for worth, mask in ((1, JACKS), (2, RIDERS), (3, QUEENS), (4, FIVES)))
    for card in range(N_CARDS)
)


def _beaten_by(rank: Callable[[int], float]) -> list[int]:
    """For every card the mask of the cards that take the trick from it when played later (4.12)."""
    return [
        sum(1 << c for c in range(N_CARDS) if (rank(c) > rank(card) if SUIT[c] == SUIT[card] else SUIT[c] == TRUMP_SUIT))
        for card in range(N_CARDS)
    ]


RED_ONES = tuple(CARDS.index(card) for card in ("1h", "1d"))
BEATEN_BY = np.array([_beaten_by(lambda card: card), _beaten_by(lambda card: card + 3.5 * (card in RED_ONES))], np.int64)

I64_0 = core.I64(0)

# phases (4), in the order of a round
(CUTTING, PILES, BIDDING, TALON, DRAWING, OFFERED, DISCARDING, CALLING, MONEY, VALAT_CALL, CONTRA_CALL, PAGAT_CALL, PLAYING) = (
    range(13)
)
PHASES = ("cut", "pile", "bid", "talon", "draw", "offer", "discard", "call", "money", "valat", "contra", "pagat", "play")

# actions (7)
PLAY, DISCARD, CUT, PILE, PASS, PREVER, KEEP, REJECT = 0, 54, 108, 117, 121, 122, 123, 124
DRAW, OFFER, ACCEPT, ANNOUNCE, CONCEAL, CALL, VALAT, CONTRA, PAGAT = 125, 126, 127, 128, 129, 130, 135, 136, 139
N_ACTIONS = 140
STYLES = ("cut", "knock 1", "knock 2", "knock 3", "knock 4", "knock 6", "knock 12", "knock 345", "knock choice")
CUT_STYLE, CHOICE = 0, 8
CONTRAS = ("contra", "rhea", "supra")
ACTIONS = (
    *(f"play {card}" for card in CARDS),
    *(f"discard {card}" for card in CARDS),
    *STYLES,
    *(f"pile {n}" for n in range(1, 5)),
    *("pass", "prever", "keep", "reject", "draw", "offer", "accept", "announce", "conceal"),
    *(f"call {card}" for card in ("XIX", "XVIII", "XVII", "XVI", "XV")),
    *("valat", *CONTRAS, "pagat"),
)

# packets (3): RECEIVERS[style, i] = who gets card 6 + i, counted from the seat after the dealer
PACKETS = ([6] * 2, [1] * 12, [2] * 6, [3] * 4, [4] * 3, [6] * 2, [12], [3, 4, 5], [12])
RECEIVERS = np.array([[to for size in sizes for to in range(4) for _ in range(size)] for sizes in PACKETS], np.int8)

# money cards (4.8): bit k of an announcement
MONEY_CARDS = ("uni", "bida", "tarocky", "taroky", "trul", "pane", "rosa-pane", "rosa-pane+")
MONEY_CHIPS = np.array([4, 2, 2, 4, 2, 2, 4, 6], np.int64)
UNI, BIDA, TAROCKY, TAROKY, TRUL, PANE, ROSA_PANE, ROSA_PANE_PLUS = (1 << k for k in range(8))

KINDS = ("", "counted", "uncalled valat", "valat")  # of a result; positive: the declarers won, negative: they lost
COUNTED, UNCALLED_VALAT, CALLED_VALAT = 1, 2, 3
MAX_ROUNDS = 64
NOBODY = -1

OPTIONS = (
    Option("rounds", 4, "rounds in a game; with a multiple of 4 every seat is Povinnost equally often", 1, MAX_ROUNDS),
    Option("first_dealer", 0, "dealer of round 1; -1: every seat draws a card and the highest deals", -1, 3),
    Option("ace_high", False, "the red 1 outranks 4, 3 and 2"),
    Option("pagat_fail", 4, "chips a head for failing a called Pagat", 4, 20),
    Option("pagat_with_valat", False, "the Pagat is called and settled also when Valat was called"),
    Option("prever_override", False, "everybody is asked and the last caller of Prever plays it"),
)

# --- the record: -1 is the blank where not said otherwise; [..] names who may see what is not public ------------------------

STATE = state_dtype(
    OPTIONS,
    [
        ("finished", np.int8),  # rounds settled, so also the index of the round being played; blank 0
        ("phase", np.int8),
        ("dealer", np.int8),
        ("lead", np.int8),  # Povinnost; blank until found in round 1
        ("deciding", np.int8),  # the card that made Povinnost in round 1
        ("style", np.int8),  # index into STYLES
        ("prever", np.int8),  # seat that plays Prever, set when the bidding is over
        ("rejections", np.int8),  # halves of the talon that Prever refused; blank 0
        ("called", np.int8),  # called card
        ("partner", np.int8),  # its holder; Povinnost itself if it plays alone [who knows it, `knows_partner`]
        ("valat", np.int8),  # caller
        ("pagat", np.int8),  # caller
        ("played", np.int8),  # cards played to tricks, 0..48; blank 0
        ("drawn", np.int8, 4),  # cards that the seats drew for the deal
        ("piles", np.int8, 4),  # seat that took pile n
        ("bids", np.int8, 4),  # 0 pass, 1 prever
        ("side", np.int8, 4),  # as bids and calls have shown it to all: 1 declarer, 0 opponent
        ("offers", np.int8, 2),  # DRAW, OFFER, ACCEPT or REJECT for the talon's fifth and sixth card
        ("contras", np.int8, 3),  # callers of contra, rhea, supra
        ("size", np.int8, 4),  # cards in hand; blank 0
        ("discards", np.int8, 4),  # cards discarded; blank 0
        ("leads", np.int8, TRICKS),  # leader of each trick
        ("tricks", np.int8, PLAYS),  # cards in the order of play, four a trick
        ("order", np.int8, N_CARDS),  # the shuffled deck until it is dealt [nobody]
        ("talon", np.int8, 6),  # cards still in the talon, by place [those shown; Prever sees the half it decides on]
        ("money", np.int16, 4),  # announced money cards, bits; blank 0
        ("hand", np.int64, 4),  # masks; blank 0 [holder]
        ("discard", np.int64, 4),  # masks; blank 0 [discarder; trumps all]
        ("shown", np.int64),  # talon cards that all have seen; blank 0
        ("won", np.int64, 4),  # cards that each seat took in tricks; blank 0
        ("chips", np.int32, 4),  # net chips of each seat; blank 0
        # finished rounds; blank 0
        ("declarers", np.int8, MAX_ROUNDS),  # mask of the declaring seats
        ("points", np.int8, MAX_ROUNDS),  # their card points
        ("kind", np.int8, MAX_ROUNDS),  # index into KINDS, negative if they lost
        ("bonus", np.int8, MAX_ROUNDS),  # Pagat bonus a head, negative if they pay
        ("pay", np.int16, MAX_ROUNDS),  # the whole payment a head, negative if they pay
        ("change", np.int16, (MAX_ROUNDS, 4)),  # chips won and lost in the round, money cards included
    ],
)

# --- what rules and bots ask -----------------------------------------------------------------------------------------------


@jit
def after(seat: int, places: int) -> int:
    """The seat so many places on, counter-clockwise (1)."""
    return (seat + places) & 3


@jit
def suit_of(card: int) -> int:
    """Suit of a card: 0 spades, 1 clubs, 2 hearts, 3 diamonds, 4 trumps."""
    return min(card >> 3, TRUMP_SUIT)


@jit
def card_points(mask: int) -> int:
    """Card points of a mask (1)."""
    return count(mask) + count(mask & JACKS) + 2 * count(mask & RIDERS) + 3 * count(mask & QUEENS) + 4 * count(mask & FIVES)


@jit
def beats(card: int, best: int, ace_high: int) -> bool:
    """Whether a card played later takes the trick from the best card so far (4.12); `ace_high` is the option, 0 or 1."""
    return has(BEATEN_BY[ace_high, best], card)


@jit
def trick_best(s: Row, first: int, n: int) -> int:
    """Place (0..3) of the winning card among `n` cards of a trick that starts at `s.tricks[first]` (4.12)."""
    best = 0
    for k in range(1, n):
        if beats(s.tricks[first + k], s.tricks[first + best], s.ace_high):
            best = k
    return best


@jit
def trick_start(s: Row) -> int:
    """Place in `s.tricks` of the first card of the trick in progress."""
    return s.played & ~3


@jit
def trick_mask(s: Row) -> int:
    """Mask of the cards in the trick in progress."""
    mask = I64_0
    for k in range(trick_start(s), s.played):
        mask |= bit(s.tricks[k])
    return mask


@jit
def gone(s: Row) -> int:
    """Mask of all cards played to tricks in this round."""
    return s.won[0] | s.won[1] | s.won[2] | s.won[3] | trick_mask(s)


@jit
def money_of(hand: int) -> int:
    """Money cards of a hand of 12, as bits (4.8)."""
    trumps, fives, kings = count(hand & TRUMPS), count(hand & FIVES), count(hand & KINGS)
    money = 0
    if trumps == 0:
        money |= UNI
    elif trumps <= 2:
        money |= BIDA
    elif trumps >= 10:
        money |= TAROKY
    elif trumps >= 8:
        money |= TAROCKY
    if hand & TRUL_CARDS == TRUL_CARDS:
        money |= TRUL
    if kings == 4:
        money |= ROSA_PANE if fives == 4 else ROSA_PANE_PLUS
    elif fives >= 4:
        money |= PANE
    return money


@jit
def money_chips(money: int) -> int:
    """Chips that each other seat pays for announced money cards (4.8)."""
    chips = 0
    for k in range(len(MONEY_CHIPS)):
        if has(money, k):
            chips += MONEY_CHIPS[k]
    return chips


@jit
def money_balance(s: Row, seat: int) -> int:
    """Chips that this round's money cards brought a seat: each of the others pays the announcer (4.8)."""
    chips = 4 * money_chips(s.money[seat])
    for other in range(4):
        chips -= money_chips(s.money[other])
    return chips


@jit
def base_of(points: int, factor: int) -> int:
    """Chips of a counted round for the declarers' card points; `factor` is 3 with Prever, else 2 (5)."""
    return ((abs(points - 53) + 10) * factor + 5) // 10


@jit
def is_declarer(s: Row, seat: int) -> bool:
    """Whether a seat that sees its own hand is of the declaring side, before the first trick (1)."""
    if s.prever >= 0:
        return seat == s.prever
    return seat == s.lead or (s.called >= 0 and has(s.hand[seat], s.called))


@jit
def declarers(s: Row) -> int:
    """Mask of the declaring seats (1); a partner that is blank in this row is left out."""
    if s.prever >= 0:
        return bit(s.prever)
    return bit(s.lead) | (bit(s.partner) if s.partner >= 0 else I64_0)


@jit
def holder(s: Row, card: int) -> int:
    """The seat with this card in hand, else Povinnost."""
    for seat in range(4):
        if has(s.hand[seat], card):
            return seat
    return s.lead
