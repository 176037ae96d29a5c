"""When a comparison of two bots may stop: a sequential test on block differences.

Not here: playing the blocks (`arena compare`), and what is known of a whole table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import LeagueError
from .results import Floats, Ints

FEWEST = 32  # blocks before any decision
MOVED = 16  # ... of which so many are not 0: near twins play most blocks alike
RARE = 0.02  # share of blocks in which a huge loss may come and still be met before a decision


@dataclass(frozen=True)
class SequentialResult:
    """Where a sequential test stands. `decision` is "H0", "H1" or "continue"."""

    decision: str
    llr: float  # log likelihood ratio of H1 to H0
    lower: float  # H0 is accepted at or below this
    upper: float  # H1 is accepted at or above this
    least: int  # no decision with fewer blocks
    effect: float  # mean / sd of one block; infinite where all differences are equal and not 0
    skewness: float  # of the differences; below 0: losses are rarer and larger than gains


@dataclass(frozen=True)
class SequentialTest:
    """A sequential test: is the mean of block differences t0 or t1 standard deviations of one block.

    Args:
        t0: mean / sd under H0.
        t1: mean / sd under H1, above t0.
        alpha: chance to accept H1 when H0 holds.
        beta: chance to accept H0 when H1 holds.
        rare: losses that come in this share of blocks are met before a decision (but for a chance of alpha).

    Raises:
        LeagueError: t1 <= t0, alpha and beta that are no error rates, a share outside 0 .. 1.
    """

    t0: float = 0.0
    t1: float = 0.1
    alpha: float = 0.05
    beta: float = 0.05
    rare: float = RARE

    def __post_init__(self) -> None:
        rates = self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1
        if not (self.t0 < self.t1 and rates and 0 < self.rare < 1):
            raise LeagueError(
                f"sequential test with t0 {self.t0}, t1 {self.t1}, alpha {self.alpha}, beta {self.beta}, "
                f"rare {self.rare}: needs t0 < t1, alpha + beta < 1, rare between 0 and 1"
            )

    @property
    def least(self) -> int:
        """Count the blocks that any decision needs.

        So many that a loss in `rare` of the blocks stays away with chance alpha.
        """
        return max(FEWEST, int(np.ceil(np.log(self.alpha) / np.log1p(-self.rare))))

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds for the log likelihood ratio: H0 at or below, H1 at or above."""
        return float(np.log(self.beta / (1 - self.alpha))), float(np.log((1 - self.beta) / self.alpha))

    def llr(self, blocks: Ints | int, effect: Floats | float) -> Floats:
        """n/2 ln((1 + (t - t0)^2) / (1 + (t - t1)^2)) for t = mean / sd, held at its greatest values."""
        middle, reach = (self.t0 + self.t1) / 2, float(np.hypot(1, (self.t1 - self.t0) / 2))
        t = np.clip(effect, middle - reach, middle + reach)
        return np.asarray(blocks / 2 * np.log((1 + (t - self.t0) ** 2) / (1 + (t - self.t1) ** 2)))


def gsprt(differences: Floats, gate: SequentialTest = SequentialTest()) -> SequentialResult:
    """Test block differences one after the other.

    The generalised sequential probability ratio test for a t value, between the bounds of Wald. Look at it
    after whole batches of blocks, as often as you like. The ratio falls again where t is more than about 1
    away from both hypotheses (a t of 5 fits neither), which would keep the clearest cases waiting; there it
    is held at its greatest value, so that a larger t never speaks less for H1.

    Losses that are rarer and larger than gains make t too favourable. Against those that have come, t is
    freed of its skewness by Hall's transformation, t + g t^2 / 3 + g^2 t^3 / 27 + g / (6 n) with the skewness
    g (Hall 1992, Journal of the Royal Statistical Society B 54, 221-228). Against those that have not come
    yet only waiting helps: `SequentialTest.least`.

    Args:
        differences: (blocks,) score differences per block.
        gate: hypotheses and error rates.

    Raises:
        LeagueError: differences that are not finite.
    """
    values = np.sort(np.asarray(differences, np.float64))
    if values.ndim != 1 or not np.isfinite(values).all():
        raise LeagueError("a sequential test needs a plain list of finite block differences")
    size, (lower, upper) = len(values), gate.bounds
    effect, skewness = _moments(values)
    llr = float(gate.llr(size, _without_skewness(effect, skewness, size)))
    moved = np.count_nonzero(values)  # 0: copies, between whom nothing will ever differ
    early = size < gate.least or 0 < moved < MOVED
    decision = "continue" if early or lower < llr < upper else "H1" if llr >= upper else "H0"
    return SequentialResult(decision, llr, lower, upper, gate.least, effect, skewness)


def _moments(values: Floats) -> tuple[float, float]:
    """Mean / sd with the divisor n, and skewness; zeros for no values."""
    if not values.any():
        return 0.0, 0.0
    mean, sd = float(values.mean()), float(values.std())
    if sd <= 1e-12 * abs(mean):
        return float(np.copysign(np.inf, mean)), 0.0
    return mean / sd, float((((values - mean) / sd) ** 3).mean())


def _without_skewness(effect: float, skewness: float, size: int) -> float:
    if not np.isfinite(effect) or not size:
        return effect
    return effect + skewness / 3 * effect**2 + skewness**2 / 27 * effect**3 + skewness / (6 * size)
