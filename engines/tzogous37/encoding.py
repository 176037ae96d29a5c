"""Tzogous 37, for learners: a view as numbers. What a seat may know is in `worlds`."""

from __future__ import annotations

from typing import Any

from ..core import NOBODY, Row, bit, count, has, jit, lowest
from ..declaration import Column, places
from ..learn.writing import cards_at, one_at, place_of, seat_at, squashed, within
from . import state
from .state import CARDS, JOKER, PLACES, ROUNDS, SEATS, Bet, Move, Phase
from .worlds import first_move

KINDS = len(CARDS)
PHASES = len(Phase)
MOST_SCORE = 40
MOST_JOKERS = 8
LATEST_MOVES, LATEST_BETS = 32, 64
KINDS_OF_MOVE, KINDS_OF_BET = len(Move), len(Bet)
MUCH = 100  # steps of a raise that are half-way to the end of the range

COLUMNS = (
    Column("hand", KINDS, "kinds of card in the own hand"),
    Column("doubled", KINDS, "those held twice (two decks)"),
    Column("jokers", 1, "jokers in the own hand / 8"),
    Column("seen", KINDS, "kinds that the viewer has seen on the table, discarded or drawn in this hand"),
    Column(
        "laid",
        ROUNDS * PLACES,
        "what was first laid in this hand, by round, then place of the table: (1 + card) / 53, -1 unknown",
        -1.0,
    ),
    Column(
        "moves",
        LATEST_MOVES * 4,
        "the last other moves of cards in this hand, latest first: (1 + kind) / 10, (1 + seat) / 7, "
        "(1 + card, place or number) / 54 or -1 unknown, bets before it in this hand x as x / (x + 100)",
        -1.0,
    ),
    Column(
        "bets",
        LATEST_BETS * 4,
        "the last bets and pots won in this hand, latest first: (1 + kind) / 5 (fold, check, call, raise, "
        "win), (1 + seat) / 6, steps x as x / (x + 100), (1 + betting of the hand) / 8",
    ),
    Column("community", KINDS, "the community card"),
    Column("phase", PHASES, "what is decided: " + ", ".join(phase.name.lower() for phase in Phase)),
    Column("round", ROUNDS, "the round of the hand, 1 to 4"),
    Column("target", PLACES, "the place that a joker was aimed at, until the card is given"),
    Column("pot", 1, "chips paid in this round / all stacks, cut off"),
    Column("call", 1, "chips to call / `stack`", 0.0, 6.0),
    Column("least", 1, "the smallest raise / `stack`; 0: none", 0.0, 6.0),
    Column("most", 1, "the largest raise / `stack`; 0: none", 0.0, 6.0),
    Column("last_raise", 1, "the last raise of this betting / `stack`", 0.0, 6.0),
    Column("joker_used", 1, "the seat to act has used a joker in this turn"),
    Column("uses", SEATS, "jokers that each seat has used in this hand, x as x / (x + 4)"),
    Column("score", 1, "score of the own two cards / 40, where both lie"),
    Column("to_act", SEATS, "the seat to act"),
    Column("first", SEATS, "the seat that begins the round"),
    Column("alive", SEATS, "seats in the round that have not folded"),
    Column("due", SEATS, "seats that must act in this betting"),
    Column("held", SEATS, "cards in hand / 16"),
    Column("chips", SEATS, "chips behind / `stack`, at most 6", 0.0, 6.0),
    Column("paid", SEATS, "chips paid in this round / `stack`", 0.0, 6.0),
    Column("bet", SEATS, "chips bet in this betting / `stack`", 0.0, 6.0),
    Column("net", SEATS, "chips won in finished rounds, x as x / (abs(x) + 10 `stack`)", -1.0),
    Column("lies", PLACES, "places of the table, two a seat, where a card lies"),
    Column("known", PLACES, "those whose card the viewer knows"),
    Column("knows", PLACES * SEATS, "who knows the card, place by place"),
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
    moves = s.moves - first_move(s)  # of this hand, behind its deal, as far as they are kept
    bets = bets_of_hand(s, moves)
    encode_moves(s, seat, moves, bets, out)
    encode_bets(s, seat, bets, out)
    encode_money(s, seat, out)
    for place in range(s.players):
        encode_seat(s, (seat + place) % s.players, place, seat, out)
    second = s.community if s.round_no == ROUNDS else int(s.table[2 * seat + 1])
    if s.alive != 0 and s.table[2 * seat] >= 0 and second >= 0:
        out[AT.score] = min(1.0, state.seat_score(s, seat) / MOST_SCORE)


@jit
def turned(s: Row, place: int, viewer: int) -> int:
    """Return a place of the table, counted from the viewer's."""
    return 2 * place_of(place >> 1, viewer, s.players) + (place & 1)


@jit
def bets_of_hand(s: Row, moves: int) -> int:
    """How many bets of this hand there were: those since its deal; all where the record has lost it."""
    if moves < min(s.moves, state.MOVES):
        return (s.wagers - s.move_wagers[(s.moves - 1 - moves) % state.MOVES]) & 0x7FFF
    return s.wagers


@jit
def encode_moves(s: Row, seat: int, moves: int, bets: int, out: Any) -> None:
    """How cards moved in this hand, back to its deal, and the kinds that are known of them."""
    first, at, i = s.wagers - bets, AT.moves, s.moves % state.MOVES
    for _ in range(moves):
        i = i - 1 if i > 0 else state.MOVES - 1
        kind, card, time = s.move_kind[i], s.move_card[i], s.move_time[i]
        if kind != Move.JOKER and kind != Move.RESHUFFLE:
            one_at(out, AT.seen, card)
        if kind == Move.PLACE:
            place = (time >> 1) * PLACES + turned(s, 2 * s.move_seat[i] + (time & 1), seat)
            out[AT.laid + place] = (1 + card) * (1 / KINDS) if card >= 0 else -1.0
        elif at < AT.moves + 4 * LATEST_MOVES:
            out[at] = (1 + kind) * (1 / KINDS_OF_MOVE)
            if s.move_seat[i] >= 0:
                out[at + 1] = (1 + place_of(s.move_seat[i], seat, s.players)) * (1 / (SEATS + 1))
            if kind == Move.JOKER:
                card = turned(s, card, seat)
            out[at + 2] = (1 + card) * (1 / (KINDS + 1)) if card >= 0 else -1.0
            before = (s.move_wagers[i] - first) & 0x7FFF
            out[at + 3] = squashed(before, MUCH)
            at += 4


@jit
def encode_bets(s: Row, seat: int, bets: int, out: Any) -> None:
    """Write the betting of this hand, the latest first."""
    for back in range(min(bets, LATEST_BETS)):
        i, at = (s.wagers - 1 - back) % state.BETS, AT.bets + 4 * back
        out[at] = (1 + s.bet_kind[i]) * (1 / KINDS_OF_BET)
        out[at + 1] = (1 + place_of(s.bet_seat[i], seat, s.players)) * (1 / SEATS)
        if s.bet_steps[i] != 0:
            out[at + 2] = squashed(s.bet_steps[i], MUCH)
        out[at + 3] = (1 + s.bet_time[i]) * (1 / (2 * ROUNDS))


@jit
def encode_money(s: Row, seat: int, out: Any) -> None:
    """Write the pot, and what the viewer may do in a betting."""
    stack = s.stack
    out[AT.pot] = min(1.0, s.pot / (stack * s.players))
    if s.phase == Phase.BET1 or s.phase == Phase.BET2:
        out[AT.call] = within(state.to_call(s, seat) / stack, 0.0, 6.0)
        least, most = state.raise_limits(s, seat)
        out[AT.least] = within(least / stack, 0.0, 6.0)
        out[AT.most] = within(most / stack, 0.0, 6.0)
    out[AT.last_raise] = within(s.last_raise / stack, 0.0, 6.0)
    out[AT.joker_used] = s.joker_used
    seat_at(out, AT.to_act, s.seat, seat, s.players)
    if s.alive != 0 and s.round_no > 0:
        seat_at(out, AT.first, s.first, seat, s.players)


@jit
def encode_seat(s: Row, seat: int, place: int, viewer: int, out: Any) -> None:
    """Write what a seat has and what lies before it into `out`."""
    out[AT.alive + place] = 1.0 if has(s.alive, seat) else 0.0
    out[AT.due + place] = 1.0 if has(s.due, seat) else 0.0
    out[AT.held + place] = s.held[seat] / state.MOST_HELD
    out[AT.chips + place] = min(6.0, s.chips[seat] / s.stack)
    out[AT.uses + place] = squashed(s.joker_uses[seat], 4)
    out[AT.paid + place] = min(6.0, s.paid[seat] / s.stack)
    out[AT.bet + place] = min(6.0, s.bet[seat] / s.stack)
    out[AT.net + place] = squashed(s.net[seat], 10 * s.stack)
    for slot in range(2):
        card, at = int(s.table[2 * seat + slot]), 2 * place + slot
        out[AT.lies + at] = 0.0 if card == NOBODY else 1.0
        knowing = s.knows[2 * seat + slot] & bit(s.players) - 1
        while knowing != 0:
            out[AT.knows + SEATS * at + place_of(lowest(knowing), viewer, s.players)] = 1.0
            knowing &= knowing - 1
        if card >= 0:
            out[AT.known + at] = 1.0
            out[AT.value + at] = state.value(card) / 14
            if card != JOKER:
                out[AT.suit + 4 * at + card // 13] = 1.0
