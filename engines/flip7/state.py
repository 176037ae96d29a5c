"""Flip 7: cards, actions, options, the record, and what can be read off a row. Nothing moves here.

Numbers in brackets are the sections of the rules page, docs/rules/flip7.md.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from ..core import I64, NOBODY, Row, bit, count, has, jit, lowest
from ..declaration import Option, Value
from ..errors import OptionError
from ..record import COUNT, SEAT, Record, all_seats, players, within

# --- cards and actions [1, 7] -------------------------------------------------------------------------------

CARDS = (*map(str, range(13)), "+2", "+4", "+6", "+8", "+10", "X2", "FZ", "F3", "SC")
"""Text of every kind of card; its index is the card's number, and canonical order is ascending."""
COPIES = np.array([1, *range(1, 13), 1, 1, 1, 1, 1, 1, 3, 3, 3])
"""How many cards of each kind the deck has."""
VALUES = np.array([*range(13), 2, 4, 6, 8, 10, 0, 0, 0, 0])
"""Points of a card by itself [5.1]."""
KINDS = len(CARDS)
DECK = int(COPIES.sum())
NUMBERS = 13  # cards below this one are numbers
DOUBLE, FREEZE, FLIP_THREE, SECOND_CHANCE = 18, 19, 20, 21
NUMBER_CARDS = (1 << NUMBERS) - 1
SEVEN, BONUS = 7, 15
MOST_POINTS = 171

SEATS = 10
ROW = 16  # 7 numbers, 6 modifiers, 3 Second Chances
FLIPS = 3  # there are three F3, and none comes back before all are done
DRAWS = 3
TOTAL, PLUS, CHANCE, SIZE = 24, 32, 40, 44
"""A row as one integer: the mask of its kinds; from these bits on the sum of its numbers, that of its
additions, its Second Chances, its cards."""
GAIN = np.array(
    [
        *((1 << SIZE) + (1 << n) + (VALUES[n] << (TOTAL if n < NUMBERS else PLUS)) for n in range(FREEZE)),
        *(0, 0, (1 << SIZE) + (1 << CHANCE)),
    ],
    np.int64,
)
"""What a card that joins a row adds to that integer; FZ and F3 never do."""
EVENTS = 512
"""Events that the record keeps: all of nearly every game of up to six seats, and most of one with ten."""


Action = IntEnum("Action", {"HIT": 0, "STAY": 1, "SAVE": 2, "BUST": 3, "GIVE": 4})
"""The actions [7]; `GIVE + seat` gives a card to a seat."""


ACTIONS = ("hit", "stay", "save", "bust", *(f"give {seat}" for seat in range(SEATS)))


Event = IntEnum("Event", {"ROUND": 14, "SHUFFLE": 15, "DRAW": 16, "SCORE": 64})
"""What the record keeps beside the actions: `DRAW + card`, `SCORE + points` of a row, and so on."""


class Status(IntEnum):
    """How a seat stands in this round [1]; NO_SEAT beyond the number of players."""

    NO_SEAT = 0
    ACTIVE = 1
    STAYED = 2
    FROZEN = 3
    BUSTED = 4
    FLIP7 = 5


# --- options [2] --------------------------------------------------------------------------------------------

SELF, ANY = range(2)  # targeting
NOW, AFTER = range(2)  # flip_three
AUTO, ASK = range(2)  # second_chance
KEEP, FRESH = range(2)  # deck
SHARE, PLAY_ON = range(2)  # tie
OPTIONS = (
    Option("goal", 200, "the game ends after a round in which some total has reached this", 1, 10_000),
    Option("max_rounds", 50, "the game ends after this many rounds in any case", 1, 1_000),
    Option("first_dealer", 0, "dealer of round 1, 0 to players - 1; the deal passes clockwise", 0, SEATS - 1),
    Option("targeting", "self", "who a Freeze or Flip Three acts on: its drawer, or any active seat",
           choices=("self", "any")),
    Option("flip_three", "now", "FZ and F3 drawn in a Flip Three: act now, or after its draws",
           choices=("now", "after")),
    Option("second_chance", "auto", "a Second Chance is spent by itself, or its seat is asked",
           choices=("auto", "ask")),
    Option("deck", "keep", "the draw pile goes on from round to round, or is fresh each round",
           choices=("keep", "fresh")),
    Option("tie", "share", "equal best totals at the goal: shared first place, or play on",
           choices=("share", "play_on")),
)  # fmt: skip


def check(players: int, options: dict[str, Value]) -> None:
    """Make sure that the first dealer is one of the players [2]."""
    dealer = int(options["first_dealer"])
    if dealer >= players:
        raise OptionError(
            f"flip7: option first_dealer = {dealer}: allowed is 0 to {players - 1} ({players} players)"
        )


# --- the record ---------------------------------------------------------------------------------------------
# All is public but `pile`. Blank is NOBODY unless said otherwise; seats beyond `players` hold blanks.

