"""Flip 7: hidden information. All is open to all but the order of the draw pile [6]."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import NOBODY, Row, fill, jit, scratch, shuffle_with
from .state import KINDS, pile_counts


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the order of the draw pile, the one thing that nobody may know [6]."""
    fill(s.pile, NOBODY)


@jit
def determinize(s: Row, rng: Any) -> None:
    """Put the cards that are not in sight into the draw pile, every order as likely as the others [6]."""
    counts = scratch(KINDS, np.int64)
    pile_counts(s, counts)
    n = 0
    for card in range(KINDS):
        for _ in range(counts[card]):
            s.pile[n] = card
            n += 1
    shuffle_with(s.pile, n, rng)
