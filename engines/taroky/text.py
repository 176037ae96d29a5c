"""Taroky as text: the fields of a view and a position for people. Never compiled; no rule is here."""

from __future__ import annotations

from typing import Any

from ..core import NOBODY, Row
from ..core.text import card_text, card_texts, listed, members
from ..declaration import Field
from .settlement import payment
from .state import ACTIONS, CARDS, KINDS, MONEY_CARDS, PHASES, STYLES

Texts = tuple[str, ...]

# --- what the fields read ----------------------------------------------------------------------------------


def _hand(s: Row, seat: int) -> Texts:
    return card_texts(s.hand[seat], CARDS) if seat != NOBODY else ()


def _by_seat(masks: Any) -> tuple[Texts, ...]:
    return tuple(card_texts(mask, CARDS) for mask in masks)


def _sides(s: Row, seat: int) -> Texts:
    """Sides as a viewer knows them: by bids and calls, by the partner if known, and its own."""
    sides = list(s.side)
    if s.partner != NOBODY:
        sides = [int(other in (s.povinnost, s.partner)) for other in range(4)]
    elif s.called != NOBODY and seat not in (NOBODY, s.povinnost):
        sides[seat] = 0  # the partner itself would know it
    return tuple(("", "opponent", "declarer")[side + 1] for side in sides)


def _said(seats: Any) -> tuple[int, ...]:
    return tuple(seat for seat in seats if seat != NOBODY)


def _tricks(s: Row) -> tuple[Texts, ...]:
    return tuple(listed(s.tricks[first : first + 4], CARDS) for first in range(0, s.played & ~3, 4))


def _past_round(s: Row, k: int) -> dict[str, Any]:
    paid = (payment(s.pay[k], s.declarers[k], seat) for seat in range(4))
    return {
        "declarers": members(s.declarers[k]),
        "points": s.points[k],
        "kind": KINDS[abs(s.kind[k])],
        "won": s.kind[k] > 0,
        "bonus": s.bonus[k],
        "pay": s.pay[k],
        "chips": tuple(a + b for a, b in zip(paid, s.money_won[k], strict=True)),
    }


def _history(s: Row) -> tuple[dict[str, Any], ...]:
    return tuple(_past_round(s, k) for k in range(s.finished))


# --- the fields of a view ----------------------------------------------------------------------------------

FIELDS = (
    Field("to_act", "int", "the seat to act; -1 when the game is over", "seat"),
    Field("round", "int", "number of the round, from 1; after the end the number of rounds",
          lambda s: min(s.finished + 1, s.rounds)),
    Field("phase", "text", f"{', '.join(PHASES)}; over",
          lambda s: PHASES[s.phase] if s.phase != NOBODY else "over"),
    Field("dealer", "int", "the dealer; -1 before the draw for it and after the end"),
    Field("drawn", "card per seat", "cards drawn for the deal; empty without option `first_dealer` = -1",
          lambda s: listed(s.drawn, CARDS)),
    Field("style", "text", "the cutter's choice; empty before it",
          lambda s: STYLES[s.style] if s.style != NOBODY else ""),
    Field("piles", "int per pile", "who took pile 1 to 4; -1 for none", lambda s: tuple(s.piles)),
    Field("povinnost", "int", "the lead player; -1 before the deal of round 1"),
    Field("deciding", "card", "the card that made Povinnost, in round 1",
          lambda s: card_text(s.deciding, CARDS)),
    Field("bids", "text per seat", "`pass`, `prever` or empty",
          lambda s: tuple(("", "pass", "prever")[bid + 1] for bid in s.bids)),
    Field("prever", "int", "who plays Prever; -1 in a partner round and during the bidding"),
    Field("rejections", "int", "talon halves that Prever refused"),
    Field("shown", "cards", "talon cards that all have seen", lambda s: card_texts(s.shown, CARDS)),
    Field("talon", "card per place", "six places, as far as you see them; empty: taken or unseen",
          lambda s: tuple(card_text(card, CARDS) for card in s.talon)),
    Field("offers", "texts", "`draw`, `offer`, `accept`, `reject` for the talon's fifth and sixth card",
          lambda s: listed(s.offers, ACTIONS)),
    Field("hand", "cards", "your hand; empty for an onlooker", _hand),
    Field("hand_sizes", "int per seat", "cards in hand", "hand_size"),
    Field("discards", "cards per seat", "discarded cards that you know: your own, and trumps",
          lambda s: _by_seat(s.discards)),
    Field("discard_counts", "int per seat", "cards discarded", "discard_count"),
    Field("called", "card", "the called card; empty if none", lambda s: card_text(s.called, CARDS)),
    Field("partner", "int", "holder of the called card if you know it; Povinnost if it plays alone; else -1"),
    Field("sides", "text per seat", "`declarer`, `opponent`, or empty where you do not know", _sides),
    Field("money", "texts per seat", "announced money cards",
          lambda s: tuple(tuple(MONEY_CARDS[k] for k in members(money)) for money in s.money)),
    Field("valat", "int", "who called Valat, else -1"),
    Field("contras", "ints", "who said contra, rhea and supra", lambda s: _said(s.contras)),
    Field("pagat", "int", "who called the Pagat, else -1"),
    Field("leaders", "ints", "leader of every trick begun", lambda s: _said(s.leaders)),
    Field("tricks", "cards each", "finished tricks of this round, in the order of play", _tricks),
    Field("trick", "cards", "the trick in progress, in the order of play",
          lambda s: listed(s.tricks[s.played & ~3 : s.played], CARDS)),
    Field("won", "cards per seat", "cards taken in tricks", lambda s: _by_seat(s.won)),
    Field("totals", "int per seat", "net chips"),
    Field(
        "history",
        "records",
        "finished rounds, oldest first: `declarers` (seats), their `points`, `kind` (counted, uncalled "
        "valat, valat), `won` by the declarers, `bonus` (Pagat) and `pay` a head as the declarers see it, "
        "`chips` won by each seat",
        _history,
    ),
)  # fmt: skip
