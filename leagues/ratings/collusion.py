"""Whether two bots of one owner play into each other's hands: what the others lose when both are there.

Not here: who owns what, and keeping owners apart (`leagues.formats`). Only tables that were played are seen:
where two bots always or never sat together, nothing can be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .intervals import holm
from .results import Floats, Results
from .scores import least_squares_scores

FLIPS = 4_000  # random signs behind a p value
FEWEST = 10  # blocks together


@dataclass(frozen=True)
class Collusion:
    """Two entrants at common tables against the same two at tables without the other."""

    one: int
    two: int
    others: float  # points per game that every other bot makes more when both are there; below 0: it loses
    gain: float  # points per game that each of the two makes more, relative to the others
    p: float  # chance of so large a gain without collusion, one-sided, adjusted by Holm for all pairs
    blocks: int  # together


def collusion(results: Results, owners: Sequence[str]) -> list[Collusion]:
    """All pairs of one owner that sat together in some blocks and apart in others.

    The score of an entrant is its own number, that of the table, and, if the other one of the pair sits
    there, a gain: by least squares. The p value flips the signs of whole clusters (deals) at random under the
    hypothesis of no gain (the wild cluster bootstrap of Cameron, Gelbach & Miller 2008, Review of Economics
    and Statistics 90, 414-427).

    Args:
        results: the games, entrants numbered as the owners.
        owners: of every entrant, "" for none.
    """
    pairs = [(a, b) for a, b in combinations(range(len(owners)), 2) if owners[a] and owners[a] == owners[b]]
    tested = [one for pair in pairs if (one := _of_pair(results, len(owners), *pair)) is not None]
    adjusted = holm(np.array([one.p for one in tested]))
    return [
        Collusion(one.one, one.two, one.others, one.gain, float(p), one.blocks)
        for one, p in zip(tested, adjusted, strict=True)
    ]


def _of_pair(results: Results, entrants: int, one: int, two: int) -> Collusion | None:
    mine = (results.entrant == one) | (results.entrant == two)
    both = (results.entrant == one).any(axis=1) & (results.entrant == two).any(axis=1)
    blocks = len(np.unique(results.block[both]))
    if blocks < FEWEST:
        return None
    together = np.where(mine & both[:, None], 1.0, 0.0)
    extra = _unexplained(results, together, entrants)
    size = float((extra**2).sum())
    if size < 1e-9 * len(results.block):  # always together: their own numbers explain it
        return None
    clusters = results.stretches
    parts = np.bincount(clusters, (extra * _unexplained(results, results.score, entrants)).sum(axis=1))
    gain = float(parts.sum()) / size
    signs = np.random.default_rng(0).integers(0, 2, (FLIPS, np.count_nonzero(parts))) * 2 - 1
    p = (1 + int((signs @ parts[parts != 0] >= parts.sum()).sum())) / (1 + FLIPS)
    share = float(together[both].sum(axis=1).mean() / results.seated[both].sum(axis=1).mean())
    return Collusion(one, two, -gain * share, gain * (1 - share), p, blocks)


def _unexplained(results: Results, values: Floats, entrants: int) -> Floats:
    """(games, seats) values less what entrants and tables explain, by least squares."""
    fit = np.nan_to_num(least_squares_scores(results.with_scores(values), entrants).mean)
    left = np.where(results.seated, values - fit[results.entrant], 0.0)
    level = left.sum(axis=1, keepdims=True) / results.seated.sum(axis=1, keepdims=True)
    return np.where(results.seated, left - level, 0.0)
