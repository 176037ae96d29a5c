"""Julepe as text: cards by name, the fields of a view and a position for people. Never in compiled code."""

from __future__ import annotations

from typing import Any

from ..core import OVER, Row
from ..view import Field
from .state import CARDS, EXCHANGE, HOUSE, PHASES, PLAY, RANKS, SEATS, SUITS, TRICKS


def card_texts(mask: int) -> tuple[str, ...]:
    """Text of the cards of a mask, by card number."""
    return tuple(text for card, text in enumerate(CARDS) if int(mask) >> card & 1)


def rank_of(card: str) -> int:
    """Rank of a card's text, 0 (two) to 9 (ace)."""
    return RANKS.index(card[:-1])


def order_of(card: str, trump: str) -> int:
    """A sort key for the text of cards: side suits by rank, then trumps by rank."""
    return rank_of(card) + (len(RANKS) if card[-1] == trump else 0)


def wins_over(card: str, best: str, trump: str) -> bool:
    """`beats` for the text of cards and of the trump suit."""
    return rank_of(card) > rank_of(best) if card[-1] == best[-1] else card[-1] == trump


def name_of(who: int) -> int | str:
    """A seat as integer, the house as word."""
    return "house" if who == HOUSE else who


def phase_word(s: Row, seat: int) -> str:
    """The phase in a word."""
    return "over" if s.seat == OVER else PHASES[s.phase]


def statements_of(s: Row, d: int) -> tuple[str, ...]:
    """What every seat said in the round of dealer `d`."""
    return tuple("in" if s.ins[d] >> p & 1 else "out" if s.outs[d] >> p & 1 else "" for p in range(SEATS))


def tricks_of(s: Row, d: int) -> tuple[tuple[tuple[int | str, str], ...], ...]:
    """Every trick in the round of dealer `d`, the last one perhaps unfinished, as (who, card) in the order of play."""
    return tuple(_trick_of(s, d, t) for t in range(TRICKS) if s.takers[d, t] >= 0)


def _trick_of(s: Row, d: int, t: int) -> tuple[tuple[int | str, str], ...]:
    first = s.takers[d, t]
    order = [HOUSE, d] if first == HOUSE else [*((first + k) % SEATS for k in range(SEATS)), HOUSE]
    return tuple((name_of(who), CARDS[s.played[d, who, t]]) for who in order if s.played[d, who, t] >= 0)


