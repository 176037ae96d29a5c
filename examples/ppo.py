"""A small network learns a game by playing against itself: proximal policy optimisation in NumPy.

Schulman et al. 2017, "Proximal Policy Optimization Algorithms"; advantages as in Schulman et al. 2016,
"High-Dimensional Continuous Control Using Generalized Advantage Estimation", for every seat by itself. All
seats play with the same network. What is learnt from a game's scores is the caller's (`worth`).

Where chance alone would take long to find a sensible game, the network first copies the game's quick player.
It plays some of its own actions meanwhile, to learn what to do after its own mistakes: Ross, Gordon & Bagnell
2011, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online Learning".
"""

from __future__ import annotations

import one_thread  # noqa: F401 - before NumPy

# isort: split
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.adapters import vector

Floats = NDArray[np.float32]
Played = dict[str, NDArray[Any]]
"""Decisions by column: seen, mask, action, own, rule, chance, value, target, better."""
Worth = Callable[[Floats], Floats]
"""From scores [games, seats] to what each seat is to maximise, about -1 to 1."""
BOT = Path(__file__).parent / "network_bot.py"
CLIP, TRACE, EPOCHS, BATCH, ENTROPY = 0.2, 0.95, 3, 2048, 0.01
OWN = 0.2
"""Share of the network's own actions while it copies the rollout policy."""


