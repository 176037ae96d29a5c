"""The quick player of the search against exact odds, against the bot whose weighing of the race it has, and in
endings that are plain; views, and the odds of one more card against all orders of a small draw pile.
"""

import random
from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from bots.racer import Race
from engines import core
from engines.flip7 import GAME, policy, state
from engines.flip7.tools import hit_chances, next_cards
from engines.position import Position
from tests.engines.built import built

from .positions import decisions_in, facing, opened, see


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
def test_places_decide_near_the_end_only(row: str, pile: str, totals: tuple[int, int], says: str) -> None:
    states = facing(row, pile, {})
    states["status"][0, 0], states["active"][0] = state.Status.STAYED, 2
    states["total"][0, :2] = totals
    assert said(states) == says


def test_with_a_second_chance_it_hits() -> None:
    assert said(facing("10 11 12 SC", "10 11 12", {})) == "hit"


ODDS = [  # row of seat 1, the cards of the draw pile, options
    ("5 7", "5 9 +4 7 0", {}),
    ("5 X2 +2", "FZ SC 5 12", {}),
    ("SC 5", "5 5 8 X2", {}),
    ("1 2 3 4 5 6", "6 7 SC F3 X2", {}),
    ("4 9", "F3 4 SC 10 FZ", {}),
    ("4 9", "F3 4 SC 10 FZ", {"flip_three": "after"}),
    ("4 9 SC", "F3 4 9 9 +8", {}),
    ("1 2 3 4 5", "F3 6 7 1 SC", {}),
    ("4 9 SC", "F3 4 SC 9 FZ", {"targeting": "any"}),
    ("4 9", "F3 4", {}),
]


def after_one_hit(states: Any, cards: tuple[int, ...]) -> int | None:
    """What the row of seat 1 is worth if the draw pile has this order; None: bust. A gift goes to seat 0."""
    states = states.copy()
    states["pile"][0, : len(cards)] = cards
    position = built(GAME, states)
    position.play("hit")
    if "give 0" in position.legal():
        position.play("give 0")
    view = position.view(-1)
    if view.round > 1 or position.over:
        return view.last[1] or None
    return None if view.status[1] == "busted" else view.points[1]


@pytest.mark.parametrize(("row", "pile", "options"), ODDS)
def test_odds_are_those_of_all_orders_of_the_draw_pile(row: str, pile: str, options: dict[str, Any]) -> None:
    states = facing(row, pile, options)
    orders = list(permutations(GAME.card(card) for card in pile.split()))
    outcomes = Counter(after_one_hit(states, order) for order in orders)
    bust, chances = built(GAME, states).view(1).odds
    assert bust == pytest.approx(outcomes.pop(None, 0) / len(orders))
    assert chances == pytest.approx({points: n / len(orders) for points, n in outcomes.items()})


def test_with_an_empty_draw_pile_the_odds_are_those_of_the_discard_pile() -> None:
    states = facing("12 11 10", "", {})
    bust, chances = built(GAME, states).view(1).odds
    f3_apart = {"FZ": 3, "SC": 3, "0": 1}
    assert bust > (11 + 9 + 9) / 90  # a number that the row has, or a Flip Three that busts
    assert chances[33] > sum(f3_apart.values()) / 90
    assert bust + sum(chances.values()) == pytest.approx(1)


def test_there_are_no_odds_for_an_onlooker_or_a_seat_that_is_out() -> None:
    position = opened("5 9", "stay")
    assert position.view(-1).odds == position.view(1).odds == (0.0, {})
    assert position.view(0).odds[1]


def test_every_seat_and_an_onlooker_see_the_same_and_the_draw_pile_only_as_counts() -> None:
    position = GAME.position(seed=11, players=5)
    for _ in range(30):
        views = [position.view(seat) for seat in range(-1, 5)]
        bytes_seen = {view.state.tobytes() for view in views}
        assert len(bytes_seen) == 1
        assert (views[0].state["pile"] == -1).all() and (views[0].state["seed"] == 0).all()
        pile = core.plain(position.states)[0]
        assert views[0].unseen == Counter(GAME.cards[card] for card in pile.pile.tolist()[: pile.left])
        position.play(position.legal()[position.states["decisions"][0] % 2])


def test_a_view_shows_a_set_aside_card_and_the_draws_left_of_each_flip_three() -> None:
    position = opened("4 6 F3 F3 SC 2 2", "hit", players=2, targeting="any", flip_three="after")
    assert position.legal() == ["give 0", "give 1"]
    position.play("give 1")
    view = see(position)
    assert (view.phase, view.card, view.flips) == ("give", "F3", ((1, 0, ()),))
    assert view.rows[1] == ("4", "SC", "2") and position.seat == 1
    position = opened("4 6 F3 FZ SC SC 9", "hit, give 0", players=2, targeting="any", flip_three="after")
    assert see(position).flips == ((0, 0, ("FZ",)),) and see(position).card == "SC"
    assert see(position).unseen["FZ"] == 2 and sum(see(position).unseen.values()) == see(position).left


def test_the_points_of_the_last_round_are_shown_from_round_two_on() -> None:
    position = opened("5 6")
    assert see(position).last == ()
    position.play("stay")
    position.play("stay")
    assert see(position).last == (6, 5) and see(position).totals == (6, 5) and see(position).round == 2


def test_the_record_keeps_the_last_512_events_in_order() -> None:
    position, made = GAME.position(seed=2, players=2, goal=10_000, max_rounds=1000), []
    while not position.over and len(made) < 250:
        action = position.legal()[len(made) % 2]
        made.append((position.seat, action))
        position.play(action)
        kept = decisions_in(see(position))
        assert kept == made[len(made) - len(kept) :]
        assert len(kept) == len(made) or len(see(position).history) == 512
    assert len(kept) < len(made) == 250


def test_the_history_tells_draws_shuffles_and_points_of_the_rounds() -> None:
    position = opened("5 9 5 SC", "hit, stay", max_rounds=2)
    told = "; ".join(f"{seat} {what}" for seat, what in see(position).history)
    first = "0 deals; -1 shuffle; 1 draws 5; 0 draws 9; 1 hit; 1 draws 5; 0 stay; 0 scores 9; 1 scores 0; "
    assert told == first + "1 deals; 0 draws SC; 1 draws 0"
