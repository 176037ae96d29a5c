"""Play the past of a row again, by the rules: what `past` and `opening` of a game's facts are for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from inspect import signature
from typing import Any

from .. import core
from ..core import States
from ..game import Game
from .setups import hold


def replayed(game: Game, facts: Any, row: States) -> States | None:
    """Return the row to which the past of a one-row batch leads; None if it does not hold its past."""
    past = facts.past(game, row)
    if past is None:
        return None
    *_, (states, _) = replay(game, facts, row, *past)
    states["seed"] = row["seed"]
    return states


def replay(
    game: Game,
    facts: Any,
    row: States,
    shuffles: list[list[int]],
    actions: list[int],
    earlier: Sequence[States] = (),
) -> Iterator[tuple[States, int]]:
    """Yield the rows from the opening to where shuffles and actions lead, and the place of the next action.

    What the row itself no longer tells of the opening is taken from earlier views, if there are any. It is
    the same batch every time.
    """
    states = _opening(game, facts, row, earlier)
    cards, out, at = core.work(game.deck_size), core.work(game.n_actions), 0
    shuffles = list(shuffles)
    while shuffles or at < len(actions):
        if states["seat"][0] == core.SHUFFLE:
            n = core.due_row(core.rows(states), 0, cards)
            given = shuffles.pop(0)
            rest = Counter(cards[:n].tolist())
            hold(Counter(given) <= rest, f"past: the shuffle {given} has cards that are not in the deck")
            for i, card in enumerate([*given, *(rest - Counter(given)).elements()]):
                cards[i] = card
            core.take_row(core.rows(states), 0, cards[:n])
        else:
            yield states, at
            n = core.legal_row(core.rows(states), 0, out)
            hold(actions[at] in out[:n].tolist(), f"past: action {at}, number {actions[at]}, is not legal")
            core.play_row(core.rows(states), 0, actions[at], out, n, True)
            at += 1
    yield states, at


def _opening(game: Game, facts: Any, row: States, earlier: Sequence[States]) -> States:
    opening = getattr(facts, "opening", None)
    states = None
    if opening is not None:
        takes_views = "earlier" in signature(opening).parameters
        states = opening(game, row, earlier) if takes_views else opening(game, row)
    if states is None:
        states = game.blank(1, int(row["players"][0]), **game.options_of(row))
        core.start_rows(core.rows(states))
    return states
