"""A rating that copies of a bot cannot change: Nash averaging of what every pair is worth to each other.

Elo and mean points depend on who else is in the league: many copies of a bot that you beat more clearly than
your rival does lift you above the rival. Here every bot is measured against a mixture of bots that no bot
beats on average. A copy of a bot changes nobody's points against the others, so it changes no number.

At a table of more than two seats, the points of a pair depend on who sits at the other seats. So the points
of a seat are taken apart into what it wins from every other seat (a polymatrix game, by least squares).
Copies at the other seats then change no pair. Of many copies some beat the best by chance: the number of the
best is then a little below 0, and its interval ends at 0.

Balduzzi, Tuyls, Perolat & Graepel 2018, Re-evaluating evaluation, NeurIPS. Polymatrix games: Cai, Candogan,
Daskalakis & Papadimitriou 2016, Mathematics of Operations Research 41, 648-655.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..errors import LeagueError
from .intervals import quantile, ratio, t_quantile
from .results import Floats, Ints, Results
from .rows import RatedBot, label, rounded, settled

INTERVAL = (0.025, 0.975)
RESAMPLES = 200  # draws behind an interval
FEWEST = 10  # clusters below which there is no interval
MOST = 64  # bots; more would take minutes
RIDGE = 1e-6  # of the mean weight of a line-up: what the line-ups leave open is split evenly


@dataclass(frozen=True)
class NashRow:
    """One bot against the mixture that no bot beats. The interval is 95 %."""

    bot: str
    rating: float  # points a game more than the others at a table of the mixture
    low: float | None
    high: float | None
    share: float  # of the mixture, 0 .. 1


def nash_rows(results: Results, entered: Sequence[RatedBot]) -> list[NashRow]:
    """Rate every bot against the mixture that no bot beats, the best first.

    Intervals are percentiles of ratings for which the points of all pairs were moved by errors. They are
    wider where the league was `planned` and people look at it while it is played; there, pairs must have met
    often first.
    """
    games, who, count, _ = settled(results, entered)
    if not count:
        return []
    if count > MOST:
        raise LeagueError(f"{count} bots: this view is for {MOST} at most; name some runs")
    clusters = int(games.stretches.max()) + 1
    tables = LineUps.of(games, count)
    ratings, mixture = nash(_square(tables.points(), count))
    ends: list[list[float | None]] = [[None, None]] * count
    played = games.per_block.count(games.seated, count)
    errors = quantile(clusters - 1, games.planned and games.planned * clusters / played.mean())
    if clusters >= FEWEST and np.isfinite(errors) and not open_pairs(games):  # else nothing says how sure
        moved = tables.moved(float(errors), np.random.default_rng(0))
        low, high = np.quantile([nash(_square(one, count))[0] for one in moved], INTERVAL, axis=0)
        ends = np.column_stack([np.minimum(low, ratings), np.maximum(high, ratings)]).tolist()
    rows = [
        NashRow(
            label(who[i]),
            round(float(ratings[i]), 3) + 0.0,
            rounded(ends[i][0], 3),
            rounded(ends[i][1], 3),
            round(float(mixture[i]), 4),
        )
        for i in range(count)
    ]
    return sorted(rows, key=lambda row: (-row.rating, -row.share, row.bot))


def open_pairs(results: Results) -> bool:
    """Whether too few line-ups played to say what every pair is worth: as where all bots sit at one table.

    A line-up of k says k - 1 numbers.
    """
    line_ups, _ = results.line_ups
    seated = line_ups >= 0
    count = int(line_ups.max(initial=-1)) + 1
    met = np.zeros((count, count), bool)
    for a, b in combinations(range(line_ups.shape[1]), 2):
        both = seated[:, a] & seated[:, b]
        met[line_ups[both, a], line_ups[both, b]] = True
    np.fill_diagonal(met, False)
    return bool((seated.sum(axis=1) - 1).sum() < np.count_nonzero(met))


@dataclass(frozen=True, eq=False)
class LineUps:
    """Points of the bots of every line-up, by cluster. A line-up is who sat at a table, in whatever order."""

    entrants: int
    line_ups: Ints  # (line-ups, seats) entrants, ascending; -1 in front where a table was smaller
    line_up: Ints  # (items,) of every line-up and cluster that there are
    cluster: Ints  # (items,)
    games: Floats  # (items,)
    deviation: Floats  # (items, seats) points less the mean of the table, summed over games, as in line_ups

    @classmethod
    def of(cls, results: Results, entrants: int) -> LineUps:
        """Take the line-ups of some games; clusters are stretches, or blocks where these are independent."""
        seated = results.seated
        mean = np.where(seated, results.score, 0).sum(axis=1) / seated.sum(axis=1)
        deviation = np.where(seated, results.score - mean[:, None], 0)
        order = np.argsort(results.entrant, axis=1, kind="stable")
        deviation = np.take_along_axis(deviation, order, axis=1)
        line_ups, line_up = results.line_ups
        key = results.stretches * len(line_ups) + line_up
        there, item = np.unique(key, return_inverse=True)
        summed = [np.bincount(item, column, minlength=len(there)) for column in deviation.T]
        games = np.bincount(item, minlength=len(there)).astype(np.float64)
        cluster, line_up = np.divmod(there, len(line_ups))
        return cls(entrants, line_ups, line_up, cluster, games, np.column_stack(summed))

    def points(self) -> Floats:
        """(pairs,) points that one entrant wins from the other, by least squares."""
        return self._design().solve(*self._totals(np.ones(int(self.cluster.max()) + 1)))

    def moved(self, errors: float, rng: np.random.Generator) -> Floats:
        """(RESAMPLES, pairs) draw points of all pairs, moved by errors: so the mixture changes as it may.

        Errors come from the noise of all clusters, as a pair may have met in one. They are larger where the
        clusters in which a pair met differ more than that (weighed anew, to the first order: Kline & Santos
        2012, Journal of Econometric Methods 1, 23-41).

        Args:
            errors: how many standard errors an interval reaches.
            rng: of the draws.
        """
        clusters = int(self.cluster.max()) + 1
        design, (games, summed) = self._design(), self._totals(np.ones(clusters))
        seated, shape = self.line_ups >= 0, self.line_ups.shape
        points, noise_of_game = design.solve(games, summed), self._noise(games, summed)
        fitted = design.of_seats(points).reshape(shape)
        rest = replace(self, deviation=self.deviation - self.games[:, None] * fitted[self.line_up])
        drawn = []
        for _ in range(RESAMPLES):
            noise = rng.standard_normal(shape) * np.sqrt(noise_of_game * games) * seated
            noise -= (noise.sum(axis=1) / seated.sum(axis=1))[:, None]
            weighed = rest._totals(rng.exponential(size=clusters) - 1)[1]
            drawn += [design.of_pairs(one.reshape(-1)) for one in (noise, weighed)]
        solved = np.linalg.solve(design.normal(games), np.column_stack(drawn))
        error, other = solved[:, ::2], solved[:, 1::2]
        more = np.nan_to_num(ratio(other.std(axis=1), error.std(axis=1)))
        wider = errors / t_quantile(INTERVAL[1], np.inf)
        return np.asarray(points + wider * (np.maximum(more, 1)[:, None] * error).T)

    def _noise(self, games: Floats, summed: Floats) -> float:
        """Variance of a seat's points in a game, by how much clusters of one line-up differ."""
        left, free = self.deviation, len(self.games)
        if free >= len(self.line_ups) + FEWEST:
            left = left - self.games[:, None] * (summed / games)[self.line_up]
            free -= len(self.line_ups)
        squares = float((left**2 / self.games[:, None]).sum())
        return max(squares / (free * max(self.line_ups.shape[1] - 1, 1)), 1e-300)

    def _totals(self, weight: Floats) -> tuple[Floats, Floats]:
        """(line-ups, 1) weighted games; (line-ups, seats) weighted deviations, summed over games."""
        w, count = weight[self.cluster], len(self.line_ups)
        columns = [np.bincount(self.line_up, w * one, minlength=count) for one in self.deviation.T]
        games = np.bincount(self.line_up, w * self.games, minlength=count).astype(np.float64)
        return games[:, None], np.column_stack(columns).astype(np.float64)

    def _design(self) -> _Design:
        """How much of the points of every pair each seat of a line-up wins."""
        seated, seats = self.line_ups >= 0, self.line_ups.shape[1]
        one, two = self.line_ups[:, :, None], self.line_ups[:, None, :]
        meet = seated[:, :, None] & seated[:, None, :] & (one != two)
        value = np.where(meet, np.where(one < two, 1.0, -1.0), 0.0) / seated.sum(axis=1)[:, None, None]
        number = np.zeros((self.entrants, self.entrants), np.int64)
        ones, twos = np.triu_indices(self.entrants, 1)
        number[ones, twos] = number[twos, ones] = np.arange(len(ones))
        column = np.where(meet, number[one, two], 0)
        return _Design(len(ones), column.reshape(-1, seats), value.reshape(-1, seats))


