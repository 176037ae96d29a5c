"""The vector environment: rewards, seats, seeds and arrays, beside games that are played one by one."""

import copy
import importlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import engines
from engines.adapters import vector
from tests.engines.short import SHORT

GAMES = [
    pytest.param(name, marks=pytest.mark.soak) if name in ("tzogous37", "zoliky") else name
    for name in engines.names()
]
"""Lanes are the same code in every game, and five seconds of compilation in each."""


@pytest.mark.parametrize("name", GAMES)
def test_self_play_is_the_game_of_the_batch_interface_and_begins_anew_with_fresh_seeds(name: str) -> None:
    game = engines.load(name)
    n = 5
    env = vector.env(name, n, seat=None, forced=True, **SHORT[name])
    observations, infos = env.reset(seed=100)
    states = game.new(n, 100, **SHORT[name]).copy()
    seeds, ended = 100 + np.arange(n), 0
    for _ in range(120):
        assert np.array_equal(observations, game.encode(states))
        assert np.array_equal(infos["action_mask"], game.legal_mask(states))
        assert np.array_equal(infos["seat"], game.seats(states))
        actions = env.sample()
        game.step(states, actions)
        observations, rewards, over, truncated, infos = env.step(actions)
        assert np.array_equal(over, game.over(states)) and not truncated.any()
        for i in range(n):
            wanted = game.scores(states[i : i + 1])[0] if over[i] else np.zeros(rewards.shape[1])
            assert rewards[i].tolist() == wanted.tolist()
            if over[i]:
                assert np.array_equal(infos["final_obs"][i], game.encode(states[i : i + 1], -1)[0])
                seeds[i] += n
                states[i : i + 1] = game.new(1, int(seeds[i]), **SHORT[name])
                ended += 1
    assert ended


@pytest.mark.parametrize("name", ["flip7", "julepe", "taroky"])
@pytest.mark.parametrize("opponents", ["random", "rule"])
def test_rewards_of_rounds_sum_to_those_of_the_game_for_the_learning_seat(name: str, opponents: str) -> None:
    options = {"flip7": {"goal": 60}, "julepe": {"rounds": 3}, "taroky": {"rounds": 2}}[name]
    seats = [0, 1, 2, 1, 0, 2]
    by_game = vector.env(name, 6, seats, opponents, **options)
    by_round = vector.env(name, 6, seats, opponents, rewards="round", **options)
    _, infos = by_game.reset(seed=7)
    by_round.reset(seed=7)
    total, early, ended = np.zeros(6), 0, 0
    for _ in range(150):
        assert infos["seat"].tolist() == seats
        actions = by_game.sample()
        _, rewards, over, _, infos = by_game.step(actions)
        _, parts, over_too, _, _ = by_round.step(actions)
        assert np.array_equal(over, over_too)
        total += parts
        early += int(parts[~over].any())
        assert not rewards[~over].any()
        assert total[over].tolist() == rewards[over].tolist()
        total[over] = 0
        ended += over.sum()
    assert early and ended


def test_a_function_that_plays_by_the_rules_makes_the_same_games_as_lanes_that_play_themselves() -> None:
    """The first legal action of all others: once by a function, once with all seats asked one by one."""
    seen: list[int] = []

    def first_legal(observations: Any, masks: Any, seats: Any) -> Any:
        assert len(observations) == len(masks) == len(seats) and (seats != 0).all()
        seen.extend(seats.tolist())
        return masks.argmax(axis=1)

    options = {"rounds": 1}
    alone = vector.env("taroky", 3, 0, first_legal, forced=True, **options)
    alone.reset(seed=5)
    together = vector.env("taroky", 3, None, forced=True, **options)
    _, all_infos = together.reset(seed=5)
    assert all_infos["seat"].tolist() != [0, 0, 0] and set(seen) <= {1, 2, 3}
    scores = np.zeros(3)
    for _ in range(40):
        _, rewards, over, _, _ = alone.step(alone.arrays["masks"].argmax(axis=1))
        scores[over] = rewards[over]
        if over.any():
            break
    wanted = np.zeros(3)
    for _ in range(400):
        _, by_seat, over_too, _, _ = together.step(together.arrays["masks"].argmax(axis=1))
        wanted[over_too] = by_seat[over_too, 0]
        if (over_too & over).any():
            break
    assert scores[over].tolist() == wanted[over].tolist()


def test_lanes_that_follow_the_quick_player_play_the_games_of_the_rule_opponents() -> None:
    """Taroky's quick player draws nothing, so that its games are the same whoever asks it."""
    followed = vector.env("taroky", 4, seat=None, rounds=1)
    followed.reset(seed=9)
    ended: dict[int, Any] = {}
    while len(ended) < 4:
        _, rewards, over, _, _ = followed.step(followed.rule())
        ended |= {lane: rewards[lane].tolist() for lane in np.flatnonzero(over) if lane not in ended}
    alone = vector.env("taroky", 4, 0, "rule", rounds=1)
    alone.reset(seed=9)
    first: dict[int, float] = {}
    while len(first) < 4:
        _, rewards, over, _, _ = alone.step(alone.rule())
        first |= {lane: float(rewards[lane]) for lane in np.flatnonzero(over) if lane not in first}
    assert first == {lane: scores[0] for lane, scores in ended.items()}
    assert len(set(first.values())) > 1


