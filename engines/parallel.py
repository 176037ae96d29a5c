"""Rows of a batch shared among threads: compiled loops release Python's lock, so that every core works.

Not here: processes, and what a row's result is, which never depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

import numpy as np

from .errors import OptionError

T = TypeVar("T")

PIECES = 4
"""Pieces of a batch for every thread: who is ready early takes another one, as games differ in length."""


def share(work: Callable[[int, int], T], rows: int, threads: Any) -> list[T]:
    """Call `work(first, end)` for pieces of `rows` rows in so many threads; the results in the rows' order.

    Raises:
        OptionError: no number of threads.
    """
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise OptionError(f"threads = {threads!r}: allowed is a whole number, from 1")
    if threads == 1 or rows < 2:
        return [work(0, rows)]
    from concurrent.futures import ThreadPoolExecutor  # not needed by whoever plays in one thread

    pieces = min(rows, int(threads) * PIECES)
    ends = [rows * k // pieces for k in range(pieces + 1)]
    contexts = [copy_context() for _ in range(pieces)]  # NumPy's settings for overflow are the caller's
    with ThreadPoolExecutor(min(int(threads), pieces)) as pool:
        return list(pool.map(lambda own, *piece: own.run(work, *piece), contexts, ends[:-1], ends[1:]))
