"""Tzogous 37: cards, actions, options, the record, and what can be read off a row. Nothing moves here.

Numbers in brackets are the sections of the rules page, docs/rules/tzogous37.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import numpy as np

from ..core import I64, NOBODY, Row, bit, has, jit, lowest, scratch
from ..declaration import Option, Value
from ..errors import OptionError
from ..record import AMOUNT, COUNT, FLAG, SEAT, Range, Record, all_seats, within

# --- vocabulary [1, 2, 7] -----------------------------------------------------------------------------------
# Cards are numbered by suit, then rank [1]: 0 = 2s, 12 = As, 13 = 2h, ..., 51 = Ac, 52 = JK.

RANKS = "23456789TJQKA"
SUITS = "shdc"
CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
JOKER = 52
KINDS = (1 << 53) - 1
"""The kinds of card in a hand's mask (see `add_card`)."""
HIDDEN = -2
"""A card that the viewer does not know."""
PUBLIC = 127
"""Everybody knows it: a bit for each seat, and bit 6 for onlookers."""
ONLOOKER = 6

SEATS = 6
PLACES = 2 * SEATS
"""Places on the table: 2 * seat + slot, slot 0 or 1."""
ROUNDS = 4
HAND = 7
PACK = 112
"""Most cards in play: two decks with four jokers each."""
MOST_RAISE = 100
"""Most steps of a `raise N`; more is `raise max`."""
MOST_DRAWS = 20


Phase = IntEnum(
    "Phase",
    "DEAL ANTE PLACE1 BET1 PLACE2 BET2 DISCARD SURVIVE GIVE DRAW COMMUNITY SHOWDOWN AWARD OVER",
    start=0,
)
"""Where the game is. A seat acts in PLACE1 to GIVE; others are passed through, or wait for a shuffle."""


Action = IntEnum(
    "Action", {"FOLD": 0, "CHECK": 1, "CALL": 2, "RAISE_MAX": 103, "USE_JOKER": 104, "PLACE": 116}
)
"""The actions [7]; `USE_JOKER + place on the table`, `PLACE + card`, `RAISE + steps`."""


RAISE = 2
ACTIONS = Action.PLACE + len(CARDS)


class Bet(IntEnum):
    """What the record keeps of the betting."""

    FOLD = 0
    CHECK = 1
    CALL = 2
    RAISE = 3
    WIN = 4


class Move(IntEnum):
    """What the record keeps of the cards."""

    HAND = 0  # a hand is dealt
    PLACE = 1  # from the hand onto the own slot
    JOKER = 2  # a joker is used; in place of a card: on which place
    GIVE = 3  # with a joker: from the hand onto that place
    TAKE = 4  # with a joker: from that place into the hand
    LOSE = 5  # under a joker that is laid: from that place to the discards
    DRAW = 6  # for a joker: from the deck into the hand
    COMMUNITY = 7
    TIE = 8  # drawn to break a tie
    RESHUFFLE = 9  # in place of a card: how many were drawn in the tie-break draw that waits for it


STACKS_ROUND, STACKS_HAND, STACKS_GAME = range(3)  # stacks
SWAP, LAY = range(2)  # joker_use
OPTIONS = (
    Option("hands", 4, "hands per game; a hand is four rounds, each with its own pot", 1, 1000),
    Option("ante", 5,
           "forced bet of every seat in every round, and the smallest opening raise; a multiple of `step`",
           1, 25_000),
    Option("stack", 100,
           "chips that a seat starts with: 4 antes to 100 steps; a multiple of `step`", 4, 100_000),
    Option("step", 1, "smallest chip: every amount is a multiple of it", 1, 1000),
    Option("stacks", "round",
           "when stacks are set to `stack`: before every round, before every hand, or once a game",
           choices=("round", "hand", "game")),
    Option("pot_counts_call", False, "the raiser's own call counts as part of the pot that limits the raise"),
    Option("decks", 1, "two decks: the same card twice scores +12", 1, 2),
    Option("jokers", 2, "jokers per deck", 0, 4),
    Option("joker_use", "swap",
           "swap: the joker exchanges a table card for one of the hand; lay: it takes the card's place",
           choices=("swap", "lay")),
    Option("joker_limit", False, "at most one joker use per seat and hand"),
    Option("sudden_death", False, "a pot still tied after one tie-break draw is split (else after 20)"),
)  # fmt: skip


