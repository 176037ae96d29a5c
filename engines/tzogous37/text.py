"""Tzogous 37 as text: actions, fields of a view, what has happened, a position for people. Never compiled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from ..core import NOBODY, OVER, Row
from ..core.text import members
from ..declaration import Field, Value
from . import state
from .state import BETS, CARDS, HIDDEN, MOVES, ROUNDS, SEATS, Bet, Move

PHASES = (
    "deal", "ante", "place 1", "bet 1", "place 2", "bet 2", "discard", "survivor", "give",
    "draw", "community", "showdown", "award", "over",
)  # fmt: skip
Slots = tuple[tuple[str, str], ...]
"""Each seat's slots 1 and 2."""


@lru_cache(maxsize=64)
def _texts(step: int) -> tuple[str, ...]:
    raises = [f"raise {k * step}" for k in range(1, state.MOST_RAISE + 1)]
    jokers = [f"joker {seat} {slot}" for seat in range(SEATS) for slot in (1, 2)]
    return ("fold", "check", "call", *raises, "raise max", *jokers, *(f"place {card}" for card in CARDS))


def action_texts(options: dict[str, Value]) -> tuple[str, ...]:
    """Return the texts of the 169 actions by number: raises are in chips, so they depend on `step` [7]."""
    return _texts(int(options["step"]))


# --- cards --------------------------------------------------------------------------------------------------


def card_text(card: int) -> str:
    """Text of a card or slot: `?` if it is not known, empty if none lies there."""
    return "?" if card == HIDDEN else "" if card == NOBODY else CARDS[card]


def hand(s: Row, seat: int) -> tuple[str, ...]:
    """Return a hand by card number; empty if it is not shown."""
    out = np.zeros(state.PACK, np.int16)
    n = state.multiset_into(out, s.hand[seat], s.doubled[seat]) if seat >= 0 else 0
    return tuple(CARDS[card] for card in out[:n].tolist())


def table(s: Row) -> Slots:
    """Return the slots of this round."""
    return tuple((card_text(s.table[2 * p]), card_text(s.table[2 * p + 1])) for p in range(s.players))


