"""Tzogous 37: how lucky every seat was with the shared card and with tie-break cards, whatever it bet.

Luck is what chips a card from the deck brought beyond what it was to bring on average over all orders of the
deck, before anybody knew it: chips won when pots are decided within the action, else, after the shared card
of round 4, the pot to those who have the best score now. Its expectation is 0 for every player, so that
taking it out of a score leaves the score right and less noisy; a player whose luck is far from 0 has seen
cards that it should not. The hands are no luck here: every bot gets them once. Cards drawn for jokers change
no chips at once and are left out.

Nothing here is used while a game is played, and no bot needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import NOBODY, Row, count, has, jit, shuffle_with
from . import state
from .state import ROUNDS, Phase

VERSION = 1
"""To be raised when `value` or `remix` changes: luck of different versions must not be mixed."""
WORLDS = 16
"""Orders of the deck that a card is compared with."""
WORLDS_AFTER = 0
"""What the card brought is seen."""


def weights(options: Mapping[str, Any]) -> tuple[float, float]:
    """Return what a chip of luck is worth."""
    return 0.96, 0.00057


@jit
def is_draw(s: Row, action: int) -> bool:
    """Return whether an action may turn up a card that decides about chips.

    Such an action ends a betting before the shared card or a showdown, or places the last card where nobody
    can bet any more.
    """
    if s.phase == Phase.BET2:
        return True
    if s.phase == Phase.BET1 or s.phase == Phase.DISCARD:
        return s.round_no == ROUNDS
    if s.phase == Phase.PLACE1:
        return s.round_no == ROUNDS and count(state.with_chips(s)) <= 1
    return s.phase == Phase.PLACE2 and count(state.with_chips(s)) <= 1


@jit
def remix(s: Row, rng: Any) -> None:
    """Put what nobody has seen into a random order: the deck. All views stay as they are, byte for byte."""
    shuffle_with(s.deck_cards, s.left, rng)


@jit
def value(s: Row, out: Any, work: Any, rng: Any) -> None:
    """Write every seat's chips won less chips put into `out`."""
    for p in range(s.players):
        out[p] = s.net[p] - s.paid[p]
    if s.community == NOBODY or s.alive == 0:
        return
    best = state.best_seats(s)
    for p in range(s.players):
        if has(best, p):
            out[p] += s.pot / count(best)
