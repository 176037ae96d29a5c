"""Student's t distribution for whole and broken degrees of freedom: tail, cumulative distribution, quantile.

The tail is an incomplete beta integral, P(T > t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2), and that is a continued fraction
(Abramowitz & Stegun 1964, sections 26.5 and 26.7; NIST DLMF 8.17.22), followed until it stands still: no table, no normal
approximation. Relative error of the tail: some 1e-15 for small degrees of freedom, 1e-10 at a million.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import LeagueError

Floats = NDArray[np.float64]

STEPS = 20_000  # the fraction needs some sqrt(df) steps
EXACT = 4 * np.finfo(np.float64).eps
TINY = 1e-300  # stands for a zero denominator in Lentz's method
LIFT = 20  # gamma ratios are taken at df/2 + LIFT, where the asymptotic series has all digits, and carried down


def t_cdf(t: ArrayLike, df: ArrayLike) -> Floats:
    """P(T <= t), elementwise; 1/2 where df is not positive (no spread is known, so nothing is)."""
    t, df = _broadcast(t, df)
    tail = t_tail(np.abs(t), df)
    return np.where(t > 0, 1 - tail, tail)


def t_tail(t: ArrayLike, df: ArrayLike) -> Floats:
    """P(T > t) for t >= 0 (infinity allowed), elementwise; 1/2 where df is not positive."""
    t, df = _broadcast(t, df)
    tail = np.where(np.isinf(t), 0.0, 0.5)
    tail[df <= 0] = 0.5
    some = (df > 0) & (t > 0) & np.isfinite(t)
    tail[some] = _tail(t[some], df[some])
    return tail


def t_quantile(p: float, df: ArrayLike) -> Floats:
    """The t with P(T <= t) = p, for every df; infinite where df is not positive, so that such an interval says nothing.

    Newton's method on the upper tail from the normal quantile, which is never larger: the tail is convex, so the steps climb to
    the root and do not pass it.

    Raises:
        LeagueError: p is not in [1/2, 1).
    """
    if not 0.5 <= p < 1:
        raise LeagueError(f"quantile wanted at p = {p}: give 0.5 <= p < 1 (the lower half is its mirror image)")
    wanted, place = np.unique(np.asarray(df, np.float64), return_inverse=True)
    t, some, upper = np.full(wanted.shape, np.inf), wanted > 0, 1 - p
    df = wanted[some]
    root = np.full(df.shape, NormalDist().inv_cdf(p) * (1 - 1e-9))
    for _ in range(2_000):  # far out in the tail of df = 1 a step doubles t, so 1 - p = 1e-300 would need 1 000
        step = (t_tail(root, df) - upper) / _density(root, df)
        climbed = np.maximum(root + step, root)
        if (climbed - root <= EXACT * climbed).all():
            break
        root = climbed
    else:
        raise LeagueError(f"t quantile: no convergence at p = {p}")
    t[some] = root
    return t[place].reshape(np.shape(place))


def _broadcast(t: ArrayLike, df: ArrayLike) -> tuple[Floats, Floats]:
    """Both as float arrays of one shape."""
    one, two = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(df, np.float64))
    return one, two


def _tail(t: Floats, df: Floats) -> Floats:
    """P(T > t) for finite t > 0, df > 0: the fraction of the end that converges fast."""
    square = t * t
    near = df / (df + square)  # x of the incomplete beta integral
    far = square / (df + square)
    front = np.exp(-df / 2 * np.log1p(square / df)) * np.sqrt(far) * _gamma_ratio(df / 2) / np.sqrt(np.pi)
    outside = near < (df / 2 + 1) / (df / 2 + 2.5)
    tail = np.empty_like(t)
    i = outside
    tail[i] = front[i] / df[i] / _fraction(near[i], df[i] / 2, np.full(i.sum(), 0.5))
    i = ~outside
    tail[i] = 0.5 - front[i] / _fraction(far[i], np.full(i.sum(), 0.5), df[i] / 2)
    return tail


def _density(t: Floats, df: Floats) -> Floats:
    """Density of T at t."""
    return _gamma_ratio(df / 2) / np.sqrt(np.pi * df) * np.exp(-(df + 1) / 2 * np.log1p(t * t / df))


def _gamma_ratio(a: Floats) -> Floats:
    """Gamma(a + 1/2) / Gamma(a) for a > 0, without the cancellation that two large logarithms would bring."""
    ratio = np.ones_like(a)
    for i in range(LIFT):
        ratio *= (a + i) / (a + i + 0.5)
    b = a + LIFT
    series = -1 / (8 * b) + 1 / (192 * b**3) - 1 / (640 * b**5) + 17 / (14_336 * b**7)
    return ratio * np.sqrt(b) * np.exp(series)


def _fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """1 + d1/(1 + d2/(1 + ...)) of the incomplete beta integral I_x(a, b), by Lentz's method; x < (a + 1) / (a + b + 2)."""
    value, above, below = np.ones_like(x), np.ones_like(x), np.zeros_like(x)
    for n in range(1, STEPS):
        m, odd = divmod(n, 2)
        if odd:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        below = 1 + d * below
        below = 1 / np.where(below == 0, TINY, below)
        above = 1 + d / above
        above = np.where(above == 0, TINY, above)
        change = above * below
        value = value * change
        if n > 1 and (np.abs(change - 1) < EXACT).all():
            return value
    raise LeagueError(f"t distribution: no convergence in {STEPS} steps; degrees of freedom up to {2 * max(a.max(), b.max()):g}")