RECORD = Record(
    OPTIONS,
    [
        ("round_no", np.int64, within(1, lambda o: o["max_rounds"])),  # from 1
        # seats served in this round's deal, 0 .. players; blank 0 at the end
        ("dealt", np.int64, within(0, players)),
        # seat whose card of the deal or whose turn is carried out; before the first card the dealer
        ("turn", np.int64, SEAT),
        # what `seat` decides about: a duplicate (save, bust) or an action card (give); blank at a turn
        ("card", np.int64, within(NOBODY, KINDS - 1)),
        ("left", np.int64, within(0, DECK)),  # cards in the draw pile: the end of the list that a view blanks
        ("decisions", np.int64, COUNT),  # made so far in the game
        ("events", np.int64, COUNT),  # happened so far in the game
        ("pile", np.int8, DECK, within(NOBODY, KINDS - 1)),  # HIDDEN: the next card is pile[left - 1]
        ("discards", np.int8, KINDS, within(0, COPIES)),  # how many of each kind
        # numbers, modifiers, Second Chances in the order received
        ("row", np.int8, (SEATS, ROW), within(NOBODY, KINDS - 1, beyond=NOBODY)),
        # the same as one integer, without what bust it (see GAIN), blank 0
        ("held", np.int64, SEATS, within(0, 1 << SIZE + 5, beyond=0)),
        ("active", np.int64, within(0, all_seats)),  # mask of the seats that are active, blank 0
        # blank 0; at the end of the game as the last round left it
        ("status", np.int8, SEATS, within(Status.ACTIVE, Status.FLIP7, beyond=Status.NO_SEAT)),
        ("flip_seat", np.int8, FLIPS, SEAT),  # open Flip Threes, the last one is on top: whose
        ("flip_left", np.int8, FLIPS, within(0, DRAWS)),  # ... how many draws are left, blank 0
        # ... FZ and F3 that wait for the end of its draws, earliest first
        ("aside", np.int8, (FLIPS, DRAWS), within(NOBODY, FLIP_THREE)),
        # points of all rounds that are over, blank 0
        ("total", np.int32, SEATS, within(0, MOST_POINTS * 1000, beyond=0)),
        # points of the last round that is over
        ("last", np.int16, SEATS, within(NOBODY, MOST_POINTS, beyond=NOBODY)),
        # an action or Event: event e at e % EVENTS, a ring of the last ones
        ("event_what", np.int16, EVENTS, within(NOBODY, Event.SCORE + MOST_POINTS)),
        ("event_seat", np.int8, EVENTS, SEAT),  # whose
    ],
)

# --- what can be read off a row -----------------------------------------------------------------------------


@jit
def dealer(s: Row) -> int:
    """Dealer of this round [3]."""
    return (s.first_dealer + s.round_no - 1) % s.players


@jit
def row_size(s: Row, seat: int) -> int:
    """Return the number of cards in a row."""
    return s.held[seat] >> SIZE


@jit
def has_chance(s: Row, seat: int) -> bool:
    """Whether a row has a Second Chance."""
    return s.held[seat] >> CHANCE & 15 != 0


@jit
def lay(s: Row, seat: int, card: int) -> None:
    """Put a card that does not bust it at the end of a row."""
    s.row[seat, row_size(s, seat)] = card
    s.held[seat] += GAIN[card]


@jit
def worth(cards: int, total: int, plus: int) -> int:
    """Points of a row that has not bust: its mask, the sum of its numbers, that of its additions [5.1]."""
    points = total * 2 if has(cards, DOUBLE) else total
    return points + plus + (BONUS if count(cards & NUMBER_CARDS) == SEVEN else 0)


@jit
def held_worth(held: int) -> int:
    """Points of a row as one integer that has not bust [5.1]."""
    return worth(held, held >> TOTAL & 255, held >> PLUS & 255)


@jit
def row_points(s: Row, seat: int) -> int:
    """Return what a row would score if the round ended now [5.1]."""
    return 0 if s.status[seat] == Status.BUSTED else held_worth(s.held[seat])


@jit
def points_into(s: Row, out: Any) -> None:
    """Write what every row would score now into `out` (int64, players)."""
    for seat in range(s.players):
        out[seat] = row_points(s, seat)


@jit
def pile_counts(s: Row, out: Any) -> None:
    """Write what the draw pile holds of each kind into `out` (int64[22]); follows from what is open [6]."""
    for card in range(KINDS):
        out[card] = COPIES[card] - s.discards[card]
    for seat in range(s.players):
        for i in range(row_size(s, seat)):
            out[s.row[seat, i]] -= 1
    for flip in range(FLIPS):
        for i in range(DRAWS):
            if s.aside[flip, i] != NOBODY:
                out[s.aside[flip, i]] -= 1
    if s.card != NOBODY:
        out[s.card] -= 1


@jit
def top_flip(s: Row) -> int:
    """Place of the Flip Three that is worked on; -1 if none is open [4.5]."""
    flip = FLIPS - 1
    while flip >= 0 and s.flip_seat[flip] == NOBODY:
        flip -= 1
    return flip


@jit
def next_active(s: Row) -> int:
    """Return the next active seat clockwise [4.2]."""
    after = s.active & I64(-2) << s.turn
    return lowest(after if after != 0 else s.active)


@jit
def takers(s: Row, card: int) -> int:
    """Mask of the seats that a card may be given to: active; a Second Chance: without one [4.3(4), 4.4]."""
    seats = s.active
    if card == SECOND_CHANCE:
        for seat in range(s.players):
            if has_chance(s, seat):
                seats &= ~bit(seat)
    return seats


@jit
def game_over(s: Row) -> bool:
    """Whether the round that was just scored is the last one [5.4]."""
    best, leaders = -1, 0
    for seat in range(s.players):
        if s.total[seat] > best:
            best, leaders = s.total[seat], 0
        leaders += s.total[seat] == best
    if s.round_no == s.max_rounds:
        return True
    return best >= s.goal and (s.tie == SHARE or leaders == 1)
