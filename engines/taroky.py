"""Taroky, the Czech tarock game: four seats, 54 cards, 12 tricks a round, chips for money cards, calls and card points.

Four rounds by default, about 290 decisions. One seat, Povinnost, plays with a secret partner, the holder of a called trump;
or one seat plays Prever, alone against three. Numbers in brackets are the sections of `docs/rules/taroky.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import core
from .core import Row, below, bit, cards_into, count, fill, has, jit, lowest, nth, shuffle_with
from .game import Field, Game, Option, state_dtype
from .worlds import only_at, place_cards

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
        ("kind", np.int8, MAX_ROUNDS),  # index into KINGS, negative if they lost
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


# --- set-up: shuffle, dealer (3) -------------------------------------------------------------------------------------------

DEAL_SHUFFLE, DRAW_SHUFFLE = 0, 1  # places of the shuffles in a hand


@jit
def start(s: Row) -> None:
    """Go to the first shuffle: for the draw of the dealer or for round 1 (3)."""
    s.finished = 0
    fill(s.drawn, NOBODY)
    clear_round(s)
    s.lead = NOBODY
    s.dealer = s.first_dealer
    s.shuffle = DRAW_SHUFFLE if s.first_dealer < 0 else DEAL_SHUFFLE
    s.seat = core.SHUFFLE


@jit
def clear_round(s: Row) -> None:
    """Blank all that belongs to one round, but for its dealer and Povinnost."""
    s.phase = NOBODY
    s.deciding = NOBODY
    s.style = NOBODY
    s.prever = NOBODY
    s.rejections = 0
    s.called = NOBODY
    s.partner = NOBODY
    s.valat = NOBODY
    s.pagat = NOBODY
    s.played = 0
    s.shown = 0
    fill(s.piles, NOBODY)
    fill(s.bids, NOBODY)
    fill(s.side, NOBODY)
    fill(s.offers, NOBODY)
    fill(s.contras, NOBODY)
    fill(s.leads, NOBODY)
    fill(s.tricks, NOBODY)
    fill(s.order, NOBODY)
    fill(s.talon, NOBODY)
    for seat in range(4):
        s.size[seat] = 0
        s.discards[seat] = 0
        s.money[seat] = 0
        s.hand[seat] = 0
        s.discard[seat] = 0
        s.won[seat] = 0


@jit
def deck(s: Row, out: Any) -> int:
    """All 54 cards, at every shuffle (3)."""
    for card in range(N_CARDS):
        out[card] = card
    return N_CARDS


@jit
def deal(s: Row, cards: Any) -> None:
    """Take the shuffled deck: draw for the deal, or ask for the cut (3)."""
    if s.dealer < 0:
        draw_dealer(s, cards)
        s.shuffle = DEAL_SHUFFLE
        return
    for i in range(N_CARDS):
        s.order[i] = cards[i]
    s.phase = CUTTING
    s.seat = after(s.dealer, 3)


@jit
def draw_dealer(s: Row, cards: Any) -> None:
    """The dealer is the seat with the most card points, ties to the higher card number (3)."""
    best = -1
    for seat in range(4):
        s.drawn[seat] = cards[seat]
        rank = card_points(bit(cards[seat])) * N_CARDS + cards[seat]
        if rank > best:
            best = rank
            s.dealer = seat


# --- cut, piles, Povinnost (4.1, 4.2) --------------------------------------------------------------------------------------


@jit
def choose_style(s: Row, style: int) -> None:
    """The cutter's choice (4.1)."""
    s.style = style
    if style == CHOICE:
        s.phase = PILES
        s.seat = after(s.dealer, 1)
    else:
        hand_out(s)


@jit
def free_piles(s: Row) -> int:
    """Mask of the piles 0..3 that nobody has taken (4.1)."""
    free = I64_0
    for pile in range(4):
        if s.piles[pile] == NOBODY:
            free |= bit(pile)
    return free


@jit
def take_pile(s: Row, pile: int) -> None:
    """A seat takes a pile; the dealer gets the last one without a decision (4.1)."""
    s.piles[pile] = s.seat
    s.seat = after(s.seat, 1)
    if s.seat == s.dealer:
        s.piles[lowest(free_piles(s))] = s.dealer
        hand_out(s)


@jit
def hand_out(s: Row) -> None:
    """Talon and hands from the deck in the chosen style (3); then Povinnost and the bidding."""
    offset = N_CARDS // 2 if s.style == CUT_STYLE else 0
    for i in range(N_CARDS):
        card = s.order[(i + offset) % N_CARDS]
        if i < 6:
            s.talon[i] = card
        else:
            s.hand[receiver(s, i - 6)] |= bit(card)
    fill(s.order, NOBODY)
    fill(s.size, HAND)
    if s.finished == 0:
        find_povinnost(s)
    s.phase = BIDDING
    s.seat = s.lead


@jit
def receiver(s: Row, i: int) -> int:
    """The seat that gets the i-th dealt card."""
    place = RECEIVERS[s.style, i]
    return s.piles[place] if s.style == CHOICE else after(s.dealer + 1, place)


@jit
def find_povinnost(s: Row) -> None:
    """Round 1: the holder of II, else of III, and so on to VIII (4.2)."""
    for card in range(II, VIII + 1):
        for seat in range(4):
            if has(s.hand[seat], card):
                s.lead = seat
                s.deciding = card
                return


# --- bid (4.3) -------------------------------------------------------------------------------------------------------------