@dataclass(frozen=True, eq=False)
class _Design:
    """The matrix (line-ups * seats, pairs) by what is not 0 in it: in a row, the pairs of a seat."""

    pairs: int
    column: Ints  # (line-ups * seats, seats)
    value: Floats  # likewise; 0: nothing

    def of_seats(self, points: Floats) -> Floats:
        """Return what seats win, of the points of pairs."""
        return np.asarray((self.value * points[self.column]).sum(axis=1) if self.pairs else self.value[:, 0])

    def of_pairs(self, seats: Floats) -> Floats:
        """Return sums over seats for every pair: the transpose."""
        summed = np.bincount(self.column.ravel(), (self.value * seats[:, None]).ravel(), self.pairs)
        return summed[: self.pairs].astype(np.float64)

    def normal(self, games: Floats) -> Floats:
        """Return products of the columns, weighted by the games of the line-ups, with the ridge."""
        size = self.pairs
        weight = np.repeat(games[:, 0], self.value.shape[1])[:, None, None]
        product = (weight * self.value[:, :, None] * self.value[:, None, :]).ravel()
        cell = (self.column[:, :, None] * size + self.column[:, None, :]).ravel()
        normal = np.bincount(cell, product, size**2)[: size**2].reshape(size, size)
        ridge = RIDGE * float(np.diagonal(normal).sum()) / max(size, 1)
        return np.asarray(normal + max(ridge, 1e-300) * np.eye(size))

    def solve(self, games: Floats, summed: Floats) -> Floats:
        """(pairs,) points that one entrant wins from the other, by least squares."""
        return np.asarray(np.linalg.solve(self.normal(games), self.of_pairs(summed.reshape(-1))))