class Network:
    """Two hidden layers with two heads: a number for every action, and the value of the position."""

    def __init__(self, inputs: int, actions: int, hidden: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.actions = actions
        sizes = [(inputs, hidden), (hidden, hidden), (hidden, actions + 1)]
        self.weights = [(rng.standard_normal(s) * np.sqrt(2 / s[0])).astype(np.float32) for s in sizes]
        self.weights[-1] *= np.float32(0.05)
        self.biases = [np.zeros(s[1], np.float32) for s in sizes]
        self._adam = [(np.zeros_like(w), np.zeros_like(w)) for w in self.parameters()]
        self._updates = 0

    def parameters(self) -> list[Floats]:
        """All arrays, modified in place by `learn`."""
        return [*self.weights, *self.biases]

    def layers(self, x: Floats) -> list[Floats]:
        """Return the input, both hidden layers and the output."""
        found = [x]
        for w, b in zip(self.weights[:-1], self.biases[:-1]):
            found.append(np.maximum(found[-1] @ w + b, 0))
        found.append(found[-1] @ self.weights[-1] + self.biases[-1])
        return found

    def policy(self, x: Floats, mask: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Chance of every action (0 where it is not legal), and values."""
        out = self.layers(x)[-1]
        return softmax(out[:, : self.actions], mask), out[:, -1]

    def learn(self, layers: list[Floats], gradient: Floats, rate: float) -> None:
        """Take a step of Adam (Kingma & Ba 2015) down the gradient of the output."""
        weights, biases = [], []
        for k in range(len(self.weights) - 1, -1, -1):
            weights.append(layers[k].T @ gradient)
            biases.append(gradient.sum(axis=0))
            if k:
                gradient = (gradient @ self.weights[k].T) * (layers[k] > 0)
        gradients = [*reversed(weights), *reversed(biases)]
        norm = np.sqrt(sum(float((g * g).sum()) for g in gradients))
        self._updates += 1
        step = rate * np.sqrt(1 - 0.999**self._updates) / (1 - 0.9**self._updates)
        shrunk = min(1.0, 0.5 / max(norm, 1e-9))
        for k, parameter in enumerate(self.parameters()):
            g, (mean, square) = gradients[k] * shrunk, self._adam[k]
            np.add(mean, 0.1 * (g - mean), out=mean)
            np.add(square, 0.001 * (g * g - square), out=square)
            np.subtract(parameter, step * mean / (np.sqrt(square) + 1e-8), out=parameter, casting="same_kind")

    def save(self, folder: Path, game: str) -> None:
        """Write a bot: its module, and the weights beside it."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").write_text(
            BOT.read_text(encoding="utf-8").replace("[GAME]  # noqa: F821", f'["{game}"]')
        )
        arrays = {f"w{k}": w for k, w in enumerate(self.weights)} | {
            f"b{k}": b for k, b in enumerate(self.biases)
        }
        np.savez(folder / "weights.npz", **arrays)


def softmax(numbers: Floats, mask: NDArray[np.bool_]) -> Floats:
    """Chances of the legal actions."""
    numbers = np.where(mask, numbers, -1e9)
    e = np.exp(numbers - numbers.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def train(
    env: vector.VectorGames,
    network: Network,
    worth: Worth,
    cpu_seconds: float,
    folder: Path,
    *,
    copying: float = 0.0,
    steps: int = 128,
    rate: float = 1e-3,
) -> None:
    """Play and learn for so many seconds of CPU time; `env` is in self-play (`seat=None`).

    The bot is written now and then, and at the end: it can be tried meanwhile.

    Args:
        env: the games.
        network: modified in place.
        worth: what the scores of finished games are worth to the seats.
        cpu_seconds: how long.
        folder: of the bot.
        copying: share of the time, at first, in which it copies the game's quick player.
        steps: of all lanes, between two rounds of learning.
        rate: of learning, falls to a tenth.
    """
    begin, rng, rounds = time.process_time(), np.random.default_rng(1), 0
    env.reset(seed=1)
    while (share := (time.process_time() - begin) / cpu_seconds) < 1:
        played = play(env, network, worth, steps, rng, share < copying)
        gradient, passes = (copy, 1) if share < copying else (improve, EPOCHS)
        learn(network, played, gradient, passes, rate * (1 - 0.9 * share), rng)
        rounds += 1
        if rounds % 10 == 0:
            network.save(folder, env.game.name)
            print(f"{share:4.0%}  {rounds * steps * env.num_envs:>10,} decisions, value error "
                  f"{float(((played['target'] - played['value']) ** 2).mean()):.3f}, as the rollout policy "
                  f"{float((played['own'] == played['rule']).mean()):.0%}", flush=True)  # fmt: skip
    network.save(folder, env.game.name)
    print(f"wrote {folder}")


def play(
    env: vector.VectorGames,
    network: Network,
    worth: Worth,
    steps: int,
    rng: np.random.Generator,
    copying: bool,
) -> Played:
    """Return some steps of all lanes: what was seen and done, and how much better it went than expected."""
    n, k = env.num_envs, env.game.encoding_size
    seen = np.empty((steps, n, k), np.float32)
    masks = np.empty((steps, n, env.game.n_actions), np.bool_)
    seats, actions, own, rules = (np.empty((steps, n), np.int64) for _ in range(4))
    chance, value = np.empty((steps, n), np.float32), np.empty((steps, n), np.float32)
    ends: list[tuple[NDArray[np.int64], Floats]] = []
    lanes = np.arange(n)
    for t in range(steps):
        seen[t], masks[t], seats[t] = env.arrays["observations"], env.arrays["masks"], env.seats
        chances, value[t] = network.policy(seen[t], masks[t])
        own[t], rules[t] = drawn(chances, masks[t], rng), env.rule()
        actions[t] = np.where(rng.random(n) < OWN, own[t], rules[t]) if copying else own[t]
        chance[t] = chances[lanes, actions[t]]
        _, rewards, over, _, _ = env.step(actions[t])
        ends.append((np.flatnonzero(over), worth(rewards[over])))
    target = targets(value, seats, ends, env.players)
    known = ~np.isnan(target)
    better = target[known] - value[known]
    return {
        "seen": seen[known], "mask": masks[known], "action": actions[known],
        "own": own[known], "rule": rules[known], "chance": chance[known],
        "value": value[known], "target": target[known],
        "better": (better - better.mean()) / (better.std() + 1e-6),
    }  # fmt: skip


def drawn(chances: Floats, mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return an action for every row, as likely as the network says."""
    found = (chances.cumsum(axis=1) < rng.random((len(chances), 1), np.float32)).sum(axis=1)
    found = np.minimum(found, chances.shape[1] - 1)  # sums of chances may end a little below 1
    return np.where(mask[np.arange(len(chances)), found], found, chances.argmax(axis=1))


def targets(value: Floats, seats: NDArray[np.int64], ends: list[Any], players: int) -> Floats:
    """Return for every decision a mixture of what the same seat expected later and what it got at last.

    NaN where that is not known yet.
    """
    steps, n = value.shape
    later, gained = np.full((n, players), np.nan, np.float32), np.zeros((n, players), np.float32)
    target, lanes = np.empty_like(value), np.arange(n)
    for t in range(steps - 1, -1, -1):
        over, worths = ends[t]
        later[over], gained[over] = worths, 0
        seat = seats[t]
        advantage = later[lanes, seat] - value[t] + TRACE * gained[lanes, seat]
        target[t] = value[t] + advantage
        gained[lanes, seat] = np.where(np.isnan(advantage), 0, advantage)
        later[lanes, seat] = value[t]
    return target


def learn(
    network: Network,
    played: Played,
    gradient: Callable[[Floats, Played], Floats],
    passes: int,
    rate: float,
    rng: np.random.Generator,
) -> None:
    """Learn from what was played, in some passes: actions by a gradient, values by the square error."""
    for _ in range(passes):
        order = rng.permutation(len(played["action"]))
        for first in range(0, len(order) - BATCH // 2, BATCH):
            some = {name: array[order[first : first + BATCH]] for name, array in played.items()}
            layers = network.layers(some["seen"])
            out = layers[-1]
            push = np.empty_like(out)
            push[:, :-1] = gradient(softmax(out[:, :-1], some["mask"]), some)
            push[:, -1] = out[:, -1] - some["target"]
            network.learn(layers, push / len(push), rate)


def improve(chances: Floats, some: Played) -> Floats:
    """Towards actions that went better than expected, not too far at once; some weight on keeping trying."""
    rows, taken, better = np.arange(len(chances)), some["action"], some["better"]
    ratio = chances[rows, taken] / some["chance"]
    push = np.where(better > 0, ratio < 1 + CLIP, ratio > 1 - CLIP) * ratio * better
    gradient = chances * push[:, None]
    gradient[rows, taken] -= push
    logs = np.log(np.maximum(chances, 1e-9))
    spread = -(chances * logs).sum(axis=1, keepdims=True)
    return gradient + ENTROPY * chances * (logs + spread)


def copy(chances: Floats, some: Played) -> Floats:
    """Towards what the rollout policy would have done."""
    gradient = chances.copy()
    gradient[np.arange(len(chances)), some["rule"]] -= 1
    return gradient
