"""What lies on the table, how a part of a game was settled, and what others are told: by the game's own room.

`engines.scene` says what a scene is, and what a game's room `scene` has. A game without one is shown by its
fields.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from engines import core, registry
from engines.batches import Batches
from engines.position import Position
from engines.scene import OPEN, Line, Read, Scene


@cache
def _room(game: str) -> Any:
    return registry.home(game).room("scene")


def scene(game: Batches, states: core.States, viewer: int = OPEN) -> Scene:
    """Return what a seat sees on the table.

    Args:
        game: the game.
        states: a one-row batch, redacted for the viewer; the full state if all cards are to lie open.
        viewer: a seat, or OPEN.

    Returns:
        Only places where something is.
    """
    row = core.PlainRow(states[0])

    @cache  # places ask for the same field again and again
    def read(name: str, seat: int = viewer) -> Any:
        return game.fields[name].of(row, seat)

    draw = getattr(_room(game.name), "scene", None)
    if draw is not None:
        made = draw(read, int(row.players), viewer)
    else:
        made = {f"table/text/{name}": _plain(read(name)) for name in game.fields}
    made.setdefault("table/text/settled", in_words(settlement(game, row, read)))
    if "phase" in game.fields:
        made["rules"] = game.sections.get(str(read("phase")).partition(" ")[0], "")
    return {key: text for key, text in made.items() if text}


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value))
    return str(value)


def deal_of(scene: Scene) -> str:
    """Return the deal that a position belongs to, by the first words of its head: `hand 3`, `round 2`."""
    return scene.get("head", "").partition(",")[0]


def closing(position: Position, seat: int, action: str, before: Scene, after: Scene) -> Scene:
    """Return what an action adds to the scene after it, such as a last trick that its row no longer holds."""
    more = getattr(_room(position.game.name), "closing", None)
    return more(position.options, seat, action, before, after) if more is not None else {}


def settlement(game: Batches, row: core.PlainRow, read: Read | None = None) -> list[Line]:
    """Return for what each seat won or lost points or chips in the part that was finished last.

    The lines of all parts add up to the scores. There are none before the first part has ended, and none in
    a game that has no such lines. The row may be open or redacted: what is settled is public.
    """

    def read_all(name: str, seat: int = OPEN) -> Any:
        return game.fields[name].of(row, seat)

    settle = getattr(_room(game.name), "settlement", None)
    lines = settle(read or read_all, row) if settle is not None else []
    return [(label, changes) for label, changes in lines if any(changes)]


def in_words(lines: list[Line]) -> str:
    """Return the lines as one text: `numbers: seat 0 +21, seat 2 +5; doubled: seat 0 +21`."""
    return "; ".join(
        f"{label}: " + ", ".join(f"seat {p} {change:+d}" for p, change in enumerate(changes) if change)
        for label, changes in lines
    )


def told(game: str, text: str, before: Scene, after: Scene) -> str:
    """Return what a seat that did not act is told of an action.

    A game's words list the verbs whose card others may not know (`secret`); without them that may be any. A
    test plays whole games in worlds that a seat cannot tell apart: it is told the same in both.

    Args:
        game: the game's name.
        text: the action.
        before: what the seat saw before it.
        after: what it sees now.

    Returns:
        The text; `"discard ?"` for a secret action, unless its card now lies open on the table.
    """
    verb, _, card = text.partition(" ")
    if (
        not card
        or verb not in registry.home(game).words.get("secret", (verb,))
        or _open(after, card) > _open(before, card)
    ):
        return text
    return f"{verb} ?"


def _open(scene: Scene, card: str) -> int:
    """How often a card lies open."""
    cards = (word for key, text in scene.items() if "/cards/" in key for word in text.split())
    return sum(word.rpartition(":")[2] == card for word in cards)