@jit
def bid(s: Row, action: int) -> None:
    """Povinnost and the others in turn say `pass` or `prever` (4.3)."""
    prever = action == PREVER
    s.bids[s.seat] = prever
    s.seat = after(s.seat, 1)
    if s.seat != s.lead and not (prever and s.prever_override == 0):
        return
    for k in range(4):
        if s.bids[after(s.lead, k)] == 1:
            s.prever = after(s.lead, k)
    if s.prever >= 0:
        for seat in range(4):
            s.side[seat] = seat == s.prever
        s.phase = TALON
        s.seat = s.prever
    else:
        s.side[s.lead] = 1
        for place in range(4):
            take_talon(s, place, s.lead)
        s.phase = DRAWING
        s.seat = after(s.lead, 1)


# --- talon and discard (4.4 to 4.6) ----------------------------------------------------------------------------------------


@jit
def take_talon(s: Row, place: int, seat: int) -> None:
    """A seat takes one card of the talon into its hand."""
    s.hand[seat] |= bit(s.talon[place])
    s.size[seat] += 1
    s.talon[place] = NOBODY


@jit
def prever_talon(s: Row, action: int) -> None:
    """Prever keeps the half of the talon that it looks at, or refuses it (4.4)."""
    half = 3 * s.rejections
    if action == REJECT:
        for place in range(half, half + 3):
            s.shown |= bit(s.talon[place])
        s.rejections += 1
        if s.rejections == 1:
            return
        half = 0
    for place in range(half, half + 3):
        take_talon(s, place, s.prever)
    open_discard(s)


@jit
def draw_or_offer(s: Row, action: int) -> None:
    """The second and third player take their talon card, or offer it unseen to the fourth (4.5)."""
    offer = 0 if s.offers[0] == NOBODY or s.offers[0] == OFFER else 1
    owner = after(s.lead, 1 + offer)
    s.offers[offer] = action
    if action == OFFER:
        s.phase = OFFERED
        s.seat = after(s.lead, 3)
        return
    take_talon(s, 4 + offer, after(s.lead, 3) if action == ACCEPT else owner)
    s.phase = DRAWING
    s.seat = after(s.lead, 2)
    if offer == 1:
        open_discard(s)


@jit
def discardable(hand: int) -> int:
    """Mask of the cards that may be discarded: plain ones, else trumps but I, XXI and Skyz (4.6)."""
    plain = hand & PLAIN
    return plain if plain != 0 else hand & TRUMPS & ~FIVES


@jit
def open_discard(s: Row) -> None:
    """Ask the next seat, from Povinnost on, that has more than 12 cards; if none, go on (4.6)."""
    for k in range(4):
        seat = after(s.lead, k)
        if s.size[seat] > HAND:
            s.phase = DISCARDING
            s.seat = seat
            return
    s.phase = CALLING if s.prever < 0 else MONEY
    s.seat = s.lead


@jit
def discard(s: Row, card: int) -> None:
    """Put one card away (4.6)."""
    s.hand[s.seat] &= ~bit(card)
    s.discard[s.seat] |= bit(card)
    s.size[s.seat] -= 1
    s.discards[s.seat] += 1
    if s.size[s.seat] == HAND:
        open_discard(s)


# --- call and money cards (4.7, 4.8) ---------------------------------------------------------------------------------------


@jit
def second_call(hand: int) -> int:
    """The card that may be called besides XIX: the highest of XVIII to XV not held, if XIX is held; else -1 (4.7)."""
    if not has(hand, XIX):
        return NOBODY
    for card in range(XIX - 1, XV - 1, -1):
        if not has(hand, card):
            return card
    return NOBODY


@jit
def call(s: Row, card: int) -> None:
    """Povinnost calls a card; who has it in hand is the partner, else Povinnost is alone (4.7)."""
    s.called = card
    s.partner = holder(s, card)
    s.phase = MONEY


@jit
def holder(s: Row, card: int) -> int:
    """The seat with this card in hand, else Povinnost."""
    for seat in range(4):
        if has(s.hand[seat], card):
            return seat
    return s.lead


@jit
def announce_money(s: Row, action: int) -> None:
    """Every seat's money cards are announced and paid; Povinnost may hide Uni and Bida (4.8)."""
    for seat in range(4):
        money = money_of(s.hand[seat])
        if seat == s.lead and action == CONCEAL:
            money &= ~(UNI | BIDA)
        s.money[seat] = money
    for seat in range(4):
        s.chips[seat] += money_balance(s, seat)
    s.phase = VALAT_CALL
    s.seat = s.lead


# --- calls: Valat, contra, Pagat (4.9 to 4.11) -----------------------------------------------------------------------------


@jit
def call_valat(s: Row, action: int) -> None:
    """Valat or pass, from Povinnost on; the first Valat ends the asking (4.9)."""
    if action == VALAT:
        s.valat = s.seat
        s.side[s.seat] = is_declarer(s, s.seat)
    s.seat = after(s.seat, 1)
    if action == VALAT or s.seat == s.lead:
        s.phase = CONTRA_CALL
        ask_contra(s, claimant(s))


@jit
def claimant(s: Row) -> int:
    """The seat whose claim is doubled: Valat caller, else Prever, else Povinnost (4.10)."""
    if s.valat >= 0:
        return s.valat
    return s.prever if s.prever >= 0 else s.lead


@jit
def contra_level(s: Row) -> int:
    """How many of contra, rhea and supra were said."""
    level = 0
    while level < 3 and s.contras[level] >= 0:
        level += 1
    return level


