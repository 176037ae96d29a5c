"""A small network learns a game by playing against itself: proximal policy optimisation in NumPy.

Schulman et al. 2017, "Proximal Policy Optimization Algorithms"; advantages as in Schulman et al. 2016,
"High-Dimensional Continuous Control Using Generalized Advantage Estimation", for every seat by itself. All
seats play with the same network. What is learnt from a game's scores is the caller's (`worth`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.adapters import vector

Floats = NDArray[np.float32]
Worth = Callable[[Floats], Floats]
"""From scores [games, seats] to what each seat is to maximise, about -1 to 1."""
BOT = Path(__file__).parent / "network_bot.py"
CLIP, TRACE, EPOCHS, BATCH = 0.2, 0.95, 3, 4096


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
        """The input, both hidden layers and the output."""
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
        """A step of Adam (Kingma & Ba 2015) down the gradient of the output."""
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
    *,
    steps: int = 128,
    rate: float = 1e-3,
    entropy: float = 0.01,
    say: Callable[[str], None] = print,
) -> Network:
    """Play and learn for so many seconds of CPU time; `env` is in self-play (`seat=None`).

    Args:
        env: the games.
        network: modified in place.
        worth: what the scores of finished games are worth to the seats.
        cpu_seconds: how long.
        steps: of all lanes, between two rounds of learning.
        rate: of learning, falls to a tenth.
        entropy: weight of the wish to keep trying.
        say: gets a line now and then.
    """
    begin, rng, rounds = time.process_time(), np.random.default_rng(1), 0
    env.reset(seed=1)
    while (share := (time.process_time() - begin) / cpu_seconds) < 1:
        played = play(env, network, worth, steps, rng)
        update(network, played, rate * (1 - 0.9 * share), entropy, rng)
        rounds += 1
        if rounds % 20 == 0:
            say(f"{share:4.0%}  {rounds * steps * env.num_envs:>10,} decisions, "
                f"value error {float(((played['target'] - played['value']) ** 2).mean()):.3f}")  # fmt: skip
    return network


def play(env: Any, network: Network, worth: Worth, steps: int, rng: np.random.Generator) -> dict[str, Any]:
    """Some steps of all lanes; what was seen and done, and how much better it went than expected."""
    n, k = env.num_envs, env.game.encoding_size
    seen = np.empty((steps, n, k), np.float32)
    masks = np.empty((steps, n, env.game.n_actions), np.bool_)
    seats, actions = np.empty((steps, n), np.int64), np.empty((steps, n), np.int64)
    chance, value = np.empty((steps, n), np.float32), np.empty((steps, n), np.float32)
    ends: list[tuple[NDArray[np.int64], Floats]] = []
    for t in range(steps):
        seen[t], masks[t], seats[t] = env.arrays["observations"], env.arrays["masks"], env.seats
        chances, value[t] = network.policy(seen[t], masks[t])
        drawn = (chances.cumsum(axis=1) < rng.random((n, 1), np.float32)).sum(axis=1)
        actions[t] = np.where(
            masks[t][np.arange(n), np.minimum(drawn, chances.shape[1] - 1)], drawn, chances.argmax(1)
        )
        chance[t] = chances[np.arange(n), actions[t]]
        _, rewards, over, _, _ = env.step(actions[t])
        ends.append((np.flatnonzero(over), worth(rewards[over])))
    target = targets(value, seats, ends, env.players)
    known = ~np.isnan(target)
    return {
        "seen": seen[known], "mask": masks[known], "action": actions[known], "chance": chance[known],
        "value": value[known], "target": target[known],
    }  # fmt: skip


def targets(value: Floats, seats: NDArray[np.int64], ends: list[Any], players: int) -> Floats:
    """For every decision a mixture of what the same seat expected later and what it got at last; NaN where
    that is not known yet.
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


def update(
    network: Network, played: dict[str, Any], rate: float, entropy: float, rng: np.random.Generator
) -> None:
    """Learn from what was played, in some passes."""
    advantage = played["target"] - played["value"]
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    for _ in range(EPOCHS):
        order = rng.permutation(len(advantage))
        for first in range(0, len(order) - BATCH // 2, BATCH):
            some = order[first : first + BATCH]
            layers = network.layers(played["seen"][some])
            out = layers[-1]
            chances = softmax(out[:, :-1], played["mask"][some])
            rows, taken = np.arange(len(some)), played["action"][some]
            ratio = chances[rows, taken] / played["chance"][some]
            better = advantage[some]
            free = np.where(better > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
            gradient = np.zeros_like(out)
            push = (free * ratio * better / len(some)).astype(np.float32)
            gradient[:, :-1] = chances * push[:, None]
            gradient[rows, taken] -= push
            logs = np.log(np.maximum(chances, 1e-9))
            spread = -(chances * logs).sum(axis=1, keepdims=True)
            gradient[:, :-1] += entropy / len(some) * chances * (logs + spread)
            gradient[:, -1] = (out[:, -1] - played["target"][some]) / len(some)
            network.learn(layers, gradient, rate)
