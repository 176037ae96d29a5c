"""Taroky: the vocabulary, the record, and what rules, views and bots ask about masks and records.

Cards, masks and tables, phases, actions, options, `RECORD`; then small functions in which nothing moves.
Numbers in brackets are the sections of `docs/rules/taroky.md`. Not here: what may be done and
what it does (`rules`).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from ..core import NOBODY, Row, bit, count, has, jit
from ..declaration import Option
from ..record import AMOUNT, SEAT, Record, within

# --- cards [1] ----------------------------------------------------------------------------------------------

SEATS = 4  # and so cards in a trick
SUIT_RANKS = {"s": "789TJRQK", "c": "789TJRQK", "h": "1234JRQK", "d": "1234JRQK"}
TRUMP_TEXTS = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI Sk"
CARDS = (*(rank + suit for suit, ranks in SUIT_RANKS.items() for rank in ranks), *TRUMP_TEXTS.split())


def mask_of(text: str) -> int:
    """Return the mask of cards named in text, blank-separated: `mask_of("Ks XXI")`."""
    return sum(1 << CARDS.index(card) for card in text.split())


N_CARDS = 54
DECK_POINTS = 106
HAND = 12
TALON = 6
TRICKS = 12
PLAYS = TRICKS * SEATS
PAGAT, II, VIII, XV, XIX, MOND, SKYZ = (
    CARDS.index(card) for card in ("I", "II", "VIII", "XV", "XIX", "XXI", "Sk")
)
ALL = (1 << N_CARDS) - 1
TRUMPS = ALL ^ ((1 << PAGAT) - 1)
KINGS = mask_of("Ks Kc Kh Kd")
TRUL_CARDS = mask_of("I XXI Sk")
FIVES = KINGS | TRUL_CARDS
QUEENS, RIDERS, JACKS = (mask_of(" ".join(rank + suit for suit in "schd")) for rank in "QRJ")
PLAIN = ALL & ~TRUMPS & ~KINGS  # what may be discarded unseen
TRUMP_SUIT = 4
SUITS = np.array([0xFF << 8 * suit for suit in range(TRUMP_SUIT)] + [TRUMPS], np.int64)  # s c h d, trumps
SUIT = tuple(min(card // 8, TRUMP_SUIT) for card in range(N_CARDS))
POINTS = tuple(
    1 + sum(more * (mask >> card & 1) for more, mask in ((1, JACKS), (2, RIDERS), (3, QUEENS), (4, FIVES)))
    for card in range(N_CARDS)
)


def _beaten_by(rank: Callable[[int], float]) -> list[int]:
    """For every card the mask of the cards that take the trick from it when played later [4.12]."""

    def takes(later: int, card: int) -> bool:
        return rank(later) > rank(card) if SUIT[later] == SUIT[card] else SUIT[later] == TRUMP_SUIT

    return [sum(1 << later for later in range(N_CARDS) if takes(later, card)) for card in range(N_CARDS)]


RED_ONES = tuple(CARDS.index(card) for card in ("1h", "1d"))
BEATEN_BY = np.array(  # by option ace_high and card
    [_beaten_by(lambda card: card), _beaten_by(lambda card: card + 3.5 * (card in RED_ONES))], np.int64
)

# --- phases, actions, options [2, 4, 7] ---------------------------------------------------------------------


Phase = IntEnum("Phase", "CUT PILE BID TALON DRAW OFFER DISCARD CALL MONEY VALAT CONTRA PAGAT PLAY", start=0)
"""What the seat to act decides, in the order of a round [4]."""


PHASES = tuple(phase.name.lower() for phase in Phase)


Action = IntEnum(
    "Action",
    {
        "PLAY": 0,  # + card
        "DISCARD": 54,  # + card
        "CUT": 108,  # + style
        "PILE": 117,  # + pile, 0 to 3
        "PASS": 121,
        "PREVER": 122,
        "KEEP": 123,
        "REJECT": 124,
        "DRAW": 125,
        "OFFER": 126,
        "ACCEPT": 127,
        "ANNOUNCE": 128,
        "CONCEAL": 129,
        "CALL": 130,  # XIX; + 1 XVIII, .. + 4 XV
        "VALAT": 135,
        "CONTRA": 136,  # + 1 rhea, + 2 supra
        "PAGAT": 139,
    },
)
"""The actions [7]; those with a card, style, pile or level are the first of a run."""


STYLES = (
    "cut",
    "knock 1",
    "knock 2",
    "knock 3",
    "knock 4",
    "knock 6",
    "knock 12",
    "knock 345",
    "knock choice",
)
CUT_STYLE, CHOICE_STYLE = 0, 8
CONTRAS = ("contra", "rhea", "supra")
CALLS = ("XIX", "XVIII", "XVII", "XVI", "XV")
ACTIONS = (
    *(f"play {card}" for card in CARDS),
    *(f"discard {card}" for card in CARDS),
    *STYLES,
    *(f"pile {n}" for n in range(1, 5)),
    *("pass", "prever", "keep", "reject", "draw", "offer", "accept", "announce", "conceal"),
    *(f"call {card}" for card in CALLS),
    *("valat", *CONTRAS, "pagat"),
)

# packets [3]: RECEIVERS[style, i] = who gets card 6 + i, counted from the seat after the dealer
PACKETS = ([6] * 2, [1] * 12, [2] * 6, [3] * 4, [4] * 3, [6] * 2, [12], [3, 4, 5], [12])
RECEIVERS = np.array(
    [[to for size in sizes for to in range(SEATS) for _ in range(size)] for sizes in PACKETS], np.int64
)


class Money(IntEnum):
    """Money cards, the bits of an announcement [4.8]."""

    UNI = 1
    BIDA = 2
    TAROCKY = 4
    TAROKY = 8
    TRUL = 16
    PANE = 32
    ROSA_PANE = 64
    ROSA_PANE_PLUS = 128


MONEY_CARDS = ("uni", "bida", "tarocky", "taroky", "trul", "pane", "rosa-pane", "rosa-pane+")  # by bit
MONEY_CHIPS = np.array([4, 2, 2, 4, 2, 2, 4, 6], np.int64)


class RoundEnd(IntEnum):
    """How a round ended [5]; in the record positive if the declarers won, negative if they lost."""

    COUNTED = 1
    UNCALLED_VALAT = 2
    VALAT = 3


KINDS = ("", "counted", "uncalled valat", "valat")
MAX_ROUNDS = 64

OPTIONS = (
    Option("rounds", 4, "rounds in a game; with a multiple of 4 every seat is Povinnost equally often", 1,
           MAX_ROUNDS),
    Option("first_dealer", 0, "dealer of round 1; -1: every seat draws a card and the highest deals", -1, 3),
    Option("ace_high", False, "the red 1 outranks 4, 3 and 2"),
    Option("pagat_fail", 4, "chips a head for failing a called Pagat", 4, 20),
    Option("pagat_with_valat", False, "the Pagat is called and settled also when Valat was called"),
    Option("prever_override", False, "everybody is asked and the last caller of Prever plays it"),
)  # fmt: skip

# --- the record: NOBODY (-1) is the blank where not said otherwise; [..] names who may see what is not public

CARD, CARD_SET = within(NOBODY, N_CARDS - 1), within(0, ALL)
MOST_PAY = 4000  # chips a head in one round: 60 three times doubled, twice for refusals, and a Pagat
MOST_MONEY = 100  # chips that a seat's money cards bring or cost in one round

RECORD = Record(
    OPTIONS,
    [
        # rounds settled, so also the index of the round being played; blank 0
        ("finished", np.int64, within(0, lambda o: o["rounds"])),
        ("phase", np.int64, within(NOBODY, Phase.PLAY)),
        ("dealer", np.int64, SEAT),
        ("povinnost", np.int64, SEAT),  # blank until found in round 1
        ("deciding", np.int64, within(NOBODY, VIII)),  # the card that made Povinnost in round 1
        ("style", np.int64, within(NOBODY, CHOICE_STYLE)),  # index into STYLES
        ("prever", np.int64, SEAT),  # seat that plays Prever, set when the bidding is over
        ("rejections", np.int64, within(0, 2)),  # halves of the talon that Prever refused; blank 0
        ("called", np.int64, within(NOBODY, XIX)),  # called card
        # its holder; Povinnost itself if it plays alone [who knows it, `knows_partner`]
        ("partner", np.int64, SEAT),
        ("valat", np.int64, SEAT),  # caller
        ("pagat", np.int64, SEAT),  # caller
        ("played", np.int64, within(0, PLAYS - 1)),  # cards played to tricks, 0..48; blank 0
        ("shown", np.int64, CARD_SET),  # mask of the talon cards that all have seen; blank 0
        ("drawn", np.int8, SEATS, CARD),  # cards that the seats drew for the deal
        ("piles", np.int8, 4, SEAT),  # seat that took pile n
        ("bids", np.int8, SEATS, within(NOBODY, 1)),  # 0 pass, 1 prever
        # as bids and calls have shown it to all: 1 declarer, 0 opponent
        ("side", np.int8, SEATS, within(NOBODY, 1)),
        # DRAW, OFFER, ACCEPT or REJECT for the talon's fifth and sixth card
        ("offers", np.int8, 2, within(NOBODY, Action.ACCEPT)),
        ("contras", np.int8, 3, SEAT),  # callers of contra, rhea, supra
        ("hand_size", np.int8, SEATS, within(0, HAND + 4)),  # blank 0
        ("discard_count", np.int8, SEATS, within(0, 4)),  # blank 0
        ("leaders", np.int8, TRICKS, SEAT),  # leader of each trick
        ("tricks", np.int8, PLAYS, CARD),  # cards in the order of play, four a trick
        ("order", np.int8, N_CARDS, CARD),  # the shuffled deck until it is dealt [nobody]
        # cards still in it, by place [those shown; Prever sees the half it decides on]
        ("talon", np.int8, TALON, CARD),
        # announced money cards, bits of Money; blank 0
        ("money", np.int16, SEATS, within(0, 2 * Money.ROSA_PANE_PLUS - 1)),
        ("hand", np.int64, SEATS, CARD_SET),  # masks; blank 0 [holder]
        ("discards", np.int64, SEATS, CARD_SET),  # masks; blank 0 [discarder; trumps all]
        ("won", np.int64, SEATS, CARD_SET),  # masks of the cards that each seat took in tricks; blank 0
        ("totals", np.int64, SEATS, AMOUNT),  # net chips of each seat; blank 0
        # finished rounds; blank 0:
        ("declarers", np.int8, MAX_ROUNDS, within(0, 15)),  # mask of the declaring seats
        ("points", np.int8, MAX_ROUNDS, within(0, DECK_POINTS)),  # their card points
        # RoundEnd, negative if they lost
        ("kind", np.int8, MAX_ROUNDS, within(-RoundEnd.VALAT, RoundEnd.VALAT)),
        ("bonus", np.int8, MAX_ROUNDS, within(-20, 20)),  # Pagat bonus a head, negative if they pay
        # the whole payment a head, negative if they pay
        ("pay", np.int16, MAX_ROUNDS, within(-MOST_PAY, MOST_PAY)),
        # chips that money cards brought each seat
        ("money_won", np.int8, (MAX_ROUNDS, SEATS), within(-MOST_MONEY, MOST_MONEY)),
    ],
)

# --- what rules, views and bots ask -------------------------------------------------------------------------


@jit
def after(seat: int, places: int) -> int:
    """Return the seat so many places on, counter-clockwise [1]."""
    return (seat + places) & 3


@jit
def suit_of(card: int) -> int:
    """Suit of a card: 0 spades, 1 clubs, 2 hearts, 3 diamonds, 4 trumps [1]."""
    return min(card >> 3, TRUMP_SUIT)


@jit
def card_points(mask: int) -> int:
    """Card points of a mask [1]."""
    courts = count(mask & JACKS) + 2 * count(mask & RIDERS) + 3 * count(mask & QUEENS)
    return count(mask) + courts + 4 * count(mask & FIVES)


@jit
def beats(card: int, best: int, ace_high: int) -> bool:
    """Whether a card played later takes the trick from the best card so far [4.12]; `ace_high`: 0 or 1."""
    return has(BEATEN_BY[ace_high, best], card)


@jit
def trick_best(s: Row, first: int, n: int) -> int:
    """Place (0..3) of the winning card among `n` cards of a trick that starts at `s.tricks[first]` [4.12]."""
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
def player_of(s: Row, k: int) -> int:
    """Return the seat that played the k-th card of the round, `s.tricks[k]`."""
    return (s.leaders[k >> 2] + k) & 3


@jit
def trick_mask(s: Row) -> int:
    """Mask of the cards in the trick in progress."""
    mask = 0
    for k in range(trick_start(s), s.played):
        mask |= bit(s.tricks[k])
    return mask


@jit
def gone(s: Row) -> int:
    """Mask of all cards played to tricks in this round."""
    return s.won[0] | s.won[1] | s.won[2] | s.won[3] | trick_mask(s)


@jit
def talon_turn(s: Row) -> int:
    """Whose talon card is due in a partner round: 0 the second player's, 1 the third's [4.5]."""
    return 0 if s.offers[0] == NOBODY or s.offers[0] == Action.OFFER else 1


@jit
def contra_level(s: Row) -> int:
    """How many of contra, rhea and supra were said [4.10]."""
    level = 0
    while level < len(s.contras) and s.contras[level] >= 0:
        level += 1
    return level


@jit
def trump_money(trumps: int) -> int:
    """Return the money card of a number of trumps, as a bit; 0: none [4.8]."""
    if trumps <= 2:
        return Money.UNI if trumps == 0 else Money.BIDA
    if trumps >= 8:
        return Money.TAROCKY if trumps < 10 else Money.TAROKY
    return 0


@jit
def five_money(kings: int, fives: int) -> int:
    """Return the money card of a number of Kings among five-pointers, as a bit; 0: none [4.8]."""
    if kings == 4:
        return Money.ROSA_PANE if fives == 4 else Money.ROSA_PANE_PLUS
    return Money.PANE if fives >= 4 else 0


@jit
def money_of(hand: int) -> int:
    """Money cards of a hand of 12, as bits [4.8]."""
    money = trump_money(count(hand & TRUMPS)) | five_money(count(hand & KINGS), count(hand & FIVES))
    return money | Money.TRUL if hand & TRUL_CARDS == TRUL_CARDS else money


@jit
def money_chips(money: int) -> int:
    """Chips that each other seat pays for announced money cards [4.8]."""
    chips = 0
    for k in range(len(MONEY_CHIPS)):
        if has(money, k):
            chips += MONEY_CHIPS[k]
    return chips


@jit
def money_balance(s: Row, seat: int) -> int:
    """Chips that this round's money cards brought a seat: each of the others pays the announcer [4.8]."""
    chips = SEATS * money_chips(s.money[seat])
    for other in range(SEATS):
        chips -= money_chips(s.money[other])
    return chips


@jit
def base_of(points: int, factor: int) -> int:
    """Chips of a counted round for the declarers' card points; `factor` is 3 with Prever, else 2 [5]."""
    return ((abs(points - 53) + 10) * factor + 5) // 10


@jit
def is_declarer(s: Row, seat: int) -> bool:
    """Whether a seat that sees its own hand is of the declaring side, before the first trick [1]."""
    if s.prever >= 0:
        return seat == s.prever
    return seat == s.povinnost or (s.called >= 0 and has(s.hand[seat], s.called))


@jit
def declaring_seats(s: Row) -> int:
    """Mask of the declaring seats; a partner that is blank in this row is left out [1]."""
    if s.prever >= 0:
        return bit(s.prever)
    return bit(s.povinnost) | (bit(s.partner) if s.partner >= 0 else 0)


@jit
def holder(s: Row, card: int) -> int:
    """Return the seat with this card in hand, else Povinnost [4.7]."""
    for seat in range(SEATS):
        if has(s.hand[seat], card):
            return seat
    return s.povinnost
