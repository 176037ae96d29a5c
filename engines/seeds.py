"""The seeds of a batch of games."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import OptionError

MAX_SEED = 2**64 - 1


def seeds_of(seed: ArrayLike, n: int) -> NDArray[np.uint64]:
    """Return `n` seeds: `seed + i` modulo 2**64, or the given ones.

    Raises:
        OptionError: no seed, or not `n` of them.
    """
    if n == 1 and type(seed) is int and 0 <= seed <= MAX_SEED:  # a position's
        return np.array([seed], np.uint64)
    if np.ndim(seed) == 1:
        given = np.asarray(seed)
        if given.shape == (n,) and (
            given.dtype == np.uint64 or (given.dtype.kind in "iu" and (given >= 0).all())
        ):
            return given.astype(np.uint64)
        raise OptionError(
            f"seeds must be {n} whole numbers from 0 to 2**64 - 1, got {given.dtype} {given.shape}"
        )
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= MAX_SEED:
        raise OptionError(f"seed = {seed!r}: allowed is a whole number from 0 to 2**64 - 1")
    with np.errstate(over="ignore"):
        return np.uint64(seed) + np.arange(n, dtype=np.uint64)
