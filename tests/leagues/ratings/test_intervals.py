"""Error bars: Student's t against printed tables, Holm's adjustment by hand, scatter against a plain sum."""

import numpy as np
import pytest

from leagues.ratings.intervals import holm, scatter, t_cdf, t_quantile

from .made import league

PRINTED = [  # degrees of freedom, 0.95, 0.975, 0.995 quantiles as printed in statistical tables
    (1, [6.314, 12.706, 63.657]),
    (5, [2.015, 2.571, 4.032]),
    (29, [1.699, 2.045, 2.756]),
    (120, [1.658, 1.980, 2.617]),
    (10**9, [1.645, 1.960, 2.576]),  # the normal distribution
]


@pytest.mark.parametrize("df, quantiles", PRINTED)
def test_quantiles_are_the_printed_ones(df, quantiles):
    assert [round(float(t_quantile(p, df)), 3) for p in (0.95, 0.975, 0.995)] == quantiles
    assert t_cdf(t_quantile(0.975, df), df) == pytest.approx(0.975)


def test_without_degrees_of_freedom_nothing_is_known():
    assert np.isposinf(t_quantile(0.975, [0, -1])).all()
    assert (t_cdf([-3, 0, 3], 0) == 0.5).all()
    assert t_cdf([-np.inf, np.inf], 5).tolist() == [0, 1]


def test_holm_multiplies_the_smallest_by_all_and_never_falls():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.9])).tolist() == [1, 1]
    np.testing.assert_array_equal(
        holm(np.array([[np.nan, 0.02], [0.04, np.nan]])), [[np.nan, 0.04], [0.04, np.nan]]
    )


@pytest.mark.parametrize("common", [False, True])
def test_scatter_is_the_sum_over_clusters_of_squares_around_the_mean(common):
    results = league(np.random.default_rng(2), np.linspace(-1, 1, 6), lineups=8, blocks=10, common=common)
    residual = np.random.default_rng(3).standard_normal(results.score.shape)
    sums = np.zeros((results.block.max() + 1, 6))
    np.add.at(sums, (results.block[:, None], results.entrant), residual)
    sums -= sums.mean(axis=0)
    np.testing.assert_allclose(scatter(results, lambda _: residual, 6), sums.T @ sums)
