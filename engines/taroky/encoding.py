"""Taroky, for learners: a view as numbers. What a seat may know is in `worlds`."""

from __future__ import annotations

from typing import Any

from ..core import NOBODY, Row, jit
from ..declaration import Column, places
from ..learn.writing import cards_at, one_at, seat_at, squashed, values_at
from . import state
from .state import CALLS, CONTRAS, MONEY_CARDS, N_CARDS, PHASES, SEATS, STYLES, TALON, XIX, Action

MANY_CHIPS = 100
A_TRICK, A_CARD = 1 / state.TRICKS, 1 / N_CARDS
OFFERS = Action.ACCEPT + 1 - Action.REJECT

COLUMNS = (
    Column("hand", N_CARDS, "the own hand, by card"),
    Column("played", SEATS * N_CARDS, "cards played in this round, seat by seat: (1 + tricks before) / 12"),
    Column("trick", N_CARDS, "cards of the trick in progress"),
    Column("best", N_CARDS, "the card that takes the trick as it lies"),
    Column("talon", N_CARDS, "cards that lie in the talon, as far as seen: (1 + place) / 6"),
    Column("shown", N_CARDS, "cards of the talon that all have seen"),
    Column("discards", N_CARDS, "discarded cards that are known, by who threw them: (1 + seat) / 4"),
    Column("phase", len(PHASES), "what is decided: " + ", ".join(PHASES)),
    Column("called", len(CALLS), "the called card: " + ", ".join(CALLS)),
    Column("offers", 2 * OFFERS, "the talon's fifth and sixth card: reject, draw, offer, accept"),
    Column("rejections", 1, "halves of the talon that Prever refused / 2"),
    Column("style", len(STYLES), "how the cards were dealt: " + ", ".join(STYLES)),
    Column("deciding", 1, "the card that made Povinnost in round 1: (1 + card) / 54"),
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
    Column("bids", SEATS * 2, "pass and Prever, seat by seat"),
    Column("piles", 4 * SEATS, "who took each pile"),
    Column("contras", len(CONTRAS) * SEATS, "who said " + ", ".join(CONTRAS)),
    Column("drawn", SEATS, "the card that each seat drew for the deal: (1 + card) / 54"),
    Column("held", SEATS, "cards in hand / 16"),
    Column("threw", SEATS, "cards discarded / 4"),
    Column("winner", SEATS, "who takes the trick as it lies"),
    Column("side", SEATS, "1 a declarer, -1 an opponent, 0 where that is not known", -1.0),
    Column("shown_side", SEATS, "the same as bids and calls have shown it to all", -1.0),
    Column("points", SEATS, "card points taken in tricks / 106"),
    Column("chips", SEATS, "net chips x as x / (abs(x) + 100)", -1.0),
    Column(
        "money", SEATS * len(MONEY_CARDS), "announced money cards, seat by seat: " + ", ".join(MONEY_CARDS)
    ),
)
AT = places(COLUMNS)


@jit
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the columns of a view."""
    cards_at(out, AT.hand, s.hand[seat])
    cards_at(out, AT.shown, s.shown)
    for place in range(TALON):
        if s.talon[place] >= 0:
            out[AT.talon + s.talon[place]] = (1 + place) / TALON
    one_at(out, AT.phase, s.phase)
    one_at(out, AT.style, s.style)
    out[AT.deciding] = (1 + s.deciding) / N_CARDS
    out[AT.rejections] = s.rejections / 2
    if s.called >= 0:
        out[AT.called + XIX - s.called] = 1.0
    for k in range(2):
        if s.offers[k] != NOBODY:
            out[AT.offers + k * OFFERS + s.offers[k] - Action.REJECT] = 1.0
    out[AT.trick_number] = (s.played >> 2) / state.TRICKS
    out[AT.finished] = s.finished / s.rounds
    encode_trick(s, seat, out)
    encode_seats(s, seat, out)


@jit
def encode_trick(s: Row, seat: int, out: Any) -> None:
    """Write the trick in progress: its cards, who led, who takes it."""
    for k in range(s.played):
        place = (state.player_of(s, k) - seat) & 3
        out[AT.played + place * N_CARDS + s.tricks[k]] = (1 + (k >> 2)) * A_TRICK
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
    for n in range(4):
        seat_at(out, AT.piles + n * SEATS, s.piles[n], seat, SEATS)
    for n in range(len(CONTRAS)):
        seat_at(out, AT.contras + n * SEATS, s.contras[n], seat, SEATS)
    for place in range(SEATS):
        other = (seat + place) & 3
        one_at(out, AT.bids + 2 * place, s.bids[other])
        out[AT.drawn + place] = (1 + s.drawn[other]) * A_CARD
        out[AT.held + place] = s.hand_size[other] / 16
        out[AT.threw + place] = s.discard_count[other] / 4
        out[AT.shown_side + place] = shown_side(s, other)
        values_at(out, AT.discards, s.discards[other], (1 + place) / SEATS)
        out[AT.side + place] = side(s, seat, other)
        out[AT.points + place] = state.card_points(s.won[other]) / state.DECK_POINTS
        out[AT.chips + place] = squashed(s.totals[other], MANY_CHIPS)
        cards_at(out, AT.money + place * len(MONEY_CARDS), s.money[other])


@jit
def side(s: Row, viewer: int, seat: int) -> float:
    """1 for a declarer, -1 for an opponent, 0 where the viewer does not know."""
    if s.partner != NOBODY:
        return 1.0 if seat in (s.povinnost, s.partner) else -1.0
    if seat == viewer and s.called >= 0 and viewer != s.povinnost:
        return -1.0  # the partner itself would know it
    return shown_side(s, seat)


@jit
def shown_side(s: Row, seat: int) -> float:
    """1 for a declarer, -1 for an opponent, 0 where bids and calls have not shown it."""
    return 0.0 if s.side[seat] == NOBODY else 2.0 * s.side[seat] - 1.0
