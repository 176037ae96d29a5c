"""The sequential test: its formula, and how often it errs, also with rare and huge losses."""

from math import ceil, exp, log, sqrt

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import SequentialTest, gsprt

SOON = SequentialTest(0, 0.5, rare=0.1)  # decides from 32 blocks on


def test_the_sequential_test_follows_its_formula_between_the_bounds_of_wald():
    sample = np.tile([1.3, -0.7], 50)  # mean 0.3, sd 1, no skewness
    verdict = gsprt(sample, SOON)
    assert verdict.llr == pytest.approx(50 * log(1.09 / 1.04)) and verdict.decision == "continue"
    assert (verdict.lower, verdict.upper) == pytest.approx((-log(19), log(19)))
    assert verdict.effect == pytest.approx(0.3) and verdict.blocks == 100
    assert gsprt(np.tile(sample, 2), SOON).decision == "H1"  # 4.7 > 2.94
    assert gsprt(-sample, SOON).decision == "H0"
    assert gsprt(sample, SequentialTest(0, 0.5, alpha=0.2, rare=0.1)).decision == "H1"  # ln 4.75 = 1.56
    assert gsprt(sample[::-1], SOON) == verdict


def test_skewness_is_taken_out_by_halls_transformation():
    sample = np.repeat([1.0, -4.0], [90, 10])  # mean 0.5, sd 1.5, skewness -8/3
    verdict = gsprt(sample, SOON)
    assert (verdict.effect, verdict.skewness) == pytest.approx((1 / 3, -8 / 3))
    t = 1 / 3 - 8 / 9 / 9 + 64 / 9 / 27 / 27 - 8 / 3 / 600
    assert verdict.llr == pytest.approx(50 * log((1 + t**2) / (1 + (t - 0.5) ** 2)))
    assert verdict.worst == (-4, -4, -4)


def test_the_sequential_test_waits_for_rare_losses_and_for_blocks_that_differ():
    assert SequentialTest().least == ceil(log(0.05) / log(0.98)) == 149 and SOON.least == 32
    assert gsprt(np.tile([1.3, 0.7], 15), SOON).decision == "continue"
    assert gsprt(np.tile([1.3, 0.7], 16), SOON).decision == "H1"
    assert gsprt(np.tile([1.3, 0.7], 74)).decision == "continue"
    assert gsprt(np.tile([1.3, 0.7], 75)).decision == "H1"
    assert gsprt(np.zeros(500)).decision == "continue" and gsprt(np.zeros(600)).decision == "H0"  # copies
    assert gsprt(np.zeros(0)).decision == "continue"
    assert gsprt(np.r_[np.zeros(10_000), np.tile([1.0, -1.0], 7)]).decision == "continue"


def test_a_clearer_difference_never_speaks_less_for_it():
    llrs = [gsprt(np.tile([1 + mean, mean - 1], 50)).llr for mean in np.linspace(-9, 9, 181)]
    assert (np.diff(llrs) >= 0).all() and llrs[-1] == pytest.approx(-llrs[0])
    assert gsprt(np.full(200, 3.0)).decision == "H1" and gsprt(np.full(200, 3.0)).effect == np.inf


@pytest.mark.parametrize("change", [{"t1": 0}, {"alpha": 0}, {"alpha": 0.6, "beta": 0.5}, {"rare": 0}])
def test_a_sequential_test_that_makes_no_sense_is_refused(change):
    with pytest.raises(LeagueError, match="sequential test with"):
        SequentialTest(**change)


def test_differences_that_are_not_finite_are_refused():
    with pytest.raises(LeagueError, match="finite block differences"):
        gsprt(np.array([1.0, np.inf]))


NOISE = {  # mean 0, sd about 1
    "normal": lambda rng, n: rng.standard_normal(n),
    "heavy tails": lambda rng, n: rng.standard_t(3, n) / sqrt(3),
    "skewed losses": lambda rng, n: (
        -(np.exp(rng.standard_normal(n)) - exp(0.5)) / sqrt((exp(1) - 1) * exp(1))
    ),
    "24 lost in 4 %": lambda rng, n: (np.where(rng.random(n) < 0.04, -24, 1) + rng.standard_normal(n)) / 5,
    "49 lost in 2 %": lambda rng, n: (np.where(rng.random(n) < 0.02, -49, 1) + rng.standard_normal(n)) / 7,
    "most blocks alike": lambda rng, n: np.where(rng.random(n) < 0.1, rng.standard_normal(n), 0) * sqrt(10),
}
REPEATS = 400
MARGIN = 2 * sqrt(0.05 * 0.95 / REPEATS)


def decided(rng, noise, true, gate):
    """How often a test with a look every 16 blocks ends for H0 and for H1."""
    ends = {"H0": 0, "H1": 0}
    for _ in range(REPEATS):
        sample = NOISE[noise](rng, 5_000) + true
        for size in range(16, 5_001, 16):
            if size < gate.least:
                continue
            verdict = gsprt(sample[:size], gate)
            if verdict.decision != "continue":
                ends[verdict.decision] += 1
                break
    return ends["H0"] / REPEATS, ends["H1"] / REPEATS


@pytest.mark.parametrize("noise", NOISE)
def test_the_gate_accepts_what_is_no_better_in_at_most_5_percent_also_with_rare_losses(noise):
    assert decided(np.random.default_rng(8), noise, 0.0, SequentialTest(0, 0.3))[1] <= 0.05 + MARGIN


@pytest.mark.soak
@pytest.mark.parametrize("noise", NOISE)
def test_the_gate_for_small_effects_errs_in_some_5_percent(noise):
    assert decided(np.random.default_rng(8), noise, 0.0, SequentialTest(0, 0.1))[1] <= 0.05 + 2 * MARGIN


@pytest.mark.parametrize("noise", ["normal", "heavy tails"])
def test_the_gate_refuses_what_is_better_in_at_most_5_percent(noise):
    refused, accepted = decided(np.random.default_rng(9), noise, 0.3, SequentialTest(0, 0.3))
    assert refused <= 0.05 + MARGIN and refused + accepted == 1