def winning_card(s: Row, d: int) -> str:
    """The card that wins the trick in play as it lies; empty if none was led."""
    best = ""
    for _, card in tricks_of(s, d)[-1] if s.phase == PLAY else ():
        best = card if not best or wins_over(card, best, SUITS[s.upcards[d] // 10]) else best
    return best


def winners_of(s: Row, d: int) -> tuple[int | str, ...]:
    """Who won each finished trick in the round of dealer `d`."""
    return tuple(name_of(s.takers[d, t]) for t in range(1, TRICKS + 1) if s.takers[d, t] >= 0)


def record_of(s: Row, d: int) -> dict[str, Any]:
    """The public record of a finished round, by its dealer."""
    return {
        "dealer": d,
        "face_up": CARDS[s.upcards[d]],
        "pot": s.pots[d],
        "statements": statements_of(s, d),
        "exchanged": tuple(s.swapped[d].tolist()),
        "tricks": tricks_of(s, d),
        "winners": winners_of(s, d),
    }


def earlier_rounds(s: Row, seat: int) -> tuple[dict[str, Any], ...]:
    """Records of the finished rounds among the last five, oldest first."""
    return tuple(record_of(s, (s.round_no + k) % SEATS) for k in range(1, SEATS + 1) if s.pots[(s.round_no + k) % SEATS])


def _current(read: Any, blank: Any) -> Any:
    """A field of the round in play: `read(s, dealer)`, blank when the game is over."""
    return lambda s, seat: blank if s.seat == OVER else read(s, s.round_no % SEATS)


def _own(read: Any) -> Any:
    """A field of the viewer's own cards: `read(s, seat)` is a mask; an onlooker has none."""
    return lambda s, seat: card_texts(read(s, seat)) if seat >= 0 else ()


def _pile_left(s: Row) -> int:
    """Number of pile cards in the stock, in plain Python."""
    return min(s.left, 5 * s.outs[s.round_no % SEATS].bit_count()) if s.phase >= EXCHANGE else 0


FIELDS = (
    Field("round", "int", "rounds played before this one", lambda s, seat: s.round_no),
    Field("phase", "str", "statements, house (the dealer's offer), exchange, down, tricks, over", phase_word),
    Field("dealer", "int", "seat of the dealer of this round", lambda s, seat: s.round_no % SEATS),
    Field("face_up", "str", "the face-up card, dealt to the dealer", _current(lambda s, d: CARDS[s.upcards[d]], "")),
    Field("trump", "str", "trump suit: o, c or b", _current(lambda s, d: SUITS[s.upcards[d] // 10], "")),
    Field("pot", "int", "cents in the pot", lambda s, seat: s.pot),
    Field("nets", "tuple of int", "cents won or lost so far, by seat", lambda s, seat: tuple(s.net.tolist())),
    Field("statements", "tuple of str", "in, out or empty (not yet said), by seat", _current(statements_of, ("",) * SEATS)),
    Field(
        "house_round",
        "bool",
        "the dealer plays the house",
        _current(lambda s, d: s.ins[d] == 1 << d, False),
    ),
    Field("hand", "tuple of str", "own cards; empty if out", _own(lambda s, p: 0 if _given(s, p) else s.hand[p])),
    Field("given_up", "tuple of str", "the hand that went into the pile, if out", _own(lambda s, p: _given(s, p) and s.hand[p])),
    Field("thrown", "tuple of str", "own cards thrown away in this round", _own(lambda s, p: s.thrown[p])),
    Field("drawn", "tuple of str", "own cards drawn in this round, wherever they are now", _own(lambda s, p: s.drawn[p])),
    Field(
        "exchanged",
        "tuple of int",
        "cards exchanged in this round, by seat; -1: not done (yet)",
        _current(lambda s, d: tuple(s.swapped[d].tolist()), (-1,) * SEATS),
    ),
    Field("leftovers", "int", "leftovers in the stock", lambda s, seat: s.left - _pile_left(s)),
    Field("pile", "int", "cards in the stock below the leftovers", lambda s, seat: _pile_left(s)),
    Field(
        "tricks",
        "tuple of tuple",
        "the tricks of this round, the last is the one in play: (seat or house, card) in the order of play",
        _current(tricks_of, ()),
    ),
    Field("winning", "str", "the card that wins the trick in play as it lies; empty if none was led", _current(winning_card, "")),
    Field("winners", "tuple", "who won each finished trick of this round: seat or house", _current(winners_of, ())),
    Field(
        "earlier",
        "tuple of dict",
        "finished rounds of the last five, oldest first: dealer, face_up, pot, statements, exchanged, tricks, winners",
        earlier_rounds,
    ),
)


def _given(s: Row, seat: int) -> bool:
    """Whether the seat's hand is in the pile, in plain Python."""
    return s.phase >= EXCHANGE and s.outs[s.round_no % SEATS] >> seat & 1 == 1


def show(s: Row, seat: int) -> str:
    """The position for people: the round, a line a seat, the tricks. Shows what the row holds."""
    d = s.round_no % SEATS
    over = s.seat == OVER
    lines = [f"round {s.round_no + 1} of {s.rounds}, {phase_word(s, seat)}; pot {s.pot}"]
    if not over and s.upcards[d] >= 0:
        lines[0] += f"; face-up {CARDS[s.upcards[d]]}; stock {s.left - _pile_left(s)} leftovers, {_pile_left(s)} pile"
    lines += [_show_seat(s, p) for p in range(SEATS)]
    if s.hand[HOUSE]:
        lines.append(f"house: {' '.join(card_texts(s.hand[HOUSE]))}; threw {' '.join(card_texts(s.thrown[HOUSE]))}")
    if s.stock[0] >= 0:
        lines.append(f"stock, next first: {' '.join(CARDS[s.stock[k]] for k in reversed(range(s.left)))}")
    for trick in () if over else tricks_of(s, d):
        lines.append("trick: " + ", ".join(f"{who} {card}" for who, card in trick))
    return "\n".join(lines)


def _show_seat(s: Row, p: int) -> str:
    """One seat: net, statement, cards as far as the row has them."""
    d = s.round_no % SEATS
    text = f"seat {p}{' (dealer)' if p == d else ''}: net {s.net[p]:+d}"
    if s.seat == OVER:
        return text
    text += f" {statements_of(s, d)[p]}"
    if s.hand[p]:
        text += f"; {'gave up' if _given(s, p) else 'holds'} {' '.join(card_texts(s.hand[p]))}"
    if s.swapped[d, p] >= 0:
        text += f"; exchanged {s.swapped[d, p]}"
    return text + (f"; threw {' '.join(card_texts(s.thrown[p]))}" if s.thrown[p] else "")
