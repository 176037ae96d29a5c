"""How often the intervals hold in simulated leagues; the sequential test: its formula, and how often it errs, also with
rare and huge losses.
"""

from dataclasses import replace
from math import ceil, exp, log, sqrt

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings.elo import ELO, bradley_terry
from leagues.ratings.intervals import above_mean, error_of_difference, standard_error
from leagues.ratings.scores import least_squares_scores
from leagues.ratings.sequential import SequentialTest, gsprt

from ..simulated import joined
from .made import league

LEAGUES = {  # what `league` plays
    "10 common deals": {"lineups": 14, "blocks": 10, "common": True},
    "40 common deals": {"lineups": 14, "blocks": 40, "common": True},
    "10 own deals": {"lineups": 10, "blocks": 1},
    "40 own deals": {"lineups": 40, "blocks": 1},
}


def covered(play, leagues, seed):
    """Shares of true ratings and scores in their 95 % intervals; `play(rng)` gives strengths and results."""
    rng, inside = np.random.default_rng(seed), []
    for _ in range(leagues):
        strength, results = play(rng)
        elo, score = bradley_terry(results, len(strength)), least_squares_scores(results, len(strength))
        true = strength - np.average(strength, weights=elo.blocks)
        ends = ((elo.elo_low - 1500) / ELO, (elo.elo_high - 1500) / ELO), (score.score_low, score.score_high)
        inside.append([(low <= true) & (true <= high) for low, high in ends])
    return np.mean(inside, axis=0)


def season(rng, newcomers, settled, blocks):
    """Strengths and results of four bots in many blocks, then of newcomers in a few with three of them."""
    strength = np.append([0.6, 0.2, -0.2, -0.6], rng.normal(0, 0.5, newcomers))
    results = league(rng, strength[:4], lineups=1, blocks=settled)
    for new in range(4, 4 + newcomers):
        who = np.append(rng.permutation(4)[:3], new)
        games = league(rng, strength[who], lineups=1, blocks=blocks)
        games = replace(games, entrant=who[games.entrant], block=games.block + results.block.max() + 1)
        results = joined(results, games)
    return strength, results


@pytest.mark.parametrize("leagues", [200, pytest.param(2_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak if name[0] == "4" else ()) for name in LEAGUES]
)
def test_95_percent_intervals_hold_in_95_percent(name, leagues):
    strength = np.linspace(-0.8, 0.8, 6)
    share = covered(lambda rng: (strength, league(rng, strength, **LEAGUES[name])), leagues, seed=4)
    assert (np.abs(share.mean(axis=1) - 0.95) < 0.02).all(), share


def test_intervals_of_settled_bots_and_newcomers_hold_in_95_percent():
    share = covered(lambda rng: season(rng, 3, settled=100, blocks=12), 200, seed=5)
    assert (np.abs(share.mean(axis=0) - 0.95) < 0.03).all(), share


@pytest.mark.parametrize("newcomers", [1, 3, 12])
def test_newcomers_hardly_move_or_widen_the_numbers_of_settled_bots(newcomers):
    rng, changes = np.random.default_rng(3), []
    for _ in range(20):
        results = season(rng, newcomers, settled=400, blocks=4)[1]
        for table in (bradley_terry, least_squares_scores):
            before, after = table(results.of_blocks(np.arange(400)), 4), table(results, 4 + newcomers)
            error, now = standard_error(before.covariance), standard_error(after.covariance)[:4]
            changes.append([now / error - 1, np.abs(after.value[:4] - before.value) / error])
    wider, moved = np.mean(changes, axis=(0, 2))
    assert wider < 0.05 and moved < 0.5, (wider, moved)


def test_what_the_mean_is_changes_no_difference_and_no_error_of_one():
    rng = np.random.default_rng(6)
    half, estimate = rng.standard_normal((5, 5)), rng.standard_normal(5)
    for weight in (np.ones(5), np.array([1, 0.5, 0, 0.1, 0]), np.zeros(5)):
        centred, covariance = above_mean(weight, np.zeros(5, np.int64), estimate, half @ half.T)
        assert np.average(centred, weights=weight if weight.any() else None) == pytest.approx(0)
        assert np.diff(centred) == pytest.approx(np.diff(estimate))
        assert error_of_difference(covariance) == pytest.approx(error_of_difference(half @ half.T))


def test_common_deals_make_the_error_bars_longer_where_bots_like_deals():
    rng, width = np.random.default_rng(9), []
    for common in (False, True):
        results = league(rng, np.zeros(6), lineups=30, blocks=40, common=common, liking=0.4)
        rating = bradley_terry(results, 6)
        width.append((rating.elo_high - rating.elo_low).mean())
    assert width[1] > 1.2 * width[0]


@pytest.mark.parametrize("leagues", [250, pytest.param(1_000, marks=pytest.mark.soak)])
def test_two_copies_of_one_bot_are_told_apart_in_5_percent_of_leagues(leagues):
    rng, strength, apart = np.random.default_rng(12), [0.5, 0.5, 0.0, -0.5, -0.5], 0
    for _ in range(leagues):
        rating = bradley_terry(league(rng, strength, lineups=15, blocks=6, bot=[0, 0, 1, 2, 3]), 5)
        variance = rating.covariance[0, 0] + rating.covariance[1, 1] - 2 * rating.covariance[0, 1]
        apart += abs(rating.elo[0] - rating.elo[1]) > 1.96 * sqrt(variance)
    assert abs(apart / leagues - 0.05) <= 2 * sqrt(0.05 * 0.95 / leagues)


SOON = SequentialTest(0, 0.5, rare=0.1)  # decides from 32 blocks on


def test_the_sequential_test_follows_its_formula_between_the_bounds_of_wald():
    sample = np.tile([1.3, -0.7], 50)  # mean 0.3, sd 1, no skewness
    verdict = gsprt(sample, SOON)
    assert verdict.llr == pytest.approx(50 * log(1.09 / 1.04)) and verdict.decision == "continue"
    assert (verdict.lower, verdict.upper) == pytest.approx((-log(19), log(19)))
    assert verdict.effect == pytest.approx(0.3)
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
