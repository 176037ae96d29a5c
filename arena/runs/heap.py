"""The C library's heap in processes that run for months, or that read very many games: `mallopt(3)`."""

from __future__ import annotations

import ctypes

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
LARGE = 128 << 10  # bytes
COLUMN = 4 << 20  # bytes; a column of a million games is larger, what is computed of a portion is smaller


def steady() -> None:
    """Keep the heap of this process from growing by and by. To be called before it starts threads.

    The C library gives each thread a heap of its own, which keeps what it once needed: here all share one.
    And it learns to put large arrays, once they were freed, among the small ones: here they always get pages
    of their own, which the system has back at once.
    """
    _change(M_ARENA_MAX, 1)
    _change(M_MMAP_THRESHOLD, LARGE)


def give_back_columns() -> None:
    """Give the system the columns of very many games as soon as they are freed.

    With the limit of `steady`, a table of a million games would take a third more CPU time.
    """
    _change(M_MMAP_THRESHOLD, COLUMN)


def trim() -> None:
    """Give the system what is free between what is not: what was read in portions leaves a third of it."""
    _call("malloc_trim", 0)


def _change(parameter: int, value: int) -> None:
    _call("mallopt", parameter, value)


def _call(name: str, *numbers: int) -> None:
    function = getattr(ctypes.CDLL(None), name, None)  # not every C library has it
    if function is not None:
        function(*numbers)
