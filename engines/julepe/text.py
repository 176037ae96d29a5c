"""Julepe as text: cards by name, the fields of a view and a position for people. Never in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import NOBODY, OVER, Row, record
from ..core.text import card_text, card_texts, listed
from ..declaration import Field
from .state import CARDS, HOUSE, KEPT_ROUNDS, PHASES, RANKS, SEATS, SUITS, TRICKS, Phase, beats, best_card

# --- cards by name ------------------------------------------------------------------------------------------


def rank_of(card: str) -> int:
    """Rank of a card's text, 0 (two) to 9 (ace)."""
    return RANKS.index(card[:-1])


def order_of(card: str, trump: str) -> int:
    """Return a sort key for the text of cards: side suits by rank, then trumps by rank."""
    return rank_of(card) + (len(RANKS) if card[-1] == trump else 0)


def wins_over(card: str, best: str, trump: str) -> bool:
    """Whether a card wins over the best one so far, for the text of cards and of the trump suit [4.5]."""
    return bool(beats(CARDS.index(card), CARDS.index(best), SUITS.index(trump)))


# --- a round's public record --------------------------------------------------------------------------------


def who_text(who: int) -> int | str:
    """Return a seat as integer, the house as word."""
    return "house" if who == HOUSE else who


def statements_of(s: Row, r: int) -> tuple[str, ...]:
    """Return what every seat said in round `r`."""
    return tuple(
        "in" if s.ins[r % KEPT_ROUNDS] >> p & 1 else "out" if s.outs[r % KEPT_ROUNDS] >> p & 1 else ""
        for p in range(SEATS)
    )


def tricks_of(s: Row, r: int) -> tuple[tuple[tuple[int | str, str], ...], ...]:
    """Every trick of round `r`, the last one perhaps unfinished, as (who, card) in the order of play."""
    return tuple(_trick_of(s, r, t) for t in range(TRICKS) if s.leaders[r % KEPT_ROUNDS, t] != NOBODY)


def _trick_of(s: Row, r: int, t: int) -> tuple[tuple[int | str, str], ...]:
    first = s.leaders[r % KEPT_ROUNDS, t]
    order = [HOUSE, r % SEATS] if first == HOUSE else [*((first + k) % SEATS for k in range(SEATS)), HOUSE]
    return tuple(
        (who_text(who), CARDS[s.played[r % KEPT_ROUNDS, who, t]])
        for who in order
        if s.played[r % KEPT_ROUNDS, who, t] != NOBODY
    )


def winners_of(s: Row, r: int) -> tuple[int | str, ...]:
    """Who won each finished trick of round `r`."""
    return tuple(
        who_text(s.leaders[r % KEPT_ROUNDS, t])
        for t in range(1, TRICKS + 1)
        if s.leaders[r % KEPT_ROUNDS, t] != NOBODY
    )


def record_of(s: Row, r: int) -> dict[str, Any]:
    """Return the public record of a finished round."""
    return {
        "round": r + 1,
        "dealer": r % SEATS,
        "face_up": CARDS[s.upcard[r % KEPT_ROUNDS]],
        "pot": s.pots[r % KEPT_ROUNDS],
        "statements": statements_of(s, r),
        "exchanged": tuple(s.exchanged[r % KEPT_ROUNDS].tolist()),
        "tricks": tricks_of(s, r),
        "winners": winners_of(s, r),
    }


def history_of(s: Row) -> tuple[dict[str, Any], ...]:
    """Return the records of the finished rounds that are kept, oldest first."""
    rounds = range(max(s.round_no + 1 - KEPT_ROUNDS, 0), s.round_no + 1)
    return tuple(record_of(s, r) for r in rounds if s.pots[r % KEPT_ROUNDS])


# --- the round in play --------------------------------------------------------------------------------------


def phase_word(s: Row) -> str:
    """Return the phase in a word."""
    return "over" if s.seat == OVER else PHASES[s.phase]


