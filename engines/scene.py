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
from functools import cache
from typing import Any

from . import registry

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


@cache
def room(game: str) -> Any:
    """Return a game's room `scene`; None if it has none."""
    return registry.home(game).room("scene")


def reader(game: Any, row: Any, viewer: int) -> Read:
    """Return what reads the fields of a plain row for a viewer, each once: places ask for the same again."""

    @cache
    def read(name: str, seat: int = viewer) -> Any:
        return game.fields[name].of(row, seat)

    return read


def drawn(game: Any, read: Read, players: int, viewer: int) -> Scene:
    """Return what a viewer sees on the table: only places where something is."""
    draw = getattr(room(game.name), "scene", None)
    made = draw(read, players, viewer) if draw is not None else _fields(game, read, players, viewer)
    return {key: text for key, text in made.items() if text}


def _fields(game: Any, read: Read, players: int, viewer: int) -> Scene:
    """Return the scene of a game without a room: its fields, and with open cards what each seat sees more."""
    made = {f"table/text/{name}": _plain(read(name)) for name in game.fields}
    for p in range(players if viewer == OPEN else 0):
        own = {name: read(name, p) for name in game.fields}
        made |= {f"seat/{p}/text/{name}": _plain(own[name]) for name in own if own[name] != read(name)}
    return made


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        nested = any(isinstance(item, list | tuple) for item in value)
        return (" | " if nested else " ").join(map(_plain, value))
    return str(value)


def in_lines(made: Scene, players: int, viewer: int) -> str:
    """Return a scene as text for people: its head, the table, the cards on it, and a line for each seat."""

    def parts(place: str) -> tuple[list[str], list[str]]:
        facts, cards = (
            {key.removeprefix(kind): said for key, said in made.items() if key.startswith(kind)}
            for kind in (f"{place}/text/", f"{place}/cards/")
        )
        shown = [f"{name} {_counted(held, facts.pop(name, ''))}" for name, held in cards.items()]
        facts.pop("settled", "")  # was told where it ended
        return [f"{name} {said}" for name, said in facts.items()], shown

    facts, cards = parts("table")
    short, grouped = [one for one in facts if "|" not in one], [one for one in facts if "|" in one]
    lines = ["; ".join([made["head"], *short]), *grouped, *cards] if "head" in made else [*facts, *cards]
    for p in range(players):
        you, (facts, cards) = " (you)" if p == viewer else "", parts(f"seat/{p}")
        lines += [f"seat {p}{you}: {'; '.join(facts + cards)}"] if facts or cards else []
    return "\n".join(lines)


def _counted(cards: str, about: str) -> str:
    """Return cards with what is said of them; backs alone are counted."""
    n = cards.count(BACK)
    shown = cards if set(cards.split()) != {BACK} else f"{n} card{'s' * (n > 1)}"
    return f"{shown} -> {about}" if about else shown