def earlier(s: Row) -> tuple[Slots, ...]:
    """Return the slots of the finished rounds of this hand, as they lay at last, from the moves."""
    rounds = [[["", ""] for _ in range(s.players)] for _ in range(ROUNDS)]
    target = 0
    for kind, seat, card, time, _ in moves(s, hand_only=True):
        if kind == Move.PLACE:
            rounds[time // 2][seat][time % 2] = card_text(card)
        elif kind == Move.JOKER:
            target = card
        if kind == Move.GIVE or (kind == Move.JOKER and s.joker_use == state.LAY):
            lying = "JK" if kind == Move.JOKER else card_text(card)
            rounds[time // 2][target // 2][target % 2] = lying
    finished = rounds[: max(0, s.round_no - 1)]
    return tuple(tuple((first, second) for first, second in slots) for slots in finished)


def discard_size(s: Row) -> int:
    """Return the number of discards: what is neither in the deck nor in a hand nor on the table."""
    lying = sum(card != NOBODY for card in s.table) + (s.community != NOBODY) if s.alive else 0
    return int(s.decks * (52 + s.jokers) - s.left - sum(s.held) - lying) if s.seat != OVER else 0


def scores(s: Row) -> tuple[int | None, ...]:
    """Score of each seat whose two cards in this round the row holds."""
    second = [s.community if s.round_no == ROUNDS else s.table[2 * p + 1] for p in range(s.players)]
    pairs = [(s.table[2 * p], second[p]) for p in range(s.players)]
    return tuple(int(state.pair_score(a, b)) if s.alive and a >= 0 and b >= 0 else None for a, b in pairs)


# --- seats and chips ----------------------------------------------------------------------------------------


def hand_number(s: Row) -> int:
    """Return the hand, from 0."""
    return int(s.shuffle // 64)


def in_round(s: Row) -> int:
    """Mask of the seats that took part in the ante."""
    return sum(1 << p for p in range(s.players) if s.paid[p] > 0)


def to_call(s: Row, seat: int) -> int:
    """Chips that the viewer (an onlooker: the seat to act) has to pay to call."""
    who = seat if seat >= 0 else s.seat
    return int(max(s.bet) - s.bet[who]) if who >= 0 else 0


def target(s: Row) -> tuple[int, int] | None:
    """Seat and slot that a joker is aimed at."""
    return (s.target // 2, s.target % 2 + 1) if s.target != NOBODY else None


def faces(s: Row) -> tuple[str, ...]:
    """How the slots of this round lie."""
    slots = range(1 if s.round_no == ROUNDS else 2)
    return tuple("up" if state.face_up(s.round_no, slot) else "down" for slot in slots)


# --- what has happened --------------------------------------------------------------------------------------

Event = tuple[int, int, int, str]
"""Round, betting (0: none), seat (-1: none), text."""


def moves(s: Row, hand_only: bool = False) -> Iterator[tuple[int, int, int, int, int]]:
    """Kind, seat, card, time, number of bets before it of each move that the record holds (of this hand)."""
    first = max(0, s.moves - MOVES)
    if hand_only:
        hands = (i for i in range(s.moves - 1, first - 1, -1) if s.move_kind[i % MOVES] == Move.HAND)
        first = next(hands, first)
    for number in range(first, s.moves):
        i = number % MOVES
        wagers = s.wagers - (s.wagers - s.move_wagers[i] & 0x7FFF)
        yield s.move_kind[i], s.move_seat[i], s.move_card[i], s.move_time[i], wagers


def move_text(kind: int, card: int, hand: int) -> str:
    """Return a move in words; `hand`: the number of the hand, for a deal."""
    if kind in (Move.HAND, Move.RESHUFFLE):
        return f"hand {hand}" if kind == Move.HAND else "reshuffle"
    shown = f"{card // 2} {card % 2 + 1}" if kind == Move.JOKER else card_text(card)
    return f"{Move(kind).name.lower()} {shown}"


def move_events(s: Row) -> Iterator[tuple[int, Event]]:
    """Yield the moves, each with the number of bets before it."""
    made = list(moves(s))
    hand = hand_number(s) - sum(kind == Move.HAND for kind, *_ in made)
    jokers = (Move.JOKER, Move.GIVE, Move.TAKE, Move.LOSE, Move.DRAW)
    for kind, seat, card, time, wagers in made:
        hand += kind == Move.HAND
        betting = time % 2 + 1 if kind in jokers else 0
        yield wagers, (time // 2 + 1, betting, seat, move_text(kind, card, hand))


def bet_event(s: Row, number: int) -> Event:
    """Event `number` of the betting."""
    i = number % BETS
    kind, seat, time = s.bet_kind[i], s.bet_seat[i], s.bet_time[i]
    amount = f" {s.bet_steps[i] * s.step}" if kind in (Bet.RAISE, Bet.WIN) else ""
    betting = 0 if kind == Bet.WIN else time % 2 + 1
    return time // 2 + 1, betting, seat, Bet(kind).name.lower() + amount


def history(s: Row) -> tuple[Event, ...]:
    """Return the moves and the betting that the record holds, in the order in which they happened."""
    events = []
    bet = max(0, s.wagers - BETS)
    for wagers, event in move_events(s):
        events += [bet_event(s, number) for number in range(bet, wagers)]
        bet = max(bet, wagers)
        events.append(event)
    return (*events, *(bet_event(s, number) for number in range(bet, s.wagers)))


# --- fields -------------------------------------------------------------------------------------------------

FIELDS = (
    Field("to_act", "int", "seat to act; -1: the game is over", "seat"),
    Field("phase", "text",
          "place 1, bet 1, place 2, bet 2, discard (after a fold), survivor, give (with a joker), over",
          lambda s: PHASES[s.phase]),
    Field("hand_number", "int", "hand of the game, from 0", hand_number),
    Field("round", "int", "round of the hand, 1 to 4", "round_no"),
    Field("first", "int or None", "F: the seat that places first and leads betting 1",
          lambda s: None if s.first < 0 else int(s.first)),
    Field("hand", "cards", "own hand, by card number", hand),
    Field("hand_sizes", "int per seat", "cards in each hand", "held"),
    Field("table", "(card, card) per seat", "slots 1 and 2 in this round: a card, `?` not known, empty",
          table),
    Field("faces", "texts", "how slots 1 and 2 of this round lie: up or down; round 4 has no slot 2", faces),
    Field("community", "card", "shared card of round 4, or empty", lambda s: card_text(s.community)),
    Field("scores", "int or None per seat", "score of the two cards of this round, where both are known",
          scores),
    Field("earlier", "(card, card) per seat, by round",
          "slots of the finished rounds of this hand, as `table`", earlier),
    Field("chips", "int per seat", "chips behind"),
    Field("put", "int per seat", "chips paid in this round, ante included", "paid"),
    Field("bets", "int per seat", "chips paid in this betting", "bet"),
    Field("pot", "int", "all chips paid in this round", lambda s: sum(s.paid)),
    Field("high", "int", "highest bet of this betting", lambda s: max(s.bet)),
    Field("to_call", "int", "chips the viewer lacks to the highest bet (onlooker: the seat to act)", to_call),
    Field("last_raise", "int", "largest raise of this betting, at first the ante; 0 outside of betting"),
    Field("in_round", "seats", "seats that took part in the ante", lambda s: members(in_round(s))),
    Field("alive", "seats", "seats in the round that have not folded", lambda s: members(s.alive)),
    Field("folded", "seats", "seats in the round that have folded",
          lambda s: members(in_round(s) & ~s.alive)),
    Field("all_in", "seats", "alive seats without chips behind",
          lambda s: tuple(p for p in members(s.alive) if s.chips[p] == 0)),
    Field("must_act", "seats", "seats that must still act in this betting", lambda s: members(s.due)),
    Field("joker_used", "bool", "whether the seat to act has used a joker in this turn"),
    Field("joker_uses", "int per seat", "jokers used in this hand"),
    Field("target", "(seat, slot) or None", "where a joker is aimed at, until the card is given", target),
    Field("deck_size", "int", "cards in the deck", "left"),
    Field("discard_size", "int", "cards in the discards", discard_size),
    Field("totals", "int per seat", "chips won - put in all finished rounds", "net"),
    Field("history", "(round, betting, seat, text) each",
          f"the last {MOVES} times that cards moved and {BETS} events of betting, oldest first; "
          "betting 0 and seat -1 where there is none; cards not known are `?`", history),
)  # fmt: skip
