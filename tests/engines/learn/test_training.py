"""Training: prices are those of paired playouts, a network learns them, a checkpoint goes on as if nothing had
happened, and the networks that ship play what their files say.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bots.trained
import engines
from engines import GameError
from engines.learn import prices, training
from engines.learn.network import MARGIN, Network, shipped
from engines.learn.training import CHECKPOINT, Labels, Learner, PricedGames
from engines.position import Position
from engines.search import action_values, preset
from tests.python import python


@pytest.mark.parametrize("name", ["flip7", "tzogous37"])
def test_the_policys_action_costs_nothing_and_only_legal_actions_are_priced(name: str) -> None:
    game = engines.load(name)
    table = PricedGames(game, game.players, 16, 3)
    for _ in range(4):
        _, mask, rule = table.look()
        kinds, found = table.price(np.arange(16), rule, 7)
        assert np.array_equal(kinds != prices.ILLEGAL, mask)
        assert not found[kinds != prices.PRICED].any() and not found[np.arange(16), rule].any()
        again = table.price(np.arange(16), rule, 7)
        assert np.array_equal(again[0], kinds) and np.array_equal(again[1], found)
        table.env.step(table.env.sample())


@pytest.mark.parametrize("name", ["flip7", "julepe", "tzogous37"])
def test_a_price_is_what_an_action_brings_more_in_the_mean_of_many_worlds(name: str) -> None:
    """Against the search's own values of the same position, within five standard errors."""
    game = engines.load(name)
    table, (_, settings) = PricedGames(game, game.players, 8, 3), preset(name)
    _, _, rule = table.look()
    states, lanes = table.env.states(), np.repeat(np.arange(8), 200)
    kinds, found = table.price(lanes, rule, 7)  # 1 600 worlds each
    found = found.reshape(8, 200, -1)
    for lane in range(8):
        view = Position.of(game, states[lane : lane + 1]).view()
        values, errors = action_values(view, 1600, 5, settings=settings)
        base = view.legal.tolist().index(rule[lane])
        for k, action in enumerate(view.legal.tolist()):
            if kinds[lane * 200, action] == prices.PRICED and k != base:
                mine = found[lane, :, action]
                error = np.hypot(mine.std() / np.sqrt(200), np.hypot(errors[k], errors[base]))
                assert abs(mine.mean() - (values[k] - values[base])) < 5 * error


def test_a_network_learns_the_prices_of_its_labels() -> None:
    game, rng = engines.load("julepe"), np.random.default_rng(1)
    learner, labels, table = Learner.new(game, 32, 1), Labels(game, 4096), PricedGames(game, 5, 64, 1)
    for _ in range(3):
        training.collect(table, learner, labels, rng)
    errors = [training.learn(learner, labels, 3e-3, rng) for _ in range(12)]
    assert errors[-1] < 0.7 * errors[0] and learner.scale > 0 and learner.rounds == 12


def test_a_player_leaves_the_policy_only_for_a_gain_above_the_margin() -> None:
    network = Network([np.zeros((3, 3), np.float32)], [np.array([0, MARGIN - 0.01, 9], np.float32)])
    seen, mask = np.zeros((2, 3), np.float32), np.array([[True, True, False], [True, True, True]])
    assert network.best(seen, mask, np.array([0, 0])).tolist() == [0, 2]


