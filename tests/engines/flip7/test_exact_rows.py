"""`examples/exact_flip7.py` and `examples/race_flip7.py`, against calculations by hand and published figures."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[3] / "examples"))  # its programs import each other
import exact_flip7 as exact
import race_flip7 as race

POINTS = np.arange(exact.MOST + 1.0)


@pytest.fixture(scope="module")
def quick() -> exact.Round:
    return exact.Round(followed=0)


@pytest.fixture(scope="module")
def published() -> tuple[exact.Round, float]:
    """The round of the published figures, and the points that it is worth."""
    found = exact.Round(published=True, followed=0)
    return found, found.solve(POINTS)


def test_all_chances_of_a_round_sum_to_one_and_have_the_mean_that_was_solved(quick: exact.Round) -> None:
    best = quick.solve(POINTS)
    chances = quick.chances(POINTS)
    assert chances.sum() == pytest.approx(1, abs=1e-6)
    assert chances @ POINTS == pytest.approx(best, abs=1e-4)
    for rule in ((exact.FROM, 25), (exact.CARDS, 5)):
        assert quick.solve(POINTS, *rule) < best


def test_the_seventh_number_is_worth_as_calculated_by_hand(published: tuple[exact.Round, float]) -> None:
    """Row 7 8 9 10 11 12, no other card seen, one draw that a Flip Three still forces, all three of those gone."""
    solved, _ = published
    at_chance, at_mode, base = solved.tables[4:7]
    mask = sum(1 << number for number in (7, 8, 9, 10, 11, 12))
    me, last = base[at_chance[0, 0, 0], exact.PLACE[mask]], at_mode[3, 1, 1]  # a Freeze waits: no more choice
    # 51 duplicates bust; 22 others make seven; 5 additions, X2; 3 Second Chances and 2 Freezes leave the 57
    seventh = 22 * (57 + 15) + sum(number * number for number in range(7))
    total = seventh + 5 * 57 + 30 + 2 * 57 + (3 + 2) * 57
    assert solved.value[me, last, 0] == pytest.approx(total / (51 + 22 + 6 + 3 + 2), rel=1e-6)


def test_following_no_duplicate_is_near_the_published_optimum(published: tuple[exact.Round, float]) -> None:
    assert published[1] == pytest.approx(20.2980, abs=0.02)


@pytest.mark.soak
def test_the_published_optimum_of_one_seat_with_all_cards() -> None:
    """20.2980 points a round, 10.68 rounds to 200: github.com/Eppie/flip-seven, another program."""
    published = exact.Round(published=True, followed=1)
    assert published.solve(POINTS) == pytest.approx(20.2980, abs=0.0003)
    assert exact.rounds_to(200, published.chances(POINTS)) == pytest.approx(10.68, abs=0.005)


def test_a_race_of_equals_is_even_and_a_lead_is_worth_what_few_totals_allow() -> None:
    coin = np.zeros((1, exact.MOST + 1))
    coin[0, 0] = coin[0, 100] = 0.5
    wins, choice = race.ends(), np.zeros((race.GOAL, race.GOAL), np.int64)
    race.race(coin, coin, choice, wins, choice)
    assert wins[0, 0] == pytest.approx(0.5)
    # both need one 100: of three results that end it, one is mine alone, one the other's, one a tie
    assert wins[100, 100] == pytest.approx(0.5)
    # I need one, the other two: a round ends it for me with 1/2, for certain unless the other comes up first
    assert wins[100, 0] == pytest.approx((0.5 + 0.25 * 0.5) / 0.75)


def test_a_seat_that_is_told_more_does_better() -> None:
    ways = np.zeros((2, exact.MOST + 1))
    ways[0, 50] = 1.0
    ways[1, 0] = ways[1, 120] = 0.5
    which = np.zeros((race.GOAL, race.GOAL), np.int64)
    blind, told = race.ends(), race.ends()
    race.race(ways, ways[1:], which, blind, which.copy())
    race.told(ways, ways[1:], which, told)
    assert told[0, 0] > blind[0, 0]
    assert (told >= blind - 1e-12).all()
