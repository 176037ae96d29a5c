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
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise

MANY = 4  # actions that differ in an amount alone; more are shown as one


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


def nearest(name: str, known: Collection[str], otherwise: str) -> str:
    """Return advice about an unknown name: to take the nearest known one; if none is near, `otherwise`."""
    begun = [one for one in known if one.startswith(name)]
    near = begun if len(begun) == 1 else difflib.get_close_matches(name, known, 1)
    return f"did you mean {near[0]}?" if near else otherwise


def in_groups(texts: Sequence[str]) -> Iterator[tuple[str, list[str], int]]:
    """Yield actions one by one, many of a verb with evenly spaced amounts together.

    Yields:
        What they begin with, how they go on, and from a group the step between its amounts; else 0.
    """
    for verb, group in groupby(texts, lambda text: re.sub(r"\d+$", "", text)):
        ends = [text.removeprefix(verb) for text in group]
        steps = {int(later) - int(one) for one, later in pairwise(ends)}
        if len(ends) > MANY and len(steps) == 1:
            yield verb, ends, steps.pop()
        else:
            yield from ((verb, [end], 0) for end in ends)


def in_brief(texts: Sequence[str]) -> str:
    """Return actions in a line: `'check', 'raise 20 to 160', 'fold'`."""
    return ", ".join(
        repr(f"{verb}{ends[0]}" + (f" to {ends[-1]}" if step else ""))
        + (f" in steps of {step}" if step > 1 else "")
        for verb, ends, step in in_groups(texts)
    )
