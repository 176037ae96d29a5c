"""A small network in NumPy: what a learner trains and a bot plays with.

Its inputs are an encoded view and the action that the game's rollout policy would play; its outputs say what
every action would bring more than that one, in units of its own. Files hold float16, bots compute in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..errors import GameError
from . import lanes

Floats = NDArray[np.float32]
MARGIN = 0.3
"""What a player must expect to gain to leave the rollout policy: a guard against errors of the network."""


class Network:
    """Layers of weights [inputs, outputs] and biases [outputs], float32."""

    def __init__(self, weights: list[Floats], biases: list[Floats]) -> None:
        self.weights, self.biases = weights, biases

    @classmethod
    def new(cls, sizes: Sequence[int], rng: np.random.Generator) -> Network:
        """Draw weights as He et al. 2015 do; those of the last layer are small, so that all starts level."""
        shapes = list(pairwise(sizes))
        weights = [(rng.standard_normal(s) * np.sqrt(2 / s[0])).astype(np.float32) for s in shapes]
        weights[-1] *= np.float32(0.05)
        return cls(weights, [np.zeros(s[1], np.float32) for s in shapes])

    def parameters(self) -> list[Floats]:
        """All arrays, weights first."""
        return [*self.weights, *self.biases]

    def layers(self, x: Floats) -> list[Floats]:
        """Return the input [n, inputs], the hidden layers and the output [n, outputs]."""
        found = [x]
        for w, b in zip(self.weights[:-1], self.biases[:-1], strict=True):
            found.append(np.maximum(found[-1] @ w + b, 0))
        found.append(found[-1] @ self.weights[-1] + self.biases[-1])
        return found

    def best(self, seen: Floats, mask: NDArray[np.bool_], rule: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the action with the best price; the rollout policy's, unless one is better by MARGIN."""
        gains = np.where(mask, self.layers(seen)[-1], -np.inf)
        gains[np.arange(len(gains)), rule] = MARGIN
        return gains.argmax(axis=1)

    def choose(self, views: Sequence[Any]) -> list[int]:
        """Return the best action of each of a bot's views."""
        game = views[0].game_rules
        rule = quick_actions(game, np.concatenate([view.state for view in views]))
        masks = np.array([view.legal_mask() for view in views])
        return [int(action) for action in self.best(inputs(game.encode(views), rule, game), masks, rule)]

    def save(self, path: Path) -> None:
        """Write it as float16, whole or not at all."""
        arrays: dict[str, Any] = {f"w{k}": w.astype(np.float16) for k, w in enumerate(self.weights)}
        arrays |= {f"b{k}": b.astype(np.float16) for k, b in enumerate(self.biases)}
        save_arrays(path, arrays)

    @classmethod
    def load(cls, path: Any) -> Network:
        """Read what `save` wrote."""
        with path.open("rb") as file, np.load(file) as stored:
            count = len(stored.files) // 2
            arrays = [[stored[f"{kind}{k}"].astype(np.float32) for k in range(count)] for kind in "wb"]
        return cls(*arrays)


@cache
def shipped(game: str) -> Network:
    """Return the network that ships for a game. Raises GameError: there is none."""
    if not (path := _file(game)).is_file():
        raise GameError(f"no network ships for {game}: `python -m engines.learn {game}` trains one")
    return Network.load(path)


def _file(game: str) -> Any:
    return resources.files(__package__).joinpath(f"{game}.npz")


def use_all(game: Any, rows: core.States) -> None:
    """Load all that a bot with a network uses: a bot in its jail can neither compile nor read files."""
    quick_actions(game, rows)
    if _file(game.name).is_file():
        shipped(game.name)


def inputs(numbers: Floats, rule: NDArray[np.int64], game: Any) -> Floats:
    """Return encoded views with the action of the rollout policy beside them, [n, columns + actions]."""
    return np.hstack([numbers, np.eye(game.n_actions, dtype=np.float32)[rule]])


def save_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Write arrays by name, compressed, whole or not at all."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez_compressed(file, **arrays)
    part.replace(path)


def quick_actions(game: Any, rows: core.States) -> NDArray[np.int64]:
    """Return what the game's rollout policy does in each of these views or states."""
    actions = np.empty(len(rows), np.int64)
    lanes.rule_actions(core.rows(rows), core.work(game.n_actions), np.zeros(1, np.uint64), actions)
    return actions


class Adam:
    """Steps down a gradient, each number at its own pace: Kingma & Ba 2015; gradients are cut at norm 0.5."""

    def __init__(self, network: Network) -> None:
        self.network, self.updates = network, 0
        self.moments = [np.zeros((2, *p.shape), np.float32) for p in network.parameters()]

    def step(self, layers: list[Floats], gradient: Floats, rate: float) -> None:
        """Change the network in place.

        Args:
            layers: what `Network.layers` gave.
            gradient: of the loss by the outputs, [n, outputs].
            rate: of learning.
        """
        net, weights, biases = self.network, [], []
        for k in range(len(net.weights) - 1, -1, -1):
            weights.append(layers[k].T @ gradient)
            biases.append(gradient.sum(axis=0))
            if k:
                gradient = (gradient @ net.weights[k].T) * (layers[k] > 0)
        gradients = [*reversed(weights), *reversed(biases)]
        norm = np.sqrt(sum(float((g * g).sum()) for g in gradients))
        self.updates += 1
        pace = np.float32(rate * np.sqrt(1 - 0.999**self.updates) / (1 - 0.9**self.updates))
        shrunk = np.float32(min(1.0, 0.5 / max(norm, 1e-9)))
        for parameter, g, (mean, square) in zip(net.parameters(), gradients, self.moments, strict=True):
            cut = g * shrunk
            np.add(mean, np.float32(0.1) * (cut - mean), out=mean)
            np.add(square, np.float32(0.001) * (cut * cut - square), out=square)
            np.subtract(parameter, pace * mean / (np.sqrt(square) + np.float32(1e-8)), out=parameter)
