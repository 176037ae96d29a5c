"""The rules of the card games: `engines.load("taroky")` gives a `Game`, `engines.names()` lists them.

Loading imports Numba and a game's module; importing this package alone costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import GameError, IllegalAction, OptionError, ShuffleError, TextError, nearest

if TYPE_CHECKING:
    from .game import Game

__all__ = [
    "GameError",
    "IllegalAction",
    "OptionError",
    "ShuffleError",
    "TextError",
    "check_name",
    "load",
    "names",
]

_NAMES = tuple(sorted(path.parent.name for path in Path(__file__).parent.glob("*/rules.py")))
"""Every folder that has rules is a game."""


def names() -> list[str]:
    """Return the games that exist, in alphabetical order."""
    return list(_NAMES)


def check_name(name: str) -> None:
    """Whether there is such a game, without loading it.

    Raises:
        GameError: there is none; says the nearest.
    """
    if name not in _NAMES:
        hint = nearest(str(name), _NAMES, f"games: {', '.join(_NAMES)}")
        raise GameError(f"no game {name!r}; {hint}")


def load(name: str) -> Game:
    """Return the game of this name.

    Raises:
        GameError: there is none; says the nearest.
    """
    check_name(name)
    game: Game = import_module(f"engines.{name}").GAME
    return game
