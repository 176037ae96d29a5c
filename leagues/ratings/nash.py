"""A rating that copies of a bot cannot change: Nash averaging of the points at common tables.

Elo and mean points depend on who else is in the league: many copies of a bot that you beat more clearly than
your rival does lift you above the rival. Here every bot is measured against a mixture of bots that no bot
beats on average. A copy of a bot changes nobody's points against the others, so it changes no number.

Balduzzi, Tuyls, Perolat & Graepel 2018, Re-evaluating evaluation, NeurIPS. At tables of more than two seats a
pair's difference is that at common tables, which depends on who sits at the other seats: there copies can
still move the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import ratio
from .results import Floats, Ints, Results, pairings
from .table import RatedBot, label, rounded, settled

RESAMPLES = 200  # of blocks, behind an interval
FEWEST = 10  # clusters below which there is no interval


@dataclass(frozen=True)
class NashRow:
    """One bot against the mixture that no bot beats. The interval is 95 %."""

    bot: str
    rating: float  # points a game against the mixture, 0 at most
    low: float | None
    high: float | None
    share: float  # of the mixture, 0 .. 1


def nash_rows(results: Results, entered: Sequence[RatedBot]) -> list[NashRow]:
    """Rate every bot against the mixture that no bot beats, the best first.

    Pairs that never met count as equal. Intervals are percentiles of ratings whose blocks were weighed anew
    with exponential weights (Rubin 1981, Annals of Statistics 9, 130-134).

    Args:
        results: the games.
        entered: who the entrants are.
    """
    games, who, count, _ = settled(results, entered)
    if not count:
        return []
    clusters = int(games.stretches.max()) + 1
    pairs = _Pairs.of(games, count)
    ratings, mixture = nash(pairs.mean(np.ones(clusters)))
    ends: list[list[float | None]] = [[None, None]] * count
    if clusters >= FEWEST:
        rng = np.random.default_rng(0)
        drawn = [nash(pairs.mean(rng.exponential(size=clusters)))[0] for _ in range(RESAMPLES)]
        ends = np.quantile(drawn, [0.025, 0.975], axis=0).T.tolist()
    rows = [
        NashRow(
            label(who[i]),
            round(float(ratings[i]), 3),
            rounded(ends[i][0], 3),
            rounded(ends[i][1], 3),
            round(float(mixture[i]), 4),
        )
        for i in range(count)
    ]
    return sorted(rows, key=lambda row: (-row.rating, -row.share, row.bot))


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Points of every pair in every cluster: arrays with an item for each pair (one < two) and cluster."""

    entrants: int
    one: Ints
    two: Ints
    cluster: Ints
    points: Floats  # of `one` less those of `two`, summed over games
    games: Floats

    @classmethod
    def of(cls, results: Results, entrants: int) -> _Pairs:
        """Take the pairs of some games; clusters are stretches, or blocks where these are independent."""
        keys, values = [np.zeros(0, np.int64)], [np.zeros(0)]
        for pairing in pairings(results):
            a, b = (results.score[pairing.games, seat] for seat in pairing.seats)
            low, high = np.minimum(pairing.one, pairing.two), np.maximum(pairing.one, pairing.two)
            keys.append(results.stretches[pairing.games] * entrants**2 + low * entrants + high)
            values.append(np.where(pairing.one == low, a - b, b - a))
        key, item = np.unique(np.concatenate(keys), return_inverse=True)
        one, two = np.divmod(key % entrants**2, entrants)
        points = np.bincount(item, np.concatenate(values), minlength=len(key)).astype(np.float64)
        games = np.bincount(item, minlength=len(key)).astype(np.float64)
        return cls(entrants, one, two, key // entrants**2, points, games)

    def mean(self, weight: Floats) -> Floats:
        """(entrants, entrants) points a game of the row's entrant less the column's; 0: never met."""
        pair, size, w = self.one * self.entrants + self.two, self.entrants**2, weight[self.cluster]
        total, games = (np.bincount(pair, w * each, minlength=size) for each in (self.points, self.games))
        mean = np.nan_to_num(ratio(total, games)).reshape(self.entrants, self.entrants)
        return np.asarray(mean - mean.T)


def nash(points: Floats) -> tuple[Floats, Floats]:
    """Find a mixture that no entrant beats on average, and what every entrant makes against it.

    It is an equilibrium of the symmetric zero-sum game in which two players choose an entrant each, found by
    linear programming.

    Args:
        points: (entrants, entrants) antisymmetric.

    Returns:
        (entrants,) points against the mixture, at most 0; (entrants,) the mixture, shares that sum to 1.
    """
    from scipy.optimize import linprog

    count = len(points)
    size = max(float(np.abs(points).max()), 1e-300)
    found = linprog(
        np.zeros(count), A_ub=points / size, b_ub=np.full(count, 1e-9), A_eq=np.ones((1, count)), b_eq=[1.0]
    )
    mixture = np.maximum(found.x, 0)
    mixture /= mixture.sum()
    return np.minimum(points @ mixture, 0.0), mixture