def check(players: int, options: dict[str, Value]) -> None:
    """Amounts are multiples of `step`, and a stack has 4 antes to 100 steps [2]."""
    ante, stack, chip = (int(options[name]) for name in ("ante", "stack", "step"))
    for name, amount in (("ante", ante), ("stack", stack)):
        if amount % chip:
            raise OptionError(f"tzogous37: option {name} = {amount}: allowed is a multiple of step = {chip}")
    if not 4 * ante <= stack <= MOST_RAISE * chip:
        allowed = f"4 antes to {MOST_RAISE} steps, here {4 * ante} to {MOST_RAISE * chip}"
        raise OptionError(f"tzogous37: option stack = {stack}: allowed is {allowed}")


# --- the record ---------------------------------------------------------------------------------------------
# Two rings hold what has happened: `move_...` the last MOVES times that cards moved, `bet_...` the last BETS
# times that somebody bet or won a pot. Event i is at i % MOVES (% BETS). They are apart so that no war of
# raises can push out the cards: worlds need those of the hand, at most some 60 with six seats but for ties.

MOVES, BETS = 192, 128
MOST_HELD = 16
"""More cards than a hand can have."""


def all_chips(setup: Mapping[str, int]) -> int:
    """All chips of the table: every seat starts with a stack."""
    return setup["players"] * setup["stack"]


CHIPS = within(0, all_chips)

RECORD = Record(
    OPTIONS,
    [
        ("phase", np.int64, within(0, Phase.OVER)),
        ("round_no", np.int64, within(0, ROUNDS)),  # 1 .. 4; 0 before the first
        # mask of seats in the round that have not folded; 0 between rounds
        ("alive", np.int64, within(0, all_seats)),
        # mask of seats that must act in this betting; 0 outside of betting
        ("due", np.int64, within(0, all_seats)),
        ("rich", np.int64, within(0, all_seats)),  # mask of the seats that have chips behind
        ("first", np.int64, SEAT),  # F: first of the seats in the round; -1 between rounds
        ("pot", np.int64, CHIPS),  # all chips paid in this round
        ("high", np.int64, CHIPS),  # the highest bet of this betting
        ("turn", np.int64, SEAT),  # seat from which to go on while nobody is to act, -1
        ("joker_used", np.int64, FLAG),  # 1: the seat to act has used a joker in this turn
        # place on the table that a joker was aimed at, until the card is given, -1
        ("target", np.int64, within(NOBODY, lambda o: 2 * o["players"] - 1)),
        # mask of the best seats of the pot that is being decided, 0
        ("tied", np.int64, within(0, all_seats)),
        ("draws", np.int64, within(0, MOST_DRAWS)),  # tie-break draws finished for this pot
        ("community", np.int64, within(NOBODY, JOKER)),  # card, -1
        ("left", np.int64, within(0, PACK)),  # cards in the deck
        ("last_raise", np.int64, CHIPS),  # chips; 0 outside of betting
        ("level", np.int64, CHIPS),  # `paid` up to which pots have been decided or are being decided, 0
        ("moves", np.int64, COUNT),  # how often cards have moved so far
        ("wagers", np.int64, COUNT),  # how many events of betting so far
        ("joker_uses", np.int8, SEATS, within(0, 127, beyond=0)),  # in this hand
        ("held", np.int8, SEATS, within(0, MOST_HELD, beyond=0)),  # cards in hand
        # cards of the tie-break draw that is going on, -1
        ("drawn", np.int8, SEATS, within(NOBODY, JOKER, beyond=NOBODY)),
        # cards of this round, as last played; -1; HIDDEN in a view
        ("table", np.int8, PLACES, within(HIDDEN, JOKER, blank=NOBODY)),
        # who knows that card: mask of seats, PUBLIC; 0 where none lies
        ("knows", np.int8, PLACES, within(0, PUBLIC)),
        ("lain", np.int32, PLACES, within(NOBODY, 2**31 - 1)),  # number of the move that laid it there, -1
        # secret; the next card is the last one; -1 beyond `left` and in a view
        ("deck_cards", np.int8, PACK, within(NOBODY, JOKER)),
        ("chips", np.int32, SEATS, within(0, all_chips, beyond=0)),  # behind, not in the pot
        # in this round, ante included; > 0 exactly for the seats in the round
        ("paid", np.int32, SEATS, within(0, all_chips, beyond=0)),
        ("bet", np.int32, SEATS, within(0, all_chips, beyond=0)),  # in this betting
        # chips won - lost in all finished rounds
        ("net", np.int64, SEATS, Range(AMOUNT.low, AMOUNT.high, beyond=0)),
        # the owner's secret: kinds of card, jokers in unary from bit 52 on; else 0
        ("hand", np.int64, SEATS, within(0, (1 << JOKER + 8) - 1, beyond=0)),
        # the owner's secret: kinds held twice (two decks)
        ("doubled", np.int64, SEATS, within(0, (1 << JOKER) - 1, beyond=0)),
        ("move_kind", np.int8, MOVES, within(NOBODY, Move.RESHUFFLE)),  # a Move, -1
        ("move_seat", np.int8, MOVES, SEAT),  # whose, -1
        # card, or as `Move` says; -1; HIDDEN in a view
        ("move_card", np.int8, MOVES, within(HIDDEN, JOKER, blank=NOBODY)),
        # who knows that card, as in `knows`; -1 (all) where there is no move
        ("move_knows", np.int8, MOVES, within(NOBODY, PUBLIC)),
        # 2 * (round - 1) + slot or betting, both from 0
        ("move_time", np.int8, MOVES, within(0, 2 * ROUNDS - 1)),
        ("move_wagers", np.int16, MOVES, within(0, 2**15 - 1)),  # `wagers` before it, modulo 2**15
        ("bet_kind", np.int8, BETS, within(NOBODY, Bet.WIN)),  # a Bet, -1
        ("bet_seat", np.int8, BETS, SEAT),
        ("bet_steps", np.int16, BETS, within(0, 2**15 - 1)),  # of a raise or a pot won, 0
        ("bet_time", np.int8, BETS, within(-2, 2 * ROUNDS - 1)),  # as `move_time`
    ],
)