def test_a_checkpoint_holds_all_that_is_trained(tmp_path: Path) -> None:
    game, rng = engines.load("flip7"), np.random.default_rng(1)
    learner, labels, table = Learner.new(game, 8, 1), Labels(game, 2048), PricedGames(game, 2, 32, 1)
    training.collect(table, learner, labels, rng)
    training.learn(learner, labels, 1e-3, rng)
    learner.save(tmp_path)
    twin = Learner.load(tmp_path, game, 8)
    for other in ((game, 9), (engines.load("julepe"), 8)):
        with pytest.raises(GameError, match="of another game or --hidden"):
            Learner.load(tmp_path, *other)
    for one in (learner, twin):
        training.learn(one, labels, 1e-3, np.random.default_rng(2))
    both = learner.network.parameters(), twin.network.parameters()
    assert all(np.array_equal(mine, its) for mine, its in zip(*both, strict=True))
    assert (twin.scale, twin.rounds) == (learner.scale, learner.rounds)


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\3\4 a torn archive", b"an array"])
def test_a_file_that_is_no_checkpoint_is_named_with_what_to_do(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "checkpoint.npz"
    path.write_bytes(data)
    if data == b"an array":
        with path.open("wb") as file:
            np.save(file, np.ones(3))
    with pytest.raises(GameError, match=r"checkpoint\.npz is no checkpoint.*delete it"):
        Learner.load(tmp_path, engines.load("flip7"), 8)


@pytest.mark.parametrize(
    ("name", "value"), [("numbers", -1.0), ("numbers", np.nan), ("p0", np.inf), ("m1", -1.0)]
)
def test_a_checkpoint_with_impossible_numbers_is_refused(tmp_path: Path, name: str, value: float) -> None:
    game = engines.load("flip7")
    Learner.new(game, 8, 1).save(tmp_path)
    with np.load(tmp_path / CHECKPOINT) as stored:
        arrays = dict(stored)
    arrays[name] = np.full_like(arrays[name], value)
    np.savez(tmp_path / CHECKPOINT, **arrays)
    with pytest.raises(GameError, match="damaged"):
        Learner.load(tmp_path, game, 8)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "engines.learn", *words, "--hidden", "8")


@pytest.mark.parametrize(
    ("wrong", "value"),
    [("--cpu-seconds", "0"), ("--cpu-seconds", "nan"), ("--cpu-seconds", "inf"), ("--seed", "-1")],
)
def test_numbers_that_train_nothing_are_refused(tmp_path: Path, wrong: str, value: str) -> None:
    done = run("flip7", "--folder", str(tmp_path / "net"), wrong, value)
    assert done.returncode == 2 and wrong in done.stderr.splitlines()[-1] and not (tmp_path / "net").exists()


def test_a_folder_with_another_bot_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("mine")
    done = run("flip7", "--folder", str(tmp_path), "--cpu-seconds", "1")
    assert done.returncode == 2 and "has __init__.py and no checkpoint.npz" in done.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


def test_the_command_writes_a_bot_and_one_process_trains_it_up_to_a_checkpoint(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "engines.learn", "flip7", "--folder", str(tmp_path), "--hidden", "8"]
    words += ["--cpu-seconds", "24"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        assert "lead over the rollout policy" in first.stdout.readline()  # after a tenth of the time
        second = run("flip7", "--folder", str(tmp_path))
        assert second.returncode == 2 and "another process trains there" in second.stderr
        first.terminate()
        assert "the same command goes on from the checkpoint" in first.stderr.read()
    assert first.returncode == 130
    (tmp_path / "weights.npz").unlink()
    (tmp_path / "__init__.py").unlink()
    again = run("flip7", "--folder", str(tmp_path), "--cpu-seconds", "1")
    assert again.returncode == 0 and again.stdout.startswith("goes on after"), again.stderr
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"__init__.py", "checkpoint.npz", "curve.csv", "weights.npz"}
    bad = run("whist")
    assert bad.returncode == 2 and len(bad.stderr.splitlines()) == 1 and "whist" in bad.stderr


@pytest.mark.parametrize("name", bots.trained.GAMES)
def test_the_networks_that_ship_are_small_and_play_the_action_with_the_best_price(name: str) -> None:
    game, network = engines.load(name), shipped(name)
    assert sum(array.nbytes // 2 for array in network.parameters()) <= 1_000_000
    table = PricedGames(game, game.players, 20, 1)
    seen, mask, rule = table.look()
    states = table.env.states()
    views = [Position.of(game, states[i : i + 1]).view() for i in range(len(states))]
    assert bots.trained.act_batch(views) == network.best(seen, mask, rule).tolist()


def test_weights_of_half_the_size_play_nearly_as_those_that_were_trained(tmp_path: Path) -> None:
    network = Network.new([50, 16, 16, 9], np.random.default_rng(3))
    network.save(tmp_path / "weights.npz")
    x = np.random.default_rng(4).random((1000, 50), np.float32)
    assert np.abs(network.layers(x)[-1] - Network.load(tmp_path / "weights.npz").layers(x)[-1]).max() < 1e-2
