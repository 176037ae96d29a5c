"""Tzogous 37, for learners: a view as numbers. What a seat may know is in `worlds`."""

from __future__ import annotations

from typing import Any

from ..column import Column, places
from ..core import NOBODY, Row, count, has, jit
from ..learn.writing import cards_at, one_at, seat_at, within
from . import state
from .state import CARDS, HAND, JOKER, PLACES, ROUNDS, SEATS, Move, Phase

KINDS = len(CARDS)
PHASES = len(Phase)
MOST_SCORE = 40
MOST_JOKERS = 8

COLUMNS = (
    Column("hand", KINDS, "kinds of card in the own hand"),
    Column("doubled", KINDS, "those held twice (two decks)"),
    Column("jokers", 1, "jokers in the own hand / 8"),
    Column("seen", KINDS, "kinds that the viewer has seen on the table, discarded or drawn in this hand"),
    Column("community", KINDS, "the community card"),
    Column("phase", PHASES, "what is decided: " + ", ".join(phase.name.lower() for phase in Phase)),
    Column("round", ROUNDS, "the round of the hand, 1 to 4"),
    Column("target", PLACES, "the place that a joker was aimed at, until the card is given"),
    Column("pot", 1, "chips paid in this round / all stacks, cut off"),
    Column("call", 1, "chips to call / `stack`, cut off"),
    Column("least", 1, "the smallest raise / `stack`, cut off; 0: none"),
    Column("most", 1, "the largest raise / `stack`, cut off; 0: none"),
    Column("score", 1, "score of the own two cards / 40, where both lie"),
    Column("to_act", SEATS, "the seat to act"),
    Column("first", SEATS, "the seat that begins the round"),
    Column("alive", SEATS, "seats in the round that have not folded"),
    Column("due", SEATS, "seats that must act in this betting"),
    Column("held", SEATS, "cards in hand / 7, cut off"),
    Column("chips", SEATS, "chips behind / `stack`, at most 6", 0.0, 6.0),
    Column("paid", SEATS, "chips paid in this round / `stack`, cut off"),
    Column("bet", SEATS, "chips bet in this betting / `stack`, cut off"),
    Column("net", SEATS, "chips won in finished rounds / (10 `stack`), cut off", -1.0),
    Column("lies", PLACES, "places of the table, two a seat, where a card lies"),
    Column("known", PLACES, "those whose card the viewer knows"),
    Column("value", PLACES, "its value / 14; 0 for a joker"),
    Column("suit", PLACES * 4, "its suit, place by place: s, h, d, c"),
)
AT = places(COLUMNS)


@jit
def encode(s: Row, seat: int, out: Any) -> None:
    """Write the columns of a view."""
    hand = s.hand[seat] & (1 << JOKER) - 1
    cards_at(out, AT.hand, hand)
    cards_at(out, AT.doubled, s.doubled[seat])
    jokers = count(s.hand[seat] >> JOKER)
    out[AT.jokers] = jokers / MOST_JOKERS
    if jokers > 0:
        out[AT.hand + JOKER] = 1.0
    one_at(out, AT.community, s.community)
    one_at(out, AT.phase, s.phase)
    one_at(out, AT.round, s.round_no - 1)
    if s.target >= 0:
        out[AT.target + turned(s, s.target, seat)] = 1.0
    encode_seen(s, out)
    encode_money(s, seat, out)
    for place in range(s.players):
        encode_seat(s, (seat + place) % s.players, place, out)
    if s.alive != 0 and s.table[2 * seat] >= 0 and second_card(s, seat) >= 0:
        out[AT.score] = min(1.0, state.seat_score(s, seat) / MOST_SCORE)


@jit
def second_card(s: Row, seat: int) -> int:
    """The card that counts beside a seat's first one; negative where it is not there or not known."""
    return s.community if s.round_no == ROUNDS else int(s.table[2 * seat + 1])


@jit
def turned(s: Row, place: int, viewer: int) -> int:
    """A place of the table, counted from the viewer's."""
    return 2 * ((place // 2 - viewer + s.players) % s.players) + place % 2


@jit
def encode_seen(s: Row, out: Any) -> None:
    """The kinds of card that moved in this hand and are known, back to its deal."""
    for back in range(min(s.moves, state.MOVES)):
        i = (s.moves - 1 - back) % state.MOVES
        if s.move_kind[i] == Move.HAND:
            return
        if s.move_kind[i] != Move.JOKER and s.move_kind[i] != Move.RESHUFFLE:
            one_at(out, AT.seen, s.move_card[i])


@jit
def encode_money(s: Row, seat: int, out: Any) -> None:
    """The pot, and what the viewer may do in a betting."""
    stack = s.stack
    out[AT.pot] = min(1.0, s.pot / (stack * s.players))
    if s.phase == Phase.BET1 or s.phase == Phase.BET2:
        out[AT.call] = min(1.0, state.to_call(s, seat) / stack)
        least, most = state.raise_limits(s, seat)
        out[AT.least] = within(least / stack, 0.0, 1.0)
        out[AT.most] = within(most / stack, 0.0, 1.0)
    seat_at(out, AT.to_act, s.seat, seat, s.players)
    if s.alive != 0 and s.round_no > 0:
        seat_at(out, AT.first, s.first, seat, s.players)


@jit
def encode_seat(s: Row, seat: int, place: int, out: Any) -> None:
    """What a seat that sits so many places after the viewer has, and what lies before it."""
    out[AT.alive + place] = 1.0 if has(s.alive, seat) else 0.0
    out[AT.due + place] = 1.0 if has(s.due, seat) else 0.0
    out[AT.held + place] = min(1.0, s.held[seat] / HAND)
    out[AT.chips + place] = min(6.0, s.chips[seat] / s.stack)
    out[AT.paid + place] = min(1.0, s.paid[seat] / s.stack)
    out[AT.bet + place] = min(1.0, s.bet[seat] / s.stack)
    out[AT.net + place] = within(s.net[seat] / (10 * s.stack), -1.0, 1.0)
    for slot in range(2):
        card, at = int(s.table[2 * seat + slot]), 2 * place + slot
        out[AT.lies + at] = 0.0 if card == NOBODY else 1.0
        if card >= 0:
            out[AT.known + at] = 1.0
            out[AT.value + at] = state.value(card) / 14
            if card != JOKER:
                out[AT.suit + 4 * at + card // 13] = 1.0
