"""One match of a schedule, and the games that it stands for once the secret is known.

Who plays whom is in `schedule`.

Who sits left of whom moves results by more than close bots differ, and orders drawn one by one are balanced
only in the long run. Here some blocks in a row share a design, relabelled at random, so that every single
order is still as likely as any other: a split of all ordered pairs into circles (directed Hamiltonian cycles
of the complete graph). Tables of 4 and 6 have none (Tillson 1980, Journal of Combinatorial Theory B 29,
68-74); there every pair comes twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

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
        """Draw the games: (games,) their blocks, (games, seats) which place of the line-up has each seat.

        They are the blocks of the stretch, rotated, in an order of this rotation's own; games that repeat a
        seating are left out.
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


@lru_cache(maxsize=32)
def circles(places: int) -> tuple[tuple[int, ...], ...]:
    """Circular orders of the places 0, 1, ... in which everybody is left of everybody else once.

    At tables of 4 and 6 twice. Beyond 10 an even number has the rows of a row-complete Latin square (Williams
    1949, Australian Journal of Scientific Research A 2, 149-168): once within the rows, and once more where
    their ends meet for a pair in (places - 1).
    """
    if places in FOUND:
        return tuple(tuple(map(int, circle)) for circle in FOUND[places].split())
    if places % 2:
        return _odd(places)
    zigzag = _zigzag(places)
    return tuple(tuple((place + row) % places for place in zigzag) for row in range(places))


FOUND = {
    2: "01",
    4: "0123 0132 0213 0231 0312 0321",
    6: "012453 015423 021354 021435 032514 034152 043125 045231 051342 053241",
    8: "01423675 02516437 03124576 04635271 05472613 06532174 07341562",
    10: "9243501786 9576834120 9810267453 9031462758 9364705182 9607138425 9165230487 9408563721 9732806154",
}
"""For even numbers, found by search: those for 10 are three and their images under x -> x + 3 modulo 9."""


def _odd(places: int) -> tuple[tuple[int, ...], ...]:
    """Return both directions of Walecki's circles.

    The last place, then a zigzag through the others, turned step by step (Alspach 2008, The wonderful
    Walecki construction, Bulletin of the ICA 52, 7-20).
    """
    around, last = places - 1, places - 1
    zigzag = _zigzag(around)
    circles = [(last, *((at + turn) % around for at in zigzag)) for turn in range(around // 2)]
    return (*circles, *(circle[::-1] for circle in circles))


def _zigzag(places: int) -> list[int]:
    """0, 1, -1, 2, -2, ... modulo the places: its steps 1, -2, 3, ... are all different."""
    return [((at + 1) // 2 if at % 2 else -(at // 2)) % places for at in range(places)]
