"""What the tests of luck share: how far means are from 0, other orders of what nobody has seen, moves."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np

from engines import core


def z(values: np.ndarray) -> np.ndarray:
    """Standard errors from 0, seat by seat."""
    return np.asarray(values.mean(axis=0) / (values.std(axis=0) / np.sqrt(len(values))))


def remixed(room: ModuleType, states: Any, key: int) -> None:
    """Remix every row in place by the rule of a game's `luck`."""
    rows, rng = core.rows(states), np.array([key], np.uint64)
    for i in range(len(states)):
        room.remix(rows[i], rng)


def moves_of(games: int, steps: Iterable[tuple[Any, np.ndarray]]) -> list[np.ndarray]:
    """The moves of every game, from positions of all games and what is played in them."""
    moves: list[list[int]] = [[] for _ in range(games)]
    for states, chosen in steps:
        for i in np.flatnonzero(states["seat"] >= 0):
            moves[i].append(int(chosen[i]))
    return [np.array(game, np.int16) for game in moves]