# --- cards and multisets of cards ---------------------------------------------------------------------------


@jit
def value(card: int) -> int:
    """Value of a card: 2 .. 14, a joker 0 [1]."""
    return 0 if card == JOKER else card % 13 + 2


@jit
def pair_score(a: int, b: int) -> int:
    """Score of two cards: their values and the highest bonus that applies [5.1]."""
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
    """Return a multiset of cards with one more card.

    `ones` has a bit for each kind, `twos` for kinds that are there twice. Jokers are all in `ones`, as so
    many bits from 52 on: bit 52 is set when there is one at all.
    """
    if card == JOKER:
        return ones | ((ones >> JOKER) * 2 + 1) << JOKER, twos
    if has(ones, card):
        return ones, twos | bit(card)
    return ones | bit(card), twos


@jit
def drop_card(ones: int, twos: int, card: int) -> tuple[int, int]:
    """Return a multiset without one copy of a card that is in it (see `add_card`)."""
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
def without(cards: Any, ones: int, twos: int) -> tuple[int, int]:
    """Return a multiset less the cards of an array; -1 and HIDDEN are skipped."""
    for i in range(len(cards)):
        if cards[i] >= 0:
            ones, twos = drop_card(ones, twos, I64(cards[i]))
    return ones, twos


@jit
def discards(s: Row) -> tuple[int, int]:
    """Return the discards as a multiset [3]."""
    ones, twos = all_cards(s)
    ones, twos = without(s.table, ones, twos)
    ones, twos = without(s.deck_cards, ones, twos)
    ones, twos = without(s.drawn, ones, twos)
    if s.community >= 0:
        ones, twos = drop_card(ones, twos, s.community)
    hand = scratch(PACK, np.int16)
    for p in range(s.players):
        ones, twos = without(hand[: multiset_into(hand, s.hand[p], s.doubled[p])], ones, twos)
    return ones, twos


