"""Whether one number per bot describes a league, or A beats B, B beats C and C beats A.

Pairs are compared with what the ratings say of them; what no rating can say is the cyclic part of the pair
differences (Jiang, Lim, Yao & Ye 2011, Mathematical Programming 127, 203-244, call it the Hodge residual).
Not here: which pairs they are (`compare.pair_table`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .elo import ELO, PRIOR_ELO, Ratings, expected
from .intervals import inverse
from .results import Floats, Ints, Pairing, Results, components, members, outcome, pairings
from .scores import Scores

PAIRS = 200  # most pairs that are tested: 20 bots; more would need thousands of blocks
BLOCKS = 10  # clusters that every pair needs on average


@dataclass(frozen=True)
class LackOfFit:
    """How much of the pair differences no single number per bot can explain."""

    p: float  # that chance alone brings so much
    share: float  # of the weighted squares of all pair differences; 0 .. 1
    noise: float  # the share that chance would bring

    @property
    def clear(self) -> bool:
        """Whether the misfit is sure and large enough to be reported.

        It is with p below 0.001 and 5 % of the squares beyond chance.
        """
        return self.p < 0.001 and self.share - self.noise > 0.05


def lack_of_fit_of_places(results: Results, ratings: Ratings) -> LackOfFit | None:
    """Test who finished before whom against the Elo ratings.

    None where there are too few games, or nothing to test.
    """
    entrants = len(ratings.elo)
    strength = (ratings.elo - ratings.elo.mean()) / ELO
    chance = expected(strength)

    def weight(pairing: Pairing) -> Floats:
        at = chance[pairing.one, pairing.two]
        return pairing.weight * at * (1 - at)

    def residual(pairing: Pairing) -> Floats:
        return pairing.weight * (outcome(results, pairing) - chance[pairing.one, pairing.two])

    return _lack_of_fit(results, entrants, strength, weight, residual, (ELO / PRIOR_ELO) ** 2)


def lack_of_fit_of_points(results: Results, scores: Scores) -> LackOfFit | None:
    """Score differences at common tables, against the least-squares scores; None as above."""
    strength = np.nan_to_num(scores.mean)

    def weight(pairing: Pairing) -> Floats:
        return pairing.weight / (1 + pairing.weight)

    def residual(pairing: Pairing) -> Floats:
        a, b = (results.score[pairing.games, seat] for seat in pairing.seats)
        return weight(pairing) * (a - b - strength[pairing.one] + strength[pairing.two])

    return _lack_of_fit(results, len(strength), strength, weight, residual, 0.0)


def untested(results: Results, entrants: int) -> bool:
    """Whether there may be circles, but too many bots or too few blocks to test for them."""
    if entrants * (entrants - 1) // 2 > PAIRS:
        return True
    pair, cluster, *_ = _collect(results, entrants, lambda one: one.weight, lambda one: one.weight)
    met = np.unique(pair)
    if not len(met):
        return False
    one, two = np.divmod(met, entrants)
    linked = np.zeros((entrants, entrants), bool)
    linked[one, two] = linked[two, one] = True
    free = len(met) - entrants + len(np.unique(components(linked)))
    size = int(cluster.max()) + 1
    each = len(np.unique(cluster * entrants**2 + pair)) / len(met)
    return bool(free >= 1 and (each < BLOCKS or size < free + BLOCKS))


def _lack_of_fit(
    results: Results,
    entrants: int,
    strength: Floats,
    weight: Callable[[Pairing], Floats],
    residual: Callable[[Pairing], Floats],
    prior: float,
) -> LackOfFit | None:
    """Wald test of the pair residuals that are left after the fit, with their covariance over clusters."""
    from scipy.special import fdtrc

    if entrants * (entrants - 1) // 2 > PAIRS or not len(results.block):
        return None
    pair, cluster, value, share = _collect(results, entrants, weight, residual)
    met, place = np.unique(pair, return_inverse=True)
    if not len(met):
        return None
    one, two = np.divmod(met, entrants)
    total_weight = np.bincount(place, share)
    incidence = np.zeros((entrants, len(met)))
    incidence[one, np.arange(len(met))], incidence[two, np.arange(len(met))] = 1, -1
    linked = np.zeros((entrants, entrants), bool)
    linked[one, two] = linked[two, one] = True
    group = members(components(linked))
    free = len(met) - entrants + group.shape[1]
    clusters = int(cluster.max()) + 1
    each = len(np.unique(cluster * len(met) + place)) / len(met)
    if free < 1 or each < BLOCKS or clusters < free + BLOCKS:
        return None
    table = np.bincount(cluster * len(met) + place, value, minlength=clusters * len(met)).reshape(
        clusters, -1
    )
    sums = table.sum(axis=0)
    raw = clusters / (clusters - 1) * (table.T @ table - np.outer(sums, sums) / clusters)
    stiff = incidence * total_weight
    bread = inverse(stiff @ incidence.T + prior * np.eye(entrants) + (group / group.sum(axis=0)) @ group.T)
    left = np.eye(len(met)) - stiff.T @ bread @ incidence
    covariance = left @ raw @ left.T
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    kept = values > np.trace(raw) * 1e-9
    kept[: len(met) - free] = False
    if not kept.any():  # all sat at every table: score differences have no cycles
        return None
    square = float((((vectors.T @ sums)[kept]) ** 2 / values[kept]).sum())
    free = int(kept.sum())
    f = square * (clusters - free) / (free * (clusters - 1))  # Hotelling's T^2
    p = float(fdtrc(free, clusters - free, f))
    explained = float((total_weight * (strength[one] - strength[two]) ** 2).sum())
    unexplained, chance = (
        float((sums**2 / total_weight).sum()),
        float((np.diagonal(covariance) / total_weight).sum()),
    )
    whole = explained + unexplained
    return LackOfFit(p, unexplained / whole, min(chance / whole, 1.0)) if whole > 0 else None


def _collect(
    results: Results,
    entrants: int,
    weight: Callable[[Pairing], Floats],
    residual: Callable[[Pairing], Floats],
) -> tuple[Ints, Ints, Floats, Floats]:
    """Collect the residuals of every pair in every game.

    Bots that surely depend on their match are left out: with them only stretches would be independent, and
    they would keep all others from being tested.

    Returns smaller * entrants + larger entrant, cluster, residual of the smaller, weight.
    """
    columns: list[list[Floats | Ints]] = []
    for pairing in pairings(results):
        calm = ~(np.isin(pairing.one, results.apart) | np.isin(pairing.two, results.apart))
        low, high = np.minimum(pairing.one, pairing.two), np.maximum(pairing.one, pairing.two)
        signed = np.where(pairing.one == low, 1, -1) * residual(pairing)
        every = low * entrants + high, results.cluster[pairing.games], signed, weight(pairing)
        columns.append([one[calm] for one in every])
    pair, cluster, value, share = (np.concatenate(column) for column in zip(*columns))
    return pair, cluster, value, share
