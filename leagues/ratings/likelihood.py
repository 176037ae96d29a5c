"""How likely one entrant is better than another, and how likely it is the best.

The first of many close bots is there partly by luck: taken as they are, estimates are too sure of it. So they
are shrunk towards their mean, the more the less they differ beyond their errors (Efron & Morris 1975, Journal
of the American Statistical Association 70, 311-319; the spread of the true numbers is averaged over, as in
Gelman 2006, Bayesian Analysis 1, 515-534).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .compare import Estimate, anytime_tail
from .intervals import ROUNDING, error_of_difference, quantile, standard_error, t_cdf, t_quantile, tells
from .results import Flags, Floats

DRAWS = 10_000  # random tables behind the chance to be best
AT_ONCE = 250  # of them are looked at together
SPREADS = 40  # values of the spread of the true numbers, over which the posterior is averaged
EQUAL = 0.2  # chance that all true numbers are equal, before any game
SCALE = 2.0  # of the half-Cauchy prior of the spread otherwise, in mean errors
NARROWEST, WIDEST = 0.1, 20.0  # of these spreads, in mean errors or in the spread that is seen


@dataclass(frozen=True, eq=False)
class _Posterior:
    """The true numbers of one group, if their spread were known: a normal distribution, and its weight."""

    weight: float
    mean: Floats
    root: Floats  # (entrants, entrants), whose square is the covariance


def superiority(estimate: Estimate) -> Floats:
    """Compute the likelihood that the row's true number is above the column's.

    It is (entrants, entrants), by the t distribution of the shrunken difference over its error. Where
    `planned` is given it is at most 1 - p / 2 of a p value that is valid at all looks. NaN: the entrants
    cannot be compared, or an error is not known.
    """
    size = len(estimate.value)
    likelihood: Floats = np.full((size, size), np.nan)
    df = np.minimum.outer(estimate.blocks, estimate.blocks) - 1
    for mine in _groups(estimate):
        at, total = np.ix_(mine, mine), np.zeros((len(mine), len(mine)))
        for one in _posteriors(estimate, mine):
            difference = one.mean[:, None] - one.mean
            error = error_of_difference(one.root @ one.root.T)
            some = error > ROUNDING
            t = np.divide(difference, error, out=np.sign(np.round(difference, 6)) * 1e9, where=some)
            total += one.weight * t_cdf(t, df[at])
        likelihood[at] = total
    if estimate.planned is None:
        return likelihood
    error = error_of_difference(estimate.covariance)
    raw = estimate.value[:, None] - estimate.value
    t = np.divide(raw, error, out=np.zeros((size, size)), where=error > ROUNDING)
    tail = anytime_tail(t, df, estimate.planned)
    return np.clip(likelihood, tail, 1 - tail)


def chance_to_be_best(estimate: Estimate) -> Floats:
    """How often each entrant comes first in its group when the true numbers are drawn from what is known.

    10 000 draws from the shrunken distribution with a fixed seed. NaN: its error is not known; then it is in
    nobody's draw.
    """
    best = np.full(len(estimate.value), np.nan)
    rng = np.random.default_rng(0)
    for mine in _groups(estimate):
        total = np.zeros(len(mine))
        found = list(_posteriors(estimate, mine))
        shares = rng.multinomial(DRAWS, [one.weight for one in found])
        for one, draws in zip(found, shares.tolist(), strict=True):
            for some in np.diff([*range(0, draws, AT_ONCE), draws]).tolist():
                drawn = one.mean + rng.standard_normal((some, len(mine))) @ one.root.T
                top = drawn >= drawn.max(axis=1, keepdims=True) - ROUNDING
                total += (top / top.sum(axis=1, keepdims=True)).sum(axis=0)
        best[mine] = total / DRAWS
    return best


def known(estimate: Estimate) -> Flags:
    """(entrants,) whose error is known."""
    return tells(standard_error(estimate.covariance), estimate.blocks - 1)


def _groups(estimate: Estimate) -> Iterator[np.ndarray]:
    """Return the entrants of every group whose errors are known."""
    sure = known(estimate)
    for group in np.unique(estimate.group):
        mine = np.flatnonzero((estimate.group == group) & sure)
        if len(mine):
            yield mine


def _posteriors(estimate: Estimate, mine: np.ndarray) -> Iterator[_Posterior]:
    """Return the shrunken distributions of some entrants, for each spread of their true numbers that may be.

    Errors are widened by t / normal for the observations behind them, or by as much as intervals for all
    looks are wider. The spread is 0 with the chance EQUAL, else it has a half-Cauchy prior. With these two no
    spread is much worse than another: docs/reference/numbers.md says how far off they are.
    """
    df = estimate.blocks[mine] - 1
    wide = t_quantile(0.84134, df)
    if estimate.planned is not None:
        wide = np.maximum(wide, quantile(df, estimate.planned) / t_quantile(0.975, np.inf))
    wide = np.minimum(wide, 1_000)
    values, size = estimate.value[mine], len(mine)
    centre = np.eye(size) - 1 / size
    covariance = wide[:, None] * estimate.covariance[np.ix_(mine, mine)] * wide
    variance, vectors = np.linalg.eigh(centre @ covariance @ centre)
    variance = np.maximum(variance, 0)
    middle = values.mean()
    seen = vectors.T @ (values - middle)
    errors = np.sqrt(variance.mean())
    if errors <= ROUNDING:
        yield _Posterior(1.0, values, np.zeros((size, size)))
        return
    spreads = np.geomspace(NARROWEST * errors, WIDEST * max(errors, float(values.std())), SPREADS)
    prior = spreads / (1 + (spreads / (SCALE * errors)) ** 2)  # they are even on a logarithmic scale
    spreads = np.append(spreads, 1e-6 * errors)
    prior = np.append((1 - EQUAL) * prior / prior.sum(), EQUAL)
    free = variance > 1e-9 * variance.max()
    whole = variance[free] + spreads[:, None] ** 2
    logs = -0.5 * (np.log(whole) + seen[free] ** 2 / whole).sum(axis=1)
    weights = prior * np.exp(logs - logs.max())
    weights /= weights.sum()
    for spread, weight in zip(spreads, weights, strict=True):
        if weight > 1e-6:
            kept = spread**2 / (spread**2 + variance)
            yield _Posterior(
                float(weight), middle + vectors @ (kept * seen), vectors * np.sqrt(kept * variance)
            )
