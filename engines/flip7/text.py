"""Flip 7 as text: the fields of a view and a position for people. Never compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import NOBODY, record
from ..core.text import card_text, listed
from ..declaration import Field
from . import state, tools
from .state import ACTIONS, CARDS, EVENTS, Event, Status


def row_text(s: Any, seat: int) -> tuple[str, ...]:
    """Return a row in the order received; empty for an onlooker's own."""
    return listed(s.row[seat], CARDS) if seat >= 0 else ()


def count_text(counts: Any) -> dict[str, int]:
    """How many of each kind, of those there are."""
    return {CARDS[card]: int(counts[card]) for card in range(state.KINDS) if counts[card]}


def unseen(s: Any) -> dict[str, int]:
    """Return what the draw pile holds."""
    counts = np.zeros(state.KINDS, np.int64)
    state.pile_counts(record(s), counts)
    return count_text(counts)


def points(s: Any) -> tuple[int, ...]:
    """Return what each row would score now."""
    worth = np.zeros(s.players, np.int64)
    state.points_into(record(s), worth)
    return tuple(worth.tolist())


def odds(s: Any, seat: int) -> tuple[float, dict[int, float]]:
    """Chance of a bust by one more card, and of every number of points if the row does not bust."""
    if seat < 0 or s.status[seat] != Status.ACTIVE:
        return 0.0, {}
    chances = np.zeros(state.MOST_POINTS + 1)
    bust = tools.hit_chances(record(s), seat, chances)
    worth = np.flatnonzero(chances)
    return float(bust), dict(zip(worth.tolist(), chances[worth].tolist()))


def dealer(s: Any) -> int:
    """Return the seat that deals this round."""
    return int(state.dealer(record(s)))


def phase(s: Any) -> str:
    """Return what kind of decision is due."""
    if s.seat < 0:
        return "over"
    if s.card == NOBODY:
        return "turn"
    return "save" if s.card < state.NUMBERS else "give"


def status(s: Any) -> tuple[str, ...]:
    """How each seat stands."""
    return tuple(Status(s.status[seat]).name.lower() for seat in range(s.players))


def flips(s: Any) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """Open Flip Threes: seat, draws left, cards set aside."""
    there = [flip for flip in range(state.FLIPS) if s.flip_seat[flip] != NOBODY]
    return tuple((s.flip_seat[flip], s.flip_left[flip], listed(s.aside[flip], CARDS)) for flip in there)


def event_text(what: int) -> str:
    """Return an action or event in words."""
    if what >= Event.SCORE:
        return f"scores {what - Event.SCORE}"
    if what >= Event.DRAW:
        return f"draws {CARDS[what - Event.DRAW]}"
    if what >= Event.ROUND:
        return "deals" if what == Event.ROUND else "shuffle"
    return ACTIONS[what]


def history(s: Any) -> tuple[tuple[int, str], ...]:
    """Return the last events, oldest first."""
    seats, events = s.event_seat.tolist(), s.event_what.tolist()  # read once: an event each takes far longer
    kept = [e % EVENTS for e in range(max(0, s.events - EVENTS), s.events)]
    return tuple((seats[i], event_text(events[i])) for i in kept)


FIELDS = (
    Field("to_act", "int", "seat to act; -1: the game is over", "seat"),
    Field("phase", "text", "what it decides: turn, save, give; over at the end", phase),
    Field("card", "card", "what it decides about: a duplicate (save), FZ, F3 or SC (give); empty at a turn",
          lambda s: card_text(s.card, CARDS)),
    Field("round", "int", "round number, from 1", "round_no"),
    Field("dealer", "int", "seat that deals this round", dealer),
    Field("turn", "int", "seat whose turn or card of the deal is carried out; -1: the game is over"),
    Field("dealt", "int",
          "seats served in this round's deal; the number of players: the last one's card or the turns"),
    Field("row", "cards", "your row in the order received; empty for an onlooker", row_text),
    Field("rows", "cards per seat", "all rows", lambda s: tuple(row_text(s, p) for p in range(s.players))),
    Field("status", "text per seat", "active, stayed, frozen, busted or flip7", status),
    Field("points", "int per seat", "what each row would score now", points),
    Field("odds", "(chance, chance by points)",
          "one more card: chance that the row busts, and of each number of points; (0, empty): you are out",
          odds),
    Field("totals", "int per seat", "points of the rounds that are over", "total"),
    Field("last", "int per seat", "points of the last round that is over; empty in round 1",
          lambda s: tuple(s.last)[: s.players] if s.last[0] != NOBODY else ()),
    Field("left", "int", "cards in the draw pile"),
    Field("unseen", "count by card", "what the draw pile holds, in canonical order", unseen),
    Field("discards", "count by card", "what the discard pile holds", lambda s: count_text(s.discards)),
    Field("flips", "(seat, draws left, cards set aside) each", "open Flip Threes, the top one last", flips),
    Field("decisions", "int", "decisions made so far in the game"),
    Field("history", "(seat, text) each",
          f"the last {EVENTS} events, oldest first: an action, or `draws X`, `scores N` (a row at the end of "
          "a round), `deals` (a round begins), `shuffle` (seat -1)", history),
)  # fmt: skip