@jit
def contra_side(s: Row, level: int) -> bool:
    """Whether the word of this level (0 to 2) is the declarers' (True) or the opponents' (4.10)."""
    claims = s.side[claimant(s)] == 1
    return claims if level == 1 else not claims


@jit
def contra_after(s: Row) -> int:
    """The seat after which the asking at the level now open began (4.10)."""
    level = contra_level(s)
    return s.contras[level - 1] if level > 0 else claimant(s)


@jit
def ask_contra(s: Row, seat: int) -> None:
    """Ask the next seat after this one; with Prever those of the wrong side are left out; else go on (4.10)."""
    first, level = contra_after(s), contra_level(s)
    seat = after(seat, 1)
    while level < 3 and seat != first:
        if s.prever < 0 or is_declarer(s, seat) == contra_side(s, level):
            s.seat = seat
            return
        seat = after(seat, 1)
    open_pagat(s)


@jit
def call_contra(s: Row, action: int) -> None:
    """Pass, or the word of the level, which opens the next one (4.10)."""
    if action != PASS:
        s.contras[action - CONTRA] = s.seat
        s.side[s.seat] = is_declarer(s, s.seat)
    ask_contra(s, s.seat)


@jit
def open_pagat(s: Row) -> None:
    """Ask for the Pagat, unless Valat was called (4.11)."""
    s.seat = s.lead
    if s.valat >= 0 and s.pagat_with_valat == 0:
        open_play(s)
    else:
        s.phase = PAGAT_CALL


@jit
def call_pagat(s: Row, action: int) -> None:
    """Pagat or pass, from Povinnost on (4.11)."""
    if action == PAGAT:
        s.pagat = s.seat
    s.seat = after(s.seat, 1)
    if action == PAGAT or s.seat == s.lead:
        open_play(s)


# --- play (4.12) -----------------------------------------------------------------------------------------------------------


@jit
def open_play(s: Row) -> None:
    """Povinnost leads the first trick (4.12)."""
    s.phase = PLAYING
    s.seat = s.lead
    s.leads[0] = s.lead


@jit
def may_follow(hand: int, led: int) -> int:
    """Mask of the cards of a hand that may be played to a led suit: that suit, else trumps, else all (4.12)."""
    follow = hand & SUITS[led]
    if follow == 0:
        follow = hand & TRUMPS
    return follow if follow != 0 else hand


@jit
def playable(s: Row) -> int:
    """Mask of the cards that the seat to act may play (4.12)."""
    hand = s.hand[s.seat]
    if s.played & 3 == 0:
        return hand
    return may_follow(hand, suit_of(s.tricks[trick_start(s)]))


@jit
def play(s: Row, card: int) -> None:
    """A card to the trick; the fourth ends it (4.12)."""
    s.hand[s.seat] &= ~bit(card)
    s.size[s.seat] -= 1
    s.tricks[s.played] = card
    s.played += 1
    if s.played & 3 != 0:
        s.seat = after(s.seat, 1)
    else:
        end_trick(s)


@jit
def end_trick(s: Row) -> None:
    """The winner takes the cards and leads; after the twelfth trick the round is settled (4.12)."""
    first = s.played - 4
    trick = first >> 2
    winner = after(s.leads[trick], trick_best(s, first, 4))
    for k in range(first, first + 4):
        s.won[winner] |= bit(s.tricks[k])
    if s.played == PLAYS:
        settle_round(s)
    else:
        s.leads[trick + 1] = winner
        s.seat = winner


# --- settlement (5) --------------------------------------------------------------------------------------------------------


@jit
def of_side(masks: Any, side: int) -> int:
    """Union of the masks of the seats of a side."""
    union = I64_0
    for seat in range(4):
        if has(side, seat):
            union |= masks[seat]
    return union


@jit
def result_kind(s: Row, side: int, points: int) -> int:
    """Index into KINDS, negative if the declarers lost (5, main payment 1 to 3)."""
    tricks = count(of_side(s.won, side)) >> 2
    if s.valat >= 0:
        declares = s.side[s.valat] == 1
        made = tricks == TRICKS if declares else tricks == 0
        return CALLED_VALAT if made == declares else -CALLED_VALAT
    if tricks == TRICKS:
        return UNCALLED_VALAT
    if tricks == 0:
        return -UNCALLED_VALAT
    return COUNTED if points >= 54 else -COUNTED


@jit
def main_payment(s: Row, kind: int, points: int) -> int:
    """Chips a head of the main payment (5)."""
    if abs(kind) == COUNTED:
        base = base_of(points, 3 if s.prever >= 0 else 2)
    else:
        base = 40 if abs(kind) == CALLED_VALAT else 20
    base <<= contra_level(s)
    if s.prever >= 0 and kind < 0 and s.valat < 0:
        base <<= s.rejections
    return base


@jit
def pagat_player(s: Row) -> int:
    """The seat that played the I to the last trick, else -1."""
    for k in range(4):
        if s.tricks[PLAYS - 4 + k] == PAGAT_CARD:
            return after(s.leads[TRICKS - 1], k)
    return NOBODY


@jit
def pagat_bonus(s: Row, side: int) -> int:
    """Pagat bonus a head, positive if it goes to the declarers (5)."""
    if s.valat >= 0 and s.pagat_with_valat == 0:
        return 0
    player = pagat_player(s)
    trumps = 0
    for k in range(PLAYS - 4, PLAYS):
        trumps += s.tricks[k] >= PAGAT_CARD
    made = player >= 0 and trumps == 1
    if s.pagat >= 0:
        player = s.pagat
        chips = 4 if made else -s.pagat_fail
    elif player >= 0:
        chips = 2 if made else -2
    else:
        return 0
    return chips if has(side, player) else -chips


