"""Flip 7: hits or stays by the chances of a race of two seats that was solved exactly beforehand."""

from typing import Any

import numpy as np

from engines.flip7.tools import race_won

GAMES = ["flip7"]
BUST = ((20, 0.25), (25, 0.15), (30, 0.05), (999, 0.03))  # below these points an open row busts so often
CLOSED, MORE = 31, 3  # points of an open row that does not bust; at least so many more than now
HOPE = 10.0  # points that a row can well catch up: one so far behind comes true once in 2.7 times


def act(view: Any) -> str:
    """Return the action after which more of the others are expected to be behind at the end."""
    if view.phase == "save":
        return "save"
    if view.phase == "give":
        return give(view)
    if "stay" not in view.texts:
        return "hit"
    bust, chances = view.odds
    closed = after(view, [0, view.points[view.seat]], 0.0)
    hit = bust * closed[0] + after(view, list(chances), HOPE) @ np.fromiter(chances.values(), float)
    return "hit" if hit > closed[1] else "stay"


def after(view: Any, points: list[int], hope: float) -> Any:
    """Return how many of the others end behind this seat if its row comes to these points, for each of them.

    With `hope` the row may go on: it can well catch up so many points of what is lost otherwise.
    """
    last, mine = view.round == view.options["max_rounds"], np.array(points, int) + view.totals[view.seat]
    goal = view.options["goal"]
    worth = np.zeros(len(points))
    for seat in range(view.players):
        if seat == view.seat:
            continue
        other, now = view.totals[seat] - goal, view.points[seat]
        if view.status[seat] != "active":
            worth += race_won(mine - goal, other + now, last, hope)
        else:
            bust = next(chance for limit, chance in BUST if now < limit)
            worth += bust * race_won(mine - goal, other, last)
            worth += (1 - bust) * race_won(mine - goal, other + max(CLOSED, now + MORE), last)
    return worth


def give(view: Any) -> str:
    """Return a Freeze or Flip Three to the best of the others, a Second Chance to the last."""
    now = [total + points for total, points in zip(view.totals, view.points)]
    seats = [int(text.split()[1]) for text in view.texts]
    others = [seat for seat in seats if seat != view.seat] or seats
    best = min if view.card == "SC" else max
    return f"give {best(others, key=now.__getitem__)}"
