"""One match of a schedule, and the games that it stands for once the secret is known.

Who plays whom is in `schedule`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .circles import circles
from .secret import Secret


@dataclass(frozen=True)
class MatchPlan:
    """One match: a rotation of a stretch. `number` is its key in the run, `stage` that of its secret."""

    number: int
    line_up: tuple[int, ...]
    rotation: int
    first_block: int
    blocks: int
    stage: int = 0

    def seats(self, secret: Secret) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Draw the games: the block of each, and which place of the line-up has each of its seats.

        They are the blocks of the stretch, rotated, in an order of this rotation's own; games that repeat a
        seating are left out.

        Args:
            secret: of the deals.

        Returns:
            (games,) and (games, seats).
        """
        blocks = np.arange(self.first_block, self.first_block + self.blocks)
        orders = orders_of(secret, len(self.line_up), self.first_block, self.blocks)
        if len(set(self.line_up)) < len(self.line_up):
            seated = np.array(self.line_up)[orders].tolist()
            differ = [self.rotation < distinct_rotations(seating) for seating in seated]
            blocks, orders = blocks[differ], orders[differ]
        turned = np.arange(-self.rotation, orders.shape[1] - self.rotation) % orders.shape[1]
        played = secret.game_order(blocks, self.rotation)
        return blocks[played], orders[played][:, turned]


@lru_cache(maxsize=64)  # the rotations of a stretch have the same, and are planned one after another
def orders_of(secret: Secret, places: int, first: int, blocks: int) -> NDArray[np.uint8]:
    """Return the circular orders of the blocks of a stretch, a row each.

    Those of `circles` in turn, whose places are named at random. Not to be written to.

    A set of circles begins with the stretch and again when it is used up, each time with other names.
    """
    rows = np.array(circles(places))
    turns = range(first, first + blocks, len(rows))
    return secret.orders(turns, places).astype(np.uint8)[:, rows].reshape(-1, places)[:blocks]


def distinct_rotations(seating: Sequence[int]) -> int:
    """How many rotations of a circular seating differ: A B A B has two, A A B B four."""
    k = len(seating)
    for shift in range(1, k):
        if k % shift == 0 and all(seating[i] == seating[(i + shift) % k] for i in range(k)):
            return shift
    return k