@jit
def settle_round(s: Row) -> None:
    """Pay the round, note its result, go to the next round or the end (5)."""
    side = declarers(s)
    points = card_points(of_side(s.won, side) | of_side(s.discard, side))
    kind = result_kind(s, side, points)
    main = main_payment(s, kind, points)
    bonus = pagat_bonus(s, side)
    pay = (main if kind > 0 else -main) + bonus
    note = s.finished
    s.declarers[note] = side
    s.points[note] = points
    s.kind[note] = kind
    s.bonus[note] = bonus
    s.pay[note] = pay
    for seat in range(4):
        s.chips[seat] += share(pay, side, seat)
        s.change[note, seat] = share(pay, side, seat) + money_balance(s, seat)
    next_round(s)


@jit
def share(pay: int, side: int, seat: int) -> int:
    """What a seat gets when every declarer's payment a head is `pay` (5, settlement)."""
    if not has(side, seat):
        return -pay
    return 3 * pay if count(side) == 1 else pay


@jit
def next_round(s: Row) -> None:
    """Povinnost moves on and deals the round after (3); after the last round the game is over."""
    lead = s.lead
    clear_round(s)
    s.finished += 1
    if s.finished == s.rounds:
        s.dealer = NOBODY
        s.lead = NOBODY
        s.seat = core.OVER
        return
    s.dealer = lead
    s.lead = after(lead, 1)
    s.shuffle = s.finished * core.HAND_SHUFFLES + DEAL_SHUFFLE
    s.seat = core.SHUFFLE


@jit
def score(s: Row, out: Any) -> None:
    """Net chips of every seat (5)."""
    for seat in range(4):
        out[seat] = s.chips[seat]


# --- legal actions and steps (4, 7) ----------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of the seat to act into `out`, ascending; return how many (7)."""
    if s.phase == PLAYING:
        return cards_into(out, 0, PLAY, playable(s))
    if s.phase == DISCARDING:
        return cards_into(out, 0, DISCARD, discardable(s.hand[s.seat]))
    if s.phase == CUTTING:
        return cards_into(out, 0, CUT, 0x1FF)
    if s.phase == PILES:
        return cards_into(out, 0, PILE, free_piles(s))
    return words(s, out)


@jit
def words(s: Row, out: Any) -> int:
    """`legal` for the phases that ask for a word: one that is always there and perhaps a second one."""
    hand = s.hand[s.seat]
    first, second = PASS, NOBODY
    if s.phase == BIDDING:
        second = PREVER
    elif s.phase == TALON:
        first, second = KEEP, REJECT
    elif s.phase == DRAWING:
        first, second = DRAW, OFFER
    elif s.phase == OFFERED:
        first, second = REJECT, ACCEPT
    elif s.phase == CALLING:
        first = CALL
        card = second_call(hand)
        second = CALL + XIX - card if card >= 0 else NOBODY
    elif s.phase == MONEY:
        first, second = ANNOUNCE, CONCEAL if count(hand & TRUMPS) <= 2 else NOBODY
    elif s.phase == VALAT_CALL:
        second = VALAT
    elif s.phase == CONTRA_CALL:
        level = contra_level(s)
        second = CONTRA + level if is_declarer(s, s.seat) == contra_side(s, level) else NOBODY
    elif has(hand, PAGAT_CARD):
        second = PAGAT
    out[0] = first
    if second < 0:
        return 1
    out[1] = second
    return 2


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action (4)."""
    if s.phase == PLAYING:
        play(s, action - PLAY)
    elif s.phase == DISCARDING:
        discard(s, action - DISCARD)
    elif s.phase == CUTTING:
        choose_style(s, action - CUT)
    elif s.phase == PILES:
        take_pile(s, action - PILE)
    elif s.phase == BIDDING:
        bid(s, action)
    elif s.phase == TALON:
        prever_talon(s, action)
    elif s.phase in (DRAWING, OFFERED):
        draw_or_offer(s, action)
    elif s.phase == CALLING:
        call(s, XIX - (action - CALL))
    elif s.phase == MONEY:
        announce_money(s, action)
    elif s.phase == VALAT_CALL:
        call_valat(s, action)
    elif s.phase == CONTRA_CALL:
        call_contra(s, action)
    else:
        call_pagat(s, action)


# --- views and worlds (6) --------------------------------------------------------------------------------------------------


@jit
def partner_choices(s: Row, seat: int) -> int:
    """Mask of the seats that may have the unseen called card, for a viewer that has it not (-1: an onlooker) (6)."""
    choices = I64_0
    for other in range(4):
        if s.side[other] == 1 and other != s.lead:
            return bit(other)
        if other != seat and s.side[other] != 0 and not (other == s.lead and s.called != XIX):
            choices |= bit(other)
    return choices


@jit
def knows_partner(s: Row, seat: int) -> bool:
    """Whether a viewer knows who plays with Povinnost: by the called card itself, by calls, or by elimination (6)."""
    if s.called < 0:
        return False
    seen = gone(s)
    for other in range(4):
        seen |= s.discard[other] & TRUMPS
    if has(seen, s.called) or (seat >= 0 and has(s.hand[seat], s.called)):
        return True
    return count(partner_choices(s, seat)) == 1


@jit
def talon_half_seen(s: Row, seat: int) -> int:
    """First place of the talon half that a viewer looks at, else -1 (4.4)."""
    return 3 * s.rejections if s.phase == TALON and seat == s.prever else NOBODY


@jit
def redact(s: Row, seat: int) -> None:
    """Blank all that a seat may not know; -1 is an onlooker (6).

    Kept: its own hand and discards, discarded trumps, shown talon cards, the talon half that Prever looks at, and the partner
    as soon as the viewer can tell it by the called card, by calls that one side only can make, or by elimination from these.
    """
    if not knows_partner(s, seat):
        s.partner = NOBODY
    for other in range(4):
        if other != seat:
            s.hand[other] = 0
            s.discard[other] &= TRUMPS
    half = talon_half_seen(s, seat)
    for place in range(6):
        card = s.talon[place]
        looked_at = half >= 0 and half <= place < half + 3
        if card >= 0 and not looked_at and not has(s.shown, card):
            s.talon[place] = NOBODY
    fill(s.order, NOBODY)


HIDES = 9  # places that can hold unseen cards: hands 0..3, discards 4..7, the talon 8
TALON_HIDE = 8
I64_TRUMPS, I64_FIVES = core.I64(TRUMPS), core.I64(FIVES)
WORLD_TRIES = 8
BALANCE_TRIES = 48


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill a redacted row with a random world.

    Honoured without exception: every count of cards, that secret discards are plain, that a discarded trump means a hand
    without plain cards, voids shown by not following, the called card's possible holders and the trumps above it, the card
    that made Povinnost, the Pagat's caller, and announced Uni, Trul and four Kings. Honoured wherever some random tries get
    there: the other money announcements (numbers of trumps and five-pointers). Worlds are not exactly equally likely.
    """
    if s.phase in (CUTTING, PILES):
        for card in range(N_CARDS):
            s.order[card] = card
        shuffle_with(s.order, N_CARDS, rng)
    elif s.phase >= 0:
        fill_hides(s, rng)


