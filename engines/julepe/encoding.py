"""Julepe, for learners: a view as numbers. What a seat may know is in `worlds`."""

from __future__ import annotations

from typing import Any

from ..core import Row, has, jit
from ..declaration import Column, places
from ..learn.writing import cards_at, one_at, seat_at, squashed
from . import state
from .state import CARDS, HOUSE, MOST_DRAWN, PHASES, SEATS, TRICKS, Phase

N_CARDS = len(CARDS)
PLAYERS = SEATS + 1  # the house plays as a sixth
RICH, HEAVY = 200, 100
"""Stakes that are half-way to the end of the range of nets and of the pot."""

COLUMNS = (
    Column("hand", N_CARDS, "the own hand, by card; of a seat that is out, what it gave up"),
    Column("thrown", N_CARDS, "cards that the viewer has thrown away"),
    Column("drawn", N_CARDS, "cards that the viewer has drawn: (1 + drawn before) / 6"),
    Column("cards", PLAYERS * N_CARDS,
           "cards played in this round, seat by seat, the house last: (1 + tricks before) / 5"),
    Column("face_up", N_CARDS, "the face-up card"),
    Column("trick", N_CARDS, "cards of the trick in play"),
    Column("best", N_CARDS, "the card that wins the trick as it lies"),
    Column("trump", 3, "the trump suit: o, c, b"),
    Column("phase", len(PHASES), "what is decided: " + ", ".join(PHASES)),
    Column("left", 1, "cards in the stock / 24"),
    Column("pot", 1, "the pot x as x / (x + 100 stakes)"),
    Column("played", 1, "rounds that are over / `rounds`"),
    Column("trick_number", 1, "finished tricks / 5"),
    Column("house", 1, "the dealer plays the house"),
    Column("to_act", SEATS, "the seat to act"),
    Column("dealer", SEATS, "the dealer"),
    Column("in_play", SEATS, "seats that said in"),
    Column("out", SEATS, "seats that said out"),
    Column("exchanged", SEATS, "(1 + cards exchanged) / 7, as far as seen"),
    Column("net", SEATS, "won or lost so far, x as x / (abs(x) + 200 stakes)", -1.0),
    Column("leader", PLAYERS, "leader of the trick in play; the house stands last"),
    Column("winner", PLAYERS, "who wins the trick as it lies; the house stands last"),
    Column("tricks", PLAYERS, "tricks won in this round / 5; the house stands last"),
)  # fmt: skip
AT = places(COLUMNS)


@jit
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the columns of a view."""
    cards_at(out, AT.hand, s.hand[seat])
    cards_at(out, AT.thrown, s.thrown[seat])
    for k in range(MOST_DRAWN):
        if s.drawn[seat, k] >= 0:
            out[AT.drawn + s.drawn[seat, k]] = (1 + k) / MOST_DRAWN
    one_at(out, AT.phase, s.phase)
    out[AT.left] = s.left / len(s.stock)
    out[AT.pot] = squashed(s.pot, HEAVY * s.stake)
    out[AT.played] = min(1.0, s.round_no / s.rounds)
    if state.upcard(s) >= 0:
        one_at(out, AT.face_up, state.upcard(s))
        one_at(out, AT.trump, state.trump_suit(s))
    seat_at(out, AT.to_act, s.seat, seat, SEATS)
    seat_at(out, AT.dealer, state.dealer(s), seat, SEATS)
    for place in range(SEATS):
        encode_seat(s, (seat + place) % SEATS, place, out)
    if s.phase == Phase.TRICKS:
        encode_tricks(s, seat, out)


@jit
def encode_seat(s: Row, seat: int, place: int, out: Any) -> None:
    """Write what a seat, `place` places after the viewer, has said, exchanged and won into `out`."""
    out[AT.in_play + place] = 1.0 if has(state.seats_in(s), seat) else 0.0
    out[AT.out + place] = 1.0 if has(state.seats_out(s), seat) else 0.0
    out[AT.exchanged + place] = (1 + s.exchanged[s.slot, seat]) / 7
    out[AT.net + place] = squashed(s.net[seat], RICH * s.stake)


@jit
def place_of(who: int, viewer: int) -> int:
    """Where a seat stands, counted from the viewer; the house stands last."""
    return HOUSE if who == HOUSE else (who - viewer + SEATS) % SEATS


@jit
def encode_tricks(s: Row, seat: int, out: Any) -> None:
    """Write the cards played, the trick in play and the tricks won."""
    out[AT.house] = 1.0 if state.against_house(s) else 0.0
    out[AT.trick_number] = s.trick / TRICKS
    for who in range(PLAYERS):
        for t in range(TRICKS):
            if state.card_of(s, who, t) >= 0:
                out[AT.cards + place_of(who, seat) * N_CARDS + state.card_of(s, who, t)] = (1 + t) / TRICKS
        out[AT.tricks + place_of(who, seat)] = state.tricks_won(s, who) / TRICKS
    if state.leader(s) < 0:
        return
    out[AT.leader + place_of(state.leader(s), seat)] = 1.0
    if state.led_card(s) >= 0:
        out[AT.winner + place_of(state.winner(s), seat)] = 1.0
        one_at(out, AT.best, state.best_card(s))
        for who in range(PLAYERS):
            one_at(out, AT.trick, state.card_of(s, who, s.trick))
