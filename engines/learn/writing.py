"""How an encoding writes cards, seats and amounts into numbers that are all 0 before. Compiled."""

from __future__ import annotations

from typing import Any

from ..core import jit, lowest


@jit
def cards_at(out: Any, at: int, mask: int) -> None:
    """1 for every card of a mask, from place `at` on."""
    values_at(out, at, mask, 1.0)


@jit
def values_at(out: Any, at: int, mask: int, value: float) -> None:
    """One value for every card of a mask, from place `at` on."""
    while mask != 0:
        out[at + lowest(mask)] = value
        mask &= mask - 1


@jit
def one_at(out: Any, at: int, number: int) -> None:
    """1 for a number from 0; nothing for a blank (-1)."""
    if number >= 0:
        out[at + number] = 1.0


@jit
def place_of(seat: int, viewer: int, players: int) -> int:
    """How many places after the viewer a seat sits."""
    place = seat - viewer
    return place if place >= 0 else place + players


@jit
def seat_at(out: Any, at: int, seat: int, viewer: int, players: int) -> None:
    """1 for a seat, counted from the viewer in the order of the seats; nothing for a blank (-1)."""
    if seat >= 0:
        out[at + place_of(seat, viewer, players)] = 1.0


@jit
def squashed(amount: float, half: float) -> float:
    """Return an amount without bounds as a number of its own from -1 to 1; `half` becomes 0.5."""
    return amount / (abs(amount) + half)


@jit
def within(amount: float, low: float, high: float) -> float:
    """Return an amount, cut off at both ends of its range."""
    return max(low, min(high, amount))
