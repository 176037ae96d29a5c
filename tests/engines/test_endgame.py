"""The last tricks with open cards, against a recursion over every line of play in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import engines
from engines import core
from engines.core import States, copy_states
from engines.game import Game
from engines.learn import lanes
from engines.search import endgame, knowledge
from engines.search.knowledge import ENDLESS

OPTIONS = {"julepe": {"rounds": 4}, "taroky": {"rounds": 2}}
ROUND = {"julepe": "round_no", "taroky": "finished"}
TRICKS = 3


@core.entry
def best_of(states: Any, words: Any, out: Any, points: Any, cards: Any) -> int:
    return endgame.play_best(states, words, 0, 1, out, points, cards)


@core.entry
def tricks_left_of(states: Any) -> int:
    return knowledge.tricks_left(states[0])


def endings(game: Game, n: int) -> list[States]:
    """Rows in which a seat is to act and at most `TRICKS` tricks are left, of rounds by the rollout policy."""
    found: list[States] = []
    actions, rng, seed = np.zeros(1, np.int64), np.zeros(1, np.uint64), 0
    while len(found) < n:
        seed += 1
        states = game.new(1, seed=seed, **OPTIONS[game.name]).copy()
        while not game.over(states)[0]:
            if tricks_left_of(core.rows(states)) <= TRICKS and seed % 5 == states["seat"][0]:
                found.append(copy_states(states))
            lanes.rule_actions(core.rows(states), core.work(game.n_actions), rng, actions)
            game.step(states, actions)
    return found[:n]


def worth(game: Game, states: States) -> list[float]:
    """What the end of a round is worth to each seat."""
    if game.name == "taroky":
        return [float(chips) for chips in states["totals"][0]]
    return [float(net + states["pot"][0] / 5) for net in states["net"][0]]


def declarers(states: States) -> set[int]:
    """The seats of one side in Taroky."""
    prever, povinnost, partner = (int(states[name][0]) for name in ("prever", "povinnost", "partner"))
    return {prever} if prever >= 0 else {povinnost, partner}


def best_line(game: Game, states: States) -> list[float]:
    """What every seat gets if each does the best for its side; of equal actions the first."""
    seat, best = int(states["seat"][0]), None
    for action in np.flatnonzero(game.legal_mask(states)[0]):
        after = copy_states(states)
        game.step(after, [action])
        ended = game.over(after)[0] or after[ROUND[game.name]][0] != states[ROUND[game.name]][0]
        found = worth(game, after) if ended else best_line(game, after)
        if best is None or mine(game, states, found, seat) > mine(game, states, best, seat):
            best = found
    assert best is not None
    return best


def mine(game: Game, states: States, values: list[float], seat: int) -> float:
    """What these values are to a seat, or to its side."""
    if game.name == "julepe":
        return values[seat]
    side = declarers(states)
    return sum(value for other, value in enumerate(values) if (other in side) == (seat in side))


def solved(game: Game, states: States) -> tuple[int, States]:
    """How many steps the best line has, and the row at its end."""
    rows = np.zeros(endgame.MOST_STEPS + 2, game.state)
    rows[0] = states[0]
    words = rows.view(np.int64).reshape(len(rows), -1)
    out, cards, points = core.work(game.n_actions), core.work(game.deck_size), np.zeros(6)
    return best_of(core.rows(rows), words, out, points, cards), rows[:1]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_last_tricks_are_played_as_the_best_of_all_lines(name: str) -> None:
    game, choices = engines.load(name), 0
    for states in endings(game, 30):
        expected = best_line(game, states)
        steps, end = solved(game, states)
        assert worth(game, end) == expected
        assert 0 < steps <= TRICKS * 5
        choices += int(game.legal_mask(states).sum() > 1)
    assert choices > 5


@pytest.mark.parametrize("name", sorted(set(engines.names()) - set(OPTIONS)))
def test_games_without_tricks_are_never_played_with_open_cards(name: str) -> None:
    assert tricks_left_of(core.rows(engines.load(name).new(1).copy())) == ENDLESS
