"""PettingZoo: its own conformance tests, the usual wrappers, rewards and pictures."""

from typing import Any

import numpy as np
import pytest

import engines

pytest.importorskip("pettingzoo", reason="needs the extra rl: pip install '.[rl]'")

from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs_test
from pettingzoo.test.state_test import test_state as state_test
from pettingzoo.test.state_test import test_state_space as state_space_test
from pettingzoo.utils.wrappers import CaptureStdoutWrapper

from engines.adapters import pettingzoo as adapter

# `api_test` knows environments with dictionaries and masks by the names of its own, and warns of all others
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]
CYCLES = 20


@pytest.mark.parametrize("name", engines.names())
def test_conformance_of_pettingzoo(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(adapter.raw_env(name), num_cycles=CYCLES)
    api_test(adapter.env(name), num_cycles=CYCLES)
    api_test(adapter.env(name, illegal=-1.0), num_cycles=CYCLES)
    seed_test(lambda: adapter.env(name), num_cycles=CYCLES)
    assert capsys.readouterr().out.count("Passed") == 3


@pytest.mark.parametrize("name", engines.names())
def test_states_pictures_and_saved_observations_pass_the_tests_of_pettingzoo(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Observations that are no pictures are not saved, which its test prints and takes."""
    state_space_test(adapter.env(name))
    state_test(adapter.env(name, illegal=-1.0), CYCLES)
    render_test(lambda **mode: adapter.env(name, illegal=-1.0, **mode))
    save_obs_test(adapter.env(name))
    assert "did not save the observations" in capsys.readouterr().out


def played(env: Any, seed: int) -> dict[str, float]:
    """Rewards of each agent over a game of random actions."""
    env.reset(seed=seed)
    rng, sums = np.random.default_rng(1), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, over, _, _ = env.last()
        sums[agent] += reward
        env.step(None if over else rng.choice(np.flatnonzero(observation["action_mask"])))
    return sums


@pytest.mark.parametrize("rewards", ["game", "round"])
def test_a_game_is_that_of_its_seed_and_rewards_sum_to_its_scores(rewards: str) -> None:
    env = adapter.env("julepe", rewards=rewards, rounds=3)
    sums = played(env, 11)
    position, rng = engines.load("julepe").position(11, rounds=3), np.random.default_rng(1)
    while not position.over:
        position.play(int(rng.choice(position.legal_numbers())))
    assert list(sums.values()) == position.scores()


def test_what_others_know_is_in_no_observation_and_only_the_seat_to_act_has_a_mask() -> None:
    env = adapter.env("taroky")
    env.reset(seed=2)
    state = env.unwrapped.position.states
    for agent, seat in zip(env.agents, range(4)):
        seen = env.observe(agent)
        views = engines.load("taroky").views(state, seat)
        assert np.array_equal(seen["observation"], engines.load("taroky").encode(views, seat)[0])
        assert bool(seen["action_mask"].any()) == (agent == env.agent_selection)
    assert env.state().shape == (4 * engines.load("taroky").encoding_size,)


def test_an_illegal_action_is_an_error_or_ends_the_game_with_the_reward_that_was_asked_for() -> None:
    env = adapter.env("flip7")
    env.reset(seed=1)
    with pytest.raises(engines.IllegalAction, match="illegal action 'give 9'"):
        env.step(13)
    env = adapter.env("flip7", illegal=-5.0)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(13)
    assert all(env.terminations.values()) and env.rewards[agent] == -5


def test_a_position_is_shown_as_text_or_printed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = adapter.env("flip7", render_mode="ansi")
    shown.reset(seed=4)
    text = str(engines.load("flip7").position(4))
    assert shown.render() == text
    printed = adapter.env("flip7", render_mode="human")
    printed.reset(seed=4)
    assert printed.render() is None
    assert capsys.readouterr().out == text + "\n"
    captured = CaptureStdoutWrapper(adapter.raw_env("flip7", render_mode="human"))
    captured.reset(seed=4)
    assert captured.render() == text + "\n"


def test_games_without_a_seed_go_on_from_the_last_one() -> None:
    env = adapter.raw_env("flip7", players=3)
    env.reset(seed=5)
    env.reset()
    assert env.position.states.tobytes() == engines.load("flip7").position(6, 3).states.tobytes()


@pytest.mark.parametrize("wrong", [{"rewards": "trick"}, {"render_mode": "rgb_array"}, {"gaol": 1}])
def test_wrong_arguments_are_told(wrong: dict[str, Any]) -> None:
    with pytest.raises(engines.OptionError, match=next(iter(wrong))):
        adapter.env("flip7", **wrong)
