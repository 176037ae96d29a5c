"""Student's t against printed tables and closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from leagues import student
from leagues.errors import LeagueError
from leagues.student import t_cdf, t_quantile, t_tail

PRINTED = [  # degrees of freedom, 0.95, 0.975, 0.995 quantiles as printed in statistical tables
    (1, [6.314, 12.706, 63.657]),
    (2, [2.920, 4.303, 9.925]),
    (3, [2.353, 3.182, 5.841]),
    (5, [2.015, 2.571, 4.032]),
    (9, [1.833, 2.262, 3.250]),
    (10, [1.812, 2.228, 3.169]),
    (29, [1.699, 2.045, 2.756]),
    (40, [1.684, 2.021, 2.704]),
    (120, [1.658, 1.980, 2.617]),
    (10**9, [1.645, 1.960, 2.576]),  # the normal distribution
]
AT = np.array([1e-9, 0.01, 0.5, 1.0, 1.7, 3.0, 40.0, 1e6])
CLOSED = {  # upper tails for a whole number of degrees of freedom, by integration
    1: lambda t: np.arctan(1 / t) / np.pi,
    2: lambda t: 1 / (np.sqrt(2 + t * t) * (np.sqrt(2 + t * t) + t)),
    3: lambda t: (np.arctan(np.sqrt(3) / t) - np.sqrt(3) * t / (3 + t * t)) / np.pi,
    4: lambda t: 0.5 - t * (t * t + 6) / (2 * (4 + t * t) ** 1.5),
}


@pytest.mark.parametrize("df, quantiles", PRINTED)
def test_quantiles_are_the_printed_ones(df, quantiles):
    assert [round(float(t_quantile(p, df)), 3) for p in (0.95, 0.975, 0.995)] == quantiles


@pytest.mark.parametrize("df", CLOSED)
def test_tail_is_the_integral_of_the_density(df):
    at = AT[:7] if df >= 3 else AT  # the closed forms cancel far out
    np.testing.assert_allclose(t_tail(at, df), CLOSED[df](at), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(t_cdf(-at, df), CLOSED[df](at), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(t_cdf(at, df), 1 - CLOSED[df](at), rtol=1e-12)


@pytest.mark.parametrize("df", [1, 2.5, 7, 333, 100_000])
@pytest.mark.parametrize("p", [0.5, 0.6, 0.975, 1 - 1e-9])
def test_quantile_undoes_the_distribution(df, p):
    assert t_cdf(t_quantile(p, df), df) == pytest.approx(p, abs=1e-13)


def test_many_degrees_of_freedom_come_near_the_normal_distribution_as_fast_as_they_should():
    normal = 1.959963984540054
    for df in (10**4, 10**5, 10**6):  # first term of the Cornish-Fisher expansion
        assert t_quantile(0.975, df) - normal == pytest.approx((normal**3 + normal) / (4 * df), rel=1e-3)


def test_without_degrees_of_freedom_nothing_is_known():
    assert np.isposinf(t_quantile(0.975, [0, -1])).all()
    assert (t_cdf([-3, 0, 3], 0) == 0.5).all()
    assert t_cdf([-np.inf, np.inf], 5).tolist() == [0, 1]


def test_a_quantile_below_the_median_is_refused():
    with pytest.raises(LeagueError, match="quantile wanted at p"):
        t_quantile(0.025, 5)


def test_no_convergence_is_an_error(monkeypatch):
    monkeypatch.setattr(student, "STEPS", 3)
    with pytest.raises(LeagueError, match="no convergence"):
        t_cdf(1.5, 50)
