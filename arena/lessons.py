"""A game with notes, to learn how it is played: the file `lesson.toml` in the game's package.

players = 3
seed = 4
seats = ["you", "ann", "bob"]
options = {goal = 60}
actions = ["hit", "stay"]

[[notes]]
at = 0
section = "4.2"
text = "What is to be seen before decision 0, and why it is played."
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypedDict

import engines
from engines import registry

from .errors import UsageError
from .replay.film import Film, film


class Lesson(Film):
    """A film with notes, by frame."""

    notes: dict[str, str]


class Note(TypedDict):
    """What is said before a decision, and the section of the rules page that it is about."""

    at: int
    section: str
    text: str


def lesson_file(name: str) -> Path | None:
    """Return the file of a game's lesson; None: it has none.

    Raises:
        GameError: there is no such game.
    """
    engines.check_name(name)
    path = registry.home(name).folder / "lesson.toml"
    return path if path.is_file() else None


def lesson(name: str) -> Lesson:
    """Return a game's lesson.

    Raises:
        UsageError: it has none.
        GameError: no such game, or an action of the lesson is not legal.
    """
    path = lesson_file(name)
    if path is None:
        raise UsageError(f"{name} has no lesson: read its rules page")
    plain = tomllib.loads(path.read_text(encoding="utf-8"))
    game = engines.load(name)
    position = game.position(plain["seed"], plain["players"], None, False, **plain.get("options", {}))
    moves = [game.action(text, position.options) for text in plain["actions"]]
    made = film(position, moves, plain["seats"], f"How {game.title} is played")
    notes: list[Note] = plain["notes"]
    said = {str(one["at"]): f"{one['text'].strip()}\n(rules {one['section']})" for one in notes}
    return Lesson(**made, notes=said)
