"""The luck of the seats in played games: what draws gave them beyond what they were to give.

One loop for all games.

A game that can tell has three more rules, in its room `luck`: `is_draw`, `remix` and `value`. The loop gets
those of the record's game, as it gets the nine rules (`dispatch`). Not here: the way in from Python
(`engines.luck`).
"""

from __future__ import annotations

from typing import Any

from .chance import next_word, stream
from .compile import Row, entry, jit
from .dispatch import OVER, dispatched, settle, step
from .loops import NO_ACTION, is_legal
from .masks import fill


@dispatched()
def is_draw(s: Row, action: int) -> bool:
    """Whether a legal action of the seat to act makes somebody take a card that nobody has seen."""
    raise NotImplementedError


@dispatched()
def remix(s: Row, rng: Any) -> None:
    """Put what nobody has seen into a random order: all that agree with what all know are equally likely."""


@dispatched()
def value(s: Row, out: Any, work: Any, rng: Any) -> None:
    """Write what every seat can expect into `out` (float64); the row may be played on, `work` is int16."""


@entry
def replay(
    states: Any,
    moves: Any,
    ends: Any,
    before: int,
    after: int,
    key: int,
    luck: Any,
    spare: Any,
    work: Any,
    rng: Any,
    sums: Any,
) -> int:
    """Play stored games again and add up the luck of every seat.

    At every draw the mean value after it, less the mean value with the unseen cards in another order before
    it. Given all that is known before the draw the cards that come are in a random order, so the expectation
    is exactly 0 for any number of orders.

    Args:
        states: [games], each at its first decision; modified in place, over at the end.
        moves: int64, the actions of all games, one game after the other.
        ends: int64 [games + 1]: the actions of game i are moves[ends[i] : ends[i + 1]].
        before: orders that a draw is compared with, at least 1.
        after: orders that the position after it is valued with; 0: as it is, where `value` depends on open
            cards only.
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
            drawing = is_draw(states[i], action)
            if drawing:
                add_value(luck[i], -1.0, states[i], action, before, spare, work, rng, sums)
            step(states[i], action)
            settle(states[i], work)
            if drawing:
                add_value(luck[i], 1.0, states[i], NO_ACTION, after, spare, work, rng, sums)
        if states[i].seat != OVER:
            return i
    return -1


@jit
def add_value(
    luck: Any,
    sign: float,
    s: Row,
    action: int,
    orders: int,
    spare: Any,
    work: Any,
    rng: Any,
    sums: Any,
) -> None:
    """Add `sign` times the mean value over random orders of the unseen cards.

    With 0 orders the cards stay as they are. The action, if any, comes first.
    """
    worlds = max(orders, 1)
    fill(sums[0], 0)
    for _ in range(worlds):
        spare[0] = s
        if orders > 0:
            remix(spare[0], rng)
            spare[0].seed = next_word(rng)
        if action != NO_ACTION:
            step(spare[0], action)
            settle(spare[0], work)
        value(spare[0], sums[1], work, rng)
        for seat in range(s.players):
            sums[0, seat] += sums[1, seat]
    for seat in range(s.players):
        luck[seat] += sign * sums[0, seat] / worlds
