"""When a comparison of two bots may stop: a sequential test on block differences.

Not here: playing the blocks, and what is known of a whole table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import LeagueError
from .results import Floats


@dataclass(frozen=True)
class Verdict:
    """Where a sequential test stands. `decision` is "H0", "H1" or "continue".

    `mean` is an estimate after a stop that depends on it: when H1 was accepted at an effect of t1 it is about
    1.2-1.3 times too large.
    """

    decision: str
    llr: float  # log likelihood ratio of H1 to H0
    lower: float  # H0 is accepted at or below this
    upper: float  # H1 is accepted at or above this
    blocks: int
    mean: float  # of the differences, in their units
    effect: float  # mean / sd of one block; infinite where all differences are equal and not 0


def gsprt(
    differences: Floats,
    t0: float = 0.0,
    t1: float = 0.1,
    alpha: float = 0.05,
    beta: float = 0.05,
    *,
    least: int = 32,
    moved: int = 16,
) -> Verdict:
    """Test block differences one after the other: is their mean t0 or t1 standard deviations of one block.

    The generalised sequential probability ratio test for a t value,
    llr = n/2 ln((1 + (t - t0)^2) / (1 + (t - t1)^2)), between the bounds of Wald. Look at it after whole batches of
    blocks, as often as you like.

    The ratio falls again where t is more than about 1 away from both hypotheses (a t of 5 fits neither), which would
    keep the clearest cases waiting; there it is held at its greatest value, so that a larger t never speaks less for
    H1.

    It trusts that losses are not rare and huge: a bot that gains a little in most blocks and loses 23 sds in 2 % of
    them passes in about a quarter of tests at t1 = 0.1.

    Args:
        differences: (blocks,) score differences per block.
        t0: mean / sd under H0.
        t1: mean / sd under H1, above t0.
        alpha: chance to accept H1 when H0 holds.
        beta: chance to accept H0 when H1 holds.
        least: no decision with fewer blocks ...
        moved: ... or with fewer blocks that are not 0 (near twins play most blocks alike).

    Raises:
        LeagueError: t1 <= t0, alpha and beta that are no error rates, differences that are not finite.
    """
    values = np.sort(np.asarray(differences, np.float64))
    if values.ndim != 1 or not np.isfinite(values).all():
        raise LeagueError("a sequential test needs a plain list of finite block differences")
    if not (t0 < t1 and alpha > 0 and beta > 0 and alpha + beta < 1):
        raise LeagueError(f"sequential test with t0 {t0}, t1 {t1}, alpha {alpha}, beta {beta}: needs t0 < t1, alpha + beta < 1")
    mean, effect = _effect(values)
    reach = float(np.hypot(1, (t1 - t0) / 2))  # the ratio is greatest this far from the middle of t0 and t1
    t = min(max(effect, (t0 + t1) / 2 - reach), (t0 + t1) / 2 + reach)
    llr = len(values) / 2 * float(np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2)))
    lower, upper = float(np.log(beta / (1 - alpha))), float(np.log((1 - beta) / alpha))
    early = len(values) < least or np.count_nonzero(values) < moved
    decision = "continue" if early or lower < llr < upper else "H1" if llr >= upper else "H0"
    return Verdict(decision, llr, lower, upper, len(values), mean, effect)


def _effect(values: Floats) -> tuple[float, float]:
    """Mean, and mean / sd with the divisor n; (0, 0) for no values."""
    if not values.any():
        return 0.0, 0.0
    mean, sd = float(values.mean()), float(values.std())
    return mean, mean / sd if sd > 0 else float(np.copysign(np.inf, mean))
