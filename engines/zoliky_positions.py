"""Jolly Zoliky: positions built by hand, and the hardest ones known for the look-ahead of `zoliky_turn`."""

from __future__ import annotations

from typing import Any

from . import core
from .game import States
from .zoliky import DRAWING, GAME, MELDING
from .zoliky_melds import CARDS, JOKER, PLACE, meld_cards, meld_of


def position(
    hand: str,
    table: tuple[str, ...] = (),
    *,
    fresh: int = 0,
    opened: tuple[int, ...] = (),
    owed: str = "",
    jolly_turn: bool = False,
    draw: bool = False,
    pile: str = "",
    jolly: str = "",
    others: tuple[str, ...] = ("",),
    rounds: int = 3,
    players: int = 2,
    mover: int = 0,
    stock: str | None = None,
    **options: Any,
) -> States:
    """A one-row batch in which `mover` is to act, with all 108 cards in it.

    Args:
        hand: the mover's cards, such as `4h 5h JK`.
        table: the melds in the order of laying, such as `4h 5h JK(6h)`; the last `fresh` of them were laid in this turn.
        opened: the seats that are open.
        owed: the cards that must be placed.
        jolly_turn: the Jolly card was drawn.
        draw: the draw is still to come.
        pile: the discard pile, top card last.
        jolly: the Jolly card; default: one that is left.
        others: the other hands, in seat order; a hand not named gets one card that is left.
        rounds, players, mover: number of the round, of seats, the seat to act.
        stock: the stock, next card first; default: all that is left, by kind. What it leaves out goes under it.
        options: by name.

    Raises:
        ValueError: more cards of a kind than there are.
    """
    states = GAME.blank(1, players, **options)
    core.start_row(core.rows(states), 0)
    s = core.plain(states)[0]
    left = [2] * JOKER + [4]
    s.rounds, s.mover, s.seat, s.phase = rounds, mover, mover, DRAWING if draw else MELDING
    s.fresh, s.n_melds, s.jolly_turn = fresh, len(table), int(jolly_turn)
    for i, meld in enumerate(table):
        s.melds[i] = meld_of(meld)
        _named(left, " ".join("JK" if "JK" in card else card for card in meld_cards(s.melds[i])))
    for p in opened:
        s.opened[p] = 1
    s.n_pile = _lay(s.pile, _named(left, pile))
    named = {mover: hand} | dict(zip((p for p in range(players) if p != mover), others))
    hands = {p: _named(left, cards) for p, cards in named.items()}
    first = _named(left, stock or "")
    s.jolly = CARDS.index(jolly) if jolly_turn else (_named(left, jolly) or _any(left, 1))[0]
    for p in range(players):
        for kind in hands.get(p) or _any(left, 1):
            give(s, p, kind)
    for card in owed.split():
        if card == "JK":
            s.owed_jokers += 1
        else:
            s.owed = CARDS.index(card)
    s.n_stock = _lay(s.stock, (first + _any(left, sum(left)))[::-1])
    for i, kind in enumerate((s.stock[1], s.stock[0], s.jolly)):
        s.seen[i] = max(kind, 0)
    return states


def give(s: Any, p: int, kind: int) -> None:
    """Put a card into a hand of a plain row."""
    s.held[p] += 1
    if kind == JOKER:
        s.jokers[p] += 1
        return
    card = 1 << int(PLACE[kind])
    s.h2[p] |= s.h1[p] & card
    s.h1[p] |= card


def _named(left: list[int], text: str) -> list[int]:
    """The kinds of these cards, taken out of the cards that are left."""
    kinds = [CARDS.index(card) for card in text.split()]
    for kind in kinds:
        left[kind] -= 1
        if left[kind] < 0:
            raise ValueError(f"there are not so many {CARDS[kind]}")
    return kinds


def _any(left: list[int], n: int) -> list[int]:
    """The `n` highest kinds that are left, taken out of them."""
    kinds = [kind for kind in range(JOKER, -1, -1) for _ in range(left[kind])][:n]
    for kind in kinds:
        left[kind] -= 1
    return kinds


def _lay(place: Any, kinds: list[int]) -> int:
    """Write kinds into an array of the row; return how many."""
    for i, kind in enumerate(kinds):
        place[i] = kind
    return len(kinds)
