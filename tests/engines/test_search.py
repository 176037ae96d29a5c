"""The searches: values against enumeration by hand, known best actions, budgets, bounds, and laws for every
game.
"""

import random
from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines import GameError, core, search
from engines.flip7.state import GAIN
from engines.game import Game
from engines.search import SearchResult, Settings, action_values, flat_monte_carlo, ismcts, knowledge, tree
from engines.view import View
from tests.engines.built import built

from .test_laws import setups

SEARCHES = [flat_monte_carlo, ismcts]
ALL_RANDOM = Settings(noise=1.0, prune=False)
LAW = settings(max_examples=10)


def flip7(row: str, pile: str, totals: tuple[int, int] = (100, 100), **options: Any) -> View:
    """Two players, seat 1 has stayed with nothing; seat 0 has this row, the draw pile these cards in unknown
    order.
    """
    game = engines.load("flip7")
    states = game.new(1, players=2, **options).copy()
    s = core.plain(states)[0]
    cards, left = [game.card(card) for card in row.split()], [game.card(card) for card in pile.split()]
    copies = [1, *range(1, 13), *[1] * 6, 3, 3, 3]
    for place, card in enumerate(cards):
        s.row[0, place] = card
    s.row[0, len(cards) :] = s.row[1, :] = s.pile[:] = -1
    s.pile[: len(left)] = left
    for card in range(22):
        s.discards[card] = copies[card] - (cards + left).count(card)
    s.left, s.dealt, s.seat, s.turn, s.card = len(left), 2, 0, 0, -1
    s.status[0], s.status[1], s.active = 1, 2, 1
    s.held[0], s.held[1] = sum(int(GAIN[card]) for card in cards), 0
    s.total[0], s.total[1] = totals
    return built(game, states).view()


def same(a: SearchResult, b: SearchResult) -> bool:
    alike = (a.action, a.playouts, a.decisions) == (b.action, b.playouts, b.decisions)
    both = [(a.actions, b.actions), (a.visits, b.visits), (a.means, b.means)]
    return alike and all(np.array_equal(one, other, equal_nan=one is a.means) for one, other in both)


def decision(game: Game, seed: int, steps: int, **options: Any) -> View | None:
    """The view of the seat to act after some random decisions, at a decision with a choice; None if the game
    ends before.
    """
    position, rng = game.position(seed=seed, **options), random.Random(seed)
    while not position.over and (steps > 0 or len(position.legal()) < 2):
        position.play(rng.choice(position.legal()))
        steps -= 1
    return None if position.over else position.view()


# Numbers 0 to 5, worth 15; in the pile a 5 (bust), a 9 (the seventh: 24 + 15) and a +4. Stay: 15. Hit: 0, 39,
# or with +4 one of
# stay (19) and hit (half the time 0, else 24 + 4 + 15 = 43), at random: (19 + 21.5) / 2 = 20.25. The mean of
# the three: 19.75.
SIX, THREE_CARDS = "0 1 2 3 4 5", "5 9 +4"


def test_flat_values_agree_with_enumeration_by_hand() -> None:
    found = flat_monte_carlo(flip7(SIX, THREE_CARDS), 40_000, seed=1, settings=ALL_RANDOM)
    assert found.actions.tolist() == [0, 1] and found.visits.tolist() == [20_000, 20_000]
    assert found.means[1] == 115
    assert found.means[0] == pytest.approx(119.75, abs=4 * 17 / 20_000**0.5)  # the standard deviation is 16.8


def test_values_of_actions_and_their_errors_agree_with_enumeration_by_hand() -> None:
    means, errors = action_values(flip7(SIX, THREE_CARDS), 40_000, seed=1, settings=ALL_RANDOM)
    assert means[1] == 115 and errors[1] == 0
    assert means[0] == pytest.approx(119.75, abs=4 * errors[0])
    assert errors[0] == pytest.approx(16.8 / 40_000**0.5, rel=0.5)  # 16.8: the standard deviation
    with pytest.raises(GameError, match="worlds = 3: allowed is 20 or more"):
        action_values(flip7(SIX, THREE_CARDS), 3)


def test_tree_learns_what_random_playouts_do_not_know() -> None:
    """With the +4 on the row a hit is worth 21.5 and a stay 19, so that a hit now is worth (0 + 39 + 21.5) /
    3 = 20.17.
    """
    found = ismcts(flip7(SIX, THREE_CARDS), 40_000, seed=1, settings=ALL_RANDOM)
    assert found.action == 0
    assert 119.75 < found.means[0] < 120.17 + 4 * 17 / 40_000**0.5


