"""Worlds that fit what the other seats did: random ones are changed until they are as likely as that says.

Compiled. A world weighs as much as the others' actions are likely, had they held its cards (rule `told` of
a game). Each world is the end of a walk of its own. A step deals the cards of one or two seats again, all
ways that the view allows alike, and takes the new world with the chance that its weight has to the old one's,
at most 1 (Metropolis et al. 1953, Journal of Chemical Physics 21, 1087-1092). So worlds are independent of
each other, and every step brings them nearer to the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..batches import Batches
from ..core import (
    I64,
    NO_ACTION,
    Row,
    States,
    below,
    bit,
    copy_words,
    determinize,
    entry,
    has,
    jit,
    legal,
    redact,
    rows,
)
from ..core.worlds import a_share
from .knowledge import believable, earlier, keep, put_back, shown, told

STEPS = 24
"""Steps of a walk."""
LONGEST = 64
"""Decisions of a stage, at most, that a search looks back at."""


class Past(NamedTuple):
    """Earlier decisions of other seats, and what becomes of the walks."""

    states: Any  # as the viewer saw them; told cards are written into them
    actions: NDArray[np.int64]
    steps: int  # of a walk
    fits: NDArray[np.float64]  # [seats] logarithm of the weight of the world, by whose actions
    trial: NDArray[np.float64]  # [seats] the same of the world that is tried
    walks: NDArray[np.int64]  # [2] how many, and how many steps were taken in them

    @property
    def told(self) -> float:
        """How often the cards of a world were exchanged, by what others did; 0: worlds are uniform."""
        return float(self.walks[1] / max(1, self.walks[0]))


def past_of(game: Batches, states: States, actions: Sequence[int], seat: int, steps: int = STEPS) -> Past:
    """Return what a seat saw of the others; `states`, `actions`: all decisions of a stage, as whole rows."""
    others = (states["seat"] != seat) & ("told" in game.rules)  # a game without it deals uniform worlds
    seen = game.views(states[others], seat) if others.any() else states[:0]
    return _past(game, seen, np.array(actions, np.int64)[others], steps)


def remembered(game: Batches, view: States, steps: int) -> Past:
    """Return what a view, one row, still tells of the others' decisions in its stage (rule `earlier`)."""
    states, actions = view.repeat(LONGEST), np.zeros(LONGEST, np.int64)
    others = np.flatnonzero(states["seat"][: _look_back(rows(states), actions)] != view["seat"])
    return _past(game, states[others], actions[others], steps)


def _past(game: Batches, seen: States, actions: NDArray[np.int64], steps: int) -> Past:
    fits = np.zeros((2, game.max_players))
    return Past(rows(seen), actions, steps, fits[0], fits[1], np.zeros(2, np.int64))


@entry
def _look_back(states: Any, actions: Any) -> int:
    """Take every row back to a decision of its own, the first one first; return how many there were."""
    for number in range(len(states)):
        actions[number] = earlier(states[number], number)
        if actions[number] == NO_ACTION:
            return number
    return len(states)


@jit
def believe(states: Any, words: Any, view: int, world: int, trial: int, past: Past, rng: Any) -> None:
    """Walk from a random world to one that fits what the others did; without earlier decisions not at all.

    `view`, `world` and `trial` are numbers of rows: the view, the world, which is changed, and one for work.
    """
    then, actions, fits, new = past.states, past.actions, past.fits, past.trial
    if len(actions) == 0:
        return
    fit(then, actions, states[world], I64(-1), -np.inf, fits)
    for _ in range(past.steps):
        again = some_others(states[view], rng)
        copy_words(words, view, words, trial)
        again = keep(states[trial], states[world], again)
        determinize(states[trial], rng)
        believable(states[trial], rng)
        least = log(1.0 - a_share(rng))
        for p in range(len(fits)):
            least += fits[p] if has(again, p) else 0.0
        if fit(then, actions, states[trial], again, least, new):
            copy_words(words, trial, words, world)
            past.walks[1] += 1
            for p in range(len(fits)):
                if has(again, p):
                    fits[p] = new[p]
    past.walks[0] += 1


@jit
def some_others(s: Row, rng: Any) -> int:
    """Mask of one or two random seats other than the one to act."""
    seat, others = s.seat, s.players - 1
    first, second = below(rng, others), below(rng, others)
    return bit((seat + 1 + first) % s.players) | bit((seat + 1 + second) % s.players)


@jit
def fit(then: Any, actions: Any, w: Row, seats: int, least: float, fits: Any) -> bool:
    """Write how well what these seats did fits a world; return False as soon as that is below `least`."""
    total = 0.0
    for p in range(len(fits)):
        if has(seats, p):
            fits[p] = 0.0
    for k in range(len(actions)):
        p = then[k].seat
        if has(seats, p):
            one = told(then[k], w, shown(then[k], actions[k]))
            fits[p] += one
            total += one
            if total < least:
                return False
    return True


@entry
def recall(then: Any, worlds: Any, actions: Any, out: Any, counts: Any) -> None:
    """Make of earlier decisions of others what these seats saw, if a world is the true one, row by row.

    `actions` become those that they are in the world, from what others saw of them; `out` gets what was
    legal, and `counts` how much: 0 where it is not known.
    """
    for k in range(len(then)):
        counts[k] = 0
        actions[k] = put_back(then[k], worlds[k], shown(then[k], actions[k]))
        if actions[k] != NO_ACTION:
            redact(then[k], then[k].seat)
            counts[k] = legal(then[k], out[k])
