"""Flat Monte Carlo: every action is tried in the same random worlds.

They are played on with the same random numbers. Compiled.
"""

from __future__ import annotations

from typing import Any

from ..core import copy_words, entry, kernel, step, stream
from .beliefs import Past, believe
from .knowledge import happened
from .playouts import TRIAL, VIEW, WORLD, Rollout, Space, deal_world, play_out, rewards


@kernel
def try_actions(
    states: Any,
    words: Any,
    first: int,
    worlds: int,
    seed: Any,
    actions: Any,
    sums: Any,
    squares: Any,
    events: Any,
    rollout: Rollout,
    past: Past,
    space: Space,
) -> int:
    """Try actions in worlds `first`, `first + 1`, ...; return the number of playout decisions.

    Args:
        states, words: the rows (see `playouts`), as records and as words.
        first, worlds: which worlds, how many.
        actions: int64, those still in the race.
        sums: float64 [actions, seats]: the rewards of every seat are added.
        squares: float64 [actions, seats]: squared differences to the rewards after the first action in the
            same world are added.
        events: float64 [actions, bits, 2], where `happened` is counted, and the rewards of the seat to act in
            those worlds are added; [0, 0, 0]: nowhere.
        past: earlier decisions of others, which the worlds are to fit (see `beliefs`).
    """
    decisions, seat = 0, int(states[VIEW].seat)
    out, cards, rng, worth, first_worth = space.out, space.cards, space.rng, space.worth, space.first_worth
    for i in range(first, first + worlds):
        deal_world(states, words, seed, i, rng)
        believe(states, words, VIEW, WORLD, TRIAL, past, rng)
        for k in range(len(actions)):
            copy_words(words, WORLD, words, TRIAL)
            trial = states[TRIAL]
            stream(rng, seed, 2 * i + 1)  # the same for every action: they share their luck
            step(trial, actions[k])
            decisions += 1 + play_out(trial, rollout, out, cards, rng)
            rewards(trial, rollout, space)
            for p in range(len(worth)):
                if k == 0:
                    first_worth[p] = worth[p]
                sums[k, p] += worth[p]
                squares[k, p] += (worth[p] - first_worth[p]) ** 2
            if len(events) > 0:
                bits = happened(trial, states[WORLD], seat)
                for bit in range(events.shape[1]):
                    if (bits >> bit) & 1:
                        events[k, bit, 0] += 1
                        events[k, bit, 1] += worth[seat]
    return decisions


@entry
def deal_worlds(states: Any, words: Any, seed: Any, past: Past, rng: Any, out: Any, weights: Any) -> None:
    """Write worlds 0, 1, ... as words into `out`, and the logarithms of their weights into `weights`."""
    for i in range(len(weights)):
        deal_world(states, words, seed, i, rng)
        believe(states, words, VIEW, WORLD, TRIAL, past, rng)
        copy_words(words, WORLD, out, i)
        weights[i] = past.fits.sum()