@jit
def fill_hides(s: Row, rng: Any) -> None:
    """Put the unseen cards into hands, discards and talon (6)."""
    room = np.zeros(HIDES, np.int64)
    may = np.zeros(HIDES, np.int64)
    put = np.zeros(HIDES, np.int64)
    had = np.zeros(4, np.int64)
    trumps = np.zeros((2, 4), np.int64)
    fives = np.zeros((2, 4), np.int64)
    played_by(s, had)
    open_places(s, room)
    narrow(s, had, room, may)
    money_bounds(s, had, trumps, fives)
    unseen = unseen_cards(s)
    for _ in range(WORLD_TRIES):
        place_cards(unseen, room, may, put, rng)
        balance(trumps, I64_TRUMPS, may, put, rng)
        balance(fives, I64_FIVES, may, put, rng)
        if agrees_with_money(s, had, put):
            break
    write_world(s, put, rng)


@jit
def unseen_cards(s: Row) -> int:
    """Mask of the cards that a view does not place."""
    seen = gone(s)
    for seat in range(4):
        seen |= s.hand[seat] | s.discard[seat]
    for place in range(6):
        if s.talon[place] >= 0:
            seen |= bit(s.talon[place])
    return ALL & ~seen


@jit
def played_by(s: Row, had: Any) -> None:
    """Write the mask of the cards that each seat played to tricks into `had` (int64, 4 zeros)."""
    for k in range(s.played):
        had[after(s.leads[k >> 2], k & 3)] |= bit(s.tricks[k])


@jit
def talon_left(s: Row) -> int:
    """Mask of the talon's places that still hold a card, by what all know (4.4, 4.5)."""
    if s.phase <= TALON:
        return 0b111111
    if s.prever >= 0:
        return 0b000111 if s.rejections == 1 else 0b111000
    return 0b000000 if s.phase > OFFERED else 0b100000 | (0b010000 if s.offers[0] == NOBODY or s.offers[0] == OFFER else 0)


@jit
def open_places(s: Row, room: Any) -> None:
    """Write how many unseen cards each place holds into `room`."""
    for seat in range(4):
        room[seat] = s.size[seat] - count(s.hand[seat])
        room[4 + seat] = s.discards[seat] - count(s.discard[seat])
    for place in range(6):
        room[TALON_HIDE] += has(talon_left(s), place) and s.talon[place] == NOBODY


@jit
def narrow(s: Row, had: Any, room: Any, may: Any) -> None:
    """Write the mask of the cards that may be at each place into `may`: all that the view makes certain of single cards."""
    for seat in range(4):
        may[seat] = ALL
        may[4 + seat] = PLAIN
        if s.discard[seat] & TRUMPS != 0:
            may[seat] = ALL & ~PLAIN
        narrow_by_money(s, seat, may)
    may[TALON_HIDE] = ALL
    narrow_by_tricks(s, may)
    narrow_by_calls(s, may)
    if s.deciding >= 0:
        narrow_by_povinnost(s, may)
    for place in range(HIDES):
        if room[place] == 0:
            may[place] = 0


@jit
def narrow_by_money(s: Row, seat: int, may: Any) -> None:
    """Announcements that say where single cards are (4.8)."""
    money = s.money[seat]
    if money & UNI != 0:
        may[seat] &= ~TRUMPS
    if money & ROSA_PANE != 0:
        may[seat] &= ~TRUL_CARDS


