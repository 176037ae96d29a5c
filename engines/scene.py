"""What lies on a game's table, as plain text by place: the parts of a game's room `scene`.

A scene is a flat dict. Its keys say where something is and what it is:

    "head"                   a line about the whole position
    "rules"                  the section of the rules page about what is decided now
    "table/text/pot"         a fact of the table             "table/cards/trick"     cards on the table
    "seat/2/text/chips"      a fact of a seat                "seat/2/cards/hand"     cards before a seat

Cards are words: a card as its game writes it, `?` for a back, `3:Ks` for a card that seat 3 played, `|` for a
gap. Everything comes from the fields of the view, so a scene shows what the viewer's row holds and no more.
A room has some of these:

    scene(read, players, viewer)                     the scene of a position; `read(name, seat)` gives a field
    settlement(read, row)                            lines for the part of a game that was finished last
    closing(options, seat, action, before, after)    what to add to the scene after an action
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Scene = dict[str, str]
Read = Callable[..., Any]
Line = tuple[str, list[int]]
"""For what, and the change of every seat."""
BACK = "?"
OPEN = -1
"""The viewer who sees all that the row holds."""


def backs(n: int) -> str:
    """Cards that lie face down."""
    return " ".join([BACK] * n)


def hand(read: Read, seat: int, viewer: int, n: int) -> str:
    """Return a hand as far as it is seen: the cards, or as many backs."""
    return " ".join(read("hand", seat) if viewer in (OPEN, seat) else ()) or backs(n)


def played(cards: Iterable[tuple[Any, str]]) -> str:
    """Cards by who played them."""
    return " ".join(f"{who}:{card}" for who, card in cards)


def those(words: Sequence[tuple[str, bool]]) -> str:
    """Return the words that hold."""
    return ", ".join(word for word, there in words if there)
