"""Julepe: how lucky every seat was with the cards that it and the others drew, whatever it did with its luck.

Luck is what a draw is worth beyond what it was to be worth on average over all orders of the leftovers and of
the pile, before anybody knew the next card: the money at the end of the round, if the quick player of
`policy` went on. Its expectation is 0 for every player, so that taking it out of a score leaves the score
right and less noisy; a player whose luck is far from 0 has seen cards that it should not. The deal itself is
no luck here: every bot gets it once.

Leftovers and pile are shuffled each for itself: who is out decides what lies in the pile, so that an order
over both would not be as likely as the others. Nothing here is used while a game is played, and no bot needs
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import OVER, Row, count, jit, settle, shuffle_with
from . import state
from .policy import outlook, policy
from .rules import step
from .state import Phase

VERSION = 1
"""To be raised when `value` (also by a change of `policy`) or `remix` changes: luck of different versions
must not be mixed.
"""
WORLDS = 64
"""Orders of the unseen cards that a draw is compared with."""
WORLDS_AFTER = 32
"""Orders of what is unseen still, with which the round is played out after the draw itself."""


def weights(options: Mapping[str, Any]) -> tuple[float, float]:
    """Return a point of luck in points of the score and in wins, fitted on 300 deals of four bots."""
    return 0.70, 0.00021


@jit
def is_draw(s: Row, action: int) -> bool:
    """Whether this action makes somebody draw: an exchange that is done, or the house coming in."""
    if s.phase == Phase.EXCHANGE:
        return action == state.DONE and s.thrown[s.seat] != 0
    return s.phase == Phase.OFFER and action == state.IN


@jit
def remix(s: Row, rng: Any) -> None:
    """Shuffle what nobody has seen: the leftovers, and under them the pile. Views stay as they are."""
    pile = 5 * count(state.seats_out(s)) if s.phase >= Phase.EXCHANGE else 0
    pile = min(pile, s.left)
    shuffle_with(s.stock, pile, rng)
    shuffle_with(s.stock[pile:], s.left - pile, rng)


@jit
def value(s: Row, out: Any, work: Any, rng: Any) -> None:
    """Play the round to its end by the rollout policy, and write every seat's money into `out` (float64)."""
    round_no = s.round_no
    while s.seat != OVER and s.round_no == round_no:
        step(s, policy(s, work, rng))
        if s.round_no == round_no:
            settle(s, work)
    outlook(s, out)
