"""Remember settled positions and levels of plans for Zoliky's look-ahead.

The table has open addressing. It is uint64[2**k + 1]: keys, whose last bit is the answer, 0 where nothing
is; the last element counts them. A new one, `cleared(NEW, np.uint64)`, is in the frame of the function that
asks the first question.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core.target_extension import current_target

from ..core import U64, jit
from ..core.compile import overload_with_heap

NO, YES, OPEN_QUESTION = 0, 1, 2
"""What is known of a position: it cannot be completed, it can, it must be searched."""

SLOTS = 1 << 6  # of a new table
NEW = SLOTS + 1  # its elements; it grows by
GROWTH = 1 << 4  # this factor up to
MOST_SLOTS = 1 << 18  # where it stops learning: the search stays exact


@jit
def mix(x: Any) -> Any:
    """Return a uint64 well stirred (the finish of SplitMix64)."""
    x = (x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D049BB133111EB)
    return x ^ (x >> U64(31))


@jit
def key_of(word: Any) -> Any:
    """Return a well stirred word as a key: not 0, the last bit free for the answer."""
    return (word | U64(2)) & ~U64(1)


@jit
def slot(memo: Any, key: Any) -> int:
    """Where a key stands, or where it could."""
    last = U64(len(memo) - 2)
    at = (key >> U64(8)) & last
    while memo[at] != U64(0) and memo[at] | U64(1) != key | U64(1):
        at = (at + U64(1)) & last
    return at


@jit
def recall(memo: Any, key: Any) -> int:
    """Return what the table knows of a position."""
    entry = memo[slot(memo, key)]
    if entry == U64(0):
        return OPEN_QUESTION
    return YES if entry & U64(1) else NO


@jit
def crowded(memo: Any) -> bool:
    """Whether three quarters of the slots are taken."""
    return 4 * memo[len(memo) - 1] > U64(3 * (len(memo) - 1))


@jit
def remember(memo: Any, settled: Any) -> None:
    """Settle a position: its key, with 1 added if the answer is yes. A crowded table learns nothing."""
    if not crowded(memo):
        memo[slot(memo, settled)] = settled
        memo[len(memo) - 1] += U64(1)


def with_room(memo: Any) -> Any:
    """Return the table, or a larger one if it is crowded and may grow."""
    return _with_room(memo)  # type: ignore[no-untyped-call]


def _with_room(memo):  # type: ignore[no-untyped-def]
    if not crowded(memo) or len(memo) > MOST_SLOTS:
        return memo
    larger = np.zeros((len(memo) - 1) * GROWTH + 1, np.uint64)
    for i in range(len(memo) - 1):
        if memo[i] != U64(0):
            remember(larger, memo[i])
    return larger


@overload_with_heap(with_room)
def _with_room_here(memo):  # type: ignore[no-untyped-def]
    return _with_room if current_target() == "cpu" else lambda memo: memo
