"""Standard errors and intervals of estimates from games that depend on each other, by cluster.

A cluster is a block, or a stretch of blocks where blocks are not independent (`dependence`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .between_matches import match_scatter
from .results import Flags, Floats, Ints, Results, Shares, Values

CONFIDENCE = 0.95
ESTABLISHED = 30  # clusters; fewer may all agree by chance, and an entrant with fewer is provisional
LOOKS = (
    8  # an interval for all looks is tightest at this share of the planned clusters, and hardly wider there
)
ROUNDING = 1e-6  # Elo, points per game: errors and differences below are 0


def t_cdf(t: ArrayLike, df: ArrayLike) -> Floats:
    """Compute P(T <= t) of Student's t, elementwise.

    It is 1/2 where df is not positive: no spread is known there, so nothing is.
    """
    from scipy.special import stdtr

    freedom = np.asarray(df, np.float64)
    return np.where(freedom > 0, stdtr(np.maximum(freedom, 1), np.asarray(t, np.float64)), 0.5)


def t_quantile(p: ArrayLike, df: ArrayLike) -> Floats:
    """Find the t with P(T <= t) = p; infinite where df is not positive, so that the interval says nothing."""
    from scipy.special import stdtrit

    freedom = np.asarray(df, np.float64)
    return np.where(freedom > 0, stdtrit(np.maximum(freedom, 1), p), np.inf)


def always_quantile(level: ArrayLike, df: ArrayLike, planned: float | Floats) -> Floats:
    """Find the t beyond which a difference is sure at all looks at once, with a two-sided error of `level`.

    An interval for one planned look is left sooner or later if one looks again and again. This one holds at
    every look: the normal mixture of Robbins 1970, Annals of Mathematical Statistics 41, 1397-1409, for an
    estimated error (the Bayes factor of Goenen et al. 2005, American Statistician 59, 252-257). For many
    clusters n it is sqrt((1 + 1 / r) * ln((1 + r) / level^2)) with r = 8 n / planned.

    Args:
        level: chance that it is ever left.
        df: clusters - 1.
        planned: clusters at which the interval is to be tight, at the end of the league as it was planned.
    """
    freedom = np.asarray(df, np.float64)
    r = LOOKS * (freedom + 1) / planned
    k = ((1 + r) / np.square(level)) ** (1 / np.maximum(freedom + 1, 1))
    square = np.full(np.broadcast_shapes(k.shape, freedom.shape), np.inf)
    np.divide(freedom * (k - 1), 1 - k / (1 + r), out=square, where=(k < 1 + r) & (freedom > 0))
    return np.sqrt(square)


def always_p(t: Floats, df: ArrayLike, planned: float | Floats) -> Floats:
    """Return a two-sided p value, valid at all looks: the least level where t exceeds `always_quantile`."""
    freedom = np.maximum(np.asarray(df, np.float64), 0)
    r, square = LOOKS * (freedom + 1) / planned, np.square(t) / np.maximum(freedom, 1)
    gain = (freedom + 1) * (np.log1p(square) - np.log1p(square / (1 + r))) - np.log1p(r)
    return np.where(freedom > 0, np.exp(-np.maximum(gain, 0) / 2), 1.0)


def quantile(df: ArrayLike, planned: float | Floats | None) -> Floats:
    """How many errors a 95 % interval has a side: for one look, or for all if a length was planned."""
    if planned is None:
        return t_quantile((1 + CONFIDENCE) / 2, df)
    return always_quantile(1 - CONFIDENCE, df, planned)


def scatter(results: Results, residual: Values, entrants: int) -> Floats:
    """Compute the scatter over clusters of residuals that are summed per cluster and entrant.

    Entrants whose games depend on the match (`Results.by_match`) add what their matches differ by.

    Returns:
        (entrants, entrants) sums of squares and products.
    """
    shares = results.per_cluster
    clusters = int(shares.unit.max(initial=-1)) + 1
    sums = shares.total(results, residual)
    total = np.bincount(shares.entrant, sums, minlength=entrants)
    by_cluster = _products(shares, sums, entrants) - np.outer(total, total) / max(clusters, 1)
    return by_cluster + match_scatter(results, residual, entrants)


def _products(shares: Shares, sums: Floats, entrants: int) -> Floats:
    """Sum over clusters of the products of the sums that two entrants have in them.

    A cluster's entrants are rows in a row: those of a pair are `apart` rows from each other.
    """
    unit, entrant = shares.unit, shares.entrant
    found = np.zeros((entrants, entrants))
    for apart in range(int(np.bincount(unit).max(initial=0))):
        one = np.flatnonzero(unit[: len(unit) - apart] == unit[apart:])
        two = one + apart
        pair, product = entrant[one] * entrants + entrant[two], sums[one] * sums[two]
        products = np.bincount(pair, product, minlength=entrants**2).reshape(entrants, entrants)
        found += products if apart == 0 else products + products.T
    return found


def sandwich(bread: Floats, scattered: Floats, clusters: Ints) -> Floats:
    """Compute the covariance of estimates whose errors are `bread` times the residuals.

    This is the sandwich of Liang & Zeger 1986. An entrant with b clusters of its own has the small-sample
    factor b / (b - 1). Where all play in every cluster that is the usual G / (G - 1): Cameron & Miller 2015,
    Journal of Human Resources 50, 317-372.
    """
    factor: Floats = np.sqrt(clusters / np.maximum(clusters - 1, 1))
    return factor[:, None] * (bread @ scattered @ bread) * factor


def above_mean(weight: Floats, group: Ints, estimate: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Compute estimates less the weighted mean of their group, and the covariance of that.

    Differences and their errors stay as they are. In a group without weight, all count the same.
    """
    same = group[:, None] == group
    some = (same & (weight > 0)).any(axis=1, keepdims=True)
    share = np.where(some, same * weight, same)
    centre = np.eye(len(group)) - share / share.sum(axis=1, keepdims=True)
    centred = centre @ covariance @ centre.T
    return centre @ estimate, (centred + centred.T) / 2


