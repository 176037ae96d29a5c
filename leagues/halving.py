"""The search for better parameters of a bot: who plays how much, and which values are best by all of it.

Pure. A round asks an optimiser (Optuna's TPE) for values. All of them play the same deals against the bot as
it is; the better half plays on, and of these again (successive halving). What is best is not the luckiest of
those that were tried: a Gaussian process through the gains of all of them says what each is worth, given its
neighbours. Not here: playing (`arena.runs.tuning`), and whether the best is better (`leagues.comparison`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .parameter import Parameter
from .ratings.results import Floats

WIDTH = 8  # candidates of a round
HEATS = 3  # batches of a round: all play the first, the better half the second, a quarter the third
PLAYED = sum(WIDTH >> heat for heat in range(HEATS))  # that its candidates play together
LENGTHS = (0.2, 0.35, 0.6, 1.0, 2.0, 4.0)  # over which gains change, in shares of the ranges
HEIGHTS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0)  # by which they do, in sds of a block
LEVEL = 0.1  # the sd of what all candidates have in common, in sds of a block
SURE = 1e-4  # the variance of the gain of the bot as it is, which is 0
DRAWS = 1024  # of points among which the best is looked for, around the best one so far
WIDTHS = (0.5, 0.2, 0.05, 0.02)  # of these draws

Values = tuple[float, ...]
Play = Callable[[Sequence[Values], int], Sequence[Floats]]
"""Given candidates and the number of a batch, gives for each what it made more than the bot, by block."""


@dataclass(frozen=True)
class Candidate:
    """A candidate of a round: its values, its mean gain over the bot as it is, and of how many blocks."""

    values: Values
    gain: float
    blocks: int


@dataclass(frozen=True)
class Round:
    """What is known after a round: its candidates, the best values by all rounds, and what they gain."""

    tried: tuple[Candidate, ...]
    best: Values
    gain: float


def search(parameters: Sequence[Parameter], play: Play, rounds: int, seed: int) -> Iterator[Round]:
    """Search for better values; yields what is known after each round.

    The same results of `play` lead to the same search.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with warnings.catch_warnings():  # two of its options may change yet
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(
            seed=seed, multivariate=True, constant_liar=True, n_startup_trials=WIDTH
        )
    study = optuna.create_study(direction="maximize", sampler=sampler)
    tried: list[Candidate] = []
    blocks: list[Floats] = []
    for number in range(rounds):
        trials = [study.ask() for _ in range(WIDTH)]
        candidates = [_suggested(trial, parameters) for trial in trials]
        gains = halved(candidates, play, number)
        for trial, values, of_blocks in zip(trials, candidates, gains, strict=True):
            study.tell(trial, float(of_blocks.mean()))
            tried.append(Candidate(values, float(of_blocks.mean()), len(of_blocks)))
        blocks += gains
        best, gain = best_of(parameters, tried, blocks, seed)
        yield Round(tuple(tried[-WIDTH:]), best, gain)


def _suggested(trial: Any, parameters: Sequence[Parameter]) -> Values:
    """Return the values that the optimiser wants to know more about."""
    return tuple(
        trial.suggest_int(one.name, one.low, one.high)
        if one.whole
        else one.at(trial.suggest_float(one.name, 0.0, 1.0))
        for one in parameters
    )


def halved(candidates: Sequence[Values], play: Play, number: int) -> list[Floats]:
    """Let candidates play the batches of a round, after each the better half of them."""
    gains = [np.zeros(0) for _ in candidates]
    left = list(range(len(candidates)))
    for heat in range(HEATS):
        played = play([candidates[at] for at in left], number * HEATS + heat)
        for at, more in zip(left, played, strict=True):
            gains[at] = np.concatenate([gains[at], more])
        left = sorted(left, key=lambda at: -gains[at].mean())[: len(left) // 2]
    return gains


def best_of(
    parameters: Sequence[Parameter], tried: Sequence[Candidate], blocks: Sequence[Floats], seed: int
) -> tuple[Values, float]:
    """Return the values that gain most by all that was played, and what they gain by it."""
    start = [one.share(one.value) for one in parameters]
    points = np.array([start, *(_shares(parameters, one.values) for one in tried)])
    spread = float(np.sqrt(np.mean([gains.var() for gains in blocks])))
    as_it_is = tuple(one.value for one in parameters), 0.0
    if spread == 0:
        return as_it_is
    gains = np.array([0.0, *(one.gain for one in tried)]) / spread
    noise = np.array([SURE, *(1 / one.blocks for one in tried)])
    expected = _process(points, gains, noise)
    rng, best = np.random.default_rng(seed), points[int(np.argmax(expected(points)))]
    for width in WIDTHS:
        drawn = np.clip(best + width * rng.standard_normal((DRAWS, len(parameters))), 0, 1)
        values = [tuple(one.at(share) for one, share in zip(parameters, row, strict=True)) for row in drawn]
        allowed = np.array([best, *(_shares(parameters, row) for row in values)])
        best = allowed[int(np.argmax(expected(allowed)))]
    if (best == points[0]).all():
        return as_it_is
    found = tuple(one.at(share) for one, share in zip(parameters, best.tolist(), strict=True))
    return found, float(expected(best[None])[0]) * spread


def _shares(parameters: Sequence[Parameter], values: Values) -> list[float]:
    return [one.share(value) for one, value in zip(parameters, values, strict=True)]


def _process(points: Floats, gains: Floats, noise: Floats) -> Callable[[Floats], Floats]:
    """Return the mean of a Gaussian process by these gains; its length and height are the likeliest."""
    apart, best = _squares(points, points), (-np.inf, 0.0, 0.0, gains)
    for length in LENGTHS:
        for height in HEIGHTS:
            covariance = height**2 * np.exp(-apart / (2 * length**2)) + LEVEL**2 + np.diag(noise)
            root = np.linalg.cholesky(covariance)
            weights = np.linalg.solve(root.T, np.linalg.solve(root, gains))
            likely = -gains @ weights / 2 - np.log(np.diag(root)).sum()
            best = max(best, (float(likely), length, height, weights), key=lambda one: one[0])
    _, length, height, weights = best

    def expected(at: Floats) -> Floats:
        near = height**2 * np.exp(-_squares(at, points) / (2 * length**2)) + LEVEL**2
        return np.asarray(near @ weights)

    return expected


def _squares(one: Floats, other: Floats) -> Floats:
    """Return the squared distances of points."""
    return np.asarray(((one[:, None] - other[None]) ** 2).sum(axis=2))
