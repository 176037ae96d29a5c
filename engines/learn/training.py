"""A network learns where the game's rollout policy should play otherwise, and what that would bring.

In positions of many games beside each other every candidate is played out in the same random worlds
(`prices`), which says with little noise what it brings more than the rollout policy's action. The network
learns these prices: a search that was done beforehand, for all positions at once. As a player it leaves the
rollout policy only where it expects a gain above a margin, so it begins level with it.

The improvement is that of rollouts: Tesauro & Galperin 1996, "On-line policy improvement using Monte-Carlo
search" (NIPS 9); differences under common random numbers: Bertsekas 1997, "Differential training of rollout
policies" (Allerton). Positions come from games of the rollout policy and of the network as it stands, with
some random actions: Ross, Gordon & Bagnell 2011, "A Reduction of Imitation Learning and Structured Prediction
to No-Regret Online Learning".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..adapters import vector
from ..errors import GameError
from ..game import Game
from ..record import words_of
from ..search import preset
from ..search.run import Worker
from . import prices
from .network import Adam, Floats, Network, inputs, save_arrays

WORLDS, STEPS, LABELLED = 8, 32, 0.5
"""Worlds a position, steps of all lanes in a round, and the share of their decisions that is labelled."""
KEPT, UPDATES, BATCH = 150_000, 20, 1024
"""Labels that are kept, and what is learnt of them after a round."""
MOST, WORST = 6.0, -1.5
"""Where prices are cut off, and what an action is worth that is no candidate; in units of `Learner.scale`."""
CHECKPOINT = "checkpoint.npz"
STRAY = 0.02
"""Share of random actions."""


@dataclass
class Learner:
    """What is trained, and what a checkpoint holds beside it."""

    game: str
    adam: Adam
    scale: float = 0.0  # points that are a price of 1: half the spread of the first labels; 0: not known yet
    rounds: int = 0
    cpu_s: float = 0.0

    @classmethod
    def new(cls, game: Game, hidden: int, seed: int) -> Learner:
        """Return one that knows nothing."""
        sizes = [game.encoding_size + game.n_actions, hidden, hidden, game.n_actions]
        return cls(game.name, Adam(Network.new(sizes, np.random.default_rng(seed))))

    @property
    def network(self) -> Network:
        """What is trained."""
        return self.adam.network

    def arrays(self) -> dict[str, Floats]:
        """Return all arrays that training changes, by their names in a checkpoint."""
        parts = ("p", self.network.parameters()), ("m", self.adam.moments)
        return {f"{kind}{j}": array for kind, arrays in parts for j, array in enumerate(arrays)}

    def save(self, folder: Path) -> None:
        """Write the weights and a checkpoint, each whole or not at all. Labels are not kept."""
        numbers = np.array([self.scale, self.rounds, self.cpu_s, self.adam.updates])
        self.network.save(folder / "weights.npz")
        save_arrays(folder / CHECKPOINT, {**self.arrays(), "numbers": numbers, "game": np.array(self.game)})

    @classmethod
    def load(cls, folder: Path, game: Game, hidden: int) -> Learner:
        """Read a checkpoint. Raises GameError: it is none, or one of another game or with other layers."""
        one, path = cls.new(game, hidden, 0), folder / CHECKPOINT
        try:
            with np.load(path) as stored:
                found = {name: stored[name].astype(np.float32) for name in one.arrays()}
                one.game = str(stored.get("game", game.name))
                one.scale, rounds, one.cpu_s, updates = stored["numbers"].tolist()
            one.rounds, one.adam.updates = int(rounds), int(updates)
            counts = np.array([one.scale, rounds, one.cpu_s, updates])
            squares = [array[1] for name, array in found.items() if name.startswith("m")]
            if not all(np.isfinite(array).all() for array in [*found.values(), counts]) or any(
                (array < 0).any() for array in [*squares, counts]
            ):
                raise ValueError("numbers that training does not write")
        except Exception:  # whatever the bytes of a file bring about
            raise GameError(f"{path} is no checkpoint, or damaged: delete it to start again") from None
        for name, array in one.arrays().items():
            if one.game != game.name or found[name].shape != array.shape:
                raise GameError(f"{path} is of another game or --hidden: name another --folder, or delete it")
            array[...] = found[name]
        return one


class PricedGames:
    """Games with the same number of seats, and the work space in which their positions are priced."""

    def __init__(self, game: Game, players: int, lanes: int, seed: int) -> None:
        self.env = vector.env(game, lanes, seat=None, players=players)
        self.env.reset(seed=seed)
        self._worker = Worker(game, players)
        self._rollout = preset(game.name)[1].rollout(0)  # of which stage, each row says

    def look(self) -> tuple[Floats, NDArray[np.bool_], NDArray[np.int64]]:
        """Return what the network sees in every lane, what is legal, and what the policy would do."""
        rule = self.env.rule()
        return inputs(self.env.arrays["observations"], rule, self.env.game), self.env.arrays["masks"], rule

    def price(
        self, lanes: NDArray[np.int64], rule: NDArray[np.int64], seed: int
    ) -> tuple[NDArray[np.int8], Floats]:
        """Return kinds and prices of all actions in these lanes, [n, actions]; see `prices.price_rows`."""
        there, shape = words_of(self.env.states())[lanes], (len(lanes), self.env.game.n_actions)
        kinds, found = np.zeros(shape, np.int8), np.zeros(shape, np.float32)
        work = self._worker
        prices.price_rows(
            work.rows,
            work.words,
            there,
            rule[lanes],
            WORLDS,
            core.U64(seed),
            kinds,
            found,
            self._rollout,
            work.space,
        )
        return kinds, found


class Labels:
    """The last labels: what was seen, kinds and prices of its actions. The oldest go first."""

    def __init__(self, game: Game, most: int = KEPT) -> None:
        self.count, n = 0, game.n_actions
        self.seen = np.zeros((most, game.encoding_size + n), np.float16)
        self.kinds, self.prices = np.zeros((most, n), np.int8), np.zeros((most, n), np.float32)

    def __len__(self) -> int:
        return min(self.count, len(self.seen))

    def add(self, seen: Floats, kinds: NDArray[np.int8], found: Floats) -> None:
        """Keep these."""
        at = (self.count + np.arange(len(seen))) % len(self.seen)
        self.seen[at], self.kinds[at], self.prices[at] = seen, kinds, found
        self.count += len(seen)


def collect(table: PricedGames, learner: Learner, labels: Labels, rng: np.random.Generator) -> None:
    """Play some steps of all lanes and label some of the decisions; half of the lanes follow the network."""
    env = table.env
    follow = np.arange(env.num_envs) % 2 == 0
    for _ in range(STEPS):
        seen, mask, rule = table.look()
        lanes = np.flatnonzero((mask.sum(axis=1) > 1) & (rng.random(env.num_envs) < LABELLED))
        labels.add(seen[lanes], *table.price(lanes, rule, int(rng.integers(1 << 62))))
        best = learner.network.best(seen, mask, rule) if learner.scale else rule
        action = np.where(follow, best, rule)
        env.step(np.where(rng.random(env.num_envs) < STRAY, env.sample(), action))


def learn(learner: Learner, labels: Labels, rate: float, rng: np.random.Generator) -> float:
    """Learn prices by the square error, of all legal actions; return the last error, a label."""
    if not learner.scale:
        kept = labels.prices[: len(labels)][labels.kinds[: len(labels)] == prices.PRICED]
        learner.scale = float(kept.std() / 2) or 1.0
    error = 0.0
    for _ in range(UPDATES):
        some = rng.integers(len(labels), size=BATCH)
        kinds = labels.kinds[some]
        target = np.clip(labels.prices[some] / learner.scale, -MOST, MOST)
        layers = learner.network.layers(labels.seen[some].astype(np.float32))
        wrong = np.where(kinds == prices.PRICED, layers[-1] - target, 0)
        wrong += np.where(kinds == prices.LEFT_OUT, np.maximum(layers[-1] - WORST, 0), 0)
        learner.adam.step(layers, (wrong / BATCH).astype(np.float32), rate)
        error = float((wrong**2).sum() / BATCH)
    learner.rounds += 1
    return error


def standing(network: Network, game: Game, players: int, lanes: int, seed: int) -> tuple[float, float]:
    """Return how the network does against the rollout policy, with its standard error.

    A game a lane, every deal once from each seat. Points a game above those of the others; where places
    count, the share of the others that it leaves behind, -1 to 1.
    """
    deals = max(2, lanes // players)
    results = np.zeros((deals, players))
    for seat in range(players):
        env = vector.env(game, deals, seat=None, players=players)
        env.reset(seed=seed)
        playing = np.ones(deals, np.bool_)
        while playing.any():
            rule = env.rule()
            best = network.best(inputs(env.arrays["observations"], rule, game), env.arrays["masks"], rule)
            _, scores, over, _, _ = env.step(np.where(env.seats == seat, best, rule))
            done = over & playing
            ahead = scores[done, seat, None] - np.delete(scores[done], seat, axis=1)
            results[done, seat] = (np.sign(ahead) if game.aim == "place" else ahead).mean(axis=1)
            playing &= ~over
    means = results.mean(axis=1)
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(deals))
