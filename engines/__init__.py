"""The rules of the card games: `engines.load("taroky")` gives a `Game`, `engines.names()` lists them.

Loading imports Numba and a game's module; importing this package alone costs nothing.
"""

from __future__ import annotations

from importlib import import_module
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
    home = registry.home(name)
    if home.shipped:
        return import_module(home.package).GAME
    try:
        game: Game = import_module(home.package).GAME
    except (ImportError, AttributeError, ValueError) as error:
        raise GameError(f"the game {name} does not load from the package {home.package}: {error}") from error
    if game.name != name:
        raise GameError(f"the package {home.package} names its game {name}, and GAME is {game.name!r}")
    return game
