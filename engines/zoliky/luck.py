"""Jolly Zoliky: how lucky every seat was with the cards that it drew, whatever it did with its luck.

Luck is what a card from the stock is worth to the hand beyond what the draw was to be worth on average over
all orders of the stock, before anybody knew the next card: whether the hand can open or go out with it in
this turn, the jokers, and the cards that have found their place. Its expectation is 0 for every player, so
that taking it out of a score leaves the score right and less noisy; a player whose luck is far from 0 has
seen cards that it should not. The deal is no luck here, since every bot gets it once, and neither is the
pile, which lies open.

Cards that the cutter has looked at stay where they are: who knows when they come may play by them. Nothing
here is used while a game is played, and no bot needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import Row, count, fill, jit, shuffle_with
from .hands import folded, mirrored
from .lookahead import can_complete
from .melds import welcome
from .plan import in_new_meld
from .state import CUT, Action, reshuffles

VERSION = 1
"""To be raised when `value` or `remix` changes: luck of different versions must not be mixed."""
WORLDS = 32
"""Orders of the stock that a draw is compared with."""
WORLDS_AFTER = 0
"""What the card did for the hand is seen."""

OPENING, GOING_OUT, JOKERS, PLACED = 0.54, 1.9, 2.0, 0.6
"""Points that a chance to open is worth, for every round played; one to go out; a joker; a card with a place.

Least squares on 1 000 deals of the house bots.
"""


def weights(options: Mapping[str, Any]) -> tuple[float, float]:
    """Return what a point of luck is worth, in points of the score and in wins; fitted on the same deals."""
    return 0.95, 0.057 / int(options["deals"]) ** 0.5


@jit
def is_draw(s: Row, action: int) -> bool:
    """Whether this action takes a card from the stock."""
    return action == Action.DRAW_STOCK


@jit
def remix(s: Row, rng: Any) -> None:
    """Put what nobody has seen into a random order: the stock above the cards that the cutter knows."""
    known = lowest_cards(s)
    shuffle_with(s.stock[known:], max(s.n_stock - known, 0), rng)


@jit
def lowest_cards(s: Row) -> int:
    """How many cards at the bottom of the stock are not in a random order among the others [3].

    The naturals that the cutter has looked at, but for the Jolly card; nothing after a reshuffle. If all
    three were jokers, the card below the Jolly card may be the fourth one, which is likelier there than
    elsewhere: the lowest card is left where it is.
    """
    if reshuffles(s) > 0:
        return 0
    return CUT - 1 - s.kept if s.kept < CUT else 1


@jit
def value(s: Row, out: Any, work: Any, rng: Any) -> None:
    """Write what the hand of the seat to act is worth into `out`."""
    fill(out, 0)
    p = s.seat
    worth = JOKERS * s.jokers[p] + PLACED * placed(s)
    if not s.opened[p] and can_complete(s):
        worth += OPENING * s.round_number
    s.jolly_turn = 1  # this turn must be the last: can it?
    out[p] = worth + GOING_OUT * can_complete(s)


@jit
def placed(s: Row) -> int:
    """Count the naturals of the seat to act that have found their place."""
    hand = s.hand[s.seat]
    if not s.opened[s.seat]:
        cells = mirrored(hand)
        run = cells & cells >> 1 & cells >> 2
        return count(folded(run | run << 1 | run << 2))
    return count(in_new_meld(hand, 0)) + count(hand & welcome(s))
