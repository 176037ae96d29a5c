"""Masks and seats as text and numbers, for the fields of views and for positions. Never compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .masks import NOBODY


def members(mask: int) -> tuple[int, ...]:
    """Return the numbers in a mask, ascending: cards, or seats."""
    numbers = []
    while mask:
        lowest = mask & -mask
        numbers.append(lowest.bit_length() - 1)
        mask ^= lowest
    return tuple(numbers)


def card_texts(mask: int, cards: Sequence[str]) -> tuple[str, ...]:
    """Text of the cards in a mask, by ascending number."""
    return tuple([cards[card] for card in members(mask)])


def card_text(card: int, cards: Sequence[str]) -> str:
    """Text of a card, empty for none."""
    return "" if card == NOBODY else cards[card]


def listed(numbers: Any, cards: Sequence[str]) -> tuple[str, ...]:
    """Text of the cards in an array, in its order, blanks left out."""
    return tuple([cards[number] for number in numbers if number != NOBODY])
