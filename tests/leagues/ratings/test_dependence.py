"""Bots whose processes die: error bars by deal where a death costs one game, by match where it costs all of
them.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import combine_pvalues, f, f_oneway

from leagues.ratings.dependence import as_it_depends, stretch_dependence
from leagues.ratings.elo import bradley_terry
from leagues.ratings.results import Results
from leagues.ratings.rows import RatedBot, rating_table
from leagues.ratings.scores import mean_scores

from .made import league, rotations

STRENGTH = np.array([0.5, 0.2, -0.2, -0.5])
CRASHES = 0  # the entrant whose process dies
MOODY = 2
SIZES = pytest.mark.parametrize("size", [3, pytest.param(1, marks=pytest.mark.soak)], ids=["third", "whole"])
"""A third of the leagues at every run, all of them in the soak."""


def holds(share, leagues):
    """Whether 95 % intervals hold as often as they say, within three standard errors of so many leagues."""
    return (abs(share - 0.95) <= 3 * np.sqrt(0.95 * 0.05 / leagues) + 0.005).all()


def crashing(rng, stretches, death, whole, deals=16):
    """Four bots at tables of four; the first one's process dies in some matches (a rotation of a stretch).

    With `whole` a death costs all games of the match, else the game in which it happened, and it may come
    again.
    """
    blocks = stretches * deals
    entrant = rotations(rng.permuted(np.tile(np.arange(4), (blocks, 1)), axis=1))
    score = STRENGTH[entrant] + rng.standard_normal((blocks, 1, 4)) / 2 + rng.standard_normal((blocks, 4, 4))
    if whole:
        dead = np.repeat(rng.random((stretches, 4)) < death, deals, axis=0)
    else:
        deaths = rng.poisson(-np.log(1 - death), (stretches, 4))
        dead = (rng.random((stretches, deals, 4)).argsort(axis=1) < deaths[:, None]).reshape(blocks, 4)
    lost = dead[:, :, None] & (entrant == CRASHES)
    score = np.where(lost, score.min(axis=2, keepdims=True), score).reshape(-1, 4)
    return in_matches(entrant, score, np.where(lost.reshape(-1, 4), -np.inf, score), deals)


def in_matches(entrant, score, ranking, deals):
    """Results of blocks of four games, in stretches of so many; a match is a rotation of a stretch."""
    block = np.repeat(np.arange(len(entrant)), 4)
    match = block // deals * 4 + np.tile(np.arange(4), len(entrant))
    tables = (table.reshape(-1, 4) for table in (entrant, score, ranking))
    entrant, score, ranking = tables
    return Results(entrant, score, block, ranking, block // deals, match=match)


def moody(rng, stretches, mood, deals=50):
    """Four bots at tables of four whose scores hold luck of the seat; the third one draws a mood per match."""
    blocks = stretches * deals
    entrant = rotations(rng.permuted(np.tile(np.arange(4), (blocks, 1)), axis=1))
    luck, noise = rng.standard_normal((blocks, 1, 4)), 0.6 * rng.standard_normal((blocks, 4, 4))
    moods = np.repeat(mood * rng.standard_normal((stretches, 4)), deals, axis=0)
    score = STRENGTH[entrant] + luck + noise + moods[:, :, None] * (entrant == MOODY)
    return in_matches(entrant, score, score, deals)


def as_rated(results):
    """By stretch where blocks depend on each other, else by block."""
    return as_it_depends(results, 4)


def coverage(make, stretches, leagues, seed):
    """Per bot the share of true values inside the 95 % intervals of Elo and of the mean score.

    `make(rng, stretches)` plays a league.
    """
    rng = np.random.default_rng(seed)
    large = [make(rng, 300) for _ in range(10)]
    elo = np.mean([bradley_terry(results, 4).elo for results in large], axis=0)
    score = np.mean([mean_scores(results, 4).mean for results in large], axis=0)
    inside = np.zeros((2, 4))
    for _ in range(leagues):
        results = as_rated(make(rng, stretches))
        rating, mean = bradley_terry(results, 4), mean_scores(results, 4)
        calm = ~np.isin(np.arange(4), results.apart)
        true = 1500 + elo - elo[calm].mean()  # 1500 is the mean of those that do not depend on the match
        inside[0] += (rating.elo_low <= true) & (true <= rating.elo_high)
        inside[1] += (mean.score_low <= score) & (score <= mean.score_high)
    return inside / leagues


@pytest.mark.parametrize("death", [pytest.param(0.05, marks=pytest.mark.soak), 0.17])
@SIZES
@pytest.mark.parametrize("whole, games, matches, seed", [(False, 500, 16, 3), (True, 300, 62, 4)])
def test_intervals_hold_where_a_death_costs_a_game_or_a_match(death, size, whole, games, matches, seed):
    leagues = games // size
    share = coverage(partial(crashing, death=death, whole=whole), matches, leagues=leagues, seed=seed)
    assert holds(share, leagues), share


@pytest.mark.soak
@pytest.mark.parametrize("mood", [0.0, 0.5])
@SIZES
def test_intervals_of_all_bots_hold_in_four_stretches_without_moods_and_with_strong_ones(mood, size):
    leagues = 400 // size
    share = coverage(partial(moody, mood=mood), 4, leagues=leagues, seed=9)
    assert holds(share, leagues), share


def alarms(make, leagues, seed):
    """The share of leagues whose blocks are called dependent."""
    rng = np.random.default_rng(seed)
    return np.mean([bool(stretch_dependence(make(rng), 6).entrants) for _ in range(leagues)])


@SIZES
def test_independent_games_are_called_dependent_in_at_most_1_percent_of_leagues(size):
    def many_line_ups(rng):
        results = league(rng, np.linspace(-1, 1, 6), lineups=12, blocks=8)
        return results.independent(results.block // 4)

    for make in (many_line_ups, *(partial(moody, stretches=number, mood=0.0) for number in (4, 13))):
        assert alarms(make, 300 // size, seed=6) <= 0.01 + 2 * np.sqrt(0.01 * 0.99 / 300 * size)


def test_a_mood_per_match_is_found_far_more_often_when_matches_are_known():
    def without_matches(rng):
        results = moody(rng, 4, 0.3)
        return Results(results.entrant, results.score, results.block, None, results.stretch)

    assert alarms(partial(moody, stretches=4, mood=0.3), 70, seed=7) > 0.9
    assert alarms(without_matches, 70, seed=7) < 0.7


def test_p_values_are_those_of_two_textbook_tests_joined():
    rng = np.random.default_rng(10)
    results = moody(rng, 4, 0.05, deals=10)
    centred = results.score - results.score.mean(axis=1, keepdims=True)
    luck = np.stack([centred[results.block == block].mean(axis=0) for block in range(40)])
    points, fair = np.zeros((2, 40, 4, 4))  # block, rotation, entrant
    where = results.block[:, None], results.match[:, None] % 4, results.entrant
    points[where], fair[where] = centred, centred - luck[results.block]
    by_stretch = f_oneway(*points.sum(axis=1).reshape(4, 10, 4))
    cells = (fair - fair.mean(axis=1, keepdims=True)).reshape(4, 10, 4, 4)  # stretch, deal, rotation, entrant
    between = 10 * (cells.mean(axis=1) ** 2).sum(axis=(0, 1)) / 12
    within = ((cells - cells.mean(axis=1, keepdims=True)) ** 2).sum(axis=(0, 1, 2)) / 108
    by_match = f.sf(between / within, 12, 108)
    joined = [combine_pvalues(pair).pvalue for pair in zip(by_stretch.pvalue, by_match, strict=True)]
    assert stretch_dependence(results, 4).p == pytest.approx(min(1, 8 * min(joined)), rel=1e-9)
    assert 8 * min(joined) < 1


def test_few_forfeits_tell_nothing_and_many_in_one_stretch_do():
    results = crashing(np.random.default_rng(11), 62, 0.0, False)
    for lost, found in (([0, 1, 500], False), (range(16), True)):
        ranking = results.ranking.copy()
        games = np.isin(np.arange(len(ranking)), np.array(lost) * 4)
        ranking[(results.entrant == CRASHES) & games[:, None]] = -np.inf
        faulty = replace(results, rank_score=ranking)
        assert bool(stretch_dependence(faulty, 4).entrants) == found


def test_a_lost_match_is_told_where_there_are_too_few_to_test():
    rng = np.random.default_rng(8)
    results = crashing(rng, 1, 0.0, False)
    ranking = results.ranking.copy()
    ranking[(results.entrant == 3) & (np.arange(len(ranking)) % 4 == 0)[:, None]] = -np.inf
    lost = Results(results.entrant, results.score, results.block, ranking, results.stretch)
    assert stretch_dependence(lost, 4).untested == (3,) and not stretch_dependence(lost, 4).entrants
    assert not stretch_dependence(results, 4).untested


def test_a_newcomer_without_a_game_changes_no_rating_of_those_who_depend_on_their_matches():
    results = moody(np.random.default_rng(3), 8, 3.0)
    judged = as_it_depends(results, 4)
    assert judged.by_match == (MOODY,)
    for rate, shown in ((mean_scores, "error"), (bradley_terry, "elo_high")):
        before, after = (getattr(rate(judged, entrants), shown) for entrants in (4, 5))
        assert np.allclose(before, after[:4])


def test_no_row_of_a_watched_league_lacks_an_interval_with_or_without_moods():
    names, rng = [RatedBot(name, 1) for name in "abcd"], np.random.default_rng(11)
    for mood in [0.0] * 30 + [1.0] * 5:
        table = rating_table(moody(rng, 13, mood, deals=16).watched(13 * 16.0), names)
        assert all(row.elo_low is not None and row.score_low is not None for row in table.rows)


def test_a_league_too_small_for_the_test_is_not_said_to_depend_on_the_match():
    assert stretch_dependence(moody(np.random.default_rng(1), 3, 5.0, deals=3), 4).entrants == ()
    assert MOODY in stretch_dependence(moody(np.random.default_rng(1), 3, 5.0, deals=16), 4).entrants


def test_a_bot_whose_matches_are_counted_though_nothing_is_sure_is_named():
    names, doubtful = [RatedBot(name, 1) for name in "abcd"], 0
    for seed in range(12):
        games = moody(np.random.default_rng(seed), 1, 0.0, deals=25)
        found = ", ".join(f"{names[i].bot}@1" for i in stretch_dependence(games, 4).doubtful)
        notes, told = rating_table(games, names).notes, f"results of {found} may depend on the match"
        assert any(note.startswith(told) for note in notes) == bool(found)
        doubtful += bool(found)
    assert 0 < doubtful < 12
