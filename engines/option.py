"""Options of a game.

Not here: options that hang together (a game's own `check`), the record that they are part of (`record`), and
reading them from files or a command line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError

Value: TypeAlias = int | bool | str


@dataclass(frozen=True)
class Option:
    """An option of a game. Its type is the default's: bool, str (one of `choices`) or int (`low` ..

    `high`).
    """

    name: str
    default: Value
    meaning: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if isinstance(self.default, bool):
            return "true or false"
        return " or ".join(self.choices) if self.choices else f"{self.low} to {self.high}"

    @property
    def low_number(self) -> int:
        """The lowest integer that can stand in a state."""
        return 0 if isinstance(self.default, bool) or self.choices else self.low

    @property
    def high_number(self) -> int:
        """The highest integer that can stand in a state."""
        if isinstance(self.default, bool):
            return 1
        return len(self.choices) - 1 if self.choices else self.high

    def encode(self, value: Any) -> int:
        """Return the integer that stands in the state for this value.

        Raises:
            OptionError: wrong type or out of range.
        """
        if isinstance(self.default, bool):
            if isinstance(value, bool | np.bool_):
                return int(value)
        elif self.choices:
            if isinstance(value, str) and value in self.choices:
                return self.choices.index(value)
        elif (
            isinstance(value, int | np.integer)
            and not isinstance(value, bool)
            and self.low <= value <= self.high
        ):
            return int(value)
        raise OptionError(f"option {self.name} = {value!r}: allowed is {self.allowed}")

    def decode(self, number: int) -> Value:
        """Return the value for the integer in the state."""
        if isinstance(self.default, bool):
            return bool(number)
        return self.choices[number] if self.choices else int(number)

    def parse(self, text: str) -> Value:
        """Return the value for text from a command line or a file.

        Raises:
            OptionError: not a value of this option.
        """
        value: Any = text
        if isinstance(self.default, bool):
            value = {"true": True, "false": False}.get(text.lower(), text)
        elif not self.choices:
            try:
                value = int(text)
            except ValueError:
                value = text
        return self.decode(self.encode(value))


@dataclass(frozen=True, slots=True)
class SetUp:
    """What follows from players and options: texts of actions, and the bounds of a row, as bytes."""

    options: dict[str, Value]
    texts: tuple[str, ...]
    numbers: dict[str, int]
    bounds: NDArray[np.uint8]
