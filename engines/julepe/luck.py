"""Julepe: how lucky every seat was with the cards that it and the others drew, whatever it did with its luck.

Luck is what a draw is worth beyond what it was to be worth on average over all orders of the leftovers and of the pile,
before anybody knew the next card: the money at the end of the round, if the quick player of `policy` went on. Its expectation
is 0 for every player, so that taking it out of a score leaves the score right and less noisy; a player whose luck is far from 0
has seen cards that it should not. The deal itself is no luck here: every bot gets it once.

Leftovers and pile are shuffled each for itself: who is out decides what lies in the pile, so that an order over both
would not be as likely as the others. Nothing here is used while a game is played, and no bot needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import OVER, Row, count, entry, fill, is_legal, jit, next_word, settle, shuffle_with, stream
from . import state
from .policy import outlook, policy
from .rules import step
from .state import SEATS, Phase

VERSION = 1
"""To be raised when `value` (also by a change of `policy`) or `remix` changes: luck of different versions must not be mixed."""
WORLDS = 64
"""Orders of the unseen cards that a draw is compared with; half as many policies are played out after the draw itself."""


def weights(options: Mapping[str, Any]) -> tuple[float, float]:
    """What a point of luck is worth, in points of the score and in wins; fitted on 300 deals of four bots."""
    return 0.70, 0.00021


# --- unseen cards -------------------------------------------------------------------------------------------


@jit
def remix(s: Row, rng: Any) -> None:
    """Put what nobody has seen into a random order: the leftovers, and under them the pile. Views stay as they are."""
    pile = 5 * count(state.seats_out(s)) if s.phase >= Phase.EXCHANGE else 0
    pile = min(pile, s.left)
    shuffle_with(s.stock, pile, rng)
    shuffle_with(s.stock[pile:], s.left - pile, rng)


@jit
def draws(s: Row, action: int) -> bool:
    """Whether this action makes somebody draw: an exchange that is done, or the house coming in."""
    if s.phase == Phase.EXCHANGE:
        return action == state.DONE and s.thrown[s.seat] != 0
    return s.phase == Phase.OFFER and action == state.IN


@jit
def value(s: Row, out: Any, rng: Any, work: Any) -> None:
    """Play the round to its end by the quick player, and write every seat's money into `out` (float64, seats)."""
    round_no = s.round_no
    while s.seat != OVER and s.round_no == round_no:
        step(s, policy(s, work, rng))
        if s.round_no == round_no:
            settle(s, work)
    outlook(s, out)


# --- replay -------------------------------------------------------------------------------------------------


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
    """Play stored games again and add up the luck of every seat, in cents.

    At every draw the mean money over rounds that are played out from there, less the same with the unseen cards in
    another order before the draw. Given all that is known before the draw the cards that come are in a random order,
    stack by stack, so the expectation is exactly 0 for any number of worlds.

    Args:
        states: [games], each at its first decision; modified in place, over at the end.
        moves: int64, the actions of all games, one game after the other.
        ends: int64 [games + 1]: the actions of game i are moves[ends[i] : ends[i + 1]].
        worlds: orders to compare with, at least 2.
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
            if drawing:
                play_out(states, i, action, worlds, -1.0, luck, spare, work, rng, sums)
            step(states[i], action)
            settle(states[i], work)
            if drawing:
                play_out(states, i, -1, max(worlds // 2, 1), 1.0, luck, spare, work, rng, sums)
        if states[i].seat != OVER:
            return i
    return -1


@jit
def play_out(
    states: Any,
    i: int,
    action: int,
    worlds: int,
    sign: float,
    luck: Any,
    spare: Any,
    work: Any,
    rng: Any,
    sums: Any,
) -> None:
    """Add `sign` times the mean money of rounds that are played out to the luck of game i; first the action, unless -1."""
    fill(sums[0], 0)
    for _ in range(worlds):
        spare[0] = states[i]
        remix(spare[0], rng)
        spare[0].seed = next_word(rng)
        if action >= 0:
            step(spare[0], action)
            settle(spare[0], work)
        value(spare[0], sums[1], rng, work)
        for seat in range(SEATS):
            sums[0, seat] += sums[1, seat]
    for seat in range(SEATS):
        luck[i, seat] += sign * sums[0, seat] / worlds
