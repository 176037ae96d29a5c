"""The price of a decision: what the action that was played cost, against the best that the seat could see.

First all candidates are tried in the same random worlds, until it is clear which is best or that it does not
matter; those that are surely not the best drop out. Then the best and the played one are tried in other
worlds, which tell the price. So noise is never blame: where the played action is the best, the expected cost
is 0 or less. How many worlds set the price follows from the first worlds, so that no price ends a search. The
playouts are those of `flat`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from ..core import States
from ..errors import GameError
from ..view import View
from . import playouts
from .beliefs import past_of
from .run import Settings, _Search, policy_room, preset

Floats = NDArray[np.float64]

FIRST, MOST = 64, 512
"""Worlds at the first look, and the most that choose, and that set a price; every look doubles them."""
SURE = 2.5
"""Standard errors from which a difference is no noise."""
SHARP = 6.0
"""The price of a costly decision is to be so many of its standard errors, as far as can be told before."""
TELLS = 0.3
"""An event is a reason if so much of the difference comes from it."""
LEAST = 1.0
"""Worlds are uniform where cards are exchanged less often a world."""
ALL_LEGAL = 24
"""Where a game searches nothing, all actions are tried if there are no more than so many."""


class Verdict(StrEnum):
    """What is known of a decision."""

    COSTLY = "costly"  # the cost is more than a trifle, and above 0 by SURE standard errors
    LEVEL = "level"  # surely not more than a trifle
    OPEN = "open"  # neither, with all worlds


@dataclass(frozen=True)
class Judgement:
    """What a decision cost.

    Args:
        verdict: see `Verdict`.
        cost: mean reward of the best action less that of the played one, in points; in games that are played
            for places in shares of the other seats that are left behind.
        error: its standard error.
        played, best: actions; the played one is the best, too, where the decision is not costly.
        actions: all that were tried, the played one first.
        values: mean reward of each, in the worlds that it was tried in.
        given: what every seat got by it that the played action was not the best, by the worlds of the price
            (the own seat: -cost); 0 where nothing was priced.
        given_errors: its standard errors.
        events: share of these worlds in which each event came, [actions, events] (`knowledge.happened`).
        event_values: mean reward, counted as 0 in worlds in which the event did not come, [actions, events].
        worlds: in which the played action was tried.
        told: exchanges of cards a world for such that fit what others did (`beliefs`); 0: uniform worlds.
    """

    verdict: Verdict
    cost: float
    error: float
    played: int
    best: int
    actions: NDArray[np.int64]
    values: Floats
    given: Floats
    given_errors: Floats
    events: Floats
    event_values: Floats
    worlds: int
    told: float

    def deciding(self) -> tuple[int, float, float] | None:
        """Return the event that tells most why the best action is better, with its share after both.

        An event tells the difference of its shares times what it is worth in these worlds. None if no event
        differs beyond noise and tells at least TELLS of the difference, or there is no better action.
        """
        if self.best == self.played or not self.events.shape[1]:
            return None
        best = self.actions.tolist().index(self.best)
        after, then = self.events[0], self.events[best]
        both, came = after + then, self.event_values[0] + self.event_values[best]
        total = self.values[0] + self.values[best]
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.nan_to_num(came / both - (total - came) / (2 - both), posinf=0.0, neginf=0.0)
        middle = both / 2
        noise = np.sqrt(np.maximum(middle * (1 - middle), 1 / self.worlds) * 2 / self.worlds)
        told = np.where(np.abs(then - after) > SURE * noise, (then - after) * worth, 0)
        event = int(told.argmax())
        if not told[event] >= TELLS * (self.values[best] - self.values[0]) > 0:
            return None
        return event, float(after[event]), float(then[event])


def events_of(game: str) -> tuple[str, ...]:
    """Return the texts of a game's events, by bit."""
    return tuple(getattr(policy_room(game), "EVENTS", ()))


def trifle(game: str) -> float:
    """Return a cost of a decision that does not matter, in what playouts are worth (`TRIFLE` of `policy`)."""
    return float(getattr(policy_room(game), "TRIFLE", 0.0))


def judge(
    view: View,
    played: int,
    seed: int = 0,
    *,
    worlds: int = MOST,
    settings: Settings | None = None,
    past: tuple[States, Sequence[int]] | None = None,
) -> Judgement:
    """Price an action.

    Args:
        view: of the seat to act, as it was before the action.
        played: number of the action.
        seed: of the worlds, 0 to 2**64 - 1.
        worlds: the most that choose, and the most that set the price.
        settings: how playouts play; default: the game's preset.
        past: all decisions of this stage so far, as whole rows, and actions, which the worlds are to fit.

    Raises:
        GameError: the action is not legal, too few worlds, a seed out of range, or nobody to act.
    """
    if worlds < FIRST:
        raise GameError(f"worlds = {worlds}: allowed is {FIRST} or more")
    if played not in view.legal:
        raise GameError(f"{view.game}: action {played} is not legal here")
    how = replace(settings or preset(view.game)[1], prune=True)
    search = _Search(view, seed, how)
    if past is not None:
        search.past = past_of(view.game_rules, *past, view.seat)
    small, actions = trifle(view.game), _candidates(search, view, played)
    tried = _Tried(search, actions, len(events_of(view.game)), view.seat)
    tried.add(FIRST)
    if 0 < search.past.told < LEAST:
        return judge(view, played, seed, worlds=worlds, settings=replace(how, told=0))
    while tried.worlds < worlds and not tried.has_chosen(small):
        tried.drop()
        tried.add(min(tried.worlds, worlds - tried.worlds))
    found = tried.priced(small, worlds)
    search.free()
    return found