def test_the_same_seed_gives_the_same_games_whatever_runs_beside_them() -> None:
    def rewards_of(n: int) -> list[float]:
        env = vector.env("flip7", n, 0, "rule", goal=60)
        env.reset(seed=3)
        given = []
        for _ in range(60):
            _, rewards, _, _, _ = env.step(env.arrays["masks"].argmax(axis=1))
            given.append(float(rewards[0]))
        return given[:10]  # lane 0 is in its first game, which depends on its seed alone

    assert rewards_of(1) == rewards_of(4)


def test_every_step_writes_into_the_same_arrays() -> None:
    env = vector.env("flip7", 4)
    kept = {"observations": env.arrays["observations"], "rewards": env.arrays["rewards"]}
    first, _ = env.reset(seed=1)
    assert first is kept["observations"] and first.max() <= 2
    after, rewards, *_ = env.step(env.sample())
    assert after is first and rewards is kept["rewards"]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"seat": 4}, "seat = 4: allowed is 0 to 3"),
    ({"seat": [0]}, "seat must be one whole number, 2 of them, or None"),
    ({"opponents": "best"}, "opponent 'best': allowed is 'random', 'rule' or a function"),
    ({"opponents": 3}, "opponent 3: allowed is 'random', 'rule' or a function"),
    ({"n": 0}, "n = 0: allowed is a whole number of games, from 1"),
    ({"opponents": ["rule"]}, "4 opponents, one a seat, or one for all"),
    ({"rewards": "trick"}, "rewards = 'trick': allowed is 'game' or 'round'"),
    ({"gaol": 3}, "did you mean goal"),
]


@pytest.mark.parametrize("arguments, message", WRONG)
def test_wrong_arguments_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(engines.GameError, match=message):
        vector.env("flip7", **{"n": 2} | arguments)


def test_an_illegal_action_names_its_lane_and_changes_nothing() -> None:
    env = vector.env("flip7", 2)
    for call in (lambda: env.step([0, 0]), env.sample, env.rule):
        with pytest.raises(engines.GameError, match="reset the environment"):
            call()
    env.reset(seed=1)
    before = env.states().tobytes()
    with pytest.raises(engines.IllegalAction, match="lane 1: illegal action 'give 9' for seat 0"):
        env.step([0, 13])
    assert env.states().tobytes() == before


ANSWERS: list[tuple[Any, str]] = [
    (None, "an opponent's actions must be 2 whole numbers, got object"),
    ([0.5, 0.5], "an opponent's actions must be 2 whole numbers, got float64"),
    ([0], r"an opponent's actions must be 2 whole numbers, got int64 \(1,\)"),
    ([99, 99], "lane 0: an opponent's illegal action number 99 for seat 1"),
]


@pytest.mark.parametrize("answers, message", ANSWERS)
def test_an_opponent_that_answers_wrongly_is_told(answers: Any, message: str) -> None:
    env = vector.env("flip7", 2, opponents=lambda observations, masks, seats: answers)
    with pytest.raises(engines.IllegalAction, match=message):
        env.reset(seed=1)


@pytest.mark.parametrize("name", ["flip7", "julepe"])
def test_the_checks_of_gymnasium_pass_for_the_vector_environment(name: str) -> None:
    """All but those that draw actions without a mask, and that for a random stream of Gymnasium's."""
    gymnasium = pytest.importorskip("gymnasium", reason="needs the extra rl: pip install '.[rl]'")
    checker = importlib.import_module("gymnasium.utils.env_checker")
    env = vector.env(name, 3, **SHORT[name])
    checker.check_reset_return_type(env)
    checker.check_reset_options(env)
    for space in (env.single_observation_space, env.single_action_space):
        checker.check_space_limit(space, "space")
    first = [np.copy(env.reset(seed=123)[0]), np.copy(env.reset()[0])]
    assert checker.data_equivalence(first, [np.copy(env.reset(seed=123)[0]), env.reset()[0]])
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    numbers, infos = env.reset(seed=1)
    episodes = 0
    while episodes < 3:
        assert numbers in env.observation_space
        numbers, rewards, over, truncated, infos = env.step(infos["action_mask"].argmax(axis=1))
        assert rewards.shape == over.shape == truncated.shape == (3,)
        episodes += int(infos["_episode"].sum()) if "episode" in infos else 0


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
    env = vector.env("flip7", 2, opponents=lambda _, masks, seats: masks.argmax(1))
    mine, _ = env.reset(seed=1)
    before, twin = mine.copy(), copy.deepcopy(env)
    twin.step(twin.sample())
    assert np.array_equal(mine, before)
    assert env.step(env.rule())[0] is mine
    with pytest.raises(engines.GameError, match=r"the opponent <function .*lambda.* cannot be pickled"):
        pickle.dumps(env)
