"""Flat Monte Carlo: every action is tried in the same random worlds.

They are played on with the same random numbers. Compiled.
"""

from __future__ import annotations

from typing import Any

from ..core import copy_words, kernel, step, stream
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
    space: Space,
) -> int:
    """Try actions in worlds `first`, `first + 1`, ...; return the number of playout decisions.

    Args:
        states, words: the rows (see `playouts`), as records and as words.
        first, worlds: which worlds, how many.
        seed: of the search.
        actions: int64, those still in the race.
        sums: float64, one for each action: its rewards to the seat to act are added.
        squares: float64, one for each action: squared differences to the first action's reward in the same
            world are added.
        events: int64 [actions, bits], where `happened` is counted; [0, 0]: nowhere.
        rollout: how playouts play, where they end, what that is worth.
        space: modified in place.
    """
    decisions, seat = 0, int(states[VIEW].seat)
    out, cards, rng = space.out, space.cards, space.rng
    for i in range(first, first + worlds):
        deal_world(states, words, seed, i, rng)
        reference = 0.0
        for k in range(len(actions)):
            copy_words(words, WORLD, words, TRIAL)
            trial = states[TRIAL]
            stream(rng, seed, 2 * i + 1)  # the same for every action: they share their luck
            step(trial, actions[k])
            decisions += 1 + play_out(trial, rollout, out, cards, rng)
            rewards(trial, rollout, space)
            reward = space.worth[seat]
            reference = reward if k == 0 else reference
            sums[k] += reward
            squares[k] += (reward - reference) ** 2
            if len(events) > 0:
                bits = happened(trial, states[WORLD], seat)
                for bit in range(events.shape[1]):
                    events[k, bit] += (bits >> bit) & 1
    return decisions
