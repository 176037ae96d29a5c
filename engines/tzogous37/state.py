"""Tzogous 37: the vocabulary, the record, and what rules, views and bots ask about cards and records.

Cards, phases, actions, options and their check, the log's events, `STATE`; multisets of cards; then small functions in which
nothing moves. Numbers are the sections of `docs/rules/tzogous37.md`. What may be done and what it does is in `tzogous37`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, Row, bit, has, jit, lowest
from ..errors import OptionError
from ..option import Option, Value, state_dtype

# --- vocabulary -----------------------------------------------------------------------------------------------------------
# Cards are numbered by suit, then rank (rules 1): 0 = 2s, 12 = As, 13 = 2h, ..., 51 = Ac, 52 = JK.

RANKS = "23456789TJQKA"
SUITS = "shdc"
CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
JOKER = 52
KINDS = (1 << 53) - 1
"""The kinds of card in a hand's mask (see `add_card`)."""

SEATS = 6
ROUNDS = 4
HAND = 7
PACK = 112
"""Most cards in play: two decks with four jokers each."""
MOST_RAISE = 100
"""Most steps of a `raise N`; more is `raise max`."""
MOST_DRAWS = 20

# phases; a seat acts in PLACE1 .. GIVE, the others are passed through (or wait for a shuffle)
DEAL, ANTE, PLACE1, BET1, PLACE2, BET2, DISCARD, SURVIVE, GIVE, DRAW, COMMUNITY, SHOWDOWN, AWARD, END = range(
    14
)
PHASES = (
    "deal", "ante", "place 1", "bet 1", "place 2", "bet 2", "discard", "survivor", "give",
    "draw", "community", "showdown", "award", "end",
)  # fmt: skip

STACKS_ROUND, _, STACKS_GAME = range(3)
SWAP, LAY = range(2)

# actions (rules 7)
FOLD, CHECK, CALL = range(3)
RAISE = 2  # raise of k steps = RAISE + k
RAISE_MAX = RAISE + MOST_RAISE + 1
USE_JOKER = RAISE_MAX + 1  # + place on the table: 2 * seat + slot
PLACE = USE_JOKER + 2 * SEATS  # + card
ACTIONS = PLACE + len(CARDS)

OPTIONS = (
    Option("hands", 4, "hands per game; a hand is four rounds, each with its own pot", 1, 1000),
    Option("ante", 5, "forced bet of every seat in every round, and the smallest opening raise; a multiple of `step`", 1, 25_000),
    Option("stack", 100, "chips that a seat starts with: 4 antes to 100 steps; a multiple of `step`", 4, 100_000),
    Option("step", 1, "smallest chip: every amount is a multiple of it", 1, 1000),
    Option("stacks", "round", "when stacks are set to `stack`: before every round, before every hand, or once a game",
           choices=("round", "hand", "game")),
    Option("pot_counts_call", False, "the raiser's own call counts as part of the pot that limits the raise"),
    Option("decks", 1, "two decks: the same card twice scores +12", 1, 2),
    Option("jokers", 2, "jokers per deck", 0, 4),
    Option("joker_use", "swap", "swap: the joker exchanges a table card for one of the hand; lay: it takes the card's place",
           choices=("swap", "lay")),
    Option("joker_limit", False, "at most one joker use per seat and hand"),
    Option("sudden_death", False, "a pot still tied after one tie-break draw is split (else after 20)"),
)  # fmt: skip


def check(players: int, options: dict[str, Value]) -> None:
    """Amounts are multiples of `step`, and a stack has 4 antes to 100 steps (rules 2)."""
    ante, stack, chip = (int(options[name]) for name in ("ante", "stack", "step"))
    for name, amount in (("ante", ante), ("stack", stack)):
        if amount % chip:
            raise OptionError(f"tzogous37: option {name} = {amount}: allowed is a multiple of step = {chip}")
    if not 4 * ante <= stack <= MOST_RAISE * chip:
        raise OptionError(
            f"tzogous37: option stack = {stack}: allowed is 4 antes to {MOST_RAISE} steps, here {4 * ante} to {MOST_RAISE * chip}"
        )


EMPTY = -1
"""No card."""
HIDDEN = -2
"""A card lies here that the viewer does not know."""
PUBLIC = 127
"""Everybody knows it: a bit per seat, and bit 6 for onlookers."""
ONLOOKER = 6

