"""A rating that copies of a bot cannot change: Nash averaging of what every pair is worth to each other.

Elo and mean points depend on who else is in the league: many copies of a bot that you beat more clearly than
your rival does lift you above the rival. Here every bot is measured against a mixture of bots that no bot
beats on average. A copy of a bot changes nobody's points against the others, so it changes no number.

At a table of more than two seats, the points of a pair depend on who sits at the other seats. So the points
of a seat are taken apart into what it wins from every other seat (a polymatrix game, by least squares).
Copies at the other seats then change no pair. Entrants that the games cannot tell apart are one type of the
mixture: of many copies taken one by one, some would beat the best by chance.

Balduzzi, Tuyls, Perolat & Graepel 2018, Re-evaluating evaluation, NeurIPS. Polymatrix games: Cai, Candogan,
Daskalakis & Papadimitriou 2016, Mathematics of Operations Research 41, 648-655.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from ..errors import LeagueError
from .intervals import CONFIDENCE, always_quantile, quantile, ratio, t_quantile
from .results import Floats, Ints, Results
from .table import RatedBot, label, rounded, settled

INTERVAL = (0.025, 0.975)
RESAMPLES = 200  # of blocks, behind an interval
FEWEST = 10  # clusters below which there is no interval
MOST = 64  # bots; more would take minutes
PRICE = 2.0  # of another number in the fit (Akaike 1974)
ORDERS, ROUNDS = 3, 10  # in which entrants are sorted into types
LIKELY = 12.0  # sortings that cost more than the best one by this are not drawn
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

    Intervals are percentiles of ratings whose blocks were weighed anew with exponential weights (Rubin 1981,
    Annals of Statistics 9, 130-134). They are widened where few blocks tell what a bot wins from the mixture:
    such weights alone would suppose that the spread of the blocks is known. And they are widened where the
    league was `planned` and people look at it while it is played; there, pairs must have met often first.

    Args:
        results: the games.
        entered: who the entrants are.

    Raises:
        LeagueError: more than 64 bots.
    """
    games, who, count, _ = settled(results, entered)
    if not count:
        return []
    if count > MOST:
        raise LeagueError(f"{count} bots: this view is for {MOST} at most; name some runs")
    clusters = int(games.stretches.max()) + 1
    tables = LineUps.of(games, count)
    kinds, likely = tables.types() if clusters >= FEWEST else ([np.arange(count)], np.ones(1))
    kind = kinds[0]
    ratings, mixture = tables.ratings(kind, np.ones(clusters))
    ends: list[list[float | None]] = [[None, None]] * count
    played = games.per_block.count(games.seated, count)
    errors = quantile(clusters - 1, games.planned and games.planned * clusters / played.mean())
    if clusters >= FEWEST and np.isfinite(errors):
        rng = np.random.default_rng(0)
        sortings = np.sort(rng.choice(len(kinds), RESAMPLES, p=likely))  # equal ones need one design
        drawn = [tables.ratings(kinds[at], rng.exponential(size=clusters))[0] for at in sortings]
        wider = _wider(tables.freedom(kind, mixture), played, games.planned)
        low, high = ratings + wider * (np.quantile(drawn, INTERVAL, axis=0) - ratings)
        apart = np.quantile(tables.apart(float(errors), rng), INTERVAL, axis=0)
        low, high = np.minimum(low, apart[0]), np.maximum(high, apart[1])
        ends = np.column_stack([low, high]).tolist()
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

    def ratings(self, kind: Ints, weight: Floats) -> tuple[Floats, Floats]:
        """Rate every entrant against the mixture of types that no type beats.

        Args:
            kind: (entrants,) the type of each, counted from 0.
            weight: (clusters,) how much the games of each count.

        Returns:
            (entrants,) points of its type against the mixture, and what it makes more than its type in its
            own games; (entrants,) its share of the mixture, of which its type has equal parts.
        """
        games, summed = self._totals(weight)
        design = self._kept_design(kind)
        points = design.solve(games, summed)
        against, mixture = nash(_square(points, int(kind.max()) + 1))
        seats = self.line_ups.shape[1]
        left = summed - games * design.of_seats(points).reshape(-1, seats)
        seated = self.line_ups >= 0
        players = seated.sum(axis=1, keepdims=True)
        weights = np.broadcast_to(games * (players - 1) / players, left.shape)
        who = self.line_ups[seated]
        own = np.bincount(who, left[seated], minlength=self.entrants).astype(np.float64)
        met = np.bincount(who, weights[seated], minlength=self.entrants).astype(np.float64)
        members = np.bincount(kind)[kind]
        more = np.where(members > 1, np.nan_to_num(ratio(own, met)), 0.0)
        return against[kind] + more, mixture[kind] / members

    def apart(self, errors: float, rng: np.random.Generator) -> Floats:
        """(RESAMPLES, entrants) draw ratings for which every entrant is a type of its own.

        Sorting entrants into types is a choice, and a test: while few games were played, it joins bots that
        differ by two or three errors. Then an interval for these types misses, however wide it is for looks.
        Every entrant as a type of its own is true whatever the types are. The points of all pairs are moved
        by errors drawn at random, and so the mixture changes as far as it may at any look.

        Errors come from the noise of all clusters, as a pair may have met in one. They are larger where the
        clusters in which a pair met differ more than that (weighed anew, to the first order: Kline & Santos
        2012, Journal of Econometric Methods 1, 23-41).

        Args:
            errors: how many standard errors an interval reaches.
            rng: of the draws.
        """
        design, (games, summed) = self._design(np.arange(self.entrants)), self._total
        seated, shape = self.line_ups >= 0, self.line_ups.shape
        points, normal = design.solve(games, summed), design.normal(games)
        fitted = design.of_seats(points).reshape(shape)
        rest = replace(self, deviation=self.deviation - self.games[:, None] * fitted[self.line_up])
        clusters, drawn = int(self.cluster.max()) + 1, []
        for _ in range(RESAMPLES):
            noise = rng.standard_normal(shape) * np.sqrt(self._noise * games) * seated
            noise -= (noise.sum(axis=1) / seated.sum(axis=1))[:, None]
            drawn += [noise, rest._totals(rng.exponential(size=clusters) - 1)[1]]
            drawn[-2:] = [design.of_pairs(one.reshape(-1)) for one in drawn[-2:]]
        solved = np.linalg.solve(normal, np.column_stack(drawn))
        error, other = solved[:, ::2], solved[:, 1::2]
        more = np.nan_to_num(ratio(other.std(axis=1), error.std(axis=1)))
        wider = errors / t_quantile(INTERVAL[1], np.inf)
        moved = points + wider * (np.maximum(more, 1)[:, None] * error).T
        return np.array([nash(_square(one, self.entrants))[0] for one in moved])

    def freedom(self, kind: Ints, mixture: Floats) -> Floats:
        """Count the degrees of freedom behind what every entrant makes against the mixture.

        They are those of a sum of means (Satterthwaite 1946, Biometrics Bulletin 2, 110-114), one for each
        other type of the mixture, over the clusters in which the two types met. All vary alike.

        Args:
            kind: (entrants,) the type of each, counted from 0.
            mixture: (entrants,) shares.
        """
        met = self._meetings(kind)
        share = np.bincount(kind, mixture)
        part = np.where(met > 0, share**2 / np.maximum(met, 1), 0.0)
        np.fill_diagonal(part, 0)
        lost = (part**2 / np.maximum(met - 1, 1e-9)).sum(axis=1)
        whole = ratio(part.sum(axis=1) ** 2, lost)
        return np.nan_to_num(whole, nan=float(self.cluster.max()))[kind]

    def _meetings(self, kind: Ints) -> Ints:
        """(types, types) in how many clusters two types sat at one table."""
        count = int(kind.max()) + 1
        types, seated = kind[self.line_ups][self.line_up], self.line_ups[self.line_up] >= 0
        keys = [np.zeros(0, np.int64)]
        for a in range(types.shape[1]):
            for b in range(types.shape[1]):
                there = seated[:, a] & seated[:, b]
                keys.append(((self.cluster * count + types[:, a]) * count + types[:, b])[there])
        pair = np.unique(np.concatenate(keys)) % count**2
        return np.bincount(pair, minlength=count**2).reshape(count, count)

    def types(self) -> tuple[list[Ints], Floats]:
        """Put together the entrants that the games cannot tell apart: (entrants,) the type of each, from 0.

        Copies are one type, and the games of all of them count for it. Taken one by one, some copy of many
        would beat the best by chance. All entrants begin as one type. Then each in turn goes to the type, or
        to one of its own, where misfit and price are least, until nobody moves. The best of some
        orders counts.

        Returns:
            The best sorting, and others that differ in one entrant; how likely each is: costs are twice a
            negative logarithm of likelihood.
        """
        rng = np.random.default_rng(0)
        for _ in range(ORDERS):
            self._sort(rng.permutation(self.entrants))
        best = min(self._costs, key=self._costs.__getitem__)
        near = {kind: cost - self._costs[best] for kind, cost in self._costs.items() if _moved(kind, best)}
        drawn = sorted((more, kind) for kind, more in near.items() if more <= LIKELY)
        weights = np.exp([-more / 2 for more, _ in drawn])
        return [np.array(kind) for _, kind in drawn], weights / weights.sum()

    def _sort(self, order: Ints) -> None:
        """Sort the entrants in this order; the costs of all sortings that are looked at are kept."""
        kind, cost = (0,) * self.entrants, np.inf
        for _ in range(ROUNDS):
            before = cost
            for i in order.tolist():
                others = [_named((*kind[:i], to, *kind[i + 1 :])) for to in range(max(kind) + 2)]
                for other in others:
                    if other not in self._costs:
                        self._costs[other] = self._cost(np.array(other))
                kind = min(others, key=self._costs.__getitem__)
                cost = self._costs[kind]
            if cost > before - 1e-6:
                break

    @cached_property
    def _costs(self) -> dict[tuple[int, ...], float]:
        return {}

    def _cost(self, kind: Ints) -> float:
        """Squared misfit in units of the noise, a price for every pair of types, and one for the sorting.

        The last keeps the noise of many copies from being sorted into types (Daudin, Picard & Robin 2008,
        Statistics and Computing 18, 173-183: integrated classification likelihood).
        """
        games, summed = self._total
        design, size = self._design(kind), np.unique(kind, return_counts=True)[1]
        explained = float(design.of_pairs(summed.reshape(-1)) @ design.solve(games, summed))
        price = PRICE * design.pairs + 2 * size @ np.log(len(kind) / size)
        return float(price - explained / self._noise)

    @cached_property
    def _total(self) -> tuple[Floats, Floats]:
        return self._totals(np.ones(int(self.cluster.max()) + 1))

    @cached_property
    def _noise(self) -> float:
        """Variance of a seat's points in a game, by how much clusters of one line-up differ."""
        games, summed = self._total
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

    def _kept_design(self, kind: Ints) -> _Design:
        """Return the design of a sorting, which is kept until another one is asked for."""
        name = kind.tobytes()
        if name not in self._last_design:
            self._last_design.clear()
            self._last_design[name] = self._design(kind)
        return self._last_design[name]

    @cached_property
    def _last_design(self) -> dict[bytes, _Design]:
        return {}

    def _design(self, kind: Ints) -> _Design:
        """How much of the points of every pair of types each seat of a line-up wins."""
        count = int(kind.max()) + 1
        seated, types = self.line_ups >= 0, kind[self.line_ups]
        one, two = types[:, :, None], types[:, None, :]
        meet = seated[:, :, None] & seated[:, None, :] & (one != two)
        value = np.where(meet, np.where(one < two, 1.0, -1.0), 0.0) / seated.sum(axis=1)[:, None, None]
        seats = self.line_ups.shape[1]
        column = np.where(meet, _numbers(count)[one, two], 0)
        return _Design(count * (count - 1) // 2, column.reshape(-1, seats), value.reshape(-1, seats))


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
        """(pairs,) points that one type wins from the other, by least squares."""
        return np.asarray(np.linalg.solve(self.normal(games), self.of_pairs(summed.reshape(-1))))


def _named(kind: tuple[int, ...]) -> tuple[int, ...]:
    """Return a sorting with its types numbered in the order in which they come: equal ones are then equal."""
    names: dict[int, int] = {}
    return tuple(names.setdefault(one, len(names)) for one in kind)


def _moved(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two sortings differ in the type of one entrant at most."""
    left = ([_named((*kind[:i], *kind[i + 1 :])) for i in range(len(kind))] for kind in (one, other))
    return any(mine == its for mine, its in zip(*left, strict=True))


def _wider(freedom: Floats, played: Floats | Ints, planned: float | None) -> Floats:
    """How much wider an interval from exponential weights must be.

    Args:
        freedom: (entrants,) degrees of freedom behind their numbers.
        played: (entrants,) their blocks.
        planned: as in `Results`; of the blocks that count, as great a share was planned as of all.
    """
    spread = np.sqrt((freedom + 2) / np.maximum(freedom, 1e-9))  # n weights vary as n + 1 observations do
    if planned is None:
        return np.asarray(spread * t_quantile(0.975, freedom) / t_quantile(0.975, np.inf))
    every = always_quantile(1 - CONFIDENCE, freedom, planned * (freedom + 1) / played)
    return np.asarray(spread * every / t_quantile(0.975, np.inf))


def _numbers(count: int) -> Ints:
    """(types, types) the number of every pair, as in `numpy.triu_indices`."""
    number = np.zeros((count, count), np.int64)
    ones, twos = np.triu_indices(count, 1)
    number[ones, twos] = number[twos, ones] = np.arange(len(ones))
    return number


def _square(points: Floats, count: int) -> Floats:
    """(types, types) antisymmetric points of pairs."""
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
