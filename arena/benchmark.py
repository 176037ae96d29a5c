"""Speed on the machine at hand, as rates and costs per decision; `arena bench` prints them.

A decision is one action applied, the legal actions computed before it; forced ones count. Playouts are
uniformly random, on one core, dealing included. All figures are of CPU time, since other work on the machine
would spoil wall time; medians of three.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import engines
from engines.core import copy_states
from engines.game import Game

from .match import warm

PLAYOUT_TARGETS = {
    "taroky": ">= 35", "flip7": ">= 25", "julepe": ">= 25", "tzogous37": ">= 22", "zoliky": ">= 6",
}  # fmt: skip
SEARCH_TARGETS = {name: ">= 0.5" if name == "zoliky" else ">= 1" for name in PLAYOUT_TARGETS}
WINDOW_S, QUICK_S = 1.0, 0.2  # of one measurement
ALONE_TARGET = "<= 12"
HARNESS_PARTS = {
    "worker": "worker",
    "bots": "bots' processes",
    "sdk": "bots' processes without the bots' calls",
    "wall": "wall",
}
HARNESS_TARGETS = {
    ("act", 64): {"worker": "<= 2", "sdk": "<= 1.5", "wall": "<= 5"},
    ("act", 256): {"wall": "<= 2"},
    ("act_batch", 64): {"sdk": "<= 0.3"},
    ("act_batch", 256): {},
}


def bench(names: Sequence[str] | None = None, quick: bool = False) -> list[dict[str, Any]]:
    """Measure games.

    Args:
        names: which; default: all.
        quick: with short windows, for a first look.

    Returns:
        Rows with game, what, value, unit, target ("" where there is none).

    Raises:
        GameError: no such game.
    """
    rows = []
    window = QUICK_S if quick else WINDOW_S
    chosen = engines.names() if names is None else list(names)
    for name in chosen:
        engines.check_name(name)
    for name in chosen:
        game = engines.load(name)
        warm.use_everything(name)
        rows += [
            _row(
                name,
                "playouts, one core",
                playouts(game, window),
                "M decisions/s",
                PLAYOUT_TARGETS.get(name, ""),
            ),
            _row(
                name,
                "tree search, all playouts",
                tree_search(game, window),
                "M decisions/s",
                SEARCH_TARGETS.get(name, ""),
            ),
            _row(name, "batch step, checked", batch_steps(game, window), "M decisions/s", ""),
            _row(name, "Position by text", position(game, window, text=True), "us/decision", "<= 0.8"),
            _row(name, "Position by integer", position(game, window, text=False), "us/decision", "<= 0.6"),
            _row(name, "view", views(game, window), "us", ""),
            _row(name, "state", float(game.state.itemsize), "bytes", ""),
        ]
        rows += harness(name)
        if name == "zoliky":
            rows += look_ahead(game, decisions=int(20_000 * window))
    return rows + boundary(chosen[0], window)


def look_ahead(game: Game, decisions: int) -> list[dict[str, Any]]:
    """Measure how long Zoliky takes to find whether a turn can be finished.

    That is one `legal` call in random games.
    """
    from engines import core

    out = core.work(game.n_actions)

    def legal_us(states: Any) -> float:
        began = time.perf_counter_ns()
        core.legal_row(states, 0, out)
        return (time.perf_counter_ns() - began) / 1000

    times: list[float] = []
    for seed in range(decisions):
        states = game.new(1, seed=seed)
        rng = np.random.default_rng(seed)
        while not game.over(states).all() and len(times) < decisions:
            times.append(legal_us(states))
            game.step(states, [rng.choice(np.flatnonzero(game.legal_mask(states)[0]))])
        if len(times) >= decisions:
            break
    return [
        _row("zoliky", f"legal in random games, {name}", value, "us", target)
        for name, value, target in (
            ("p99", float(np.percentile(times, 99)), "<= 20"),
            ("most", max(times), "<= 2000"),
        )
    ]


def harness(name: str) -> list[dict[str, Any]]:
    """Return what the harness costs in matches of trivial bots: CPU time of worker and bots, wall time."""
    from .match import bench

    rows = []
    for (kind, deals), share in bench.measure(name).items():
        what = f"match, {deals} deals, {kind}"
        targets: dict[str, str] = HARNESS_TARGETS[kind, deals]
        for part, words in HARNESS_PARTS.items():
            value = getattr(share, part)
            rows.append(_row(name, f"{what}: {words}", value, "us/decision", targets.get(part, "")))
    return rows


def boundary(name: str, window: float) -> list[dict[str, Any]]:
    """Measure what a bot's own process costs, with the jail and without it.

    Wall time; the worker and the bot are on one core.
    """
    from .player import bench

    rows = []
    for cost in bench.measure(name, seconds=window / 2):
        wall = "jailed" if cost.level == "strict" else "no jail"
        rows.append(_row(name, f"bot process, {wall}: fork to ready", cost.fork_to_ready_ms, "ms", "<= 15"))
        for batch, us in cost.us_per_decision.items():
            target = ALONE_TARGET if batch == 1 and cost.level == "strict" else ""
            rows.append(_row(name, f"bot process, {wall}: {batch} at a time", us, "us/decision", target))
    return rows


def misses(row: dict[str, Any]) -> bool:
    """Whether a figure misses its target."""
    sign, _, number = row["target"].partition(" ")
    if not number:
        return False
    return bool(row["value"] > float(number) if sign == "<=" else row["value"] < float(number))


def _row(game: str, what: str, value: float, unit: str, target: str) -> dict[str, Any]:
    return {"game": game, "what": what, "value": value, "unit": unit, "target": target}


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
    """Measure decisions in playouts of `ismcts`, in million/s.

    The playouts follow the game's policy to the game's end. All costs are in the figure.
    """
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
    """Measure `Game.step` on 1 000 games in lock-step, in million decisions/s.

    Every action is checked. The mask is not in the figure.
    """
    states = game.new(1000, seed=7)
    actions = game.legal_mask(states).argmax(axis=1)

    def once() -> int:
        games = copy_states(states)
        game.step(games, actions)
        return len(games)

    return rate(once, window) / 1e6


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