@pytest.mark.parametrize("choose", SEARCHES)
def test_a_sure_win_is_taken_where_places_count_and_the_better_mean_where_points_do(choose: Any) -> None:
    view = flip7(SIX, THREE_CARDS, totals=(190, 200))  # the round is the last: 205 beats 200 for sure
    assert choose(view, 2_000, seed=2, settings=Settings(noise=1.0, places=True)).action == 1
    assert choose(view, 20_000, seed=2, settings=ALL_RANDOM).action == 0


@pytest.mark.parametrize("choose", SEARCHES)
def test_where_places_count_the_end_of_a_round_is_worth_the_race_so_far(choose: Any) -> None:
    """115 to 100 with 85 to go, 21 a round: a lead of 15 where totals spread by 24 * sqrt(2 * 85 / 21)."""
    found = choose(flip7(SIX, "5 5 5"), 500, seed=3, settings=Settings(noise=1.0, places=True))
    assert found.means[1] == pytest.approx(NormalDist(0, 24 * (2 * 85 / 21) ** 0.5).cdf(15), abs=1e-4)
    assert found.means[0] == pytest.approx(0.5)  # a bust


@pytest.mark.parametrize("choose", SEARCHES)
def test_playouts_cut_at_the_end_of_the_round_see_no_later_round(choose: Any) -> None:
    found = choose(flip7(SIX, "5 5 5"), 500, seed=3, settings=Settings(noise=1.0, cut=True))
    assert found.action == 1 and found.means.tolist() == [100, 115]
    whole = choose(flip7(SIX, "5 5 5"), 500, seed=3, settings=Settings(noise=1.0, cut=False))
    assert whole.means.min() > 180  # to the goal of 200, mostly


@pytest.mark.parametrize("choose", SEARCHES)
def test_same_seed_same_choice_and_the_view_is_not_touched(choose: Any) -> None:
    view = flip7(SIX, "5 9 +4 X2 FZ 12 11 3 SC F3")
    before = view.state.tobytes()
    first = choose(view, 300, seed=5)
    assert same(first, choose(view, 300, seed=5))
    assert not same(first, choose(view, 300, seed=6))
    assert view.state.tobytes() == before


def test_how_a_search_is_cut_into_batches_changes_nothing() -> None:
    """A search for a time is cut into batches, one for as many playouts is a single one."""
    view = flip7(SIX, "5 9 +4 X2 FZ 12 11 3 SC F3")
    timed = ismcts(view, seed=7, cpu_ms=40.0, settings=ALL_RANDOM)
    assert same(timed, ismcts(view, timed.playouts, seed=7, settings=ALL_RANDOM))


@pytest.mark.parametrize("choose", SEARCHES)
def test_cpu_time_ends_a_search(choose: Any) -> None:
    """Counts playouts, no clock: no time is one batch, and enough of it makes more of them."""
    view = flip7(SIX, THREE_CARDS)
    few = choose(view, cpu_ms=0.0, seed=1).playouts
    assert few >= 2 and any(choose(view, cpu_ms=ms, seed=1).playouts > few for ms in (40.0, 400.0, 4000.0))


@pytest.mark.parametrize("choose", SEARCHES)
def test_a_forced_decision_costs_nothing(choose: Any) -> None:
    game = engines.load("flip7")
    position = game.position(seed=1, players=2, targeting="any")
    while len(position.legal()) > 1:
        position.play("hit" if "hit" in position.legal() else position.legal()[-1])
    found = choose(position.view(), 1000)
    assert (found.playouts, found.decisions, found.action) == (0, 0, position.legal_numbers()[0])


def test_a_tree_has_no_more_nodes_than_it_may_and_the_search_goes_on() -> None:
    view = flip7(SIX, "5 9 +4 X2 FZ 12 11 3 SC F3 6 2 3 4")
    small = ismcts(view, 5_000, seed=1, settings=Settings(cut=False, nodes=20))
    assert small.nodes <= 20 and small.playouts == 5_000
    assert 20 < ismcts(view, 5_000, seed=1, settings=Settings(cut=False, nodes=1000)).nodes <= 1000


