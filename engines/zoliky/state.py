"""Jolly Zoliky: cards, actions, options, the record, and what can be read off a row. Nothing moves here.

Natural cards are bits of an int64, one lane of 16 bits a suit: bit `16*suit + position`, position 1 (ace) ..
13 (king). Two masks hold a hand's naturals: `hand` the kinds that are there at least once, `twice` those that
are there twice; jokers are counted. Bits 0 and 15 of a lane stay empty, so that shifts by one or two never
meet the next suit. What a meld looks like is in `melds`.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ..core import HAND_SHUFFLES, NOBODY, Row, jit
from ..declaration import Option
from ..record import AMOUNT, FLAG, SEAT, Range, Record, within

# --- cards [1] ----------------------------------------------------------------------------------------------

RANKS = "A23456789TJQK"
SUITS = "shdc"
CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
JOKER = 52
N_KINDS = 53
DECK_SIZE = 108
JOKERS_IN_DECK = 4

PLACE: NDArray[np.int64] = np.array([16 * (k // 13) + k % 13 + 1 for k in range(52)] + [0], np.int64)
"""Bit number of a kind."""
KIND: NDArray[np.int64] = np.array([b // 16 * 13 + (b % 16 - 1) % 13 for b in range(64)], np.int64)
"""Kind of a bit number (position 14 is the ace too)."""
LANE = 0xFFFF
ALL_LANES = 0x0001_0001_0001_0001
ACES = 0x0002_0002_0002_0002
HIGH_ACES = ACES << 13
ALL_NATURALS = 0x3FFE_3FFE_3FFE_3FFE
POSITIONS = 0x7FFE_7FFE_7FFE_7FFE  # 1..14 of every suit
FIRST_OF_RUN = 0x1FFE_1FFE_1FFE_1FFE  # positions 1..12, where a run can begin

# --- actions [7] --------------------------------------------------------------------------------------------


Action = IntEnum(
    "Action",
    {
        "DRAW_STOCK": 0,
        "DRAW_DISCARD": 1,
        "DRAW_JOLLY": 2,
        "DISCARD": 3,  # + kind
        "RUN": 56,  # + (suit * 12 + lowest position - 1) * 5 + joker pattern
        "NEW_SET": 296,  # + rank * 14 + which cards
        "LAY_HI": 478,  # + suit * 11 + position - 4
        "LAY_LO": 522,  # + suit * 11 + position - 1
        "LAY_SET": 566,  # + kind
        "JOKER_HI": 618,  # as LAY_HI
        "JOKER_LO": 662,  # as LAY_LO
        "JOKER_SET": 706,  # + rank
        "SWAP_RUN": 719,  # + kind
        "SWAP_SET": 771,  # + kind
    },
)
"""The first action of every block. Where a block counts kinds, ranks or positions, they are in order."""


N_ACTIONS = 823
END_POSITIONS = 11  # positions that a card laid on a run can have, at either end

# --- options [2] --------------------------------------------------------------------------------------------

MOST_PLAYERS = 6
MOST_MELDS = 36
MOST_HELD = 20  # cards in a hand; a game leads to 16: the leader's, who cut and kept three jokers
MELDS_FROM = 3  # the first round in which cards may be laid out
OPENING_POINTS = 36
MOST_DEALS, MOST_ROUNDS = 24, 200
CUT = 3  # cards that the cutter looks at

OPTIONS = (
    Option("deals", 1, "deals in one game", 1, MOST_DEALS),
    Option("max_rounds", 30, "a deal without winner ends after this round", MELDS_FROM, MOST_ROUNDS),
    Option("cut_jokers", "instead", "jokers kept at the cut replace dealt cards, or come on top",
           choices=("instead", "extra")),
    Option("joker_penalty", 1, "minus points for each joker left in a loser's hand", 1, 25),
    Option("opening", "kept",
           "the pure run of an opening stays pure to the end of that turn, or only until 36 points are "
           "reached", choices=("kept", "reached")),
    Option("winner_pot", False, "true: the winner of a deal gets what the others lose"),
)  # fmt: skip
EXTRA = 1  # of cut_jokers
KEPT = 0  # of opening

# --- the record ---------------------------------------------------------------------------------------------


Phase = IntEnum("Phase", "DEALING RESHUFFLING DRAWING MELDING", start=0)
"""What is due; at the end of the game the phase of the last turn."""


OPENED_NOW = 2
HISTORY = MOST_PLAYERS * MOST_ROUNDS + 2 * 321
"""Bytes of the history of a deal: one a discard, two a meld step or a draw from elsewhere than the stock. At
most 321 of those: 104 steps place a natural, at most 104 of them swap, so at most 108 place a joker alone; a
pile card is drawn to be placed: at most 104 naturals and 4 jokers, which never come back off the table; one
Jolly card."""
TWO_BYTES = 64  # first byte of an action in two bytes: 64 + action // 64, then action % 64

CARD, PLACES = within(NOBODY, JOKER), within(0, DECK_SIZE)

RECORD = Record(
    OPTIONS,
    [
        ("deal_number", np.int64, within(0, lambda o: o["deals"] - 1)),  # 0-based
        ("round_number", np.int64, within(0, lambda o: o["max_rounds"])),  # 1-based; 0 before the deal
        ("phase", np.int64, within(0, Phase.MELDING)),
        # whose turn, also while a reshuffle is due; NOBODY between deals and at the end
        ("mover", np.int64, SEAT),
        # points of the deals that are over
        ("totals", np.int64, MOST_PLAYERS, Range(AMOUNT.low, AMOUNT.high, beyond=0)),
        # naturals held; only the own ones are in a view
        ("hand", np.int64, MOST_PLAYERS, within(0, ALL_NATURALS, beyond=0)),
        ("twice", np.int64, MOST_PLAYERS, within(0, ALL_NATURALS, beyond=0)),  # naturals held twice; likewise
        ("jokers", np.int64, MOST_PLAYERS, within(0, JOKERS_IN_DECK, beyond=0)),  # jokers held; likewise
        ("held", np.int64, MOST_PLAYERS, within(0, MOST_HELD, beyond=0)),  # cards held
        # 1: is open; OPENED_NOW: since this turn, which is the seat's own
        ("opened", np.int64, MOST_PLAYERS, within(0, OPENED_NOW, beyond=0)),
        # the cards of the last reshuffle: naturals; 0 before the first
        ("pool", np.int64, within(0, ALL_NATURALS)),
        ("pool_twice", np.int64, within(0, ALL_NATURALS)),  # those of them that were there twice
        ("pool_jokers", np.int64, within(0, JOKERS_IN_DECK)),
        ("kept", np.int64, within(0, CUT)),  # jokers that the cutter kept
        # those that the cutter holds for certain: kept and swapped, minus played
        ("sure_jokers", np.int64, within(0, JOKERS_IN_DECK)),
        ("jolly", np.int64, CARD),  # kind of the Jolly card; NOBODY before the deal
        ("jolly_turn", np.int64, FLAG),  # 1: the mover drew the Jolly card (the deal ends with this turn)
        ("owed", np.int64, within(NOBODY, JOKER - 1)),  # natural that must be placed in this turn; NOBODY
        ("owed_jokers", np.int64, within(0, JOKERS_IN_DECK)),  # jokers that must be placed in this turn
        ("n_melds", np.int64, within(0, MOST_MELDS)),
        ("fresh", np.int64, within(0, MOST_MELDS)),  # melds laid in this turn: the last ones of the table
        ("n_stock", np.int64, PLACES),
        ("n_pile", np.int64, PLACES),
        ("n_drawn", np.int64, PLACES),  # cards drawn from the stock since it was made
        ("n_events", np.int64, within(0, HISTORY)),  # bytes used of the history
        ("stock_event", np.int64, within(0, HISTORY)),  # bytes used of the history when the stock was made
        ("stock_seat", np.int64, SEAT),  # whose turn it was then; NOBODY before the deal
        ("stock_jokers", np.int64, within(0, JOKERS_IN_DECK)),  # jokers that the cutter held for certain then
        # the table in order of laying; 0 beyond n_melds
        ("melds", np.int64, MOST_MELDS, within(0, (1 << 26) - 1)),
        ("seen", np.int8, CUT, CARD),  # what the cutter looked at, in deck order; NOBODY in other views
        # the next card last; NOBODY beyond n_stock, and everywhere in a view
        ("stock", np.int8, DECK_SIZE, CARD),
        ("drawn", np.int8, DECK_SIZE, CARD),  # drawn from this stock, in order; only the own cards in a view
        ("drawer", np.int8, DECK_SIZE, SEAT),  # the seats that drew them; NOBODY beyond n_drawn
        ("pile", np.int8, DECK_SIZE, CARD),  # the top card last; NOBODY beyond n_pile
        # of this deal; `draw stock` is implied; NOBODY beyond n_events
        ("history", np.int8, HISTORY, within(NOBODY, TWO_BYTES + N_ACTIONS // 64)),
    ],
)

# --- seats, shuffles, what is owed --------------------------------------------------------------------------


@jit
def leader(s: Row) -> int:
    """Return the seat that begins every round of this deal [3]."""
    return s.deal_number % s.players


@jit
def cutter(s: Row) -> int:
    """Return the seat right of the dealer, who cut [3]."""
    return (s.deal_number + 2 * s.players - 2) % s.players


@jit
def hand_size(s: Row, p: int) -> int:
    """Cards that a seat holds after the deal [3.3]."""
    size = 13 if p == leader(s) else 12
    return size + s.kept if s.cut_jokers == EXTRA and p == cutter(s) else size


@jit
def reshuffles(s: Row) -> int:
    """How often the discard pile became the stock in this deal [3]."""
    block = s.shuffle // HAND_SHUFFLES
    return (block - s.deal_number) // MOST_DEALS * HAND_SHUFFLES + s.shuffle % HAND_SHUFFLES


@jit
def shuffle_number(deal_number: int, place_in_deal: int) -> int:
    """Return the number of a shuffle: deal * 64 + place."""
    block = deal_number + MOST_DEALS * (place_in_deal // HAND_SHUFFLES)
    return block * HAND_SHUFFLES + place_in_deal % HAND_SHUFFLES


@jit
def owes(s: Row) -> bool:
    """Whether the mover has to place a card before the turn may end [4.2]."""
    return s.owed != NOBODY or s.owed_jokers > 0
