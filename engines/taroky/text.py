"""Taroky as text: the fields of a view and a position for people. Never in compiled code."""

from __future__ import annotations

from typing import Any

from ..core import Row
from ..view import Field
from .state import ACTIONS, CARDS, CONTRAS, KINDS, MONEY_CARDS, N_CARDS, PHASES, STYLES, card_points


def cards_of(mask: int) -> tuple[str, ...]:
    """Text of the cards of a mask, by card number."""
    return tuple(CARDS[card] for card in range(N_CARDS) if mask >> card & 1)


def card_of(card: int) -> str:
    """Text of a card, empty for none."""
    return CARDS[card] if card >= 0 else ""


def seats_of(mask: int) -> tuple[int, ...]:
    """The seats of a mask."""
    return tuple(seat for seat in range(4) if mask >> seat & 1)


def _money_names(money: int) -> tuple[str, ...]:
    return tuple(name for k, name in enumerate(MONEY_CARDS) if money >> k & 1)


def _tricks(s: Row) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(card_of(s.tricks[4 * t + k]) for k in range(4)) for t in range(s.played // 4))


def _trick(s: Row) -> tuple[str, ...]:
    return tuple(card_of(s.tricks[k]) for k in range(s.played // 4 * 4, s.played))


def _leaders(s: Row) -> tuple[int, ...]:
    return tuple(seat for seat in s.leads.tolist() if seat >= 0)


def _sides(s: Row, seat: int) -> tuple[str, ...]:
    """Sides as a viewer knows them: by bids and calls, by the partner if known, and its own."""
    sides = s.side.tolist()
    if s.partner >= 0:
        sides = [int(other in (s.lead, s.partner)) for other in range(4)]
    elif s.called >= 0 and seat >= 0 and seat != s.lead:
        sides[seat] = 0  # the partner itself would know it
    return tuple(("", "opponent", "declarer")[side + 1] for side in sides)


def _offers(s: Row) -> tuple[str, ...]:
    return tuple(ACTIONS[action] for action in s.offers.tolist() if action >= 0)


def _result(s: Row, k: int) -> dict[str, Any]:
    return {
        "declarers": seats_of(s.declarers[k]),
        "points": s.points[k],
        "kind": KINDS[abs(s.kind[k])],
        "won": s.kind[k] > 0,
        "bonus": s.bonus[k],
        "pay": s.pay[k],
        "chips": tuple(s.change[k].tolist()),
    }


def _results(s: Row) -> tuple[dict[str, Any], ...]:
    return tuple(_result(s, k) for k in range(s.finished))


FIELDS = (
    Field(
        "round",
        "int",
        "number of the round, from 1; after the end the number of rounds",
        lambda s, v: min(s.finished + 1, s.rounds),
    ),
    Field(
        "phase", "word", f"{', '.join(PHASES)}; empty when the game is over", lambda s, v: PHASES[s.phase] if s.phase >= 0 else ""
    ),
    Field("dealer", "seat", "the dealer; -1 before the draw for it and after the end", lambda s, v: s.dealer),
    Field(
        "drawn",
        "4 cards",
        "cards drawn for the deal, by seat; empty without option `first_dealer` = -1",
        lambda s, v: _cards_drawn(s),
    ),
    Field("style", "word", "the cutter's choice; empty before it", lambda s, v: STYLES[s.style] if s.style >= 0 else ""),
    Field("piles", "4 seats", "who took pile 1 to 4; -1 for none", lambda s, v: tuple(s.piles.tolist())),
    Field("povinnost", "seat", "the lead player; -1 before the deal of round 1", lambda s, v: s.lead),
    Field("deciding", "card", "the card that made Povinnost, in round 1", lambda s, v: card_of(s.deciding)),
    Field(
        "bids",
        "4 words",
        "`pass`, `prever` or empty, by seat",
        lambda s, v: tuple(("", "pass", "prever")[b + 1] for b in s.bids.tolist()),
    ),
    Field("prever", "seat", "who plays Prever; -1 in a partner round and during the bidding", lambda s, v: s.prever),
    Field("rejections", "int", "talon halves that Prever refused", lambda s, v: s.rejections),
    Field("shown", "cards", "talon cards that all have seen", lambda s, v: cards_of(s.shown)),
    Field(
        "talon",
        "6 cards",
        "talon by place, as far as you see it; empty: taken or unseen",
        lambda s, v: tuple(map(card_of, s.talon.tolist())),
    ),
    Field("offers", "words", "`draw`, `offer`, `accept`, `reject` for the talon's fifth and sixth card", lambda s, v: _offers(s)),
    Field("hand", "cards", "your hand; empty for an onlooker", lambda s, v: cards_of(s.hand[v]) if v >= 0 else ()),
    Field("hand_sizes", "4 ints", "cards in hand, by seat", lambda s, v: tuple(s.size.tolist())),
    Field(
        "discards",
        "4 x cards",
        "discarded cards that you know, by seat: your own, and trumps",
        lambda s, v: tuple(map(cards_of, s.discard.tolist())),
    ),
    Field("discard_counts", "4 ints", "cards discarded, by seat", lambda s, v: tuple(s.discards.tolist())),
    Field("called", "card", "the called card; empty if none", lambda s, v: card_of(s.called)),
    Field(
        "partner",
        "seat",
        "holder of the called card if you know it; Povinnost if it plays alone; else -1",
        lambda s, v: s.partner,
    ),
    Field("sides", "4 words", "`declarer`, `opponent`, or empty where you do not know", _sides),
    Field("money", "4 x words", "announced money cards, by seat", lambda s, v: tuple(map(_money_names, s.money.tolist()))),
    Field("valat", "seat", "who called Valat, else -1", lambda s, v: s.valat),
    Field("contras", "seats", "who said contra, rhea and supra", lambda s, v: tuple(c for c in s.contras.tolist() if c >= 0)),
    Field("pagat", "seat", "who called the Pagat, else -1", lambda s, v: s.pagat),
    Field("leaders", "seats", "leader of every trick begun", lambda s, v: _leaders(s)),
    Field("tricks", "4 cards each", "finished tricks of this round, in the order of play", lambda s, v: _tricks(s)),
    Field("trick", "cards", "the trick in progress, in the order of play", lambda s, v: _trick(s)),
    Field("won", "4 x cards", "cards that each seat took in tricks", lambda s, v: tuple(map(cards_of, s.won.tolist()))),
    Field("chips", "4 ints", "net chips, by seat", lambda s, v: tuple(s.chips.tolist())),
    Field(
        "results",
        "records",
        "a record for each finished round: `declarers` (seats), their `points`, `kind` (counted, uncalled valat, valat), "
        "`won` by the declarers, `bonus` (Pagat) and `pay` a head as the declarers see it, `chips` won by each seat",
        lambda s, v: _results(s),
    ),
)


def _cards_drawn(s: Row) -> tuple[str, ...]:
    return tuple(card_of(card) for card in s.drawn.tolist() if card >= 0)


def show(s: Row, seat: int) -> str:
    """A position as text for people, as far as the row holds it."""
    phase = f", {PHASES[s.phase]} phase" if s.phase >= 0 else ""
    lines = [f"round {min(s.finished + 1, s.rounds)} of {s.rounds}{phase}, chips {s.chips.tolist()}"]
    lines += _show_set_up(s)
    lines += _show_calls(s)
    lines += [_show_seat(s, p) for p in range(4) if s.size[p] or s.won[p]]
    for t, cards in enumerate(_tricks(s)):
        lines.append(f"trick {t + 1}: seat {s.leads[t]} leads {' '.join(cards)}")
    if _trick(s):
        lines.append(f"on the table: seat {s.leads[s.played // 4]} led {' '.join(_trick(s))}")
    return "\n".join(lines + _show_results(s))


def _show_set_up(s: Row) -> list[str]:
    lines = []
    if s.dealer >= 0:
        style = f", {STYLES[s.style]}" if s.style >= 0 else ""
        lead = f", Povinnost seat {s.lead}" if s.lead >= 0 else ""
        lines.append(f"dealer seat {s.dealer}{style}{lead}")
    talon = " ".join(card_of(card) or "-" for card in s.talon.tolist())
    if any(card >= 0 for card in s.talon.tolist()):
        lines.append(f"talon: {talon}")
    if s.shown:
        lines.append(f"shown: {' '.join(cards_of(s.shown))}, {s.rejections} refused")
    return lines


def _show_calls(s: Row) -> list[str]:
    said = [f"seat {p} {name}" for p in range(4) for name in _money_names(s.money[p])]
    if s.prever >= 0:
        said.append(f"seat {s.prever} plays Prever")
    if s.called >= 0:
        partner = "" if s.partner < 0 else " (alone)" if s.partner == s.lead else f" (seat {s.partner})"
        said.append(f"called {card_of(s.called)}{partner}")
    said += [
        f"seat {p} {word}" for p, word in ((s.valat, "valat"), *zip(s.contras.tolist(), CONTRAS), (s.pagat, "pagat")) if p >= 0
    ]
    return ["; ".join(said)] if said else []


def _show_seat(s: Row, seat: int) -> str:
    hand = " ".join(cards_of(s.hand[seat])) or f"{s.size[seat]} cards"
    away = f", discarded {s.discards[seat]}: {' '.join(cards_of(s.discard[seat])) or 'unseen'}" if s.discards[seat] else ""
    return f"seat {seat}: {hand}{away}, {card_points(s.won[seat])} points in tricks"


def _show_results(s: Row) -> list[str]:
    lines = []
    for k, result in enumerate(_results(s)):
        won = "won" if result["won"] else "lost"
        lines.append(f"round {k + 1}: declarers {result['declarers']} {won} with {result['points']} points ({result['kind']})")
        lines[-1] += f", chips {result['chips']}"
    return lines
