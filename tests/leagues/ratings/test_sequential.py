"""The sequential test: its formula, and how often it errs."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import gsprt


def test_the_sequential_test_follows_its_formula_between_the_bounds_of_wald():
    sample = np.tile([1.3, -0.7], 50)  # mean 0.3, sd 1
    verdict = gsprt(sample, 0, 0.5)
    assert verdict.llr == pytest.approx(50 * log(1.09 / 1.04)) and verdict.decision == "continue"
    assert (verdict.lower, verdict.upper) == pytest.approx((-log(19), log(19)))
    assert verdict.effect == pytest.approx(0.3) and verdict.blocks == 100
    assert gsprt(np.tile(sample, 2), 0, 0.5).decision == "H1"  # 4.7 > 2.94
    assert gsprt(-sample, 0, 0.5).decision == "H0"
    assert gsprt(sample, 0, 0.5, alpha=0.2).decision == "H1"  # ln 4.75 = 1.56
    assert gsprt(sample[::-1], 0, 0.5) == verdict


def test_the_sequential_test_does_not_decide_on_few_blocks_or_few_that_differ():
    assert gsprt(np.tile([1.3, 0.7], 15), 0, 0.5).decision == "continue"
    assert gsprt(np.tile([1.3, 0.7], 16), 0, 0.5).decision == "H1"
    assert gsprt(np.zeros(10_000)).decision == "continue"
    assert gsprt(np.zeros(0)).decision == "continue"
    assert gsprt(np.r_[np.zeros(10_000), np.tile([1.0, -1.0], 7)]).decision == "continue"


def test_a_clearer_difference_never_speaks_less_for_it():
    llrs = [gsprt(np.tile([1 + mean, mean - 1], 50)).llr for mean in np.linspace(-9, 9, 181)]
    assert (np.diff(llrs) >= 0).all() and llrs[-1] == pytest.approx(-llrs[0])
    assert gsprt(np.full(100, 3.0)).decision == "H1" and gsprt(np.full(100, 3.0)).effect == np.inf


@pytest.mark.parametrize("change", [{"t1": 0}, {"alpha": 0}, {"alpha": 0.6, "beta": 0.5}, {"differences": np.array([np.inf])}])
def test_a_sequential_test_that_makes_no_sense_is_refused(change):
    with pytest.raises(LeagueError, match="sequential test"):
        gsprt(**{"differences": np.arange(9.0), **change})


@pytest.mark.parametrize("truth, wrong", [(0.0, "H1"), (0.3, "H0")])
def test_the_gate_errs_in_at_most_some_5_percent(truth, wrong):
    rng = np.random.default_rng(8)
    decisions = [decide(rng.standard_normal(3_000) + truth) for _ in range(2_000)]
    assert "continue" not in decisions
    assert 0.03 - 0.015 * (truth > 0) <= decisions.count(wrong) / 2_000 <= 0.07


def decide(sample):
    """The gate's decision on this sample for an effect of 0.3, looking after every fourth block."""
    for size in range(16, len(sample), 4):
        verdict = gsprt(sample[:size], 0, 0.3, least=16, moved=0)
        if verdict.decision != "continue":
            return verdict.decision
    return "continue"
