"""The C library's heap in processes that run for months."""

from __future__ import annotations

import ctypes

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # of mallopt(3)
LARGE = 128 << 10  # bytes


def steady() -> None:
    """Keep the heap of this process from growing by and by. To be called before it starts threads.

    The C library gives each thread a heap of its own, which keeps what it once needed: here all share one.
    And it learns to put large arrays, once they were freed, among the small ones: here they always get pages
    of their own, which the system has back at once.
    """
    change = getattr(ctypes.CDLL(None), "mallopt", None)  # not every C library has it
    if change is not None:
        change(M_ARENA_MAX, 1)
        change(M_MMAP_THRESHOLD, LARGE)
