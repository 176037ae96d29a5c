"""What a game declares: its options, the fields of its views, the columns of its encoding, its suits.

Not here: options that hang together (a game's own `check`), the record that they are part of (`record`),
reading them from files or a command line, and how a row is encoded (a game's `encoding`), which is compiled.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError

Value: TypeAlias = int | bool | str


@dataclass(frozen=True)
class Option:
    """An option of a game. Its type is the default's: bool, str (of `choices`) or int (`low` to `high`)."""

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
        """Return the integer that stands in the state for this value. Raises OptionError: it is none."""
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
        """Return the value for text from a command line or a file. Raises OptionError: it is none."""
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


@dataclass(frozen=True)
class Field:
    """Something that a view shows: read from the record when asked for.

    `read` is the name of a field of the record, by default this one's: its number, or its numbers by seat, of
    the seats that there are. Or it is a function of a plain row, and perhaps the viewer: `read(s, seat)`.
    """

    name: str
    type: str
    meaning: str
    read: Callable[..., Any] | str = ""
    of: Callable[[Any, int], Any] = field(init=False, repr=False, compare=False)
    """What a viewer (the second argument) sees in a plain row."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", self._reader())

    def _reader(self) -> Callable[[Any, int], Any]:
        read: Any = self.read or self.name
        if not callable(read):
            if self.type == "bool":
                return lambda s, seat: bool(getattr(s, read))
            return lambda s, seat: _number_or_seats(getattr(s, read), s.players)
        return read if len(signature(read).parameters) == 2 else lambda s, seat: read(s)


def _number_or_seats(value: Any, players: int) -> int | tuple[int, ...]:
    return value if isinstance(value, int) else tuple(value)[:players]


ENCODING = 2
"""Version of the encodings: columns that change or move make a new one, which older networks do not fit."""


@dataclass(frozen=True)
class Column:
    """A run of numbers of one kind: `width` of them, each from `low` to `high`."""

    name: str
    width: int
    meaning: str
    low: float = 0.0
    high: float = 1.0


def width_of(columns: Sequence[Column]) -> int:
    """How many numbers an encoding has."""
    return sum(column.width for column in columns)


def places(columns: Sequence[Column]) -> Any:
    """Where every run begins, by name, as plain integers that compiled code takes for constants."""
    names = [column.name for column in columns]
    kind: Any = namedtuple("Places", names)  # type: ignore[misc]  # the names are known when it runs
    return kind(*(width_of(columns[:k]) for k in range(len(columns))))


class Suit(NamedTuple):
    """How a suit is printed: its symbol, and whether it is red."""

    symbol: str
    red: bool = False


FRENCH = {
    "s": Suit("\u2660"),
    "h": Suit("\u2665", True),
    "d": Suit("\u2666", True),
    "c": Suit("\u2663"),
}
"""Spades, hearts, diamonds, clubs."""
