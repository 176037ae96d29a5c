"""Elo from who finished before whom.

Not here: points (`scores`), and how sure a difference or a rank is (`pairs`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import LeagueError
from .between_matches import observed, planned_for, share_of_mean
from .intervals import ESTABLISHED, above_mean, interval, inverse, sandwich, scatter, standard_error
from .results import Flags, Floats, Ints, Results, check_entrants, components, members, outcome, pairings

CENTRE = 1500.0  # the mean Elo of all entrants, each weighted by its blocks
ELO = 400 / np.log(10)  # Elo per unit of strength: 400 Elo are odds of 10 to 1
# sd of the prior: with little data it is the value that neither shrinks nor stretches ratings
PRIOR_ELO = 700.0

NEWTON_STEPS = 200  # Newton steps before the fit is given up
NEWTON_SMALL = 1e-9  # a step in units of strength below which the fit stands still


@dataclass(frozen=True, eq=False)
class Ratings:
    """Elo ratings; arrays have one item per entrant, ordered by entrant number.

    Only differences mean something: the mean of all entrants, each weighted by the blocks in which it was
    rated, is set to 1500, and so is the mean of every group that no chain of games connects with the others.
    So a newcomer with few blocks hardly moves or widens the others' numbers. Entrants whose games depend on
    the match (`Results.apart`) or that won or lost all do not count in the mean: their errors would be in
    everybody's interval, and the number of a perfect one is the prior's. A difference of 400 says odds of 10
    to 1 for finishing before the other.
    """

    elo: Floats
    # 95 % interval of the rating relative to that mean, without entrants with a perfect score; infinite with
    # fewer than two clusters
    elo_low: Floats
    elo_high: Floats
    # (entrants, entrants), Elo^2; in a group the variance of i - j is c[i, i] + c[j, j] - 2 c[i, j]
    covariance: Floats
    # 1: won every pairing, -1: lost every one; the rating is then a bound that the prior sets
    perfect: NDArray[np.int8]
    group: Ints  # entrants with different numbers are not connected by games and cannot be compared
    blocks: Ints  # in which the entrant was rated; matches or stretches where it may depend on them
    provisional: Flags  # fewer than 30 clusters; matches count only where it surely depends on them
    # (entrants,) for how many clusters: as in `Results`, then all that is said holds at all looks
    planned: Floats | None = None

    @property
    def value(self) -> Floats:
        """The ratings, as `pairs.Estimate` has them."""
        return self.elo


def bradley_terry(results: Results, entrants: int, luck_weight: float = 0.0) -> Ratings:
    """Elo by maximum likelihood from who finished before whom, over all pairs of seats at every table.

    Bradley & Terry 1952, Biometrika 39, 324-345, a tie counting half a win for both; a pair at a table of k
    has the weight 1 / (k - 1); seats of one entrant are not compared with each other. A Gaussian prior with a
    sd of 700 Elo keeps perfect scores finite. Errors are the cluster sandwich.

    Where one entrant or set always beat the rest, clusters agree and the sandwich would say that the
    difference is known exactly, while it is only known to be large: there the errors also hold the curvature
    of likelihood and prior.

    Args:
        luck_weight: wins that a point of luck more than the other seat's is worth. The outcome of a pair is
            lowered by weight * (luck - luck of the other), whose expectation is 0, and one Newton step from
            the plain fit gives the ratings; errors come from the adjusted outcomes. Placings themselves stay
            as they are.

    Returns:
        One rating for every entrant. One entrant, or one without a game: 1500 with an infinite interval. All
        ties: 1500, with an error of 0 once there are 30 blocks that agree. Groups that never met are rated
        each around 1500, and told apart by `group`.
    """
    check_entrants(results, entrants)
    wins, rated = _wins(results, entrants)
    counted = results.per_cluster.count(rated, entrants)
    blocks = observed(results, counted)
    strength, covariance = _estimate(results, wins, blocks, luck_weight)
    fit = _on_the_elo_scale(strength, covariance, wins, blocks, results, counted)
    said = np.isin(np.arange(entrants), results.apart)
    return replace(fit, provisional=np.where(said, blocks, counted) < ESTABLISHED)


def _estimate(results: Results, wins: Floats, blocks: Ints, luck_weight: float) -> tuple[Floats, Floats]:
    """Estimate strengths (mean 0) and their covariance, in units of strength.

    Args:
        wins: (entrants, entrants) weighted wins of the row's entrant over the column's.
        blocks: clusters in which each entrant was rated.
        luck_weight: as in `bradley_terry`.
    """
    entrants = len(wins)
    strength, curvature = _strengths(wins)
    bread, chance = inverse(curvature), expected(strength)
    weight = luck_weight if results.luck is not None else 0.0

    def surprise(games: Results) -> Floats:
        plain = _surprise(games, chance)
        return plain - weight * _lucky_wins(games) if weight else plain

    if weight:
        lucky = results.by_entrant(lambda games: weight * _lucky_wins(games), entrants)
        strength = strength - bread @ lucky
    covariance = sandwich(bread, scatter(results, surprise, entrants), blocks)
    return strength, covariance + _open_sides(wins, curvature)


def _on_the_elo_scale(
    strength: Floats, covariance: Floats, wins: Floats, blocks: Ints, results: Results, counted: Ints
) -> Ratings:
    """Turn strengths into Elo ratings with intervals, around 1500."""
    won, lost = wins.sum(axis=1) > 0, wins.sum(axis=0) > 0
    perfect, group = won.astype(np.int8) - lost.astype(np.int8), components((wins + wins.T) > 0)
    weight = np.where(perfect == 0, share_of_mean(results, counted), 0.0)
    strength, covariance = above_mean(weight, group, strength, covariance)
    elo, covariance = CENTRE + ELO * strength, ELO**2 * covariance
    planned = planned_for(results, counted, blocks)
    low, high = interval(elo, standard_error(covariance), blocks - 1, planned)
    return Ratings(elo, low, high, covariance, perfect, group, blocks, blocks < ESTABLISHED, planned)


def _open_sides(wins: Floats, curvature: Floats) -> Floats:
    """Return the covariance of shifts of the sets between which all wins went one way.

    A set is connected by its games. Without a prior such a shift would have no greatest likelihood (Ford
    1957, American Mathematical Monthly 64, 28-33).
    """
    side = members(components(wins > 0))
    return side @ inverse(side.T @ curvature @ side) @ side.T


def _wins(results: Results, entrants: int) -> tuple[Floats, Flags]:
    """Count the weighted wins of the row's entrant over the column's, a tie as half; and who is rated.

    Returns:
        (entrants, entrants) wins; (games, seats) whether the seat was compared with another one.
    """
    wins, rated = np.zeros(entrants * entrants), np.zeros(results.entrant.shape, bool)
    for pairing in pairings(results):
        won = outcome(results, pairing) * pairing.weight
        wins += np.bincount(pairing.one * entrants + pairing.two, won, minlength=len(wins))
        wins += np.bincount(pairing.two * entrants + pairing.one, pairing.weight - won, minlength=len(wins))
        for seat in pairing.seats:
            rated[pairing.games, seat] = True
    return wins.reshape(entrants, entrants), rated


def _strengths(wins: Floats) -> tuple[Floats, Floats]:
    """Find the strengths of greatest posterior density by Newton's method, and the curvature there.

    400 Elo are ln 10 units of strength; the mean is 0.
    """
    games, prior = wins + wins.T, (ELO / PRIOR_ELO) ** 2
    strength = np.zeros(len(wins))
    for _ in range(NEWTON_STEPS):
        chance = expected(strength)
        slope = (wins - games * chance).sum(axis=1) - prior * strength
        weight = games * chance * (1 - chance)
        curvature = np.diag(weight.sum(axis=1) + prior) - weight
        step = np.linalg.solve(curvature, slope)
        now = _loss(strength, wins, prior)
        while _loss(strength + step, wins, prior) > now * (1 + 1e-12):
            step /= 2
        strength = strength + step
        if np.abs(step).max() < NEWTON_SMALL:
            return strength - strength.mean(), curvature
    raise LeagueError(
        f"ratings of {len(wins)} entrants do not converge in {NEWTON_STEPS} steps: check the results"
    )


def expected(strength: Floats) -> Floats:
    """(entrants, entrants) chance of the row's entrant to finish before the column's."""
    return 1 / (1 + np.exp(strength - strength[:, None]))


def _loss(strength: Floats, wins: Floats, prior: float) -> float:
    """Negative log posterior density."""
    return float(
        (wins * np.logaddexp(0, strength - strength[:, None])).sum() + prior * (strength**2).sum() / 2
    )


def _surprise(results: Results, chance: Floats) -> Floats:
    """(games, seats) weighted outcomes less their chances, summed over a seat's pairs."""
    surprise = np.zeros(results.entrant.shape)
    for pairing in pairings(results):
        more = pairing.weight * (outcome(results, pairing) - chance[pairing.one, pairing.two])
        surprise[pairing.games, pairing.seats[0]] += more
        surprise[pairing.games, pairing.seats[1]] -= more
    return surprise


def _lucky_wins(results: Results) -> Floats:
    """(games, seats) weighted luck less the other's, summed over a seat's pairs."""
    total = np.zeros(results.entrant.shape)
    assert results.luck is not None
    for pairing in pairings(results):
        a, b = (results.luck[pairing.games, seat] for seat in pairing.seats)
        total[pairing.games, pairing.seats[0]] += pairing.weight * (a - b)
        total[pairing.games, pairing.seats[1]] -= pairing.weight * (a - b)
    return total
