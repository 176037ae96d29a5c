"""Comparisons of bots whose processes die: how often they err where blocks of a stretch depend on each other."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from leagues.comparison import BATCH_BLOCKS, Blocks, Question, blocks_of, first_answer
from leagues.ratings import Results

SEATS = 4
LINE_UPS = np.array([[0] * some + [1] * (SEATS - some) for some in range(1, SEATS)])


def played(rng, gain, death, whole=True, stretches=72):
    """Two bots at tables of four, in stretches of 16 blocks whose matches are their rotations.

    The first bot makes `gain` sds of a game more, and its process dies in some matches; a death costs the match
    or, without `whole`, the game in which it happened.
    """
    shape = (stretches, BATCH_BLOCKS, SEATS, SEATS)  # stretch, block, rotation, seat
    line_up = LINE_UPS[np.arange(stretches) % len(LINE_UPS)]
    entrant = np.stack([np.roll(line_up, turn, axis=1) for turn in range(SEATS)], axis=1)[:, None]
    entrant = np.broadcast_to(entrant, shape)
    score = rng.standard_normal(shape) + gain * (entrant == 0)
    dead = rng.random((stretches, 1 if whole else BATCH_BLOCKS, SEATS, 1)) < death
    lost = np.broadcast_to(dead, shape) & (entrant == 0)
    score = np.where(lost, score.min(axis=3, keepdims=True), score)
    block = np.repeat(np.arange(stretches * BATCH_BLOCKS), SEATS)
    tables = (table.reshape(-1, SEATS) for table in (entrant, score, np.where(lost, -np.inf, score)))
    entrant, score, ranking = tables
    match = block // BATCH_BLOCKS * SEATS + np.tile(np.arange(SEATS), len(block) // SEATS)
    return Results(entrant, score, block, ranking, match=match)


def gain_of_equals(death, whole):
    """The gain with which a bot that dies so often makes as many points as the other one."""
    rng = np.random.default_rng(1)
    means = []
    for gain in (0.0, 1.0):
        large = [blocks_of(played(rng, gain, death, whole), 0, 1, False).points.mean() for _ in range(10)]
        means.append(np.mean(large))
    return -means[0] / (means[1] - means[0])


def ends(question, gain, death, whole, repeats, stretches=72):
    """(repeats,) what every comparison came to, and by blocks or by stretches."""
    rng, found = np.random.default_rng(5), []
    looks = range(48, stretches * BATCH_BLOCKS + 1, 48)
    for _ in range(repeats):
        results = played(rng, gain, death, whole, stretches)
        found.append(first_answer(results, 2, blocks_of(results, 0, 1, False), question, looks))
    return found


def accepted(found):
    return np.mean([verdict.decision == "H1" for _, verdict in found])


def margin(repeats):
    return 2 * sqrt(0.05 * 0.95 / repeats)


SMALL = Question("effect", 0.0, 0.1)


def test_where_deaths_cost_matches_no_better_bot_is_accepted_in_at_most_5_percent():
    gain = gain_of_equals(0.17, True)
    found = ends(SMALL, gain, 0.17, True, repeats=50)
    assert accepted(found) <= 0.05 + margin(50) and np.mean([seen.by_stretch for seen, _ in found]) > 0.9


@pytest.mark.soak
@pytest.mark.parametrize("effect", [0.1, 0.3])
@pytest.mark.parametrize("death, whole", [(0.05, True), (0.17, True), (0.17, False), (0.0, True)])
def test_comparisons_with_deaths_err_in_at_most_5_percent(effect, death, whole):
    gain = gain_of_equals(death, whole)
    found = ends(Question("effect", 0.0, effect), gain, death, whole, 200, stretches=150)
    assert accepted(found) <= 0.05 + margin(200)


def test_bots_that_lose_no_matches_are_judged_by_blocks():
    found = ends(Question("effect", 0.0, 0.3), 0.0, 0.0, True, repeats=30)
    assert np.mean([seen.by_stretch for seen, _ in found]) < 0.15
    assert min(len(seen.block) for seen, _ in found) < 200


def test_what_luck_leaves_between_copies_is_no_difference():
    rest = np.random.default_rng(3).standard_normal(320)
    seen = Blocks(np.arange(320), rest, rest / 9, np.zeros(320), False).until(160)
    assert len(seen.block) == 160 and not seen.points.any() and not seen.places.any()


def test_stretches_are_means_of_their_blocks_and_effects_stay_in_sds_of_a_block():
    rng = np.random.default_rng(2)
    points = np.repeat(rng.standard_normal(40), BATCH_BLOCKS) + 0.5  # blocks of a stretch are all alike
    one = Blocks(np.arange(640), points, points / 9, points, False)
    assert replace(one, by_stretch=True).values(SMALL) == pytest.approx(points[::BATCH_BLOCKS])
    noisy = replace(one, points=points + rng.standard_normal(640))
    spread = noisy.points.std() / replace(noisy, by_stretch=True).values(SMALL).std()
    gate = replace(noisy, by_stretch=True).gate(SMALL)
    assert gate.t1 == pytest.approx(0.1 * spread) and gate.least == 32 and noisy.gate(SMALL).least == 149
    assert replace(noisy, by_stretch=True).in_units(gate.t1, SMALL) == pytest.approx(0.1)
