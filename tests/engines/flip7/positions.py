"""Flip 7 positions for tests, as a person would write them down."""

from collections import Counter
from typing import Any

from engines import core
from engines.flip7 import GAME, state
from engines.position import Position, View
from tests.models.flip7 import DECK

from . import facts


def deck_from(first: str, cards: list[str] = DECK) -> list[str]:
    """D(p): the cards p, then the others in canonical order."""
    rest = list(cards)
    for card in first.split():
        rest.remove(card)
    return first.split() + rest


def opened(first: str, actions: str = "", players: int = 2, **options: Any) -> Position:
    """The position after actions (separated by commas) on the shuffle D(first)."""
    position = GAME.position(players=players, shuffles=[deck_from(first)], **options)
    for action in filter(None, actions.split(", ")):
        position.play(action)
    return position


def times(n: int, action: str) -> str:
    return ", ".join([action] * n)


def see(position: Position) -> View:
    return position.view(-1)


def decisions_in(view: View) -> list[tuple[int, str]]:
    return [(seat, text) for seat, text in view.history if text in GAME.actions()]


def put_row(states: Any, seat: int, cards: str) -> None:
    """Give a seat of a one-row batch this row, in place of the one it has."""
    numbers = [GAME.card(card) for card in cards.split()]
    states["row"][0, seat] = numbers + [-1] * (state.ROW - len(numbers))
    states["held"][0, seat] = sum(int(state.GAIN[number]) for number in numbers)


def with_row(cards: str) -> Any:
    """A one-row batch where seat 0 has this row."""
    states = GAME.new(1).copy()
    put_row(states, 0, cards)
    states["status"][0, 0] = state.Status.ACTIVE
    states["active"][0] |= 1
    return states


def facing(row: str, pile: str, options: dict[str, Any]) -> Any:
    """Two seats in round 1, seat 1 to act with this row; these cards in the draw pile, the rest discarded."""
    states = opened("0 1", **options).states.copy()
    put_row(states, 1, row)
    put_row(states, 0, "11")
    states["pile"][0] = -1
    cards = [GAME.card(card) for card in pile.split()]
    states["left"][0] = len(cards)
    states["pile"][0, : len(cards)] = cards
    out = Counter([*cards, *(GAME.card(card) for card in row.split()), GAME.card("11")])
    states["discards"][0] = [int(n) - out[card] for card, n in enumerate(state.COPIES)]
    facts.conserved(core.plain(states)[0])
    return states
