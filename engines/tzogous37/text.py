"""Tzogous 37 as text: actions, the fields of a view, the log's events and a position for people. Never in compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ..core import OVER, Row
from ..option import Value
from ..view import Field
from .state import (
    CARDS,
    E_CALL,
    E_CHECK,
    E_COMMUNITY,
    E_DRAW,
    E_FOLD,
    E_HAND,
    E_JOKER,
    E_LOSE,
    E_RAISE,
    E_TAKE,
    E_TIE,
    E_WIN,
    EMPTY,
    HIDDEN,
    LOG,
    MOST_RAISE,
    NOBODY,
    PACK,
    PHASES,
    ROUNDS,
    SEATS,
    UNKNOWN,
    face_up,
    multiset_into,
    pair_score,
)


@lru_cache(maxsize=64)
def _texts(step: int) -> tuple[str, ...]:
    raises = [f"raise {k * step}" for k in range(1, MOST_RAISE + 1)]
    jokers = [f"joker {seat} {slot}" for seat in range(SEATS) for slot in (1, 2)]
    return ("fold", "check", "call", *raises, "raise max", *jokers, *(f"place {card}" for card in CARDS))


def action_texts(options: dict[str, Value]) -> tuple[str, ...]:
    """The texts of the 169 actions by number: raises are in chips, so they depend on `step` (rules 7)."""
    return _texts(int(options["step"]))


def _card(card: int) -> str:
    """Text of a card or slot: `?` if it is not known, empty if none lies there."""
    return "?" if card == HIDDEN else "" if card == EMPTY else CARDS[card]


def _hand(s: Row, seat: int) -> tuple[str, ...]:
    out = np.zeros(PACK, np.int16)
    n = multiset_into(out, s.hand[seat], s.twin[seat]) if seat >= 0 else 0
    return tuple(CARDS[card] for card in out[:n].tolist())


def _seats(s: Row, mask: int) -> tuple[int, ...]:
    return tuple(p for p in range(s.players) if mask >> p & 1)


def _in_round(s: Row) -> int:
    return sum(1 << p for p in range(s.players) if s.paid[p] > 0)


def _table(s: Row, r: int) -> tuple[tuple[str, str], ...]:
    cards = s.table[r]
    return tuple((_card(cards[2 * p]), _card(cards[2 * p + 1])) for p in range(s.players))


def _rounds(s: Row, rounds: range) -> tuple[tuple[tuple[str, str], ...], ...]:
    return tuple(_table(s, r) for r in rounds)


def _discards(s: Row) -> int:
    """Number of discards: what is neither in the deck nor in a hand nor on the table."""
    lying = sum(card != EMPTY for card in s.table[s.round_no - 1]) + (s.community != EMPTY) if s.alive else 0
    return int(s.decks * (52 + s.jokers) - s.left - sum(s.held) - lying) if s.seat != OVER else 0


# what follows reads plain rows, which compiled functions do not take


def _hand_number(s: Row) -> int:
    return int(s.shuffle // 64)


def _first(s: Row) -> int | None:
    turn = [(_hand_number(s) + s.round_no - 1 + i) % s.players for i in range(s.players)]
    return next((p for p in turn if s.paid[p] > 0), None)


def _call(s: Row, seat: int) -> int:
    """Chips that the viewer (an onlooker: the seat to act) has to pay to call."""
    who = seat if seat >= 0 else s.seat
    return int(max(s.bet) - s.bet[who]) if who >= 0 else 0


def _all_in(s: Row) -> tuple[int, ...]:
    return tuple(p for p in _seats(s, s.alive) if s.chips[p] == 0)


def _target(s: Row) -> tuple[int, int] | None:
    return (s.target // 2, s.target % 2 + 1) if s.target != EMPTY else None


_EVENT_WORDS = (
    "fold", "check", "call", "raise", "joker", "take", "draw", "lose", "community", "tie", "win", "reshuffle", "hand",
)  # fmt: skip
_CARD_EVENTS = {E_TAKE, E_DRAW, E_LOSE, E_COMMUNITY, E_TIE}
_BETTING_EVENTS = {E_FOLD, E_CHECK, E_CALL, E_RAISE, E_JOKER, E_TAKE, E_LOSE, E_DRAW}


def _event_text(kind: int, number: int, chip: int) -> str:
    if kind in _CARD_EVENTS:
        return f"{_EVENT_WORDS[kind]} {'?' if number == UNKNOWN else CARDS[number]}"
    if kind in {E_RAISE, E_WIN}:
        return f"{_EVENT_WORDS[kind]} {number * chip}"
    if kind == E_JOKER:
        return f"joker {number // 2} {number % 2 + 1}"
    return f"hand {number}" if kind == E_HAND else _EVENT_WORDS[kind]


def _events(s: Row, seat: int) -> Iterator[tuple[int, int, int, str]]:
    for i in range(max(0, s.logged - LOG), s.logged):
        event = s.log[i % LOG]
        kind, number, who, time = event & 15, event >> 4 & UNKNOWN, event >> 14 & 7, event >> 17 & 7
        betting = time % 2 + 1 if kind in _BETTING_EVENTS else 0
        yield time // 2 + 1, betting, -1 if who == NOBODY else who, _event_text(kind, number, s.step)


def _shows(s: Row) -> tuple[int | None, ...]:
    """Score of each seat whose two cards in this round the row holds."""
    cards = s.table[s.round_no - 1]
    second = [s.community if s.round_no == ROUNDS else cards[2 * p + 1] for p in range(s.players)]
    pairs = [(cards[2 * p], second[p]) for p in range(s.players)]
    return tuple(int(pair_score(a, b)) if s.alive and a >= 0 and b >= 0 else None for a, b in pairs)


def _per_seat(name: str) -> Any:
    return lambda s, seat: tuple(getattr(s, name)[p] for p in range(s.players))


FIELDS = (
    Field("hand_number", "int", "hand of the game, from 0", lambda s, seat: _hand_number(s)),
    Field("round", "int", "round of the hand, 1 to 4", lambda s, seat: s.round_no),
    Field("phase", "word", "place 1, bet 1, place 2, bet 2, discard (after a fold), survivor, give (with a joker), end",
          lambda s, seat: PHASES[s.phase]),
    Field("first", "seat or None", "F: the seat that places first and leads betting 1", lambda s, seat: _first(s)),
    Field("hand", "cards", "own hand, by card number", _hand),
    Field("hand_sizes", "ints", "cards in each seat's hand", _per_seat("held")),
    Field("table", "pairs of cards", "each seat's slots 1 and 2 in this round: a card, `?` not known, empty",
          lambda s, seat: _table(s, s.round_no - 1)),
    Field("faces", "words", "how slots 1 and 2 of this round lie: up or down; round 4 has no slot 2",
          lambda s, seat: tuple("up" if face_up(s.round_no, k) else "down" for k in range(1 if s.round_no == ROUNDS else 2))),
    Field("community", "card", "shared card of round 4, or empty", lambda s, seat: _card(s.community)),
    Field("scores", "ints or None", "score of each seat whose two cards are known, this round", lambda s, seat: _shows(s)),
    Field("earlier", "pairs of cards by round", "slots of the finished rounds of this hand, as `table`",
          lambda s, seat: _rounds(s, range(s.round_no - 1))),
    Field("last_hand", "pairs of cards by round", "slots of the previous hand's rounds from the present round + 1 on, as `table`",
          lambda s, seat: _rounds(s, range(s.round_no, ROUNDS))),
    Field("chips", "ints", "chips behind, by seat", _per_seat("chips")),
    Field("put", "ints", "chips paid in this round, ante included, by seat", _per_seat("paid")),
    Field("bets", "ints", "chips paid in this betting, by seat", _per_seat("bet")),
    Field("pot", "int", "all chips paid in this round", lambda s, seat: sum(s.paid)),
    Field("high", "int", "highest bet of this betting", lambda s, seat: max(s.bet)),
    Field("to_call", "int", "chips the viewer lacks to the highest bet (onlooker: the seat to act)", _call),
    Field("last_raise", "int", "largest raise of this betting, at first the ante; 0 outside of betting",
          lambda s, seat: s.last_raise),
    Field("in_round", "seats", "seats that took part in the ante", lambda s, seat: _seats(s, _in_round(s))),
    Field("alive", "seats", "seats in the round that have not folded", lambda s, seat: _seats(s, s.alive)),
    Field("folded", "seats", "seats in the round that have folded", lambda s, seat: _seats(s, _in_round(s) & ~s.alive)),
    Field("all_in", "seats", "alive seats without chips behind", lambda s, seat: _all_in(s)),
    Field("must_act", "seats", "seats that must still act in this betting", lambda s, seat: _seats(s, s.due)),
    Field("joker_used", "bool", "whether the seat to act has used a joker in this turn", lambda s, seat: bool(s.jokered)),
    Field("joker_uses", "ints", "jokers used in this hand, by seat", _per_seat("joker_uses")),
    Field("target", "(seat, slot) or None", "where a joker is aimed at, until the card is given", lambda s, seat: _target(s)),
    Field("deck_size", "int", "cards in the deck", lambda s, seat: s.left),
    Field("discard_size", "int", "cards in the discards", lambda s, seat: _discards(s)),
    Field("net", "ints", "chips won - put in all finished rounds, by seat", _per_seat("net")),
    Field("events", "(round, betting, seat, text)s",
          "the last 128 events; betting 0 and seat -1 where there is none; cards not known are `?`",
          lambda s, seat: tuple(_events(s, seat))),
)  # fmt: skip


def show(s: Row, seat: int) -> str:
    """A position as text for people: `seat`'s view, or for -1 everything that the row holds."""
    lines = [
        f"hand {_hand_number(s)}, round {s.round_no}, {PHASES[s.phase]}; pot {sum(s.paid)}; community {_card(s.community) or '-'}"
    ]
    for p in range(s.players):
        place = ["-", "folded", "alive"][(s.paid[p] > 0) + (s.alive >> p & 1)]
        slots = " ".join(card or "-" for card in _table(s, s.round_no - 1)[p])
        hand = " ".join(_hand(s, p)) or f"{s.held[p]} cards"
        lines.append(
            f"seat {p}: {place:6}  {slots:6}  chips {s.chips[p]}, put {s.paid[p]}, bet {s.bet[p]}, net {s.net[p]}  [{hand}]"
        )
    recent = [text if who < 0 else f"{who} {text}" for _, _, who, text in _events(s, seat)][-12:]
    return "\n".join([*lines, f"deck {s.left} cards; lately: {', '.join(recent) or '-'}"])
