"""Flip 7: how lucky every seat was in a game that was played, whatever it did with its luck.

Luck is what the seats' points gained at the draws beyond what they were to gain on average over all orders of
the draw pile, before anybody knew its next card. Its expectation is 0 for every player, so that taking it out
of a score leaves the score right and less noisy; a player whose luck is far from 0 has seen cards that it
should not.

Nothing here is used while a game is played, and no bot needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import Row, bit, jit, shuffle_with
from .state import Action, row_points

VERSION = 1
"""To be raised when `value` or `remix` changes: luck of different versions must not be mixed."""
WORLDS = 16
"""Orders of the draw pile that a draw is compared with; more hardly lower the noise."""
WORLDS_AFTER = 0
"""After a draw its points are seen."""

# deck: what a point of luck is worth in points of the score, in wins over another seat
WEIGHTS = {"keep": (0.82, 0.0051), "fresh": (0.77, 0.0051)}


def weights(options: Mapping[str, Any]) -> tuple[float, float]:
    """Return what a point of luck is worth; fitted on 400 deals of the leagues flip7 and flip7-fresh."""
    return WEIGHTS[str(options["deck"])]


@jit
def is_draw(s: Row, action: int) -> bool:
    """Whether this action may turn up a card: not if the seat stays and another goes on."""
    return action != Action.STAY or s.active == bit(s.seat)


@jit
def remix(s: Row, rng: Any) -> None:
    """Put what nobody has seen into a random order: the draw pile."""
    shuffle_with(s.pile, s.left, rng)


@jit
def value(s: Row, out: Any, work: Any, rng: Any) -> None:
    """Write the points of every seat as they stand into `out`."""
    for seat in range(s.players):
        out[seat] = s.total[seat] + row_points(s, seat)
