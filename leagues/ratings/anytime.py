"""Who is surely better than whom, whenever one looks: for leagues that stop when they look sure.

The tables of games that people look at while they are played use the same rule (`Results.planned`).
"""

from __future__ import annotations

import numpy as np

from .elo import Ratings
from .intervals import always_quantile, error_of_difference
from .results import Flags, Floats

FEWEST = 32  # clusters of an entrant before a league may stop
PLANNED = 96  # clusters at which the interval is tight: nobody knows how long such a league will be
LEVEL = 0.05


def margin(ratings: Ratings) -> Floats:
    """(entrants, entrants) Elo difference beyond which a pair is surely apart, at all looks at once.

    Clusters are those of the one that has fewer. In at most 5 % of leagues anything false is ever said of the
    entrant that one looks at: the level is divided by the number of the others.
    """
    level = LEVEL / max(len(ratings.elo) - 1, 1)
    clusters = np.minimum.outer(ratings.blocks, ratings.blocks)
    wide = always_quantile(level, clusters - 1, PLANNED)
    error = error_of_difference(ratings.covariance)
    return np.where(clusters >= FEWEST, error * np.where(clusters >= FEWEST, wide, 0), np.inf)


def surely_better(ratings: Ratings) -> Flags:
    """(entrants, entrants) whether the row's is surely better than the column's, whenever one looks."""
    same = ratings.group[:, None] == ratings.group
    difference = ratings.elo[:, None] - ratings.elo
    return np.asarray(same & (difference > margin(ratings)))


def surely_equal(ratings: Ratings, within: float) -> Flags:
    """(entrants, entrants) whether two surely differ by so many Elo at most, whenever one looks."""
    same = ratings.group[:, None] == ratings.group
    difference = np.abs(ratings.elo[:, None] - ratings.elo)
    return np.asarray(same & (difference + margin(ratings) <= within))
