"""The example that learns: it comes nearer to whom it copies, and the bot that it writes plays as the network does."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engines
from engines.adapters import vector
from engines.position import Position

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def ppo() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        yield import_module("ppo")


def place(scores: Any) -> Any:
    return (scores == scores.max(axis=1, keepdims=True)).astype(np.float32)


def test_a_network_that_copies_comes_to_do_what_the_quick_player_does(ppo: Any) -> None:
    env = vector.env("flip7", 64, seat=None, goal=60)
    network, rng = ppo.Network(env.game.encoding_size, env.game.n_actions, 16, 1), np.random.default_rng(1)
    env.reset(seed=1)
    agreed = []
    for _ in range(8):
        played = ppo.play(env, network, place, 64, rng, True)
        agreed.append(float((played["own"] == played["rule"]).mean()))
        ppo.learn(network, played, ppo.copy, 4, 3e-3, rng)
    assert agreed[-1] > agreed[0] + 0.1 and agreed[-1] > 0.7


def test_learning_makes_what_went_better_likelier(ppo: Any) -> None:
    """One position, two legal actions: the first went well, the second badly."""
    network, rng = ppo.Network(3, 2, 4, 1), np.random.default_rng(1)
    n = ppo.BATCH
    seen, mask = np.ones((n, 3), np.float32), np.ones((n, 2), np.bool_)
    action = np.arange(n) % 2
    before, value = network.policy(seen, mask)
    played = {
        "seen": seen, "mask": mask, "action": action, "chance": before[np.arange(n), action], "value": value,
        "target": np.ones(n, np.float32), "better": np.where(action == 0, 1, -1).astype(np.float32),
    }  # fmt: skip
    for _ in range(3):
        ppo.learn(network, played, ppo.improve, 1, 1e-2, rng)
    after, later = network.policy(seen, mask)
    assert after[0, 0] > before[0, 0]
    assert abs(later[0] - 1) < abs(value[0] - 1)


def test_the_bot_that_is_written_plays_the_likeliest_action_of_the_network(ppo: Any, tmp_path: Path) -> None:
    game = engines.load("flip7")
    network = ppo.Network(game.encoding_size, game.n_actions, 8, 3)
    network.weights[-1] *= 50  # else all are alike
    network.save(tmp_path / "net", "flip7")
    spec = util.spec_from_file_location("net", tmp_path / "net" / "__init__.py")
    assert spec is not None and spec.loader is not None
    bot = util.module_from_spec(spec)
    spec.loader.exec_module(bot)
    assert bot.GAMES == ["flip7"]
    states = game.new(20, 1)
    chances, _ = network.policy(game.encode(states), game.legal_mask(states))
    views = [Position.of(game, states[i : i + 1]).view() for i in range(len(states))]
    assert bot.act_batch(views) == chances.argmax(axis=1).tolist()
