"""Luck taken out: what is left is right and less noisy; luck that is none raises the alarm."""

import re
from dataclasses import replace

import numpy as np
import pytest

from leagues.errors import LeagueError
from leagues.ratings.control import Weights, alarms, fit_weights, without_luck
from leagues.ratings.elo import bradley_terry
from leagues.ratings.pairs import rank_intervals
from leagues.ratings.results import Results
from leagues.ratings.rows import RatedBot, rating_table
from leagues.ratings.scores import least_squares_scores

from .made import rotations

STRENGTH = np.array([0.6, 0.2, -0.2, -0.6])


def lucky(rng, blocks, share=0.6, cheat=0.0):
    """Tables of four: score = strength + chance (a share of the variance, half of it seen as luck twice as
    large) + noise.

    The luck of entrant 0 is larger by `cheat`.
    """
    entrant = rotations(rng.permuted(np.tile(np.arange(4), (blocks, 1)), axis=1)).reshape(-1, 4)
    chance = rng.standard_normal(entrant.shape) + cheat * (entrant == 0)
    score = (
        STRENGTH[entrant] + np.sqrt(share) * chance + np.sqrt(1 - share) * rng.standard_normal(entrant.shape)
    )
    block = np.repeat(np.arange(blocks), 4)
    return Results(entrant, score, block, luck=2 * chance)


def test_the_weight_of_luck_is_found_by_least_squares():
    results = lucky(np.random.default_rng(1), 3_000)
    weights = fit_weights(results, 4)
    assert weights.points == pytest.approx(np.sqrt(0.6) / 2, rel=0.02) and weights.wins > 0
    with pytest.raises(LeagueError, match="games with luck"):
        fit_weights(replace(results, luck=None), 4)


@pytest.mark.soak
def test_scores_and_ratings_without_luck_are_right_and_their_intervals_shorter_and_hold():
    rng = np.random.default_rng(2)
    weights = fit_weights(lucky(rng, 3_000), 4)
    elo = bradley_terry(lucky(rng, 40_000), 4).elo
    inside, width = np.zeros((2, 4)), np.zeros((2, 2))
    for _ in range(300):
        results = lucky(rng, 40)
        fair, raw, plain = (
            without_luck(results, 4, weights),
            least_squares_scores(results, 4),
            bradley_terry(results, 4),
        )
        inside[0] += (fair.scores.score_low <= STRENGTH) & (fair.scores.score_high >= STRENGTH)
        inside[1] += (fair.ratings.elo_low <= elo) & (elo <= fair.ratings.elo_high)
        width += [
            [fair.scores.error.mean(), raw.error.mean()],
            [(fair.ratings.elo_high - fair.ratings.elo).mean(), (plain.elo_high - plain.elo).mean()],
        ]
    assert (inside / 300 > 0.91).all() and (inside / 300 < 0.985).all(), inside / 300
    assert width[0, 0] / width[0, 1] == pytest.approx(np.sqrt(0.4), rel=0.05)  # 60 % of the variance is gone
    assert width[1, 0] / width[1, 1] < 0.85


def test_how_much_variance_is_gone_is_told():
    results = lucky(np.random.default_rng(3), 2_000)
    assert without_luck(results, 4, fit_weights(results, 4)).saved == pytest.approx(0.6, abs=0.03)
    assert without_luck(replace(results, luck=None), 4, Weights(1, 1)) is None


def test_honest_luck_is_within_some_standard_errors_and_a_cheats_is_not():
    rng, largest = np.random.default_rng(4), []
    for _ in range(300):
        fair = without_luck(lucky(rng, 50), 4, Weights(0.4, 0.1))
        largest.append(np.abs(fair.z).max())
        assert not alarms("abcd", fair.z, fair.scores.blocks)
    assert np.mean(np.array(largest) > 2.6) < 0.08  # 1 % each
    cheat = without_luck(lucky(rng, 300, cheat=1.0), 4, Weights(0.4, 0.1))
    told = alarms(["cheat", "b", "c", "d"], cheat.z, cheat.scores.blocks)
    assert cheat.z[0] > 20 and any(line.startswith("cheat was luckier than chance allows") for line in told)


def test_one_step_takes_luck_out_of_elo_where_two_equal_bots_had_unequal_luck():
    rng = np.random.default_rng(5)
    chance = rng.standard_normal((2_000, 2)) + np.array([0.15, -0.15])  # lucky by chance, not by play
    results = Results(np.tile([0, 1], (2_000, 1)), chance, np.arange(2_000), luck=chance)
    raw = bradley_terry(results, 2)
    fair = bradley_terry(results, 2, luck_weight=fit_weights(lucky(rng, 100, share=1.0), 4).wins * 2)
    assert raw.elo[0] - raw.elo[1] > 50 and rank_intervals(raw)[1, 0] == 2
    assert abs(fair.elo[0] - fair.elo[1]) < 0.4 * (raw.elo[0] - raw.elo[1])


def test_the_table_has_the_columns_and_tells_of_the_cheat():
    who = [RatedBot(name, 1) for name in ("peek", "bob", "cleo", "dan")]
    table = rating_table(lucky(np.random.default_rng(6), 200, cheat=0.5), who, weights=Weights(0.4, 0.1))
    row = next(row for row in table.rows if row.bot == "peek")
    assert row.luck > 0.3 and row.luck_z > 5 and row.fair_score < row.score and row.fair_elo < row.elo
    assert row.fair_score_low < row.fair_score < row.fair_score_high
    assert any("peek@1 was luckier than chance allows" in note for note in table.notes)
    plain = rating_table(lucky(np.random.default_rng(6), 20), who)
    assert {row.luck for row in plain.rows} == {row.fair_elo for row in plain.rows} == {None}


def test_what_luck_makes_no_surer_is_left_as_it_is_and_told():
    results = lucky(np.random.default_rng(7), 200)
    strange = replace(results, luck=np.random.default_rng(8).standard_normal(results.score.shape))
    table = rating_table(strange, [RatedBot(name, 1) for name in "abcd"], weights=Weights(1, 0.2))
    assert {row.fair_score for row in table.rows} == {row.fair_elo_low for row in table.rows} == {None}
    assert table.rows[0].luck is not None and "luck is left in points and Elo" in table.notes[0]
    told = rating_table(results, [RatedBot(name, 1) for name in "abcd"], weights=Weights(0.4, 0.1)).notes[0]
    assert re.fullmatch(
        r"luck-adjusted: this removed \d+% of the variance .* in points and \d+% of .* Elo", told
    )
