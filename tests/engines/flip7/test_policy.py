"""The quick player of the search against exact odds, against the bot whose weighing of the race it has, and in
endings that are plain.
"""

import random
from typing import Any

import numpy as np
import pytest

from bots.racer import Race
from engines import core
from engines.flip7 import GAME, policy, state
from engines.flip7.tools import hit_chances, next_cards
from engines.position import Position

from .positions import facing


@core.entry
def policy_of(states: Any, out: Any, rng: Any) -> int:
    return policy.policy(states[0], out, rng)


@core.entry
def gain_of(states: Any, seat: int) -> float:
    counts = np.empty(state.KINDS, np.int64)
    return policy.gain(states[0], seat, counts, next_cards(states[0], counts))


@core.entry
def behind_of(states: Any, seat: int, points: int, going: bool) -> float:
    return policy.behind(states[0], seat, points, going)


def said(states: Any) -> str:
    return GAME.actions()[policy_of(core.rows(states), core.work(20), np.zeros(1, np.uint64))]


@pytest.mark.parametrize("row", ["5 7", "12 10 X2", "1 2 3 4 5 6", "4 9 +8"])
def test_gain_is_the_exact_mean_where_no_flip_three_can_come(row: str) -> None:
    states = facing(row, "0 8 12 10 +4 X2 FZ SC 6 9" if "X2" not in row else "0 8 12 11 +4 FZ SC 6 9", {})
    chances = np.zeros(state.MOST_POINTS + 1)
    hit_chances(core.rows(states)[0], 1, chances)
    now = Position.of(GAME, states).view(-1).points[1]
    assert gain_of(core.rows(states), 1) == pytest.approx(float(chances @ np.arange(len(chances))) - now)


def test_a_flip_three_counts_as_three_cards_like_the_next_one() -> None:
    """Row 4 9, pile 4 10 F3: each draw is bust with a third, adds 10 with a third; the Flip Three, drawn with
    a third, leaves (2/3)^3 = 8/27 and then 3 * 10/3 more.
    """
    assert gain_of(core.rows(facing("4 9", "4 10 F3", {})), 1) == pytest.approx(
        (10 - 13) / 3 + (8 / 27 * 10 - 19 / 27 * 13) / 3
    )


def test_the_race_is_weighed_as_the_bot_racer_weighs_it() -> None:
    """Another implementation, in positions out of games with random totals."""
    rng, compared = random.Random(4), 0
    while compared < 60:
        position = GAME.position(seed=rng.getrandbits(30), players=4, first_dealer=rng.randrange(4))
        for _ in range(rng.randrange(20)):
            if not position.over:
                position.play(rng.choice(position.legal()))
        states = position.states.copy()
        states["total"][0, :4] = [rng.randrange(100, 215) for _ in range(4)]
        if rng.random() < 0.2:
            states["max_rounds"] = states["round_no"]
        position = Position.of(GAME, states)
        if position.over or "stay" not in position.legal():
            continue
        compared += 1
        race, seat = Race(position.view()), int(states["seat"][0])
        for points in (0, 20, 40):
            for going in (False, True):
                expected = race.beaten(points, going)
                assert behind_of(core.rows(states), seat, points, going) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    "row, pile, totals, says",
    [
        ("5 7", "5 7 12", (195, 150), "hit"),  # 206 to 162: who stays is behind for sure, who hits may not be
        ("10 11", "8 9 12 10", (180, 181), "stay"),  # 191 to 202: ahead for sure, though a card adds 2
        ("10 11", "8 9 12 10", (20, 20), "hit"),  # far from the goal points count: 29 to gain, 21 to lose
    ],
)
def test_near_the_end_places_decide_and_before_it_points(
    row: str, pile: str, totals: tuple[int, int], says: str
) -> None:
    states = facing(row, pile, {})
    states["status"][0, 0], states["active"][0] = state.Status.STAYED, 2
    states["total"][0, :2] = totals
    assert said(states) == says


def test_with_a_second_chance_it_hits() -> None:
    assert said(facing("10 11 12 SC", "10 11 12", {})) == "hit"