@jit
def narrow_by_tricks(s: Row, may: Any) -> None:
    """A seat that did not follow has no card of the led suit, and no trump if it did not play one (4.12)."""
    for k in range(s.played):
        led, card = s.tricks[k & ~3], s.tricks[k]
        if suit_of(card) != suit_of(led):
            seat = after(s.leads[k >> 2], k & 3)
            may[seat] &= ~SUITS[suit_of(led)]
            if suit_of(card) != TRUMP_SUIT:
                may[seat] &= ~TRUMPS


@jit
def narrow_by_calls(s: Row, may: Any) -> None:
    """Holders of the called card and of the trumps above it, of the I, and of Kings and Trul (4.7 to 4.11)."""
    for seat in range(4):
        if s.money[seat] & TRUL != 0:
            only_at(may, seat, TRUL_CARDS)
        if s.money[seat] & (ROSA_PANE | ROSA_PANE_PLUS) != 0:
            only_at(may, seat, KINGS)
    if s.pagat >= 0:
        only_at(may, s.pagat, bit(PAGAT_CARD))
    if s.called < 0:
        return
    for card in range(s.called + 1, XIX + 1):
        only_at(may, s.lead, bit(card))
    choices = bit(s.partner) if s.partner >= 0 else partner_choices(s, NOBODY)
    for seat in range(4):
        if not has(choices, seat):
            may[seat] &= ~bit(s.called)


@jit
def narrow_by_povinnost(s: Row, may: Any) -> None:
    """Round 1: Povinnost was dealt the deciding card, and the trumps from II to below it lay in the talon (4.2)."""
    only_at(may, s.lead, bit(s.deciding))
    born = bit(s.deciding) - bit(II)
    for seat in range(4):
        if not took_talon(s, seat):
            may[seat] &= ~born


@jit
def took_talon(s: Row, seat: int) -> bool:
    """Whether a seat has taken cards from the talon in this round, by what all know (4.4, 4.5)."""
    if s.prever >= 0:
        return seat == s.prever and s.phase > TALON
    if s.phase < DRAWING:
        return False
    if seat == s.lead:
        return True
    for offer in range(2):
        to_fourth = s.offers[offer] == ACCEPT
        if s.offers[offer] >= 0 and s.offers[offer] != OFFER and seat == after(s.lead, 3 if to_fourth else 1 + offer):
            return True
    return False


@jit
def money_bounds(s: Row, had: Any, trumps: Any, fives: Any) -> None:
    """Write fewest and most trumps and five-pointers that each seat can still hold, by the announcements (4.8).

    `trumps`, `fives`: int64 [2, 4].
    """
    for seat in range(4):
        least, most, least_fives, most_fives = 0, HAND, 0, 7
        money = s.money[seat]
        if money & TAROKY != 0:
            least = 10
        elif money & TAROCKY != 0:
            least, most = 8, 9
        elif money & BIDA != 0:
            least, most = 1, 2
        elif s.phase > MONEY and money & UNI == 0:
            least, most = 0 if seat == s.lead else 3, 7
        if money & (PANE | ROSA_PANE_PLUS) != 0:
            least_fives = 4
        elif s.phase > MONEY and money & ROSA_PANE == 0:
            most_fives = 3
        seen_trumps, seen_fives = count((had[seat] | s.hand[seat]) & TRUMPS), count((had[seat] | s.hand[seat]) & FIVES)
        trumps[0, seat], trumps[1, seat] = least - seen_trumps, most - seen_trumps
        fives[0, seat], fives[1, seat] = least_fives - seen_fives, most_fives - seen_fives


@jit
def balance(bounds: Any, counted: int, may: Any, put: Any, rng: Any) -> None:
    """Swap cards of the `counted` mask for others between unseen places until every hand is in bounds, or tries run out."""
    for _ in range(BALANCE_TRIES):
        seat = out_of_bounds(bounds, counted, put)
        if seat < 0:
            return
        other = below(rng, 5)
        other = TALON_HIDE if other == 4 else other
        short = count(put[seat] & counted) < bounds[0, seat]
        n = count(put[other] & counted)
        if other == seat or (other < 4 and (n <= bounds[0, other] if short else n >= bounds[1, other])):
            continue
        if short:
            swap(other, seat, counted, may, put, rng)
        else:
            swap(seat, other, counted, may, put, rng)


@jit
def out_of_bounds(bounds: Any, counted: int, put: Any) -> int:
    """The first unseen hand with too few or too many counted cards, else -1."""
    for seat in range(4):
        n = count(put[seat] & counted)
        if put[seat] != 0 and (n < bounds[0, seat] or n > bounds[1, seat]):
            return seat
    return NOBODY


@jit
def swap(giver: int, taker: int, counted: int, may: Any, put: Any, rng: Any) -> None:
    """Swap a random counted card for another card, a five-pointer for one that leaves the numbers of trumps as they are."""
    down = put[giver] & counted & may[taker]
    if down == 0:
        return
    card = bit(nth(down, below(rng, count(down))))
    up = put[taker] & ~counted & may[giver]
    if counted == FIVES:
        up &= TRUMPS if card & TRUMPS != 0 else ~TRUMPS
    if up != 0:
        swapped = card | bit(nth(up, below(rng, count(up))))
        put[giver] ^= swapped
        put[taker] ^= swapped


