"""What every action of many positions is worth, from paired playouts: labels to learn from. Compiled."""

from __future__ import annotations

from typing import Any

from ..core import copy_words, kernel, legal, redact, step, stream
from ..search.knowledge import candidates, horizon
from ..search.playouts import NEVER, TRIAL, VIEW, WORLD, Rollout, Space, deal_world, play_out, rewards

ILLEGAL, LEFT_OUT, PRICED = 0, 1, 2
"""Of an action: not legal; legal, and no candidate of the game; a candidate."""


@kernel
def price_rows(
    states: Any,
    words: Any,
    there: Any,
    bases: Any,
    worlds: int,
    seed: Any,
    kinds: Any,
    prices: Any,
    rollout: Rollout,
    space: Space,
) -> int:
    """Try the candidates of every row in the same random worlds, dealt from what its seat to act knows.

    The price of an action is what it brings more than the rollout policy's, whose price is 0. A single
    candidate is not tried. Returns the number of playout decisions.

    Args:
        states, words: the work rows (see `search.playouts`), as records and as words.
        there: int64 [n, words], whole rows in which somebody is to act.
        bases: int64 [n], what the rollout policy does there.
        seed: row i draws from worlds of its own.
        kinds: int8 [n, actions], all ILLEGAL before.
        prices: float32 [n, actions], all 0 before.
        rollout: how playouts play, and what they are worth; they end at the horizon, unless `until` is NEVER.
    """
    decisions = 0
    out, cards, rng = space.out, space.cards, space.rng
    for i in range(len(there)):
        copy_words(there, i, words, VIEW)
        seat = int(states[VIEW].seat)
        redact(states[VIEW], seat)
        for k in range(legal(states[VIEW], out)):
            kinds[i, out[k]] = LEFT_OUT
        base = bases[i]
        stream(rng, seed, 0)
        n = candidates(states[VIEW], out, rng)
        for k in range(n):
            kinds[i, out[k]] = PRICED
        kinds[i, base] = PRICED
        if n < 2:
            continue
        until = rollout.until if rollout.until == NEVER else horizon(states[VIEW])
        play = Rollout(rollout.noise, until, rollout.places)
        for w in range(i * worlds, (i + 1) * worlds):
            deal_world(states, words, seed, w, rng)
            reference = 0.0
            for k in range(-1, kinds.shape[1]):  # the policy's action first
                action = base if k < 0 else k
                if k == base or kinds[i, action] != PRICED:
                    continue
                copy_words(words, WORLD, words, TRIAL)
                stream(rng, seed, 2 * w + 1)  # the same for every action: they share their luck
                step(states[TRIAL], action)
                decisions += 1 + play_out(states[TRIAL], play, out, cards, rng)
                rewards(states[TRIAL], play, space)
                if k < 0:
                    reference = space.worth[seat]
                else:
                    prices[i, action] += (space.worth[seat] - reference) / worlds
    return decisions
