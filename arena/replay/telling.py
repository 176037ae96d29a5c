"""What the other seats are told of an action: `told`.

`Position.told` finds that out from the rules alone, and takes milliseconds. A page needs it for every action
and every seat, so the verbs that can be secret are listed here, and a test compares the two.
"""

from __future__ import annotations

from .scenes import Scene

SECRET: dict[str, frozenset[str]] = {
    "flip7": frozenset(),
    "julepe": frozenset({"discard"}),
    "taroky": frozenset({"discard"}),
    "tzogous37": frozenset({"place"}),
    "zoliky": frozenset(),
}
"""Verbs whose card others may not know, by game; in a game that is not listed, all verbs."""


def told(game: str, text: str, before: Scene, after: Scene) -> str:
    """Return what a seat that did not act is told of an action.

    Args:
        game: the game's name.
        text: the action.
        before: what the seat saw before it.
        after: what it sees now.

    Returns:
        The text; `"discard ?"` for a secret action, unless its card now lies open on the table.
    """
    verb, _, card = text.partition(" ")
    if not card or verb not in SECRET.get(game, {verb}) or _open(after, card) > _open(before, card):
        return text
    return f"{verb} ?"


def _open(scene: Scene, card: str) -> int:
    """How often a card lies open."""
    words = (word for key, text in scene.items() if "/cards/" in key for word in text.split())
    return sum(word.rpartition(":")[2] == card for word in words)
