"""What repeating a deal is worth: how scores depend on the deal, and how many games a verdict needs.

Not here: error bars of a table (`errors`).
"""

from __future__ import annotations

import numpy as np

from ..errors import LeagueError
from .results import Floats


def deal_correlation(scores: Floats) -> float:
    """How much one entrant's scores depend on the deal: the intraclass correlation ICC(1,1) of its rotations.

    Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428: deals are the targets, rotations the ratings of a
    one-way design.

    Args:
        scores: (deals, rotations) final scores in the game's units, at least two of each.

    Returns:
        -1 / (rotations - 1) .. 1, no unit: 1 if the deal alone decides, 0 if a rotation is worth as much as a new
        deal, below 0 if what a deal gives to one seat it takes from another, so that rotating cancels luck.

    Raises:
        LeagueError: too few deals or rotations, scores that are not finite or all the same.
    """
    table = np.asarray(scores, np.float64)
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise LeagueError(
            f"scores of shape {table.shape}: a correlation needs 2 deals in 2 rotations, all of them finite numbers"
        )
    rotations = table.shape[1]
    between = rotations * float(table.mean(axis=1).var(ddof=1))
    within = float(table.var(axis=1, ddof=1).mean())
    if between + within == 0:
        raise LeagueError("all scores are equal, so deals and rotations cannot be told apart: play more deals")
    return (between - within) / (between + (rotations - 1) * within)
