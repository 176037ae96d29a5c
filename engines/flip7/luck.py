"""Flip 7: how lucky every seat was in a game that was played, whatever it did with its luck.

Luck is what the seats' points gained at the draws beyond what they were to gain on average over all orders of the draw
pile, before anybody knew its next card. Its expectation is 0 for every player, so that taking it out of a score leaves the
score right and less noisy; a player whose luck is far from 0 has seen cards that it should not.

Nothing here is used while a game is played, and no bot needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import Row, entry, fill, is_legal, jit, next_word, settle, shuffle_with, stream
from .rules import step
from .state import Action, Status, row_points

VERSION = 1
"""To be raised when `value` or `remix` changes: luck of different versions must not be mixed."""


WORLDS = 16
"""Orders of the draw pile that a draw is compared with; more hardly lower the noise."""

# deck: what a point of luck is worth in points of the score, in wins over another seat
WEIGHTS = {"keep": (0.82, 0.0051), "fresh": (0.77, 0.0051)}


def weights(options: Mapping[str, Any]) -> tuple[float, float]:
    """What a point of luck is worth; fitted on 400 deals of the leagues flip7 and flip7-fresh."""
    return WEIGHTS[str(options["deck"])]


@jit
def remix(s: Row, rng: Any) -> None:
    """Put what nobody has seen into a random order: the draw pile. All views stay as they are, byte for byte."""
    shuffle_with(s.pile, s.left, rng)


@jit
def value(s: Row, out: Any) -> None:
    """Write the points of every seat as they stand, with those of its open row, into `out` (float64, seats)."""
    for seat in range(s.players):
        out[seat] = s.total[seat] + row_points(s, seat)


@jit
def draws(s: Row, action: int) -> bool:
    """Whether this action may turn up a card: not if the seat stays and another goes on."""
    if action != Action.STAY:
        return True
    others = 0
    for seat in range(s.players):
        others += seat != s.seat and s.status[seat] == Status.ACTIVE
    return others == 0


@entry
def replay(
    states: Any,
    moves: Any,
    ends: Any,
    worlds: int,
    key: int,
    luck: Any,
    spare: Any,
    work: Any,
    rng: Any,
    sums: Any,
) -> int:
    """Play stored games again and add up the luck of every seat.

    At every action the points after it, less their mean over `worlds` games in which the unseen cards were put into
    another order before it and later shuffles are new. Given all that is known before the action the cards that come are
    in a random order, so the expectation is exactly 0 for any number of worlds.

    Args:
        states: [games], each at its first decision; modified in place, over at the end.
        moves: int64, the actions of all games, one game after the other.
        ends: int64 [games + 1]: the actions of game i are moves[ends[i] : ends[i + 1]].
        worlds: orders to compare with, at least 1.
        key: key of the random orders; not the seed of any deal.
        luck: float64 [games, seats], set in place.
        spare: [1], a work row.
        work: int16, a work array.
        rng: uint64[1], a random stream.
        sums: float64 [2, seats], a work array.

    Returns:
        -1, or the first game whose actions do not fit.
    """
    for i in range(len(states)):
        stream(rng, key, i)
        fill(luck[i], 0)
        for m in range(ends[i], ends[i + 1]):
            action = moves[m]
            if states[i].seat < 0 or not is_legal(states[i], action, work):
                return i
            drawing = draws(states[i], action)
            fill(sums[0], 0)
            for _ in range(worlds if drawing else 0):
                spare[0] = states[i]
                remix(spare[0], rng)
                spare[0].seed = next_word(rng)
                step(spare[0], action)
                settle(spare[0], work)
                value(spare[0], sums[1])
                for seat in range(states[i].players):
                    sums[0, seat] += sums[1, seat] / worlds
            step(states[i], action)
            settle(states[i], work)
            if drawing:
                value(states[i], sums[1])
                for seat in range(states[i].players):
                    luck[i, seat] += sums[1, seat] - sums[0, seat]
        if states[i].seat >= 0:
            return i
    return -1