# The log: one int32 an event, blank -1: kind | value << 4 | seat << 14 | time << 17 | who knows the value << 20.
LOG = 128
(
    E_FOLD,
    E_CHECK,
    E_CALL,
    E_RAISE,
    E_JOKER,
    E_TAKE,
    E_DRAW,
    E_LOSE,
    E_COMMUNITY,
    E_TIE,
    E_WIN,
    E_RESHUFFLE,
    E_HAND,
) = range(13)
UNKNOWN = 1023


NOBODY = 7

STATE = state_dtype(
    OPTIONS,
    [
        ("phase", np.int8),
        ("round_no", np.int8),  # 1 .. 4; 0 before the first
        ("alive", np.int8),  # mask of seats in the round that have not folded; 0 between rounds
        ("due", np.int8),  # mask of seats that must act in this betting; 0 outside of betting
        ("turn", np.int8),  # seat from which to go on while nobody is to act, -1
        ("jokered", np.int8),  # 1: the seat to act has used a joker in this turn
        ("target", np.int8),  # place on the table that a joker was aimed at (GIVE, DRAW of a swap), -1
        ("tied", np.int8),  # mask of the best seats of the pot that is being decided, 0
        ("draws", np.int8),  # tie-break draws finished for this pot
        ("mixed", np.int8),  # rounds of this hand whose cards a reshuffle has put back into the deck
        ("community", np.int8),  # card, EMPTY
        ("left", np.int8),  # cards in the deck
        ("logged", np.int32),  # events so far; event i is log[i % LOG]
        ("last_raise", np.int32),  # chips; 0 outside of betting
        ("level", np.int32),  # `paid` up to which pots have been decided or are being decided, 0
        ("joker_uses", np.int8, SEATS),  # in this hand
        ("held", np.int8, SEATS),  # cards in hand
        ("drawn", np.int8, SEATS),  # cards of the tie-break draw that is going on, EMPTY
        (
            "table",
            np.int8,
            (ROUNDS, 2 * SEATS),
        ),  # by round and 2 * seat + slot, as last played; EMPTY; HIDDEN in a view
        (
            "knows",
            np.int8,
            (ROUNDS, 2 * SEATS),
        ),  # who knows that card: mask of seats, PUBLIC; 0 where none lies
        (
            "deck_cards",
            np.int8,
            PACK,
        ),  # secret; the next card is the last one; EMPTY beyond `left` and in a view
        ("chips", np.int32, SEATS),  # behind, not in the pot
        ("paid", np.int32, SEATS),  # in this round, ante included; > 0 exactly for the seats in the round
        ("bet", np.int32, SEATS),  # in this betting
        ("net", np.int64, SEATS),  # chips won - lost in all finished rounds
        (
            "hand",
            np.int64,
            SEATS,
        ),  # the owner's secret: kinds of card, jokers in unary from bit 52 on; 0 in other views
        ("twin", np.int64, SEATS),  # the owner's secret: kinds held twice (two decks)
        ("log", np.int32, LOG),
    ],
)


# --- cards ----------------------------------------------------------------------------------------------------------------


@jit
def value(card: int) -> int:
    """Value of a card: 2 .. 14, a joker 0 (rules 1)."""
    return 0 if card == JOKER else card % 13 + 2


@jit
def pair_score(a: int, b: int) -> int:
    """Score of two cards: their values and the highest bonus that applies (rules 5.1)."""
    total = value(a) + value(b)
    if JOKER in (a, b):
        return total
    if a == b:
        return total + 12
    apart = abs(a % 13 - b % 13)
    straight = apart in (1, 12)
    if a // 13 == b // 13:
        return total + (10 if straight else 3)
    if apart == 0:
        return total + 7
    return total + 5 if straight else total


@jit
def add_card(ones: int, twos: int, card: int) -> tuple[int, int]:
    """A multiset of cards with one more card.

    `ones` has a bit for each kind, `twos` for kinds that are there twice. Jokers are all in `ones`, as so many bits from 52
    on: bit 52 is set when there is one at all.
    """
    if card == JOKER:
        return ones | ((ones >> JOKER) * 2 + 1) << JOKER, twos
    if has(ones, card):
        return ones, twos | bit(card)
    return ones | bit(card), twos


