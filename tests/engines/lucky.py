"""What the tests of luck share: how far means are from 0, and other orders of what nobody has seen."""

from __future__ import annotations

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