def _square(points: Floats, count: int) -> Floats:
    """(entrants, entrants) antisymmetric points of pairs."""
    square = np.zeros((count, count))
    square[np.triu_indices(count, 1)] = points
    return square - square.T


def nash(points: Floats) -> tuple[Floats, Floats]:
    """Find a mixture that no entrant beats on average, and what every entrant makes against it.

    It is an equilibrium of the symmetric zero-sum game in which two players choose an entrant each: equal
    parts of those that nobody beats, if there are any; else linear programming finds one.

    Args:
        points: (entrants, entrants) antisymmetric.

    Returns:
        (entrants,) points against the mixture, at most 0; (entrants,) the mixture, shares that sum to 1.
    """
    count = len(points)
    size = max(float(np.abs(points).max()), 1e-300)
    unbeaten = points.max(axis=0) <= 1e-9 * size
    if unbeaten.any():
        alone = unbeaten / unbeaten.sum()
        return points @ alone, alone
    from scipy.optimize import linprog

    found = linprog(
        np.zeros(count), A_ub=points / size, b_ub=np.full(count, 1e-9), A_eq=np.ones((1, count)), b_eq=[1.0]
    )
    mixture = np.maximum(found.x, 0)
    mixture /= mixture.sum()
    return points @ mixture, mixture
