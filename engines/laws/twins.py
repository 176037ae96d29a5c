"""The law of twins: the true row cannot be told from random worlds of its view.

Seats play random legal actions. `determinize` draws worlds of the view of the seat to act. All deals and
hidden choices that agree with the view are to be equally likely in them. The true row came about with the
chance of its actions: 1 / (number of legal actions), multiplied over all decisions. So, in a heap of the true
row and some worlds, each is the true one with a chance in proportion to this product. This is exact, however
few the worlds are. Bit by bit, the law compares the true row with the mean of the heap by these weights, and
sums the differences over the games. Freedman's inequality (1975) bounds the chance of such a sum.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..core import States, copy_states
from ..game import Game
from ..seeds import MAX_SEED
from .replay import replay
from .setups import hold, random_step, setups_of

GAMES, WORLDS = (300 if core.JIT else 60), 8
DOUBT = 3e-8
"""A bit this unlikely breaks the law. Right worlds with 1 000 bits do so once in 33 000 runs."""


def worlds_are_as_likely_as_the_true_row(game: Game, facts: Any, rng: random.Random) -> None:
    """Play many games to a random decision, and compare each row with worlds of its view."""
    apart, spread = 0.0, 0.0  # per bit, summed over the games
    found = 0
    for _ in range(2 * GAMES):
        if found == GAMES:
            break
        heap = _heap(game, facts, rng)
        if heap is not None:
            weights, bits = heap
            mean = weights @ bits
            apart, spread, found = apart + bits[0] - mean, spread + mean * (1 - mean), found + 1
    if not found:
        return
    far = np.abs(apart) / np.maximum(spread, 1e-9)
    chances = 2 * np.exp(-spread * ((1 + far) * np.log1p(far) - far))
    worst = int(np.argmin(chances))
    hold(
        chances[worst] >= DOUBT,
        f"worlds are biased: {_field_of(game, worst)} is this far from the truth in {found} games with "
        f"a chance of at most {chances[worst]:.0e}",
    )


def _heap(game: Game, facts: Any, rng: random.Random) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the chances of a true row and of worlds, and their bits [rows, bits]; None if it is over."""
    players, options = setups_of(game, facts, rng)
    options = {**options, **getattr(facts, "TWINS", {})}
    states = game.new(1, seed=rng.randint(0, MAX_SEED), players=players, **options)
    for _ in range(int(rng.random() * facts.most_decisions(players, game.options_of(states)) % 200)):
        random_step(game, states, rng)
    if game.over(states)[0]:
        return None
    views = np.repeat(game.views(states), WORLDS)
    worlds = game.determinize(views, seed=rng.randint(0, MAX_SEED))
    rows = np.concatenate([copy_states(states), worlds])
    logs = [_log_chance(game, facts, rows[i : i + 1]) for i in range(len(rows))]
    if None in logs:
        return None
    weights = np.exp(np.array(logs) - max(log for log in logs if log is not None))
    rows["seed"] = 0
    plain = np.unpackbits(rows.view(np.uint8).reshape(len(rows), -1), axis=1, bitorder="little")
    return weights / weights.sum(), plain * _in_fields(game)


def _in_fields(game: Game) -> NDArray[np.float64]:
    """Return 1 for every bit of a row that is part of a field, 0 for padding."""
    fields: Any = game.state.fields
    inside = np.zeros(8 * game.state.itemsize)
    for kind, start in (fields[name][:2] for name in game.state.names or ()):
        inside[8 * start : 8 * (start + kind.itemsize)] = 1
    return inside


def _log_chance(game: Game, facts: Any, row: States) -> float | None:
    """Return the logarithm of the chance that random seats play what has led to a row."""
    past = facts.past(game, row)
    if past is None:
        return None
    out, log = core.work(game.n_actions), 0.0
    for states, at in replay(game, facts, row, *past):
        if at < len(past[1]):
            log -= math.log(core.legal_row(core.rows(states), 0, out))
    return log


def _field_of(game: Game, bit: int) -> str:
    """Return the field that a bit of a row is in, with its place in the field."""
    fields: Any = game.state.fields
    for name in game.state.names or ():
        kind, start = fields[name][:2]
        if start <= bit // 8 < start + kind.itemsize:
            inside = bit - 8 * start
            place = inside // (8 * kind.base.itemsize)
            at = "".join(f"[{k}]" for k in np.unravel_index(place, kind.shape)) if kind.shape else ""
            return f"bit {inside % (8 * kind.base.itemsize)} of {name}{at}"
    return f"bit {bit}"