def trump_text(s: Row, r: int) -> str:
    """Return the trump suit of round `r`; empty before its deal."""
    return SUITS[s.upcard[r % KEPT_ROUNDS] // len(RANKS)] if s.upcard[r % KEPT_ROUNDS] != NOBODY else ""


def winning_text(s: Row, r: int) -> str:
    """Return the card that wins the trick in play as it lies; empty if none was led."""
    return card_text(int(best_card(record(s))), CARDS) if s.phase == Phase.TRICKS else ""


def gave_up(s: Row, seat: int) -> bool:
    """Whether the seat's hand is in the pile."""
    return s.phase >= Phase.EXCHANGE and s.outs[s.round_no % KEPT_ROUNDS] >> seat & 1 == 1


def pile_left(s: Row) -> int:
    """Return the number of pile cards in the stock."""
    return min(s.left, 5 * s.outs[s.round_no % KEPT_ROUNDS].bit_count()) if s.phase >= Phase.EXCHANGE else 0


# --- fields -------------------------------------------------------------------------------------------------


def _now(read: Callable[[Row, int], Any], blank: Any) -> Callable[[Row, int], Any]:
    """Return a field of the round in play: `read(s, round)`, blank when the game is over."""
    return lambda s, seat: blank if s.seat == OVER else read(s, s.round_no)


def _own(read: Callable[[Row, int], int]) -> Callable[[Row, int], Any]:
    """Return a field of the viewer's own cards: `read(s, seat)` is a mask; an onlooker has none."""
    return lambda s, seat: card_texts(read(s, seat), CARDS) if seat >= 0 else ()


FIELDS = (
    Field("to_act", "int", "seat that is to act; -1 when the game is over", "seat"),
    Field("phase", "text", "statements, house (the dealer's offer), exchange, down, tricks, over",
          phase_word),
    Field("round", "int", "number of this round, from 1", lambda s: s.round_no + 1),
    Field("dealer", "int", "seat of the dealer of this round", lambda s: s.round_no % SEATS),
    Field("face_up", "card", "the face-up card, dealt to the dealer",
          _now(lambda s, r: card_text(s.upcard[r % KEPT_ROUNDS], CARDS), "")),
    Field("trump", "text", "trump suit: o, c or b", _now(trump_text, "")),
    Field("pot", "int", "cents in the pot"),
    Field("totals", "int per seat", "cents won or lost so far", "net"),
    Field("statements", "text per seat", "in, out or empty (not yet said)",
          _now(statements_of, ("",) * SEATS)),
    Field("house_round", "bool", "the dealer plays the house",
          _now(lambda s, r: s.ins[r % KEPT_ROUNDS] == 1 << r % SEATS, False)),
    Field("hand", "cards", "own cards; empty if out", _own(lambda s, p: 0 if gave_up(s, p) else s.hand[p])),
    Field("given_up", "cards", "the hand that went into the pile, if out",
          _own(lambda s, p: s.hand[p] if gave_up(s, p) else 0)),
    Field("thrown", "cards", "own cards thrown away in this round", _own(lambda s, p: s.thrown[p])),
    Field("drawn", "cards", "own cards drawn in this round, in the order of drawing, wherever they are now",
          lambda s, seat: listed(s.drawn[seat], CARDS) if seat >= 0 else ()),
    Field("exchanged", "int per seat", "cards exchanged in this round; -1: not done (yet)",
          _now(lambda s, r: tuple(s.exchanged[r % KEPT_ROUNDS].tolist()), (-1,) * SEATS)),
    Field("leftovers", "int", "leftovers in the stock", lambda s: s.left - pile_left(s)),
    Field("pile", "int", "cards in the stock below the leftovers", pile_left),
    Field("tricks", "((seat or house, card) each) each",
          "the tricks of this round in the order of play, the last is the one in play", _now(tricks_of, ())),
    Field("winning", "card", "the card that wins the trick in play as it lies; empty if none was led",
          _now(winning_text, "")),
    Field("winners", "seat or house each", "who won each finished trick of this round", _now(winners_of, ())),
    Field(
        "history",
        "dict each",
        "finished rounds of the last 20, oldest first: "
        "round, dealer, face_up, pot, statements, exchanged, tricks, winners",
        history_of,
    ),
)  # fmt: skip
