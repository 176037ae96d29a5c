"""A copy of a running environment plays on as the original does, and neither disturbs the other."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import engines
from engines.adapters import vector
from tests.engines.short import SHORT

WAYS: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


def many(name: str) -> tuple[Any, Callable[[Any], Any]]:
    env = vector.env(name, 3, opponents="rule", **SHORT[name])
    env.reset(seed=3)
    return env, lambda env: [np.copy(part) for part in env.step(env.sample())[:3]]


def one_seat(name: str) -> tuple[Any, Callable[[Any], Any]]:
    pytest.importorskip("gymnasium", reason="needs the extra rl: pip install '.[rl]'")
    from engines.adapters import single

    def played(env: Any) -> Any:
        numbers, reward, over, _, infos = env.step(env._legal.argmax())
        return numbers, reward, infos["action_mask"], env.reset()[0] if over else over

    env = single.env(name, opponents="rule", **SHORT[name])
    env.reset(seed=3)
    return env, played


def agents(name: str) -> tuple[Any, Callable[[Any], Any]]:
    pytest.importorskip("pettingzoo", reason="needs the extra rl: pip install '.[rl]'")
    from engines.adapters import pettingzoo

    def played(env: Any) -> Any:
        if not env.agents:
            env.reset()
        seen, reward, over, *_ = env.last()
        env.step(None if over else int(seen["action_mask"].argmax()))
        return seen["observation"], seen["action_mask"], reward, env.agent_selection

    env = pettingzoo.env(name, **SHORT[name])
    env.reset(seed=3)
    return env, played


def open_spiel(name: str) -> tuple[Any, Callable[[Any], Any]]:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel: pip install '.[openspiel]'")
    pytest.importorskip("engines.adapters.openspiel")

    def played(state: Any) -> Any:
        if not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        return str(state), state.returns()

    return pyspiel.load_game(f"arena_{name}").new_initial_state(), played


@pytest.mark.parametrize("name", ["flip7", "taroky"])  # what an adapter holds is the same for all games
@pytest.mark.parametrize("adapter", [many, one_seat, agents, open_spiel])
def test_a_copy_plays_on_as_the_original_does(adapter: Any, name: str) -> None:
    env, played = adapter(name)
    for _ in range(6):
        played(env)
    for way in WAYS[adapter is not many :]:  # a shallow copy of the others shares what it plays with
        twin = way(env)
        for moves in (25, 15):  # in turns: the original first, then the copy
            wanted = [played(env) for _ in range(moves)]
            np.testing.assert_equal([played(twin) for _ in range(moves)], wanted)


def test_a_copy_writes_into_arrays_of_its_own_and_a_policy_that_cannot_be_pickled_is_named() -> None:
    mine = np.zeros((2, 449), np.float32)
    env = vector.env(
        "flip7", 2, opponents=lambda _, masks, seats: masks.argmax(1), into={"observations": mine}
    )
    env.reset(seed=1)
    before, twin = mine.copy(), copy.deepcopy(env)
    twin.step(twin.sample())
    assert np.array_equal(mine, before)
    assert env.step(env.rule())[0] is mine
    with pytest.raises(engines.GameError, match=r"the opponent <function .*lambda.* cannot be pickled"):
        pickle.dumps(env)
