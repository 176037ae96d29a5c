"""A number in a bot's module that may be tuned. Plain data: what reads strangers' sources imports it."""

from __future__ import annotations

import math
from typing import NamedTuple


class Parameter(NamedTuple):
    """A number of a bot's module that `TUNE` names: its value there, and between what it may be tuned.

    If `low` and `high` are whole numbers, so are all values.
    """

    name: str
    low: float
    high: float
    value: float

    @property
    def whole(self) -> bool:
        """Whether it takes whole numbers only."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def wrong(self, value: object) -> str:
        """Return why it cannot have this value; "" if it can."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            return f"{self.name} = {value!r} is no {'whole ' if self.whole else ''}number"
        if not self.low <= value <= self.high:
            return f"{self.name} = {value!r} is not between {self.low} and {self.high}"
        return ""

    def share(self, value: float) -> float:
        """Return where a value is between `low` (0) and `high` (1)."""
        return (value - self.low) / (self.high - self.low)

    def at(self, share: float) -> float:
        """Return the value at a share; the nearest whole one, or four digits of the range."""
        value = self.low + share * (self.high - self.low)
        if self.whole:
            return round(value)
        digits = 4 - math.ceil(math.log10(self.high - self.low))
        return min(max(round(value, digits), self.low), self.high)
