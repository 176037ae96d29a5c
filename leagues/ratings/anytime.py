"""Who is surely better than whom, whenever one looks: for leagues that stop when they look sure.

An interval that holds 95 % at one look planned beforehand is left sooner or later if one looks again and
again. These hold at all looks at once: the normal mixture of Robbins 1970, Annals of Mathematical Statistics
41, 1397-1409, with the estimated error in the place of the known one. They are about half as wide again.
"""

from __future__ import annotations

import numpy as np

from .elo import Ratings
from .intervals import error_of_difference
from .results import Flags, Floats

FEWEST = 32  # clusters of an entrant before anything is sure
TUNED = 12  # clusters behind one unit of r: the interval is tightest at some hundred clusters
LEVEL = 0.05


def margin(ratings: Ratings, level: float) -> Floats:
    """(entrants, entrants) Elo difference beyond which a pair is surely apart, at all looks at once.

    error * sqrt((1 + 1 / r) * ln((1 + r) / level^2)) with r = clusters / 12, of the one that has fewer.
    """
    clusters = np.minimum.outer(ratings.blocks, ratings.blocks)
    r = np.maximum(clusters, 1) / TUNED
    wide = np.sqrt((1 + 1 / r) * np.log((1 + r) / level**2))
    return np.where(clusters >= FEWEST, error_of_difference(ratings.covariance) * wide, np.inf)


def surely_better(ratings: Ratings, level: float | None = None) -> Flags:
    """(entrants, entrants) whether the row's entrant is surely better than the column's, whenever one looks.

    By default in at most 5 % of leagues anything false is ever said of the entrant that one looks at: the
    level is divided by the number of the others.
    """
    if level is None:
        level = LEVEL / max(len(ratings.elo) - 1, 1)
    same = ratings.group[:, None] == ratings.group
    return np.asarray(same & (ratings.elo[:, None] - ratings.elo > margin(ratings, level)))
