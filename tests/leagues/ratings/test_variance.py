"""What repeating a deal is worth."""

from __future__ import annotations

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings import deal_correlation


def test_deal_correlation_is_that_of_the_paper():
    judged = [
        [9, 2, 5, 8],
        [6, 1, 3, 2],
        [8, 4, 6, 8],
        [7, 1, 2, 6],
        [10, 5, 6, 9],
        [6, 2, 4, 7],
    ]  # Shrout & Fleiss 1979, table 2
    assert round(deal_correlation(np.array(judged, float)), 2) == 0.17


def test_deal_correlation_is_1_if_the_deal_decides_and_least_if_rotations_cancel():
    assert deal_correlation(np.array([[1.0, 1.0, 1.0], [5.0, 5.0, 5.0]])) == 1
    assert deal_correlation(np.array([[1.0, 2.0, -3.0], [5.0, -1.0, -4.0]])) == pytest.approx(-1 / 2)
    noise = np.random.default_rng(1).standard_normal((20_000, 4))
    assert deal_correlation(noise) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("scores", [np.ones((1, 4)), np.ones((4, 1)), np.ones(4), np.ones((3, 3)), np.full((3, 3), np.nan)])
def test_deal_correlation_of_nothing_is_refused(scores):
    with pytest.raises(LeagueError):
        deal_correlation(scores)
