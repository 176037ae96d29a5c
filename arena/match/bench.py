"""What this machine does, as rates and costs a decision; `arena bench` prints it.

A decision is one action applied, the legal actions computed before it; forced ones count. Playouts are
uniformly random, on one core, dealing included. Speed is of CPU time, since other work on the machine would
spoil wall time: the median of three windows. What bots and matches cost is measured behind the wall, worker
and bots on one core, as leagues play.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import engines
from engines.game import Game

from ..cell import GameZygote
from ..jail import Limits, Program
from . import warm
from .batch import MatchGames
from .place import Place
from .setup import MatchSetup

WINDOW_S, QUICK_S = 1.0, 0.2  # of one measurement
MATCHES = 5  # of a kind; the least counts
DEALS = (64, 256)  # 64 is the most of a league's match; 256 shows what larger ones would gain
SOURCES = {
    "act": "GAMES = [{game!r}]\n\ndef act(view):\n    return view.legal[0]\n",
    "act_batch": "GAMES = [{game!r}]\n\ndef act_batch(views):\n    return [v.legal[0] for v in views]\n",
}


def bench(names: Sequence[str] | None = None, quick: bool = False) -> list[dict[str, Any]]:
    """Measure games.

    Args:
        names: which; default: all.
        quick: with short windows, for a first look.

    Returns:
        Rows with game, what, value, unit.

    Raises:
        GameError: no such game.
        HostError: the wall cannot be had.
    """
    chosen = engines.names() if names is None else list(names)
    for name in chosen:
        engines.check_name(name)
    return [
        {"game": name, "what": what, "value": value, "unit": unit}
        for name in chosen
        for what, value, unit in _measured(name, QUICK_S if quick else WINDOW_S)
    ]


def _measured(name: str, window: float) -> Iterator[tuple[str, float, str]]:
    game = engines.load(name)
    warm.use_everything(name)
    yield "playouts, one core", playouts(game, window), "M decisions/s"
    yield "tree search, all playouts", tree_search(game, window), "M decisions/s"
    yield "batch step, checked", batch_steps(game, window), "M decisions/s"
    yield "Position by text", position(game, window, text=True), "us/decision"
    yield "Position by integer", position(game, window, text=False), "us/decision"
    yield "view", views(game, window), "us"
    yield "state", float(game.state.itemsize), "bytes"
    with one_core() as core, GameZygote(name) as zygote:
        yield "bot process: fork to ready", ready_ms(zygote, core, window), "ms"
        for kind in SOURCES:
            for deals in DEALS:
                runs = [spent(zygote, trivial(name, kind), deals, core) for _ in range(MATCHES)]
                what = f"match, {deals} deals, {kind}"
                for part, words in (("worker", "worker"), ("bots", "bots' processes"), ("wall", "wall")):
                    us = min(getattr(run, part) / run.decisions for run in runs) * 1e6
                    yield f"{what}: {words}", us, "us/decision"


def rate(once: Callable[[], int], window: float) -> float:
    """Units per CPU second of `once`, which returns how many it did: the median of three windows."""
    once()
    rates = []
    for _ in range(3):
        began, units = time.process_time(), 0
        while time.process_time() - began < window:
            units += once()
        rates.append(units / (time.process_time() - began))
    return statistics.median(rates)


def playouts(game: Game, window: float) -> float:
    """Random playouts, million decisions/s, new games included."""
    return rate(lambda: game.playout(game.new(500, seed=7), seed=1), window) / 1e6


def tree_search(game: Game, window: float) -> float:
    """Measure million decisions/s in playouts of `ismcts` by the game's policy, all costs included."""
    from engines.search import Settings, ismcts

    settings = Settings(noise=0.0, cut=False, prune=False)
    views: list[Any] = []
    for seed in range(8):
        position, rng = game.position(seed=seed), random.Random(seed)
        for _ in range(20):
            position.play(rng.choice(position.legal()))
        while len(position.legal()) < 2:
            position.play(position.legal()[0])
        views.append(position.view())

    def once() -> int:
        return sum(ismcts(view, 200, seed=1, settings=settings).decisions for view in views)

    return rate(once, window) / 1e6


