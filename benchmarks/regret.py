"""How near a bot is to the best: what better decisions would bring it, one at a time.

    python -m benchmarks.regret flip7 racer --seconds 600

The bot plays all seats. Some of its decisions are judged: a search with many playouts names the best action,
and a second one, in other worlds, says how much better that is than the bot's, in seats left behind; so luck
in the first does not count as a gain. The sum over a game, as Elo, is what a player would gain on the bot who
knew every action's worth among players like the search's quick one: to first order, since its better
decisions lead to other positions, and with worlds that are equally likely, whatever the others' play tells.
Not here: how strong a search is that can be played (`strength`).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

import engines
from arena.bots.debug import own_module
from arena.errors import ArenaError
from engines import GameError
from engines.search import Settings, flat_monte_carlo
from engines.view import View

from .strength import interval

WHOLE = Settings(noise=0.0, cut=False, places=True, prune=False)
ELO = 4 * 400 / log(10)
"""Elo a share of the others left behind is worth, where players are level."""


@dataclass(frozen=True)
class Judged:
    """A decision: whether the search would have played otherwise, and what that is worth (0 if not)."""

    other: bool
    gain: float


def main() -> None:
    """Judge decisions and print what they come to."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret", description=__doc__)
    parser.add_argument("game", choices=engines.names())
    parser.add_argument("bot", help="a house bot or a path; its `act(view)` is asked")
    parser.add_argument("--worlds", type=int, default=1500, help="for every action (default: 1500)")
    parser.add_argument("--share", type=float, default=0.1, help="of the decisions, judged (default: 0.1)")
    parser.add_argument("--seconds", type=float, default=60, help="stop after this time (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="of deals and worlds (default: 1)")
    asked = parser.parse_args()
    if not 0 < asked.share <= 1 or asked.worlds < 1:
        parser.error("--share is above 0 and at most 1, --worlds at least 1")
    try:
        act = own_module(asked.bot, asked.game).act
    except (ArenaError, GameError) as error:
        sys.exit(str(error))
    began, rng = time.monotonic(), random.Random(asked.seed)
    judged: list[Judged] = []
    games, decisions, seats = 0, 0, 1
    while time.monotonic() - began < asked.seconds or len(judged) < 2:
        games += 1
        for view in choices(asked.game, act, rng):
            decisions, seats = decisions + 1, view.players
            if rng.random() < asked.share:
                judged.append(judge(view, number_of(view, act(view)), asked.worlds, rng))
    print(report(judged, decisions / games / seats))


def choices(name: str, act: Any, rng: random.Random) -> Iterator[View]:
    """Yield the decisions with a choice of one game in which this bot has all seats."""
    position = engines.load(name).position(seed=rng.getrandbits(40))
    while not position.over:
        view = position.view()
        if len(view.legal) > 1:
            yield view
        position.play(number_of(view, act(view)))


def number_of(view: View, answer: Any) -> int:
    """Return an answer of a bot as the number of an action."""
    return int(view.legal[view.texts.index(answer)]) if isinstance(answer, str) else int(answer)


def judge(view: View, action: int, worlds: int, rng: random.Random) -> Judged:
    """Compare an action with what a search takes for the best."""
    budget = worlds * len(view.legal)
    best = flat_monte_carlo(view, budget, rng.getrandbits(60), settings=WHOLE).action
    if best == action:
        return Judged(False, 0.0)
    again = flat_monte_carlo(view, budget, rng.getrandbits(60), settings=WHOLE)
    place = again.actions.tolist().index
    return Judged(True, float(again.means[place(best)] - again.means[place(action)]))


def report(judged: list[Judged], decisions: float) -> str:
    """Return what the decisions come to. `decisions`: with a choice, of a seat in a game."""
    mean, low, high = (ELO * decisions * value for value in interval(np.array([one.gain for one in judged])))
    other = sum(one.other for one in judged) / len(judged)
    return (
        f"{len(judged)} decisions judged, {decisions:.1f} of a seat in a game; the search would play"
        f" {other:.1%} otherwise\nthat is worth {mean:+.1f} Elo [{low:+.1f}, {high:+.1f}]"
    )


if __name__ == "__main__":
    main()