def test_flat_search_drops_the_weaker_half_at_every_stage() -> None:
    view = decision(engines.load("julepe"), seed=4, steps=30)
    found = flat_monte_carlo(view, 6_000, seed=1, settings=ALL_RANDOM)
    assert found.playouts <= 6_000 and found.visits.max() > 2 * found.visits.min()
    assert found.visits[found.actions.tolist().index(found.action)] == found.visits.max()


HIT, STAY = 0, 1


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets a game's quick player say the action at this place of those that are searched."""

    def set_base(place: int) -> None:
        monkeypatch.setattr(search.run._Search, "base", lambda self: place)

    return set_base


def test_a_gate_keeps_the_policys_action_unless_the_gain_is_large(say: Callable[[int], None]) -> None:
    """A hit is worth 4.75 more than to stay, with a deviation of 16.8: 40 standard errors in 20 000 worlds,
    4 in 200.
    """
    view = flip7(SIX, THREE_CARDS)
    say(STAY)
    for gate, playouts, action in ((30, 40_000, HIT), (50, 40_000, STAY), (9, 400, STAY)):
        found = flat_monte_carlo(view, playouts, seed=1, settings=replace(ALL_RANDOM, gate=gate))
        assert found.action == action and found.actions.tolist() == [0, 1]
    say(HIT)
    assert flat_monte_carlo(view, 40_000, seed=1, settings=replace(ALL_RANDOM, gate=50)).action == HIT


def test_the_tree_leaves_the_policy_only_for_means_that_are_so_far_apart(say: Callable[[int], None]) -> None:
    """UCB1 never lets them come as far apart as ten standard errors of these visits."""
    view = flip7(SIX, THREE_CARDS)
    say(STAY)
    assert ismcts(view, 40_000, seed=1, settings=replace(ALL_RANDOM, gate=0.5)).action == HIT
    assert ismcts(view, 40_000, seed=1, settings=replace(ALL_RANDOM, gate=10.0)).action == STAY
    say(HIT)
    assert ismcts(view, 40_000, seed=1, settings=replace(ALL_RANDOM, gate=10.0)).action == HIT


def test_a_gain_in_one_single_world_is_no_reason_to_leave_the_policy(say: Callable[[int], None]) -> None:
    say(STAY)
    for seed in range(8):
        found = flat_monte_carlo(flip7(SIX, THREE_CARDS), 2, seed, settings=replace(ALL_RANDOM, gate=0.01))
        assert found.playouts == 2 and found.action == STAY


def test_a_sure_gain_passes_every_gate(say: Callable[[int], None]) -> None:
    """All cards left are fives: a hit is a bust."""
    say(HIT)
    found = flat_monte_carlo(flip7(SIX, "5 5 5"), 20, settings=replace(ALL_RANDOM, gate=1000.0))
    assert found.action == STAY


def test_with_a_gate_the_action_of_the_policy_stays_in_the_race(say: Callable[[int], None]) -> None:
    view = decision(engines.load("julepe"), seed=4, steps=30)
    free = flat_monte_carlo(view, 6_000, seed=1, settings=ALL_RANDOM)
    worst = int(np.argmin(free.means))
    say(worst)
    found = flat_monte_carlo(view, 6_000, seed=1, settings=replace(ALL_RANDOM, gate=1.0))
    assert found.visits[worst] == found.visits.max() > free.visits[worst] == found.visits.min()
    assert found.action == free.action and found.playouts <= 6_000