@jit
def agrees_with_money(s: Row, had: Any, put: Any) -> bool:
    """Whether the hands of 12 that this world implies have the announced money cards (4.8)."""
    if s.phase <= MONEY:
        return True
    for seat in range(4):
        money = money_of(had[seat] | s.hand[seat] | put[seat])
        hidden = money & ~(UNI | BIDA) if seat == s.lead else money
        if s.money[seat] != money and s.money[seat] != hidden:
            return False
    return True


@jit
def write_world(s: Row, put: Any, rng: Any) -> None:
    """Copy the placed cards into the row, the talon's in random order, and name the partner."""
    for seat in range(4):
        s.hand[seat] |= put[seat]
        s.discard[seat] |= put[4 + seat]
    left = talon_left(s)
    for place in range(6):
        if has(left, place) and s.talon[place] == NOBODY:
            card = nth(put[TALON_HIDE], below(rng, count(put[TALON_HIDE])))
            put[TALON_HIDE] &= ~bit(card)
            s.talon[place] = card
    if s.called >= 0 and s.partner < 0:
        s.partner = holder(s, s.called)


# --- text ------------------------------------------------------------------------------------------------------------------


def cards_of(mask: int) -> tuple[str, ...]:
    """Text of the cards of a mask, by card number."""
    return tuple(CARDS[card] for card in range(N_CARDS) if mask >> card & 1)


def card_of(card: int) -> str:
    """Text of a card, empty for none."""
    return CARDS[card] if card >= 0 else ""


def seats_of(mask: int) -> tuple[int, ...]:
    """The seats of a mask."""
    return tuple(seat for seat in range(4) if mask >> seat & 1)


def _money_names(money: int) -> tuple[str, ...]:
    return tuple(name for k, name in enumerate(MONEY_CARDS) if money >> k & 1)


