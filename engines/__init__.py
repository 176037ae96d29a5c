"""The rules of the card games: `engines.load("taroky")` gives a `Game`, `engines.names()` lists them.

Loading imports Numba and a game's module; importing this package alone costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import registry
from .errors import GameError, IllegalAction, OptionError, ShuffleError, TextError

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


def names() -> list[str]:
    """Return the games that exist, in alphabetical order: those here and those of installed packages."""
    return list(registry.homes())


def check_name(name: str) -> None:
    """Whether there is such a game, without loading it.

    Raises:
        GameError: there is none; says the nearest.
    """
    registry.home(name)


def load(name: str) -> Game:
    """Return the game of this name.

    Raises:
        GameError: there is none (says the nearest), or its package does not load.
    """
    game: Game = registry.load(name)
    return game