def inverse(matrix: Floats) -> Floats:
    """Inverse of a symmetric positive definite matrix."""
    return np.asarray(np.linalg.inv(matrix), np.float64)


def standard_error(covariance: Floats) -> Floats:
    """Square roots of the diagonal."""
    return np.sqrt(np.maximum(np.diagonal(covariance), 0))


def error_of_difference(covariance: Floats) -> Floats:
    """(entrants, entrants) standard error of the row's estimate less the column's."""
    variance = np.diagonal(covariance)
    return np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))


def interval(
    estimate: Floats, error: Floats, df: Ints, planned: float | Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the 95 % interval; the whole line where nothing is known of the error.

    So it is without a degree of freedom, and where fewer than 30 clusters all agree. With the `planned`
    length of a league it holds at all looks (`Results.planned`).
    """
    half = np.full(np.shape(estimate), np.inf)
    known = ~np.isnan(estimate) & tells(error, df)
    wide = quantile(df, planned)
    np.multiply(wide, error, out=half, where=known & np.isfinite(wide))
    middle = np.nan_to_num(estimate)
    return middle - half, middle + half


def tells(error: Floats, df: Ints) -> Flags:
    """Whether a standard error says how sure an estimate is: not if it is 0 as few clusters agree."""
    return (df > 0) & ((error > ROUNDING) | (df + 1 >= ESTABLISHED))


def ratio(above: Floats | Ints, below: Floats | Ints) -> Floats:
    """Quotient; NaN where the divisor is not positive."""
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below > 0)
    return quotient


def holm(p: Floats) -> Floats:
    """P values adjusted for being many: at most 5 % of such tables have a false one below 0.05 (Holm 1979).

    Holm, Scandinavian Journal of Statistics 6, 65-70. NaN stays NaN and is not counted as a test.
    """
    flat = np.asarray(p, np.float64).ravel()
    order = np.argsort(flat, kind="stable")[: np.count_nonzero(~np.isnan(flat))]
    adjusted = np.full(flat.shape, np.nan)
    steps = flat[order] * (len(order) - np.arange(len(order)))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted.reshape(np.shape(p))