@pytest.mark.parametrize("choose", SEARCHES)
@pytest.mark.parametrize(
    "arguments, says",
    [
        ({}, "either playouts or cpu_ms"),
        ({"playouts": 5, "cpu_ms": 5}, "either playouts or cpu_ms"),
        ({"playouts": 0}, "1 or more"),
        ({"cpu_ms": -1.0}, "0 or more"),
        ({"cpu_ms": float("nan")}, "0 or more"),
        ({"cpu_ms": float("inf")}, "0 or more"),
    ],
)
def test_a_search_needs_one_budget(choose: Any, arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(GameError, match=says):
        choose(flip7(SIX, THREE_CARDS), **arguments)


OUT_OF_RANGE = {
    **{"noise": [1.5, -0.1], "gate": [-1.0], "exploration": [-1.0], "nodes": [1, 2**31]},
    "told": [-1, 1001, 8.0, True, "8"],  # another type would be compiled anew, in a match
}


@pytest.mark.parametrize("bad", [{name: value} for name, many in OUT_OF_RANGE.items() for value in many])
def test_settings_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(GameError, match=f"{next(iter(bad))} = "):
        Settings(**bad)


@pytest.mark.parametrize("choose", SEARCHES)
@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(choose: Any, seed: int) -> None:
    with pytest.raises(GameError, match="seed = "):
        choose(flip7(SIX, THREE_CARDS), 10, seed)


def test_who_is_not_to_act_cannot_search() -> None:
    position = engines.load("flip7").position(seed=1)
    with pytest.raises(GameError, match="not to act"):
        ismcts(position.view((position.seat + 1) % 4), 10)


def test_rewards_are_measured_in_standard_deviations() -> None:
    grown = tree.new_tree(10, 2)
    # mean 5, standard deviation 2, after the first two 3.5
    for reward in (9.0, 2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0):
        tree.note_reward(grown, 1, reward)
    grown.visits[3], grown.total[3] = 4, 32.0
    assert grown.seats[:3, 1] == pytest.approx([8, 5, 8 * 4])
    assert tree.scaled(grown, 3, 1) == pytest.approx((8 - 5) / 3.5)
    assert tree.scaled(grown, 3, 0) == 0  # no spread: all are alike


def test_an_action_of_certain_reward_does_not_stop_the_search_for_a_better_one() -> None:
    grown = tree.new_tree(10, 2)
    for reward in (0.0, 10.0, *[5.0] * 10_000):
        tree.note_reward(grown, 0, reward)
    grown.visits[1], grown.total[1] = 2, 8.0
    assert tree.scaled(grown, 1, 0) == pytest.approx((4 - 5) / 5)


def test_money_of_another_unit_makes_the_same_tree() -> None:
    """Every amount of Julepe is in stakes; 8 times the stake is exact in binary."""
    game = engines.load("julepe")
    choices = []
    for stake in (50, 400):
        view = decision(game, seed=4, steps=30, stake=stake)
        choices.append(ismcts(view, 2_000, seed=1, settings=ALL_RANDOM))
    one, eight = choices
    assert one.visits.tolist() == eight.visits.tolist()
    assert (8 * one.means).tolist() == eight.means.tolist()


def test_an_action_is_explored_by_how_often_it_was_available() -> None:
    """UCB1 with the availability of each action as the number of trials: 3 visits of 1000 chances beat 3 of
    10 at equal means.
    """
    grown = tree.new_tree(10, 2)
    for node, available in ((1, 10), (2, 1000)):
        grown.visits[node], grown.available[node] = 3, available
    out, found = np.array([0, 1], np.int16), np.array([1, 2], np.int32)
    assert tree.best_known(grown, 0, out, 2, found, 1.0) == 1
    assert tree.best_known(grown, 0, out, 2, found, 0.0) == 0


def test_a_hidden_action_parts_the_tree_of_its_seat_from_those_of_the_others() -> None:
    """In Julepe others see that a card is thrown away, not which one; what they do next they all see."""
    game = engines.load("julepe")
    position = game.position(seed=2)
    while len([text for text in position.legal() if text.startswith("discard")]) < 2:
        position.play("in" if "in" in position.legal() else position.legal()[0])
    seat, grown, where = position.seat, tree.new_tree(50, 5), []
    for action in position.legal_numbers()[1:3]:
        at = np.zeros(5, np.int64)
        follow_of(core.rows(position.states), grown, int(action), at)
        where.append(at.tolist())
    one, other = where
    assert one[seat] != other[seat]
    assert {*one[:seat], *one[seat + 1 :]} == {*other[:seat], *other[seat + 1 :]}
    assert len({*one}) == 2 and int(grown.size[0]) == 1 + 2 + 1


def test_with_a_model_of_the_others_only_the_own_seat_chooses_by_the_tree() -> None:
    """Where a seat chooses, what it could have done is counted once an iteration."""
    view = decision(engines.load("julepe"), seed=4, steps=30)
    for only in (view.seat, core.NOBODY):
        work, grown = search.run._Search(view, 7, ALL_RANDOM), tree.new_tree(5000, 5)
        tree.iterate(
            work.rows, work.words, 0, 2000, work.seed, grown, False, only, 1.0, work.rollout,
            work.past, work.space,
        )  # fmt: skip
        counted = np.flatnonzero(grown.available[1 : int(grown.size[0])] > 1) + 1
        seats = {int(key) >> tree.KEY_BITS for key in grown.key[counted]}
        assert seats == {view.seat} if only == view.seat else len(seats) > 1


def test_an_open_action_keeps_all_seats_at_one_node() -> None:
    position = engines.load("julepe").position(seed=2)
    grown, at = tree.new_tree(50, 5), np.zeros(5, np.int64)
    follow_of(core.rows(position.states), grown, position.legal_numbers()[0], at)
    assert len(set(at.tolist())) == 1 and int(grown.size[0]) == 2


@core.entry
def follow_of(states: Any, grown: tree.Tree, action: int, at: Any) -> None:
    tree.follow(grown, states[0], action, at)


def any_view(game: Game, data: st.DataObject) -> View | None:
    players, options = data.draw(setups(game))
    seed, steps = data.draw(st.integers(0, 2**32)), data.draw(st.integers(0, 80))
    return decision(game, seed, steps, players=players, **options)


@LAW
@given(data=st.data())
def test_every_position_of_every_game_can_be_searched(game: Game, data: st.DataObject) -> None:
    view = any_view(game, data)
    if view is None:
        return
    drawn = Settings(
        noise=data.draw(st.sampled_from([0.0, 0.25, 1.0])),
        cut=True,
        places=data.draw(st.booleans()),
        prune=data.draw(st.booleans()),
        gate=data.draw(st.sampled_from([0.0, 1.0])),
        model=data.draw(st.booleans()),
        nodes=data.draw(st.sampled_from([2, 50, 1000])),
    )
    for choose in SEARCHES:
        found = choose(view, 20, seed=1, settings=drawn)
        assert found.action in view.legal
        assert set(found.actions.tolist()) <= set(view.legal.tolist())
        assert same(found, choose(view, 20, seed=1, settings=drawn))
        tried = found.visits > 0
        if found.playouts:
            assert np.isfinite(found.means[tried]).all() and found.visits.sum() == found.playouts


@LAW
@given(data=st.data())
def test_policy_and_candidates_know_no_more_than_their_seat(game: Game, data: st.DataObject) -> None:
    """They decide alike in the view and in any world that agrees with it; what the one would do the other
    offers.
    """
    view = any_view(game, data)
    if view is None:
        return
    worlds = game.determinize(np.repeat(view.state, 3), seed=data.draw(st.integers(0, 2**32)))
    out, rng = core.work(game.n_actions), np.zeros(1, np.uint64)
    seen = []
    for states in [view.state, *(worlds[i : i + 1] for i in range(3))]:
        row = core.rows(core.copy_states(states))
        rng[0] = 9
        action = policy_of(row, out, rng)
        rng[0] = 9
        n = candidates_of(row, out, rng)
        seen.append((action, [int(out[k]) for k in range(n)]))
    assert all(what == seen[0] for what in seen)
    action, tried = seen[0]
    assert tried == sorted(set(tried)) and set(tried) <= set(view.legal.tolist())
    assert action in tried


@core.entry
def policy_of(states: Any, out: Any, rng: Any) -> int:
    return knowledge.policy(states[0], out, rng)


@core.entry
def candidates_of(states: Any, out: Any, rng: Any) -> int:
    return knowledge.candidates(states[0], out, rng)


def test_a_game_without_a_preset_is_searched_as_usual() -> None:
    assert search.preset("a game of tomorrow") == (search.run.USUAL, Settings())
    assert search.preset("taroky") == (250, Settings(noise=0.0, gate=1.0, model=True))


def test_a_game_without_knowledge_of_its_own_is_searched_by_its_rules_alone() -> None:
    assert all(hasattr(knowledge, name) for name in core.KNOWLEDGE)
    shares = np.zeros(4)
    knowledge.beaten(None, np.array([3.0, 5.0, 3.0, 1.0]), shares)
    assert shares.tolist() == pytest.approx([(0.5 + 1) / 3, 1, (0.5 + 1) / 3, 0])


def test_what_is_placed_is_played_out_to_the_end_of_the_hand_and_a_bet_to_that_of_its_pot() -> None:
    position, lengths = engines.load("tzogous37").position(seed=1), {}
    for _ in range(3):
        found = search.flat_monte_carlo(position.view(), 64, settings=search.preset("tzogous37")[1])
        lengths[position.view().phase] = found.decisions / found.playouts
        position.play(position.legal()[0])
    assert lengths["place 1"] > 2.5 * lengths["bet 1"]