@jit
def drop_card(ones: int, twos: int, card: int) -> tuple[int, int]:
    """A multiset without one copy of a card that is in it (see `add_card`)."""
    if card == JOKER:
        return (ones & (bit(JOKER) - 1)) | (ones >> (JOKER + 1)) << JOKER, twos
    if has(twos, card):
        return ones, twos & ~bit(card)
    return ones & ~bit(card), twos


@jit
def all_cards(s: Row) -> tuple[int, int]:
    """Every card of the game as a multiset (see `add_card`)."""
    twos = bit(JOKER) - 1
    return bit(JOKER + s.decks * s.jokers) - 1, twos if s.decks == 2 else twos & 0


@jit
def multiset_into(out: Any, ones: int, twos: int) -> int:
    """Write a multiset into `out` in the order of the card numbers; return how many cards."""
    n = 0
    while ones != 0:
        card = min(lowest(ones), JOKER)
        out[n] = card
        n += 1
        if has(twos, card):
            out[n] = card
            n += 1
        ones &= ones - 1
    return n


@jit
def without_all_in_play(s: Row, ones: int, twos: int) -> tuple[int, int]:
    """A multiset less the cards in hands, on the table, in the deck and in the tie-break draw that is going on."""
    ones, twos = without(s.table[s.round_no - 1], ones, twos)
    ones, twos = without(s.deck_cards, ones, twos)
    ones, twos = without(s.drawn, ones, twos)
    if s.community >= 0:
        ones, twos = drop_card(ones, twos, I64(s.community))
    for p in range(s.players):
        ones, twos = without_hand(ones, twos, s.hand[p], s.twin[p])
    return ones, twos


@jit
def without(cards: Any, ones: int, twos: int) -> tuple[int, int]:
    """A multiset less the cards of an array; EMPTY and HIDDEN are skipped."""
    for i in range(len(cards)):
        if cards[i] >= 0:
            ones, twos = drop_card(ones, twos, I64(cards[i]))
    return ones, twos


@jit
def without_hand(ones: int, twos: int, hand: int, twin: int) -> tuple[int, int]:
    """A multiset less another one that is in it."""
    while hand != 0:
        card = min(lowest(hand), JOKER)
        ones, twos = drop_card(ones, twos, card)
        if has(twin, card):
            ones, twos = drop_card(ones, twos, card)
        hand &= hand - 1
    return ones, twos


# --- what can be read off a row -------------------------------------------------------------------------------------------


@jit
def hand_number(s: Row) -> int:
    """The hand, from 0."""
    return I64(s.shuffle >> 6)


@jit
def first_seat(s: Row) -> int:
    """F: the first seat in the round at or after seat (hand + round - 1) mod players (rules 4)."""
    p = (hand_number(s) + s.round_no - 1) % s.players
    while s.paid[p] == 0:
        p = (p + 1) % s.players
    return p


@jit
def face_up(round_no: int, slot: int) -> bool:
    """Whether slot 0 or 1 of a round lies face-up (rules 4.1)."""
    return (round_no == 1 and slot == 1) or (round_no == 3 and slot == 0)


@jit
def pot_size(s: Row) -> int:
    """All chips paid in this round."""
    pot = I64(0)
    for p in range(s.players):
        pot += s.paid[p]
    return pot


@jit
def high_bet(s: Row) -> int:
    """The highest bet of this betting."""
    high = I64(0)
    for p in range(s.players):
        high = max(high, I64(s.bet[p]))
    return high


@jit
def to_call(s: Row, p: int) -> int:
    """Chips that seat p lacks to the highest bet."""
    return high_bet(s) - s.bet[p]


@jit
def with_chips(s: Row) -> int:
    """Mask of alive seats that have chips behind."""
    mask = I64(0)
    for p in range(s.players):
        if s.chips[p] > 0:
            mask |= bit(p)
    return mask & s.alive


@jit
def seat_score(s: Row, p: int) -> int:
    """Score of the two cards of seat p in this round; in round 4 the second is the community card (rules 5.1)."""
    cards = s.table[s.round_no - 1]
    second = s.community if s.round_no == ROUNDS else cards[2 * p + 1]
    return pair_score(I64(cards[2 * p]), I64(second))
