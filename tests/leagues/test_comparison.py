"""Comparing two bots: who sits where, which blocks count, and what a difference of places says in Elo. How
often a comparison errs where processes die, and blocks of a stretch depend on each other.
"""

from collections import Counter
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

from leagues.comparison import (
    BATCH_BLOCKS,
    Blocks,
    Question,
    batches_of,
    blocks_of,
    comparison_schedule,
    differences,
    elo_of_share,
    first_answer,
    gate_in_units,
    share_of_elo,
    whole_batches,
)
from leagues.errors import LeagueError
from leagues.ratings.control import Weights
from leagues.ratings.results import Results
from leagues.ratings.sequential import gsprt


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_both_bots_take_equally_many_seats_in_every_batch(seats):
    for batch in comparison_schedule(seats, 0, 200):
        taken = Counter(bot for plan in batch for bot in plan.line_up)
        assert taken[0] == taken[1] > 0
        assert {plan.line_up.count(0) for plan in batch} == set(range(1, seats))
        # all rotations, own deals
        assert Counter(plan.first_block for plan in batch).most_common()[0][1] == seats


def test_against_a_field_both_play_the_same_deals_in_the_same_company():
    for batch in comparison_schedule(4, 3, 100):
        by_deal: dict[int, set[tuple[int, ...]]] = {}
        for plan in batch:
            by_deal.setdefault(plan.first_block, set()).add(plan.line_up)
        assert all({line[0] for line in lines} == {0, 1} for lines in by_deal.values())
        assert all(len({line[1:] for line in lines}) == 1 for lines in by_deal.values())
        assert {bot for lines in by_deal.values() for line in lines for bot in line} == {0, 1, 2, 3, 4}


def test_a_longer_schedule_begins_with_the_shorter_one():
    assert comparison_schedule(4, 0, 500)[:3] == comparison_schedule(4, 0, 144)
    assert len({plan.number for batch in comparison_schedule(4, 0, 500) for plan in batch}) == 12 * 11
    with pytest.raises(LeagueError, match="1 seats"):
        comparison_schedule(1, 0, 10)


@pytest.mark.parametrize("seats, field", [(2, 0), (4, 0), (2, 3), (3, 4), (4, 3), (4, 9), (6, 7)])
def test_the_batches_of_a_stored_schedule_are_those_that_it_was_made_of(seats, field):
    batches = comparison_schedule(seats, field, 900)
    assert len(batches) > 2 and batches_of([plan for batch in batches for plan in batch]) == batches
    met = Counter(bot for plan in batches[0] for bot in plan.line_up[1:]) if field else Counter()
    assert len(set(met.values())) <= 1  # each bot of the field equally often


def test_only_whole_batches_from_the_first_on_are_looked_at():
    batches = comparison_schedule(2, 0, 64)  # 16 blocks, two matches a batch
    assert list(whole_batches(batches, {0, 1, 2, 3, 6, 7})) == [range(16), range(32)]
    assert list(whole_batches(batches, {1, 2, 3})) == []


def test_differences_are_of_means_per_block_also_where_the_two_do_not_sit_together():
    entrant = np.array([[0, 1], [1, 0], [0, 2], [2, 1], [0, 2]])
    score = np.array([[5, 1], [2, 2], [9, 0], [4, 3], [1, 7]], float)
    results = Results(entrant, score, np.array([0, 0, 1, 1, 2]))
    block, points = differences(results, 0, 1, places=False)
    assert block.tolist() == [0, 1] and points.tolist() == [2, 6]  # block 2 has no bot 1
    assert differences(results, 0, 1, places=True)[1].tolist() == [0.5, 1]


def test_seats_of_the_same_bot_are_not_compared_in_places():
    results = Results(np.array([[0, 0, 1]]), np.array([[9.0, 1.0, 5.0]]), np.array([0]))
    assert differences(results, 0, 1, places=True)[1].tolist() == [0]  # one won, one lost: 1/2 against 1/2


def test_luck_is_taken_out_of_points_and_of_every_outcome():
    entrant, score = np.array([[0, 1], [1, 0], [0, 1]]), np.array([[5, 1], [2, 8], [9, 7]], float)
    luck = np.array([[2, 0], [0, 2], [1, 1]], float)
    results, weights = Results(entrant, score, np.array([0, 0, 1]), luck=luck), Weights(0.5, 0.1)
    # luck of 1 point more, halved
    assert differences(results, 0, 1, False, weights)[1].tolist() == [5 - 1, 2]
    assert differences(results, 0, 1, True, weights)[1].tolist() == pytest.approx([1 - 2 * 0.1 * 2, 1])
    assert differences(results, 0, 1, False)[1].tolist() == [5, 2]


@pytest.mark.parametrize("field", [False, True])
def test_elo_and_shares_of_places_are_each_others_inverse(field):
    assert share_of_elo(400 * np.log10(3), field) == pytest.approx(0.25 if field else 0.5)
    for elo in (-300, 0, 10, 250):
        assert elo_of_share(share_of_elo(elo, field), field) == pytest.approx(elo)
    assert elo_of_share(1, False) == np.inf


def test_the_gate_in_units_is_the_likelihood_ratio_of_two_means_with_unknown_variance():
    values = np.tile([1.0, 5.0, -3.0], 100)
    gate = gate_in_units(values, 0.2, 1.4, 0.05, 0.05, 0.02)
    mean, variance = values.mean(), values.var()
    ratio = 150 * np.log((variance + (mean - 0.2) ** 2) / (variance + (mean - 1.4) ** 2))
    assert gsprt(values, gate).llr == pytest.approx(ratio)  # symmetric around the mean: no skewness


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
