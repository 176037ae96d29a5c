"""Suits of cards as a game's texts have them: a letter at the end of a card, and how it is printed."""

from __future__ import annotations

from typing import NamedTuple


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
