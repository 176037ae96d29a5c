"""Playouts: one world after another, dealt from a view and played on to the end of the round or of the game.

Compiled.

A search works on three rows: the view of the seat to act, a world that agrees with it, a copy of that world
to play on. The rows are copied as words, which is a memory copy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import Row, States, below, copy_words, determinize, entry, jit, rows, sample, settle, step, stream
from .knowledge import believable, candidates, horizon, outlook, policy, stage, standing

ROWS = VIEW, WORLD, TRIAL = 0, 1, 2
DEALS = 8
"""Worlds that are dealt, at most, to find a believable one; the last is taken as it is."""
ALWAYS = 1024
"""Every playout decision is random: `Rollout.noise` counts in 1024ths."""
NEVER = 1 << 40
"""`Rollout.until` where playouts go to the end of the game."""
DEEPEST = 128
"""Steps down a tree in one iteration, at most: one that comes so deep plays out from there."""


class Rollout(NamedTuple):
    """How a playout plays, where it ends, what that is worth."""

    noise: int  # so many decisions of 1024 are random, the others are the policy's
    until: int  # it ends where this stage begins, or NEVER
    places: bool  # worth the share of the other seats that are left behind, else points


class Space(NamedTuple):
    """Work space of one search. Hot loops get its arrays singly: each use of a tuple counts references."""

    out: Any  # int16: actions
    cards: Any  # int16: a shuffle
    rng: NDArray[np.uint64]  # [1]
    points: NDArray[np.float64]  # [seats] outlook
    worth: NDArray[np.float64]  # [seats] rewards
    first_worth: NDArray[np.float64]  # [seats] rewards after the first of the actions that are tried
    children: NDArray[np.int32]  # [actions] child of a node for every action; all 0 between two uses
    at: NDArray[np.int64]  # [seats] where each seat is in its tree
    path: NDArray[np.int64]  # [DEEPEST, 2] node and actor of every step down


@jit
def deal_world(states: Any, words: Any, seed: Any, i: int, rng: Any) -> None:
    """Make WORLD the i-th random world, a function of the view, the seed and i; start the stream `rng`."""
    stream(rng, seed, 2 * i)
    for _ in range(DEALS):
        copy_words(words, VIEW, words, WORLD)
        determinize(states[WORLD], rng)
        if believable(states[WORLD], rng):
            break


@jit
def goes_on(s: Row, until: int, cards: Any) -> bool:
    """Whether a seat is to act before stage `until` begins; the shuffles that are due are done then."""
    if stage(s) >= until:  # the next round would be dealt for nothing
        return False
    settle(s, cards)
    return s.seat >= 0 and stage(s) < until


@jit
def play_out(s: Row, rollout: Rollout, out: Any, cards: Any, rng: Any) -> int:
    """Play a row on, by the policy or at random; return the number of decisions."""
    decisions, noise, until = 0, rollout.noise, rollout.until
    while goes_on(s, until, cards):
        step(s, quick_action(s, noise, out, rng))
        decisions += 1
    return decisions


@jit
def quick_action(s: Row, noise: int, out: Any, rng: Any) -> int:
    """Return a playout's action: random in `noise` of 1024 cases, else the policy's."""
    if noise == ALWAYS or (noise > 0 and below(rng, ALWAYS) < noise):
        return int(sample(s, out, rng))
    return policy(s, out, rng)


@jit
def rewards(s: Row, rollout: Rollout, space: Space) -> None:
    """Write what the end of a playout is worth to every seat into `space.worth`."""
    worth(s, rollout.places, space.points, space.worth)


@jit
def worth(s: Row, places: bool, points: Any, out: Any) -> None:
    """Write outlooks or, for places, shares left behind (`standing`) to `out`; `points`: work space."""
    outlook(s, points)
    if places:
        standing(s, points, out)
    else:
        for seat in range(s.players):
            out[seat] = points[seat]


@entry
def candidates_row(states: Any, seed: Any, space: Space) -> int:
    """Return the game's candidates in row VIEW, into `space.out`; how many."""
    stream(space.rng, seed, 0)
    return candidates(states[VIEW], space.out, space.rng)


@entry
def policy_row(states: Any, seed: Any, space: Space) -> int:
    """Return the action of the game's policy in row VIEW."""
    stream(space.rng, seed, 0)
    return policy(states[VIEW], space.out, space.rng)


@entry
def horizon_row(states: Any) -> int:
    """Return the horizon of row VIEW."""
    return horizon(states[VIEW])


@entry
def _stages(states: Any, out: Any) -> None:
    """Write the stage of every row into `out`."""
    for i in range(len(states)):
        out[i] = stage(states[i])


@entry
def _worth(states: Any, places: bool, points: Any, out: Any) -> None:
    """Write what rows are worth to every seat into `out`."""
    for i in range(len(states)):
        worth(states[i], places, points, out[i])


def stages(states: States) -> NDArray[np.int64]:
    """Return the stage of every row, which changes where a round ends."""
    out = np.zeros(len(states), np.int64)
    _stages(rows(states), out)
    return out


def worth_of(states: States, places: bool) -> NDArray[np.float64]:
    """Return what rows are worth to every seat where playouts end: points, or shares left behind."""
    players = int(states["players"][0])
    out = np.zeros((len(states), players))
    _worth(rows(states), places, np.zeros(players), out)
    return out


def shares_of(scores: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of the other seats that each leaves behind, equal ones half, [games, seats]."""
    ahead = np.sign(scores[:, :, None] - scores[:, None, :]).sum(axis=2)
    return np.asarray(0.5 + ahead / (2 * (scores.shape[1] - 1)))
