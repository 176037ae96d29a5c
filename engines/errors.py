"""What can be wrong with a call to an engine.

Every one is a `ValueError` whose text says what, where and what to do.

GameError
├── OptionError     an unknown option, a wrong type, a value out of range, a wrong number of players
├── TextError       text of a card or an action that this game does not have
├── IllegalAction   a known action that is not legal now
└── ShuffleError    a shuffle from outside that is missing or does not hold the right cards
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GameError(ValueError):
    """Anything an engine refuses; the state is unchanged."""


class OptionError(GameError):
    """Options or number of players that the game does not have."""


class TextError(GameError):
    """Text that is no card or action of the game."""


class IllegalAction(GameError):
    """An action that is not legal in this position."""


class ShuffleError(GameError):
    """A shuffle that is missing, or is not a permutation of the cards that are due."""


def nearest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return advice about an unknown name: to take the nearest known one; if none is near, `otherwise`."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}?" if near else otherwise