def batch_steps(game: Game, window: float) -> float:
    """Measure million decisions/s of `Game.step`, which checks every action; without the mask."""
    states = game.new(1000, seed=7)
    actions = game.legal_mask(states).argmax(axis=1)

    def once() -> float:
        games = game.keep(states)  # a batch of one's own would be checked whole at every step
        began = time.perf_counter()
        game.step(games, actions)
        return time.perf_counter() - began

    once()
    end, times = time.process_time() + window, [once()]
    while time.process_time() < end:
        times.append(once())
    return len(actions) / statistics.median(times) / 1e6


def position(game: Game, window: float, text: bool) -> float:
    """`Position.play` and `legal`, microseconds a decision, whole games."""
    seeds = iter(range(10**9))

    def once() -> int:
        pos = game.position(seed=next(seeds))
        decisions = 0
        while not pos.over:
            pos.play(pos.legal()[0] if text else pos.legal_numbers()[0])
            decisions += 1
        return decisions

    return 1e6 / rate(once, window)


def views(game: Game, window: float) -> float:
    """Return a redacted copy, microseconds a row, in batches of 1 000."""
    states = game.new(1000, seed=7)
    return 1e6 / rate(lambda: len(game.views(states)), window)


# --- behind the wall ----------------------------------------------------------------------------------------


@contextmanager
def one_core() -> Iterator[int]:
    """Keep this process on one core: a wake-up across cores costs 5 to 10 times more."""
    before = os.sched_getaffinity(0)
    core = max(before)
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, before)


def ready_ms(zygote: GameZygote, core: int, window: float) -> float:
    """Return wall time from the worker's request to a loaded bot, the median."""

    def once() -> float:
        began = time.perf_counter()
        bot = Place(zygote, trivial(zygote.game.name), Limits(), seed=1, core=core)
        fault, took = bot.ready(), time.perf_counter() - began
        bot.close()
        if fault:
            raise RuntimeError(fault.text)
        return 1000 * took

    once()  # loads what the first bot alone must load
    return statistics.median(once() for _ in range(max(5, int(25 * window))))


@dataclass(frozen=True, slots=True)
class MatchCost:
    """Hold seconds of one match, and what was asked."""

    worker: float  # CPU time for all requests, as that of the bots' processes
    bots: float
    wall: float
    loading: float  # CPU time of worker and bots until the bots were loaded
    decisions: int
    requests: int


def trivial(game: str, kind: str = "act") -> Program:
    """Return a bot that plays the first legal action."""
    return Program("trivial", {"trivial.py": SOURCES[kind].format(game=game).encode()})


def spent(
    zygote: GameZygote,
    program: Program,
    deals: int,
    core: int,
    players: int | None = None,
    seconds: float = float("inf"),
) -> MatchCost:
    """Play a match with the same bot in all places, asking for at most so many seconds of wall time."""
    game = zygote.game
    seats = range(players or game.players)
    turned = [[(seat + i) % len(seats) for seat in seats] for i in range(deals)]
    setup = MatchSetup.of_games(game.name, range(deals), turned, game.check_options(len(seats))[1])
    limits, bots = Limits().for_match(deals), []
    before = time.process_time()
    try:
        table = MatchGames(setup)
        for seat in seats:
            bots.append(Place(zygote, program, limits, seed=seat, core=core))
        for bot in bots:
            if fault := bot.ready():
                raise RuntimeError(fault.text)
        loaded, cpu, wall = sum(bot.cpu_s for bot in bots), time.process_time(), time.perf_counter()
        while time.perf_counter() - wall < seconds and table.ask_next(bots):
            pass
        wall, worker = time.perf_counter() - wall, time.process_time() - cpu
        used = sum(bot.cpu_s for bot in bots) - loaded
    finally:
        for bot in bots:
            bot.close()
    return MatchCost(worker, used, wall, cpu - before + loaded, sum(table.asked), len(table.requests))
