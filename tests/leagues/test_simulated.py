"""Verdicts in simulated leagues: what `python -m benchmarks.verdicts` measures, at small size."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import verdicts


def shares(lines: list[verdicts.Line]) -> dict[str, float]:
    """What was found, by what it says."""
    return {one.said: one.share for one in lines}


def test_a_bot_that_differs_between_processes_is_found_though_no_line_up_has_two_stretches() -> None:
    found = shares(verdicts.mood(12, seed=1))
    assert found["the mood is found"] > 0.9 and found["its interval holds"] > 0.7
    assert found["the others' intervals hold"] > 0.9
    assert shares(verdicts.mood(12, seed=2, sd=0.0))["the mood is found"] == 0


def test_it_widens_no_comparison_of_the_others() -> None:
    found = shares(verdicts.mood(12, seed=3, bots=4, sd=150.0))
    assert found["the mood is found"] == 1
    assert found["the others' errors of differences / by deal"] == pytest.approx(1, abs=0.02)


@pytest.mark.soak
@pytest.mark.parametrize("sd", [0.0, 80.0, 150.0])
def test_intervals_hold_in_many_leagues_with_such_a_bot(sd: float) -> None:
    found = shares(verdicts.mood(400, seed=4, sd=sd))
    assert found["the others' intervals hold"] > 0.93
    assert found["its interval holds"] > 0.92 and np.isclose(found["the mood is found"], sd > 0, atol=0.02)