def _tricks(s: Row) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(card_of(s.tricks[4 * t + k]) for k in range(4)) for t in range(s.played // 4))


def _trick(s: Row) -> tuple[str, ...]:
    return tuple(card_of(s.tricks[k]) for k in range(s.played // 4 * 4, s.played))


def _leaders(s: Row) -> tuple[int, ...]:
    return tuple(seat for seat in s.leads.tolist() if seat >= 0)


def _sides(s: Row, seat: int) -> tuple[str, ...]:
    """Sides as a viewer knows them: by bids and calls, by the partner if known, and its own."""
    sides = s.side.tolist()
    if s.partner >= 0:
        sides = [int(other in (s.lead, s.partner)) for other in range(4)]
    elif s.called >= 0 and seat >= 0 and seat != s.lead:
        sides[seat] = 0  # the partner itself would know it
    return tuple(("", "opponent", "declarer")[side + 1] for side in sides)


def _offers(s: Row) -> tuple[str, ...]:
    return tuple(ACTIONS[action] for action in s.offers.tolist() if action >= 0)


def _result(s: Row, k: int) -> dict[str, Any]:
    return {
        "declarers": seats_of(s.declarers[k]),
        "points": s.points[k],
        "kind": KINDS[abs(s.kind[k])],
        "won": s.kind[k] > 0,
        "bonus": s.bonus[k],
        "pay": s.pay[k],
        "chips": tuple(s.change[k].tolist()),
    }


def _results(s: Row) -> tuple[dict[str, Any], ...]:
    return tuple(_result(s, k) for k in range(s.finished))


FIELDS = (
    Field(
        "round",
        "int",
        "number of the round, from 1; after the end the number of rounds",
        lambda s, v: min(s.finished + 1, s.rounds),
    ),
    Field(
        "phase", "word", f"{', '.join(PHASES)}; empty when the game is over", lambda s, v: PHASES[s.phase] if s.phase >= 0 else ""
    ),
    Field("dealer", "seat", "the dealer; -1 before the draw for it and after the end", lambda s, v: s.dealer),
    Field(
        "drawn",
        "4 cards",
        "cards drawn for the deal, by seat; empty without option `first_dealer` = -1",
        lambda s, v: _cards_drawn(s),
    ),
    Field("style", "word", "the cutter's choice; empty before it", lambda s, v: STYLES[s.style] if s.style >= 0 else ""),
    Field("piles", "4 seats", "who took pile 1 to 4; -1 for none", lambda s, v: tuple(s.piles.tolist())),
    Field("povinnost", "seat", "the lead player; -1 before the deal of round 1", lambda s, v: s.lead),
    Field("deciding", "card", "the card that made Povinnost, in round 1", lambda s, v: card_of(s.deciding)),
    Field(
        "bids",
        "4 words",
        "`pass`, `prever` or empty, by seat",
        lambda s, v: tuple(("", "pass", "prever")[b + 1] for b in s.bids.tolist()),
    ),
    Field("prever", "seat", "who plays Prever; -1 in a partner round and during the bidding", lambda s, v: s.prever),
    Field("rejections", "int", "talon halves that Prever refused", lambda s, v: s.rejections),
    Field("shown", "cards", "talon cards that all have seen", lambda s, v: cards_of(s.shown)),
    Field(
        "talon",
        "6 cards",
        "talon by place, as far as you see it; empty: taken or unseen",
        lambda s, v: tuple(map(card_of, s.talon.tolist())),
    ),
    Field("offers", "words", "`draw`, `offer`, `accept`, `reject` for the talon's fifth and sixth card", lambda s, v: _offers(s)),
    Field("hand", "cards", "your hand; empty for an onlooker", lambda s, v: cards_of(s.hand[v]) if v >= 0 else ()),
    Field("hand_sizes", "4 ints", "cards in hand, by seat", lambda s, v: tuple(s.size.tolist())),
    Field(
        "discards",
        "4 x cards",
        "discarded cards that you know, by seat: your own, and trumps",
        lambda s, v: tuple(map(cards_of, s.discard.tolist())),
    ),
    Field("discard_counts", "4 ints", "cards discarded, by seat", lambda s, v: tuple(s.discards.tolist())),
    Field("called", "card", "the called card; empty if none", lambda s, v: card_of(s.called)),
    Field(
        "partner",
        "seat",
        "holder of the called card if you know it; Povinnost if it plays alone; else -1",
        lambda s, v: s.partner,
    ),
    Field("sides", "4 words", "`declarer`, `opponent`, or empty where you do not know", _sides),
    Field("money", "4 x words", "announced money cards, by seat", lambda s, v: tuple(map(_money_names, s.money.tolist()))),
    Field("valat", "seat", "who called Valat, else -1", lambda s, v: s.valat),
    Field("contras", "seats", "who said contra, rhea and supra", lambda s, v: tuple(c for c in s.contras.tolist() if c >= 0)),
    Field("pagat", "seat", "who called the Pagat, else -1", lambda s, v: s.pagat),
    Field("leaders", "seats", "leader of every trick begun", lambda s, v: _leaders(s)),
    Field("tricks", "4 cards each", "finished tricks of this round, in the order of play", lambda s, v: _tricks(s)),
    Field("trick", "cards", "the trick in progress, in the order of play", lambda s, v: _trick(s)),
    Field("won", "4 x cards", "cards that each seat took in tricks", lambda s, v: tuple(map(cards_of, s.won.tolist()))),
    Field("chips", "4 ints", "net chips, by seat", lambda s, v: tuple(s.chips.tolist())),
    Field(
        "results",
        "records",
        "a record for each finished round: `declarers` (seats), their `points`, `kind` (counted, uncalled valat, valat), "
        "`won` by the declarers, `bonus` (Pagat) and `pay` a head as the declarers see it, `chips` won by each seat",
        lambda s, v: _results(s),
    ),
)


def _cards_drawn(s: Row) -> tuple[str, ...]:
    return tuple(card_of(card) for card in s.drawn.tolist() if card >= 0)


def show(s: Row, seat: int) -> str:
    """A position as text for people, as far as the row holds it."""
    phase = f", {PHASES[s.phase]} phase" if s.phase >= 0 else ""
    lines = [f"round {min(s.finished + 1, s.rounds)} of {s.rounds}{phase}, chips {s.chips.tolist()}"]
    lines += _show_set_up(s)
    lines += _show_calls(s)
    lines += [_show_seat(s, p) for p in range(4) if s.size[p] or s.won[p]]
    for t, cards in enumerate(_tricks(s)):
        lines.append(f"trick {t + 1}: seat {s.leads[t]} leads {' '.join(cards)}")
    if _trick(s):
        lines.append(f"on the table: seat {s.leads[s.played // 4]} led {' '.join(_trick(s))}")
    return "\n".join(lines + _show_results(s))


def _show_set_up(s: Row) -> list[str]:
    lines = []
    if s.dealer >= 0:
        style = f", {STYLES[s.style]}" if s.style >= 0 else ""
        lead = f", Povinnost seat {s.lead}" if s.lead >= 0 else ""
        lines.append(f"dealer seat {s.dealer}{style}{lead}")
    talon = " ".join(card_of(card) or "-" for card in s.talon.tolist())
    if any(card >= 0 for card in s.talon.tolist()):
        lines.append(f"talon: {talon}")
    if s.shown:
        lines.append(f"shown: {' '.join(cards_of(s.shown))}, {s.rejections} refused")
    return lines


def _show_calls(s: Row) -> list[str]:
    said = [f"seat {p} {name}" for p in range(4) for name in _money_names(s.money[p])]
    if s.prever >= 0:
        said.append(f"seat {s.prever} plays Prever")
    if s.called >= 0:
        partner = "" if s.partner < 0 else " (alone)" if s.partner == s.lead else f" (seat {s.partner})"
        said.append(f"called {card_of(s.called)}{partner}")
    said += [
        f"seat {p} {word}" for p, word in ((s.valat, "valat"), *zip(s.contras.tolist(), CONTRAS), (s.pagat, "pagat")) if p >= 0
    ]
    return ["; ".join(said)] if said else []


def _show_seat(s: Row, seat: int) -> str:
    hand = " ".join(cards_of(s.hand[seat])) or f"{s.size[seat]} cards"
    away = f", discarded {s.discards[seat]}: {' '.join(cards_of(s.discard[seat])) or 'unseen'}" if s.discards[seat] else ""
    return f"seat {seat}: {hand}{away}, {card_points(s.won[seat])} points in tricks"


def _show_results(s: Row) -> list[str]:
    lines = []
    for k, result in enumerate(_results(s)):
        won = "won" if result["won"] else "lost"
        lines.append(f"round {k + 1}: declarers {result['declarers']} {won} with {result['points']} points ({result['kind']})")
        lines[-1] += f", chips {result['chips']}"
    return lines


GAME = Game(
    name="taroky",
    state=STATE,
    options=OPTIONS,
    players=(4, 4, 4),
    cards=CARDS,
    actions=ACTIONS,
    n_actions=N_ACTIONS,
    fields=FIELDS,
    rules={rule.__name__: rule for rule in (start, deck, deal, legal, step, redact, determinize, score)},
    deck_size=N_CARDS,
    show=show,
)
