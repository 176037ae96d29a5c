"""One match of a schedule, and the games that it stands for once the secret is known.

Who plays whom is in `schedule`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .circles import circles
from .secret import Secret

Design = Callable[[int], tuple[tuple[int, ...], ...]]
"""Circular orders of so many places that are balanced together."""


@dataclass(frozen=True)
class GamePlan:
    """One game of a match: which block, and which place of the line-up sits in each seat."""

    block: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class MatchPlan:
    """One match: a rotation of a stretch. `number` is its key in the run."""

    number: int
    line_up: tuple[int, ...]
    rotation: int
    first_block: int
    blocks: int

    def games(self, secret: Secret, design: Design | None = circles) -> list[GamePlan]:
        """The games: every block of the stretch, rotated; a rotation that repeats a seating is left out.

        Args:
            secret: of the deals.
            design: what the circular orders of its blocks come from; None: a random one in every block, as in
                runs of old.
        """
        plans, differ = [], len(set(self.line_up)) == len(self.line_up)
        orders = orders_of(secret, design, len(self.line_up), self.first_block, self.blocks)
        for block, order in enumerate(orders, self.first_block):
            if differ or self.rotation < distinct_rotations([self.line_up[place] for place in order]):
                cut = len(order) - self.rotation
                plans.append(GamePlan(block, order[cut:] + order[:cut]))
        return plans


@lru_cache(maxsize=64)  # the rotations of a stretch have the same, and are planned one after another
def orders_of(
    secret: Secret, design: Design | None, places: int, first: int, blocks: int
) -> tuple[tuple[int, ...], ...]:
    """The circular orders of the blocks of a stretch: those of the design in turn, whose places are named at
    random.

    A design begins with the stretch and again when it is used up, each time with other names.
    """
    if design is None:
        return tuple(secret.order(block, places) for block in range(first, first + blocks))
    rows, orders = design(places), list[tuple[int, ...]]()
    for turn in range(first, first + blocks, len(rows)):
        names = secret.order(turn, places)
        orders += [tuple(names[place] for place in row) for row in rows]
    return tuple(orders[:blocks])


def distinct_rotations(seating: Sequence[int]) -> int:
    """How many rotations of a circular seating differ: A B A B has two, A A B B four."""
    k = len(seating)
    for shift in range(1, k):
        if k % shift == 0 and all(seating[i] == seating[(i + shift) % k] for i in range(k)):
            return shift
    return k