# --- what can be read off a row -----------------------------------------------------------------------------


@jit
def hand_number(s: Row) -> int:
    """Return the hand, from 0."""
    return s.shuffle >> 6


@jit
def seat_after(s: Row, p: int) -> int:
    """Return the next seat clockwise."""
    return p + 1 if p + 1 < s.players else 0


@jit
def first_from(seats: int, p: int) -> int:
    """Return the first seat of a mask that is not empty, clockwise from p on."""
    ahead = seats & I64(-1) << p
    return lowest(ahead if ahead != 0 else seats)


@jit
def in_steps(s: Row, chips: int) -> int:
    """Return an amount in smallest chips."""
    return chips if s.step == 1 else chips // s.step


@jit
def face_up(round_no: int, slot: int) -> bool:
    """Whether slot 0 or 1 of a round lies face-up [4.1]."""
    return (round_no == 1 and slot == 1) or (round_no == 3 and slot == 0)


@jit
def betting_of(s: Row, p: int) -> int:
    """Which betting of rounds 1 to 3 an alive seat is in: 0 while its second card is to come, else 1."""
    return 0 if s.table[2 * p + 1] == NOBODY else 1


@jit
def with_chips(s: Row) -> int:
    """Mask of alive seats that have chips behind."""
    return s.rich & s.alive


@jit
def to_call(s: Row, p: int) -> int:
    """Chips that seat p lacks to the highest bet."""
    return s.high - s.bet[p]


@jit
def raise_limits(s: Row, p: int) -> tuple[int, int]:
    """Smallest and largest amount by which seat p may raise the highest bet; (0, 0) if it may not [4.3]."""
    call = to_call(s, p)
    if 0 < call < s.last_raise:
        return 0, 0
    deepest = 0
    for q in range(s.players):
        if q != p and has(s.alive, q):
            deepest = max(deepest, s.chips[q] + s.bet[q] - s.high)
    most = min(s.pot + call if s.pot_counts_call else s.pot, s.chips[p] - call, deepest)
    if most <= 0:
        return 0, 0
    return min(s.last_raise, most), most


@jit
def may_use_joker(s: Row, p: int) -> bool:
    """Whether seat p holds a joker that it may use in this turn, before the bet [4.5]."""
    if not has(s.hand[p], JOKER) or s.joker_used == 1 or (s.joker_limit == 1 and s.joker_uses[p] > 0):
        return False
    return s.joker_use == LAY or s.held[p] > 1


@jit
def seat_score(s: Row, p: int) -> int:
    """Score of the two cards of seat p in this round; in round 4 the second is the community card [5.1]."""
    second = s.community if s.round_no == ROUNDS else I64(s.table[2 * p + 1])
    return pair_score(I64(s.table[2 * p]), second)


@jit
def next_level(s: Row) -> int:
    """Return the next higher payment of an alive seat [5.2]."""
    level = 0
    for p in range(s.players):
        if has(s.alive, p) and s.paid[p] > s.level and (level == 0 or s.paid[p] < level):
            level = I64(s.paid[p])
    return level


@jit
def best_seats(s: Row) -> int:
    """Mask of the seats with the highest score among those that have paid for the pot of this level [5.2]."""
    best, seats = -1, 0
    for p in range(s.players):
        if has(s.alive, p) and s.paid[p] >= s.level:
            score = seat_score(s, p)
            if score > best:
                best, seats = score, 0
            if score == best:
                seats |= bit(p)
    return seats


@jit
def chips_in_pot(s: Row) -> int:
    """Chips of the pot of this level: paid above the level below, and in the last pot all the rest [5.2]."""
    below_it = 0
    last = True
    for p in range(s.players):
        if has(s.alive, p):
            if s.paid[p] < s.level:
                below_it = max(below_it, s.paid[p])
            if s.paid[p] > s.level:
                last = False
    chips = 0
    for p in range(s.players):
        upto = s.paid[p] if last else min(s.paid[p], s.level)
        chips += max(0, upto - below_it)
    return chips
