"""The way into the searches from Python: settings, budgets of playouts or of CPU time, the choice.

Not here: the searches themselves (`flat`, `tree`), which are compiled and know no clock: they run in small
batches.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf, log2, sqrt
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from .. import core, registry
from ..batches import Batches
from ..errors import GameError
from ..position import Position
from ..record import words_of
from ..seeds import seeds_of
from ..view import View
from . import beliefs, flat, playouts, tree
from .beliefs import Past

FIRST_BATCH, BATCH_MS = 8, 0.5
"""Playouts before the first look at the clock; CPU time between two looks later on."""
USUAL = 500
"""Playouts a decision of a game without a preset, which is searched with the default settings."""
BATCHES = 20
"""In so many batches worlds are tried where a standard error is asked for."""

NO_EVENTS = np.zeros((0, 0, 0))
"""Where a search counts what happened in its playouts: nowhere."""


@dataclass(frozen=True)
class Settings:
    """How a search plays out.

    Args:
        noise: share of the playout decisions that are random, 0 to 1; the game's policy makes the others.
        cut: playouts end with the round, valued by the game's outlook; else with the game.
        places: a playout is worth the share of the others that it leaves behind; else points.
        prune: only the game's candidates are searched, and what it leaves to its policy is not; else all
            legal actions are.
        gate: above 0, the search only improves the game's policy: it plays what the policy would, unless its
            own choice is better by more than so many standard errors; 0: its own choice always. Rollout
            policy improvement: Tesauro & Galperin 1996, "On-line policy improvement using Monte-Carlo search"
            (NIPS 9); differences under common random numbers: Bertsekas 1997, "Differential training of
            rollout policies" (Allerton).
        model: of `ismcts`: the other seats play in its tree as in playouts, so that it finds the best answer
            to them (as Van den Broeck, Driessens & Ramon 2009, "Monte-Carlo tree search in poker using
            expected reward distributions", ACML); else all seats choose what is best for them.
        told: steps of a walk that brings each world nearer to what the others did in this round (`beliefs`);
            0: uniform worlds, as in a game that cannot look back.
        exploration: of `ismcts`, in standard deviations of the rewards.
        nodes: of `ismcts`, the most that the tree may have (40 bytes each).
    """

    noise: float = 1.0
    cut: bool = True
    places: bool = False
    prune: bool = True
    gate: float = 0.0
    model: bool = False
    told: int = 0
    exploration: float = 1.0
    nodes: int = 1 << 16

    def __post_init__(self) -> None:
        if not 0 <= self.noise <= 1:
            raise GameError(f"noise = {self.noise}: allowed is 0 (the policy alone) to 1 (random)")
        if not self.gate >= 0:
            raise GameError(f"gate = {self.gate}: allowed is 0 or more standard errors")
        if type(self.told) is not int or not 0 <= self.told <= 1000:  # compiled code is for one type
            raise GameError(f"told = {self.told!r}: allowed is a whole number of steps, 0 to 1000")
        if not self.exploration >= 0:
            raise GameError(f"exploration = {self.exploration}: allowed is 0 or more")
        if not 2 <= self.nodes < 2**31:
            raise GameError(f"nodes = {self.nodes}: a tree has 2 to 2**31 - 1")

    def rollout(self, horizon: int) -> playouts.Rollout:
        """Return how compiled code plays out from a position with this horizon."""
        noise = round(self.noise * playouts.ALWAYS)
        return playouts.Rollout(noise, horizon if self.cut else playouts.NEVER, self.places)


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Args:
        action: its choice.
        actions: what it tried, ascending.
        visits: playouts through each of them.
        means: mean reward of each to the seat to act, NaN where there was no playout.
        playouts: all of them; 0 where there was nothing to choose.
        decisions: made in playouts.
        nodes: of the trees, their roots included; 0 without a tree.
    """

    action: int
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    means: NDArray[np.float64]
    playouts: int
    decisions: int
    nodes: int


def flat_monte_carlo(
    view: View,
    playouts: int | None = None,
    seed: int = 0,
    *,
    cpu_ms: float | None = None,
    settings: Settings = Settings(),
) -> SearchResult:
    """Find the action with the best mean over random worlds.

    All actions are tried in the same worlds; the weaker half drops out at every stage.

    Sequential halving: Karnin, Koren & Somekh 2013, "Almost optimal exploration in multi-armed bandits"
    (ICML). With a budget of playouts the choice is a function of view, seed and settings.

    Args:
        view: of the seat to act.
        playouts: the budget; at least one world is tried at every stage.
        seed: 0 to 2**64 - 1.
        cpu_ms: the budget in milliseconds of this thread's CPU time, instead.
        settings: how playouts play.

    Raises:
        GameError: not exactly one budget, one out of range, a seed out of range, or nobody to act.
    """
    search, budget = _Search(view, seed, settings), _Budget(playouts, cpu_ms)
    n, own = len(search.actions), view.seat
    base = search.base()
    sums, squares, visits = search.blank(n), search.blank(n), np.zeros(n, np.int64)
    race, best, worlds, decisions = _base_first(np.arange(n), base), 0, 0, 0
    stages = ceil(log2(n))
    for stage in range(stages):
        rewards, spread = sums[race], squares[race]
        for batch in budget.batches(len(race), (stage + 1) / stages):
            decisions += search.try_worlds(worlds, batch, search.actions[race], rewards, spread)
            worlds += batch
            visits[race] += batch
        sums[race], squares[race] = rewards, spread
        order, half = race[np.argsort(-rewards[:, own], kind="stable")], (len(race) + 1) // 2
        best, race = int(order[0]), _base_first(order[:half], base)[:half]
    if base is not None and best != base:
        gap, square = (sums[best, own] - sums[base, own]) / worlds, squares[best, own] / worlds
        variance = (square - gap * gap) / (worlds - 1) if worlds > 1 else inf  # of the gap
        best = best if gap > settings.gate * sqrt(max(variance, 0.0)) else base
    return search.choice(best, visits, sums[:, own], decisions, 0)


def _base_first(race: NDArray[np.int64], base: int | None) -> NDArray[np.int64]:
    """Return the actions in the race with the policy's before all others, if a gate is kept for it."""
    return race if base is None else np.concatenate(([base], race[race != base]))


def action_values(
    view: View, worlds: int, seed: int = 0, *, settings: Settings = Settings(), past: Past | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimate what every legal action is worth, all of them in the same random worlds.

    Args:
        view: of the seat to act.
        worlds: how many, BATCHES or more.
        seed: 0 to 2**64 - 1.
        settings: how playouts play; every legal action is tried.
        past: what the worlds are to fit; default: uniform worlds.

    Returns:
        The mean reward of each action of `view.legal` to the seat to act, and its standard error, from the
        spread of the means of BATCHES batches.

    Raises:
        GameError: too few worlds, a seed out of range, or nobody to act.
    """
    if worlds < BATCHES:
        raise GameError(f"worlds = {worlds}: allowed is {BATCHES} or more")
    search = _Search(view, seed, replace(settings, prune=False))
    search.past = past or search.past
    means = np.zeros((BATCHES, len(search.actions)))
    for batch, first in enumerate(range(0, worlds // BATCHES * BATCHES, worlds // BATCHES)):
        sums, spread = search.blank(len(search.actions)), search.blank(len(search.actions))
        search.try_worlds(first, worlds // BATCHES, search.actions, sums, spread)
        means[batch] = sums[:, view.seat]
    search.free()
    means /= worlds // BATCHES
    return means.mean(axis=0), means.std(axis=0, ddof=1) / sqrt(BATCHES)


def ismcts(
    view: View,
    playouts: int | None = None,
    seed: int = 0,
    *,
    cpu_ms: float | None = None,
    settings: Settings = Settings(),
) -> SearchResult:
    """Return the action that an information-set Monte Carlo tree search has tried most often (see `tree`).

    Arguments and errors as `flat_monte_carlo`; one playout an iteration. With a gate the standard error is
    that of two independent means with the spread of all rewards: worlds differ between the actions.
    """
    search, budget = _Search(view, seed, settings), _Budget(playouts, cpu_ms)
    if len(search.actions) == 1:
        return search.choice(0, np.zeros(1, np.int64), np.zeros(1), 0, 0)
    worker = search.worker
    grown, only = worker.empty_tree(settings.nodes), view.seat if settings.model else core.NOBODY
    iterations = decisions = 0
    for batch in budget.batches(1, 1.0):
        decisions += tree.iterate(
            worker.rows, worker.words, iterations, batch, search.seed, grown, settings.prune,
            only, float(settings.exploration), search.rollout, search.past, worker.space,
        )  # fmt: skip
        iterations += batch
    visits, totals = _root_counts(grown, search, view.seat)
    results = list(zip(visits.tolist(), totals.tolist(), strict=True))
    best, base = results.index(max(results)), search.base()
    if base is not None and best != base:
        n, _, squares = grown.seats[:3, view.seat].tolist()
        own, others = max(1, int(visits[best])), max(1, int(visits[base]))
        gap = totals[best] / own - totals[base] / others
        error = sqrt(squares / n * (1 / own + 1 / others))
        best = best if visits[base] and gap > settings.gate * error else base
    return search.choice(best, visits, totals, decisions, int(grown.size[0]))


def _root_counts(
    grown: tree.Tree, search: _Search, seat: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the visits and rewards of every action that is searched."""
    visits, totals = np.zeros(len(search.actions), np.int64), np.zeros(len(search.actions))
    place = {(seat << tree.KEY_BITS) + action: k for k, action in enumerate(search.actions.tolist())}
    node = grown.child[tree.ROOT]
    while node != tree.NO_NODE:
        k = place.get(int(grown.key[node]))
        if k is not None:
            visits[k], totals[k] = grown.visits[node], grown.total[node]
        node = grown.sibling[node]
    return visits, totals


def preset(game: str) -> tuple[int, Settings]:
    """Return playouts a decision and settings that suited a game best: `PRESET` of its room `policy`.

    A number of playouts and not a time, so that a game can be repeated.
    """
    given = dict(getattr(policy_room(game), "PRESET", {}))
    return given.pop("playouts", USUAL), Settings(**given)


def policy_room(game: str) -> ModuleType | None:
    """Return a game's room `policy`; None if it has none."""
    home = registry.homes().get(game)
    return home.room("policy") if home else None


def use_all(position: Position) -> None:
    """Search once in every way, so that all compiled code is loaded: a bot in its jail can store none."""
    while not position.over:
        view = position.view()
        if len(view.legal) > 1:
            for settings in (Settings(gate=1.0, told=1), Settings(prune=False)):
                flat_monte_carlo(view, 1, settings=settings)
                ismcts(view, 1, settings=settings)
            return
        position.play(position.legal()[0])


class Worker:
    """What the compiled functions work on: rows, work arrays, and a tree where one is grown."""

    def __init__(self, game: Batches, players: int) -> None:
        self.fits = game.state, players
        self.states = np.zeros(len(playouts.ROWS), game.state)
        self.words, self.rows = words_of(self.states), core.rows(self.states)
        self.space = playouts.Space(
            out=core.work(game.n_actions),
            cards=core.work(game.deck_size),
            rng=np.zeros(1, np.uint64),
            points=np.zeros(players),
            worth=np.zeros(players),
            first_worth=np.zeros(players),
            children=np.zeros(game.n_actions, np.int32),
            at=np.zeros(players, np.int64),
            path=np.zeros((playouts.DEEPEST, 2), np.int64),
        )
        self.nothing = beliefs.past_of(game, np.zeros(0, game.state), (), core.NOBODY)
        self._tree: tree.Tree | None = None

    def empty_tree(self, nodes: int) -> tree.Tree:
        """Return a tree of at most so many nodes, empty; the same one as long as the size stays."""
        if self._tree is None or len(self._tree.key) != nodes:
            self._tree = tree.new_tree(nodes, self.fits[1])
        else:
            tree.clear_tree(self._tree)
        return self._tree


class _Memory(threading.local):
    """The worker of this thread's last search: new memory costs more than a hundred playouts."""

    kept: Worker | None = None

    def take(self, game: Batches, players: int) -> Worker:
        """Return a worker, which nobody else has until it is put back."""
        last, self.kept = self.kept, None
        fits = last is not None and last.fits == (game.state, players)
        return last if last is not None and fits else Worker(game, players)


_MEMORY = _Memory()


class _Search:
    """One search: the rows and arrays that its compiled functions work on, and what it tries."""

    def __init__(self, view: View, seed: int, settings: Settings) -> None:
        self.view, game, legal = view, view.game_rules, np.asarray(view.legal)
        if not len(legal):
            raise GameError(f"{view.game}: seat {view.seat} is not to act: there is nothing to search")
        if np.shape(view.state) != (1,):
            raise GameError(f"{view.game}: a view is a batch of one row, got {np.shape(view.state)}")
        row = words_of(game._checked(view.state, core.VIEW))
        self.worker = worker = _MEMORY.take(game, view.players)
        worker.words[playouts.VIEW] = row
        self.rows, self.words, self.space = worker.rows, worker.words, worker.space
        self._check_world(game, worker)
        self._check_legal(view, legal)
        self.seed = seeds_of(seed, 1)[0]
        self.actions = view.legal.astype(np.int64)
        if settings.prune:
            n = playouts.candidates_row(self.rows, self.seed, self.space)
            self.actions = np.array([self.space.out[k] for k in range(n)], np.int64)
        self.gate, self.told = settings.gate, settings.told
        self.rollout = settings.rollout(playouts.horizon_row(self.rows))

    @cached_property
    def past(self) -> Past:
        """What the worlds are to fit. Most decisions are left to the policy, which needs none."""
        game, looks = self.view.game_rules, self.told > 0 and "earlier" in self.view.game_rules.rules
        return beliefs.remembered(game, self.view.state, self.told) if looks else self.worker.nothing

    def blank(self, actions: int) -> NDArray[np.float64]:
        """Return where `try_worlds` adds up something of so many actions and all seats."""
        return np.zeros((actions, len(self.space.worth)))

    def try_worlds(
        self,
        first: int,
        worlds: int,
        actions: NDArray[np.int64],
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
        events: NDArray[np.float64] = NO_EVENTS,
    ) -> int:
        """Apply `flat.try_actions` to these worlds."""
        return flat.try_actions(
            self.rows, self.words, first, worlds, self.seed, actions,
            sums, squares, events, self.rollout, self.past, self.space,
        )  # fmt: skip

    @staticmethod
    def _check_world(game: Batches, worker: Worker) -> None:
        """Check that a world agrees with the view: none does with one that contradicts itself."""
        world = worker.states[playouts.WORLD : playouts.WORLD + 1]
        worker.words[playouts.WORLD] = worker.words[playouts.VIEW]
        core.determinize_rows(core.rows(world), 0, core.U64(0), worker.space.rng)
        game._check_rows(world, core.EITHER)

    def _check_legal(self, view: View, legal: NDArray[np.int16]) -> None:
        """Check that seat and legal actions of a view are those of its record."""
        out = self.space.out
        n = core.legal_row(self.rows, playouts.VIEW, out)
        if view.seat != view.state["seat"][0] or legal.tolist() != out[:n].tolist():
            raise GameError(f"{view.game}: the legal actions of the view are not those of its record")

    def base(self) -> int | None:
        """Place of the policy's action among those that are tried; None without a gate or a choice."""
        if self.gate == 0 or len(self.actions) < 2:
            return None
        action = playouts.policy_row(self.rows, self.seed, self.space)
        return int(np.searchsorted(self.actions, action))

    def free(self) -> None:
        """Leave the worker to the next search of this thread."""
        _MEMORY.kept = self.worker

    def choice(
        self, best: int, visits: NDArray[np.int64], sums: NDArray[np.float64], decisions: int, nodes: int
    ) -> SearchResult:
        """Return what was found, at the end of the search."""
        self.free()
        means = np.full(len(sums), np.nan)
        np.divide(sums, visits, out=means, where=visits > 0)
        return SearchResult(
            int(self.actions[best]), self.actions, visits, means, int(visits.sum()), decisions, nodes
        )


class _Budget:
    """How long a search goes on: playouts, or milliseconds of CPU time of this thread from now on."""

    def __init__(self, playouts: int | None, cpu_ms: float | None) -> None:
        if (playouts is None) == (cpu_ms is None):
            raise GameError("a search needs a budget: either playouts or cpu_ms")
        if playouts is not None and playouts < 1:
            raise GameError(f"playouts = {playouts}: allowed is 1 or more")
        if cpu_ms is not None and not 0 <= cpu_ms < inf:
            raise GameError(f"cpu_ms = {cpu_ms}: allowed is 0 or more milliseconds")
        self.playouts = playouts
        self.spent = 0
        self.cpu_ms = cpu_ms
        self.began = time.thread_time()

    def batches(self, each: int, share: float) -> Iterator[int]:
        """Yield the sizes of batches of worlds until a share of the budget is spent.

        A world has so many playouts. There is at least one batch.
        """
        if self.playouts is not None:
            worlds = max(1, (int(self.playouts * share) - self.spent) // each)
            self.spent += worlds * each
            yield worlds
            return
        yield from self._timed(self.began + share * float(self.cpu_ms or 0.0) / 1000)

    def _timed(self, end: float) -> Iterator[int]:
        size, now = FIRST_BATCH, time.thread_time()
        while True:
            before = now
            yield size
            now = time.thread_time()
            if now >= end:
                return
            pace = max(now - before, 1e-9) / size
            size = max(1, int(min(BATCH_MS / 1000, end - now) / pace))
