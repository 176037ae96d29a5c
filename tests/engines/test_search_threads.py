"""Searches in several threads: what they share, what each has for itself, and how it is added up."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import engines
from engines import GameError
from engines.search import Settings, flat_monte_carlo, ismcts, run, tree
from engines.view import View

ALL = Settings(noise=0.0)


def decision(name: str, phase: str, seed: int = 4) -> View:
    """A view in a phase, where there is a choice."""
    position, rng = engines.load(name).position(seed=seed), random.Random(seed)
    while position.view().phase != phase or len(position.legal()) < 3:
        position.play(rng.choice(position.legal()))
    return position.view()


def test_threads_share_a_budget_and_the_choice_is_a_function_of_seed_and_threads() -> None:
    view = decision("julepe", "tricks")
    for threads in (1, 2, 3):
        found = ismcts(view, 1000, 7, settings=ALL, threads=threads)
        again = ismcts(view, 1000, 7, settings=ALL, threads=threads)
        assert found.playouts == 1000 and found.visits.tolist() == again.visits.tolist()
        assert found.action == again.action and found.decisions == again.decisions
    assert ismcts(view, 2, 7, settings=ALL, threads=3).playouts == 2


def test_threads_of_the_flat_search_try_the_same_worlds_as_one() -> None:
    view = decision("julepe", "tricks")
    one, three = (flat_monte_carlo(view, 999, 7, settings=ALL, threads=threads) for threads in (1, 3))
    assert one.visits.tolist() == three.visits.tolist() and one.decisions == three.decisions
    assert three.means == pytest.approx(one.means)
    assert one.action == three.action


def test_the_trees_of_threads_grow_in_worlds_of_their_own_and_are_added_up() -> None:
    """The first thread searches as one alone does; what the second adds has as many playouts, and is not the same."""
    view = decision("julepe", "tricks")
    one, both = (ismcts(view, 300 * n, 7, settings=ALL, threads=n).visits for n in (1, 2))
    assert (both >= one).all() and (both - one).sum() == 300 and (both - one).tolist() != one.tolist()


@pytest.mark.parametrize("search", [ismcts, flat_monte_carlo])
def test_threads_have_the_time_that_was_given_each(search: Any) -> None:
    view = decision("julepe", "tricks")
    found = search(view, seed=1, cpu_ms=1.0, settings=ALL, threads=2)
    assert found.playouts >= 2 * len(found.actions)


@pytest.mark.parametrize("threads", [0, -1, 257, True, 1.0])
def test_a_number_of_threads_out_of_range_is_refused(threads: int) -> None:
    view = decision("julepe", "tricks")
    for search in (ismcts, flat_monte_carlo):
        with pytest.raises(GameError, match="threads = "):
            search(view, 10, threads=threads)


@pytest.mark.parametrize("rewards", [[3.0, 4.0, 9.0, -2.0, 5.5, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0, 2.0]])
def test_the_spread_of_several_trees_is_that_of_all_their_rewards(rewards: list[float]) -> None:
    trees = [tree.new_tree(2, 1) for _ in range(3)]
    for at, reward in enumerate(rewards):
        tree.note_reward(trees[at % 3 if at < 4 else 0], 0, reward)
    assert run._spread(trees, 0) == pytest.approx(float(np.var(rewards)))
