"""The compiled inner loop of a match: all its games advance together, forced decisions are played on the
way.
"""

from __future__ import annotations

from typing import Any

from engines import core
from engines.core import entry


@entry
def advance(states: Any, actions: Any, legal: Any, counts: Any, moves: Any, made: Any, cards: Any) -> None:
    """Apply the given actions, then play on to the next real decision of every game. All arrays are modified
    in place.

    Args:
        states: the games.
        actions: int64 [n], checked; -1 where nothing is to be applied.
        legal: int16 [n, n_actions], the legal actions of the seat to act.
        counts: int64 [n], how many they are: 0 if the game is over, 1 only if `moves` is full, 2 or more at
            a decision.
        moves: int16 [n, capacity], every action of a game.
        made: int64 [n], how many are in `moves`.
        cards: int16 work array for shuffles.
    """
    for i in range(len(states)):
        action = actions[i]
        while True:
            if action >= 0:
                moves[i, made[i]] = action
                made[i] += 1
                core.step(states[i], action)
                core.settle(states[i], cards)
                counts[i] = core.legal_row(states, i, legal[i])
            if counts[i] != 1 or made[i] >= moves.shape[1]:
                break
            action = core.I64(legal[i, 0])


@entry
def gather_legal(legal: Any, counts: Any, rows: Any, out: Any, offsets: Any) -> int:
    """Write the legal actions of `rows` (int64) one after the other into `out` (int16), their starts into
    `offsets` (int32).

    Returns:
        The total length; `offsets` has one more element than `rows`.
    """
    n = 0
    for k in range(len(rows)):
        offsets[k] = n
        for j in range(counts[rows[k]]):
            out[n] = legal[rows[k], j]
            n += 1
    offsets[len(rows)] = n
    return n
