"""Flip 7: luck has the expectation 0 for honest players of every kind, and shows who peeks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from engines import core, luck
from engines.core import copy_states
from engines.core.luck import replay
from engines.errors import GameError
from engines.flip7 import GAME
from engines.flip7 import luck as room

from ..lucky import remixed, z
from .positions import put_row

Policy = Callable[[Any, np.random.Generator], np.ndarray]
HIT, STAY = 0, 1


def open_cards(states: Any) -> np.ndarray:
    """Cards in the row of the seat to act."""
    seat = np.maximum(states["seat"], 0)
    return (states["row"][np.arange(len(states)), seat] >= 0).sum(axis=1)


def at_random(states: Any, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 2, len(states))


def cautious(states: Any, rng: np.random.Generator) -> np.ndarray:
    return np.where(open_cards(states) >= 4, STAY, HIT)


def stops_when_ahead(states: Any, rng: np.random.Generator) -> np.ndarray:
    seat = np.maximum(states["seat"], 0)
    mine = states["total"][np.arange(len(states)), seat]
    return np.where((mine >= states["total"].max(axis=1)) & (open_cards(states) >= 1), STAY, HIT)


def chases_its_luck(states: Any, rng: np.random.Generator) -> np.ndarray:
    """Goes on after a high card and stops after a low one: a bad draw is followed by giving up."""
    seat, size = np.maximum(states["seat"], 0), np.maximum(open_cards(states), 1)
    last = states["row"][np.arange(len(states)), seat, size - 1]
    return np.where((last >= 8) | (open_cards(states) == 0), HIT, STAY)


def peeks(states: Any, rng: np.random.Generator) -> np.ndarray:
    """Sees the next card, and takes it unless it is one that it has."""
    rows = np.arange(len(states))
    card = states["pile"][rows, np.maximum(states["left"] - 1, 0)]
    has = (states["row"][rows, np.maximum(states["seat"], 0)] == card[:, None]).any(axis=1)
    return np.where(has & (states["left"] > 0), STAY, HIT)


HONEST = {policy.__name__: policy for policy in (at_random, cautious, stops_when_ahead, chases_its_luck)}


def play(policies: list[Policy], games: int, seed: int, **options: Any) -> list[np.ndarray]:
    """The actions of games in which each seat follows its policy."""
    states, rng = GAME.new(games, seed, len(policies), **options), np.random.default_rng(seed)
    moves: list[list[int]] = [[] for _ in range(games)]
    while (live := np.flatnonzero(states["seat"] >= 0)).size:
        chosen = np.zeros(games, np.int64)
        for seat, policy in enumerate(policies):
            mine = states["seat"] == seat
            chosen[mine] = policy(states, rng)[mine]
        for i in live:
            moves[i].append(int(chosen[i]))
        GAME.step(states, chosen)
    return [np.array(game, np.int16) for game in moves]


@pytest.mark.parametrize("deck", ["keep", "fresh"])
@pytest.mark.parametrize("policy", HONEST)
def test_luck_is_0_on_average_whatever_an_honest_player_does(policy: str, deck: str) -> None:
    moves = play([HONEST[policy], cautious, at_random, HONEST[policy]], 400, 7_000, deck=deck)
    found = luck.of_games(GAME, 4, {"deck": deck}, np.arange(7_000, 7_400), moves, worlds=4)
    assert (np.abs(z(found)) < 4).all() and abs(z(found.sum(axis=1, keepdims=True))[0]) < 4, z(found)
    assert (found.std(axis=0) > 5).all()


def test_a_player_that_peeks_is_far_luckier_than_chance_allows() -> None:
    moves = play([peeks, cautious, cautious, cautious], 300, 3)
    found = z(luck.of_games(GAME, 4, {}, np.arange(3, 303), moves, worlds=4))
    assert found[0] > 15 and (np.abs(found[1:]) < 5).all(), found


def test_a_mean_over_the_wrong_cards_does_not_pass() -> None:
    """The control: were the cards that lie open taken for cards that may still come, luck would not be 0."""
    states, rng, games = GAME.new(300, 11, 4), np.random.default_rng(1), 300
    wrong, points = np.zeros((games, 4)), np.zeros(10)
    while (states["seat"] >= 0).any():
        chosen = cautious(states, rng)
        draws = (states["seat"] >= 0) & (chosen == HIT) & (states["left"] > 0)
        mean = np.zeros((games, 4))
        for _ in range(4):
            other = copy_states(states)
            for i in np.flatnonzero(draws):
                seen = other["row"][i][other["row"][i] >= 0]
                pool = rng.permutation(np.r_[other["pile"][i, : other["left"][i]], seen])
                other["pile"][i, : other["left"][i]] = pool[: other["left"][i]]
            core.step_rows(core.rows(other), chosen, core.work(GAME.deck_size))
            mean += values(other, points) / 4
        GAME.step(states, chosen)
        wrong[draws] += (values(states, points) - mean)[draws]
    assert z(wrong.sum(axis=1, keepdims=True))[0] > 6, z(wrong)


def values(states: Any, points: np.ndarray) -> np.ndarray:
    """(games, 4) what the room calls the value of a position."""
    found, work, rng = np.zeros((len(states), 4)), core.work(GAME.deck_size), np.zeros(1, np.uint64)
    for i in range(len(states)):
        room.value(core.rows(states)[i], points, work, rng)
        found[i] = points[:4]
    return found


def test_over_all_orders_of_a_small_pile_luck_adds_up_to_0_for_one_who_reacts_to_it() -> None:
    cards = [3, 9, 3, 12, 7]
    total, squares = 0.0, 0.0
    for order in permutations(cards):
        states = GAME.new(1, 5, 2, max_rounds=1).copy()
        put_row(states, 0, "3")
        put_row(states, 1, "5")
        states["pile"][0], states["left"] = -1, len(order)
        states["pile"][0, : len(order)] = order
        moves = np.array([HIT, STAY, HIT, STAY] if order[-1] > 5 else [HIT, STAY, STAY], np.int64)
        if order[-1] == 3:  # bust at once
            moves = np.array([HIT, STAY], np.int64)
        if order[-1] > 5 and order[-2] == 3:
            moves = np.array([HIT, STAY, HIT], np.int64)
        states["seat"] = states["turn"] = 0
        gained, ends = np.zeros((1, 10)), np.array([0, len(moves)])
        spare, work = core.rows(GAME.blank(1, 2)), core.work(GAME.deck_size)
        replay(
            core.rows(states),
            moves,
            ends,
            400,
            room.WORLDS_AFTER,
            1,
            gained,
            spare,
            work,
            np.zeros(1, np.uint64),
            np.zeros((2, 10)),
        )
        total += gained[0, 0]
        squares += gained[0, 0] ** 2
    assert squares / 120 > 20 and abs(total / 120) < 0.25


@pytest.mark.parametrize("players", [2, 5])
def test_remixing_moves_only_what_nobody_has_seen(players: int) -> None:
    states, rng = GAME.new(40, 9, players), np.random.default_rng(2)
    for _ in range(7):
        GAME.step(states, cautious(states, rng))
    other = copy_states(states)
    remixed(room, other, 4)
    for one, two in zip(states, other):
        left = int(one["left"])
        assert sorted(one["pile"][:left]) == sorted(two["pile"][:left])
        assert left < 5 or (one["pile"][:left] != two["pile"][:left]).any()
    for seat in (-1, *range(players)):
        assert (GAME.views(states, seat).view(np.uint8) == GAME.views(other, seat).view(np.uint8)).all()


def test_every_order_is_as_likely_as_the_others() -> None:
    states = np.repeat(GAME.new(1, 9, 2), 24_000)
    states["left"], states["pile"][:, :4] = 4, [1, 2, 3, 4]
    remixed(room, states, 8)
    counts = Counter(map(tuple, states["pile"][:, :4].tolist()))
    chi2 = sum((n - 1_000) ** 2 / 1_000 for n in counts.values())
    assert len(counts) == 24 and chi2 < 49.7  # 23 degrees of freedom, 0.1 %


def test_actions_that_do_not_fit_are_refused() -> None:
    moves = play([cautious] * 4, 3, 21)
    with pytest.raises(GameError, match="the actions of game 1 do not fit"):
        luck.of_games(GAME, 4, {}, [21, 22, 23], [moves[0], moves[1][:-1], moves[2]])
    with pytest.raises(GameError, match="the actions of game 0 do not fit"):
        luck.of_games(GAME, 4, {}, [21], [np.full(9, 7, np.int16)])