def _candidates(search: _Search, view: View, played: int) -> NDArray[np.int64]:
    """Return what is tried, the played action first: what the game searches, or all if that is nothing."""
    actions = search.actions.tolist()
    if len(actions) == 1 and len(view.legal) <= ALL_LEGAL:
        actions = view.legal.tolist()
    actions.append(playouts.policy_row(search.rows, search.seed, search.space))
    return np.array([played, *sorted(set(actions) - {played})], np.int64)


class _Tried:
    """Actions that were tried, the played one first; `race` are those that may be the best."""

    def __init__(self, search: _Search, actions: NDArray[np.int64], events: int, seat: int) -> None:
        n = len(actions)
        self.search, self.actions, self.seat, self.worlds = search, actions, seat, 0
        self.race = np.arange(n)
        self.sums, self.squares = search.blank(n), search.blank(n)
        self.visits, self.events = np.zeros(n, np.int64), np.zeros((n, events, 2))

    def add(self, worlds: int) -> tuple[Floats, Floats]:
        """Try all that is in the race in so many more worlds; return how they differ there (`_gaps`)."""
        race = self.race
        sums, squares, events = self.search.blank(len(race)), self.search.blank(len(race)), self.events[race]
        self.search.try_worlds(self.worlds, worlds, self.actions[race], sums, squares, events)
        self.sums[race] += sums
        self.squares[race] += squares
        self.events[race] = events
        self.visits[race] += worlds
        self.worlds += worlds
        return _gaps(sums, squares, worlds)

    def gaps(self) -> tuple[Floats, Floats]:
        """Return `_gaps` of the race for the seat to act, in all worlds so far."""
        gaps, errors = _gaps(self.sums[self.race], self.squares[self.race], self.worlds)
        return gaps[:, self.seat], errors[:, self.seat]

    def has_chosen(self, small: float) -> bool:
        """Whether one is surely better than the played action, or none by more than `small`."""
        gaps, errors = self.gaps()
        return bool((gaps > SURE * errors).any() or (gaps + SURE * errors <= small).all())

    def drop(self) -> None:
        """Leave out of the race what is surely not the best, but never the played action."""
        gaps, errors = self.gaps()
        stays = gaps + SURE * errors >= (gaps - SURE * errors).max()
        stays[0] = True
        self.race = self.race[stays]

    def priced(self, small: float, worlds: int) -> Judgement:
        """Try the best and the played action in other worlds, at most so many, and return what was found."""
        gaps, errors = self.gaps()
        at = int(gaps.argmax())
        best, gap, chosen = int(self.race[at]), float(gaps[at]), self.worlds
        level = bool((gaps + SURE * errors <= small).all())
        given, unsure = np.zeros(self.sums.shape[1]), np.zeros(self.sums.shape[1])
        if best != 0:
            spread, wanted = float(errors[at]) * sqrt(chosen), max(small / SURE, gap / SHARP)
            n = ceil(min(max((spread / wanted) ** 2, FIRST), worlds))
            self.race = np.array([0, best])
            prices, errors = self.add(n)
            given, unsure = -prices[1], errors[1]
        cost, error = float(-given[self.seat]), float(unsure[self.seat])
        shares = self.events / self.visits[:, None, None]
        verdict = Verdict.OPEN
        if cost > max(small, SURE * error):
            verdict = Verdict.COSTLY
        elif level or cost + SURE * error <= small:
            verdict = Verdict.LEVEL
        return Judgement(
            verdict, cost, error, int(self.actions[0]),
            int(self.actions[best if verdict == Verdict.COSTLY else 0]), self.actions,
            self.sums[:, self.seat] / self.visits, given, unsure,
            shares[:, :, 0], shares[:, :, 1], self.worlds, self.search.past.told,
        )  # fmt: skip


def _gaps(sums: Floats, squares: Floats, worlds: int) -> tuple[Floats, Floats]:
    """Return what each action gives every seat more than the first one, and its standard error."""
    gaps = (sums - sums[0]) / worlds
    return gaps, np.sqrt(np.maximum(squares / worlds - gaps * gaps, 0) / (worlds - 1))
