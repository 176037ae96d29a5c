"""Flip 7, for learners: a view as numbers. All is open but the order of the draw pile [6]."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import NOBODY, Row, count, has, jit, scratch
from ..declaration import Column, places
from ..learn.writing import one_at, seat_at, within
from . import state
from .state import (
    DECK,
    DRAWS,
    FLIP_THREE,
    FLIPS,
    KINDS,
    MOST_POINTS,
    NUMBER_CARDS,
    SEATS,
    SECOND_CHANCE,
    Status,
)

MOST_TOTAL = 2.0

COLUMNS = (
    Column("card", KINDS, "the card that is decided about, by number: a duplicate, FZ, F3 or SC"),
    Column("rows", SEATS * KINDS, "cards of each kind in every row, seat by seat / 3"),
    Column("pile", KINDS, "share of every kind in the draw pile"),
    Column("left", 1, "cards in the draw pile / 94"),
    Column("dealing", 1, "the deal goes on"),
    Column("flips", FLIPS * SEATS, "whose the open Flip Threes are, the first one first"),
    Column("draws", FLIPS, "draws left of each / 3"),
    Column("aside", FLIPS * DRAWS, "cards that wait in each: 0.5 FZ, 1 F3"),
    Column("played", 1, "rounds that are over / `max_rounds`"),
    Column("to_act", SEATS, "the seat to act"),
    Column("turn", SEATS, "the seat whose turn or card it is"),
    Column("dealer", SEATS, "the dealer"),
    Column("active", SEATS, "seats that are active"),
    Column("stayed", SEATS, "seats that stayed"),
    Column("frozen", SEATS, "seats that are frozen"),
    Column("busted", SEATS, "seats that bust"),
    Column("seven", SEATS, "seats with seven numbers"),
    Column("points", SEATS, "what each row would score now / 171"),
    Column("numbers", SEATS, "numbers in each row / 7"),
    Column("chance", SEATS, "rows with a Second Chance"),
    Column("last", SEATS, "(1 + points of the last round) / 172"),
    Column("risk", SEATS, "share of the draw pile that is a duplicate in each row"),
    Column("total", SEATS, "points of the rounds that are over / `goal`, at most 2", 0.0, MOST_TOTAL),
)
AT = places(COLUMNS)


@jit
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the columns of a view."""
    counts = scratch(KINDS, np.int64)
    state.pile_counts(s, counts)
    each = 1.0 / max(1, s.left)
    for card in range(KINDS):
        out[AT.pile + card] = counts[card] * each
    one_at(out, AT.card, s.card)
    out[AT.left] = s.left / DECK
    out[AT.dealing] = 1.0 if s.dealt < s.players else 0.0
    out[AT.played] = (s.round_no - 1) / s.max_rounds
    encode_flips(s, seat, out)
    seat_at(out, AT.to_act, s.seat, seat, s.players)
    seat_at(out, AT.turn, s.turn, seat, s.players)
    seat_at(out, AT.dealer, state.dealer(s), seat, s.players)
    for place in range(s.players):
        encode_seat(s, (seat + place) % s.players, place, counts, each, out)


@jit
def encode_flips(s: Row, seat: int, out: Any) -> None:
    """Write the open Flip Threes into `out`."""
    for flip in range(FLIPS):
        seat_at(out, AT.flips + flip * SEATS, s.flip_seat[flip], seat, s.players)
        out[AT.draws + flip] = s.flip_left[flip] / DRAWS
        for k in range(DRAWS):
            if s.aside[flip, k] != NOBODY:
                out[AT.aside + flip * DRAWS + k] = 1.0 if s.aside[flip, k] == FLIP_THREE else 0.5


@jit
def encode_seat(s: Row, seat: int, place: int, counts: Any, each: float, out: Any) -> None:
    """Write what lies before a seat into `out`. The seat sits `place` places after the viewer."""
    status = s.status[seat]
    if status >= Status.ACTIVE:
        out[AT.active + (status - Status.ACTIVE) * SEATS + place] = 1.0
    cards, sum_numbers, plus, duplicates = 0, 0, 0, 0
    for i in range(state.ROW):
        card = s.row[seat, i]
        if card == NOBODY:
            break
        if card < state.NUMBERS:
            sum_numbers += state.VALUES[card]
            duplicates += 0 if has(cards, card) else counts[card]  # a row that bust holds a card twice
        else:
            plus += state.VALUES[card]
        cards |= 1 << card
        out[AT.rows + place * KINDS + card] += 1.0 / 3.0
    worth = state.worth(cards, sum_numbers, plus) if status != Status.BUSTED else 0
    out[AT.points + place] = worth / MOST_POINTS
    out[AT.numbers + place] = min(1.0, count(cards & NUMBER_CARDS) / state.SEVEN)
    out[AT.chance + place] = 1.0 if has(cards, SECOND_CHANCE) else 0.0
    out[AT.last + place] = (1 + s.last[seat]) / (1 + MOST_POINTS)
    out[AT.risk + place] = duplicates * each
    out[AT.total + place] = within(s.total[seat] / s.goal, 0.0, MOST_TOTAL)
