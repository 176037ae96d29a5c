"""Taroky, for learners: a view as numbers. What a seat may know is in `worlds`."""

from __future__ import annotations

from typing import Any

from ..column import Column, places
from ..core import NOBODY, Row, jit
from ..learn.writing import cards_at, one_at, seat_at, within
from . import state
from .state import CALLS, CONTRAS, MONEY_CARDS, N_CARDS, PHASES, SEATS, TALON, XIX

MOST_CHIPS = 100

COLUMNS = (
    Column("hand", N_CARDS, "the own hand, by card"),
    Column("gone", N_CARDS, "cards played in this round, the trick in progress included"),
    Column("trick", N_CARDS, "cards of the trick in progress"),
    Column("best", N_CARDS, "the card that takes the trick as it lies"),
    Column("talon", N_CARDS, "cards in the talon, as far as seen, and those that all have seen"),
    Column("discards", N_CARDS, "discarded cards that are known: the own ones, and trumps"),
    Column("phase", len(PHASES), "what is decided: " + ", ".join(PHASES)),
    Column("called", len(CALLS), "the called card: " + ", ".join(CALLS)),
    Column("offer", 2, "the talon's fifth and sixth card have been decided about"),
    Column("contra", 1, "how many of contra, rhea and supra were said / 3"),
    Column("trick_number", 1, "finished tricks / 12"),
    Column("finished", 1, "finished rounds / `rounds`"),
    Column("to_act", SEATS, "the seat to act"),
    Column("dealer", SEATS, "the dealer"),
    Column("povinnost", SEATS, "Povinnost"),
    Column("prever", SEATS, "who plays Prever"),
    Column("partner", SEATS, "holder of the called card, if known"),
    Column("valat", SEATS, "who called Valat"),
    Column("pagat", SEATS, "who called the Pagat"),
    Column("leader", SEATS, "leader of the trick in progress"),
    Column("winner", SEATS, "who takes the trick as it lies"),
    Column("side", SEATS, "1 a declarer, -1 an opponent, 0 where that is not known", -1.0),
    Column("points", SEATS, "card points taken in tricks / 106"),
    Column("chips", SEATS, "net chips / 100, cut off", -1.0),
    Column(
        "money", SEATS * len(MONEY_CARDS), "announced money cards, seat by seat: " + ", ".join(MONEY_CARDS)
    ),
)
AT = places(COLUMNS)


@jit
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the columns of a view."""
    cards_at(out, AT.hand, s.hand[seat])
    cards_at(out, AT.gone, state.gone(s))
    cards_at(out, AT.talon, s.shown)
    for place in range(TALON):
        one_at(out, AT.talon, s.talon[place])
    discards = 0
    for other in range(SEATS):
        discards |= s.discards[other]
    cards_at(out, AT.discards, discards)
    one_at(out, AT.phase, s.phase)
    if s.called >= 0:
        out[AT.called + XIX - s.called] = 1.0
    for k in range(2):
        out[AT.offer + k] = 1.0 if s.offers[k] != NOBODY else 0.0
    out[AT.contra] = state.contra_level(s) / len(CONTRAS)
    out[AT.trick_number] = (s.played >> 2) / state.TRICKS
    out[AT.finished] = s.finished / s.rounds
    encode_trick(s, seat, out)
    encode_seats(s, seat, out)


@jit
def encode_trick(s: Row, seat: int, out: Any) -> None:
    """The trick in progress: its cards, who led, who takes it."""
    first = state.trick_start(s)
    n = s.played - first
    if n > 0:
        cards_at(out, AT.trick, state.trick_mask(s))
        best = first + state.trick_best(s, first, n)
        one_at(out, AT.best, s.tricks[best])
        seat_at(out, AT.winner, state.player_of(s, best), seat, SEATS)
    if s.played < state.PLAYS:
        seat_at(out, AT.leader, s.leaders[s.played >> 2], seat, SEATS)


@jit
def encode_seats(s: Row, seat: int, out: Any) -> None:
    """Who is who, and what every seat has said and won."""
    seat_at(out, AT.to_act, s.seat, seat, SEATS)
    seat_at(out, AT.dealer, s.dealer, seat, SEATS)
    seat_at(out, AT.povinnost, s.povinnost, seat, SEATS)
    seat_at(out, AT.prever, s.prever, seat, SEATS)
    seat_at(out, AT.partner, s.partner, seat, SEATS)
    seat_at(out, AT.valat, s.valat, seat, SEATS)
    seat_at(out, AT.pagat, s.pagat, seat, SEATS)
    for place in range(SEATS):
        other = (seat + place) & 3
        out[AT.side + place] = side(s, seat, other)
        out[AT.points + place] = state.card_points(s.won[other]) / state.DECK_POINTS
        out[AT.chips + place] = within(s.totals[other] / MOST_CHIPS, -1.0, 1.0)
        cards_at(out, AT.money + place * len(MONEY_CARDS), s.money[other])


@jit
def side(s: Row, viewer: int, seat: int) -> float:
    """1 for a declarer, -1 for an opponent, 0 where the viewer does not know."""
    if s.partner != NOBODY:
        return 1.0 if seat in (s.povinnost, s.partner) else -1.0
    if seat == viewer and s.called >= 0 and viewer != s.povinnost:
        return -1.0  # the partner itself would know it
    return 0.0 if s.side[seat] == NOBODY else 2.0 * s.side[seat] - 1.0
