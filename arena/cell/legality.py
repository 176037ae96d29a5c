"""Find which answers are not legal.

This is the compiled check of a whole reply, whoever has answered. Not here: what is said about it (`asking`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from engines.core import brief, direct


@brief
def mark_illegal(actions: Any, legal: Any, offsets: Any, illegal: Any) -> int:
    """Say of every row whether its action is none of its legal ones.

    Args:
        actions: int16 [n], any numbers.
        legal: int16, the legal actions of all rows, one after the other.
        offsets: int32 [n + 1], where each row's begin, and the end.
        illegal: bool [n], all of it is written.

    Returns:
        How many rows are illegal.
    """
    count = 0
    for i in range(len(actions)):
        found = False
        for k in range(offsets[i], offsets[i + 1]):
            if legal[k] == actions[i]:
                found = True
        illegal[i] = not found
        if not found:
            count += 1
    return count


@cache
def marker() -> Callable[..., int]:
    """`mark_illegal` for arrays of exactly these types (`direct`)."""
    actions, offsets, illegal = np.zeros(0, np.int16), np.zeros(1, np.int32), np.zeros(0, np.bool_)
    return direct(mark_illegal, actions, actions, offsets, illegal)
