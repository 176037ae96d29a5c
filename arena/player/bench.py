"""Measure what the boundary costs, with and without the sandbox.

That is the time from fork to a loaded bot, and per decision by the size of a batch.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import engines

from ..jail.limits import LAYERS, Level, Limits
from ..jail.program import Program
from .asking import BotProcess
from .decisions import Decisions
from .zygote import GameZygote

BATCHES = (1, 32, 256, 1024)
TRIVIAL = "GAMES = {games}\n\n\ndef act(view):\n    return view.legal[0]\n"
GENEROUS = Limits(cpu_s_bank=1e6)


@dataclass(frozen=True, slots=True)
class Cost:
    """Figures of one level; times are medians of wall time with worker and bot on one core."""

    level: str
    fork_to_ready_ms: float  # from the worker's request to a loaded bot
    us_per_decision: dict[int, float]  # by rows in a request: all but the bot's own call
    private_mib: float  # of memory that a bot's process does not share with the zygote


def measure(
    game: str = "flip7", levels: tuple[str, ...] = (Level.STRICT, Level.TRUSTED), seconds: float = 0.5
) -> list[Cost]:
    """Return the costs at these levels.

    Args:
        game: any; its records are what is sent.
        levels: which of them to try.
        seconds: about how long to measure each figure.

    Raises:
        HostError: a level cannot be had.
    """
    bare = _bare_call_us(game)
    trivial = Program("trivial", {"trivial.py": TRIVIAL.format(games=[game]).encode()})
    with one_core() as core, GameZygote(game, Level.TRUSTED) as zygote:
        return [_cost(zygote, Level(level), trivial, core, seconds, bare) for level in levels]


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


def _cost(zygote: GameZygote, level: Level, trivial: Program, core: int, seconds: float, bare: float) -> Cost:
    def start() -> BotProcess:
        bot = zygote.spawn(trivial, GENEROUS, 1, core, LAYERS[level])
        if fault := bot.ready():
            raise RuntimeError(fault.text)
        return bot

    def timed() -> float:
        began = time.perf_counter()
        bot = start()
        took = time.perf_counter() - began
        bot.close()
        return took

    ready = statistics.median(timed() for _ in range(max(5, int(50 * seconds))))
    bot = start()
    costs = {}
    for n in BATCHES:
        asked = Decisions.of(zygote.game, zygote.game.new(n, seed=1))
        costs[n] = round(_median_s(partial(bot.ask, asked), seconds) / n * 1e6 - bare, 3)
    private = _private_mib(bot.pid)
    bot.close()
    return Cost(str(level), round(ready * 1000, 2), costs, private)


def _median_s(once: Callable[[], Any], seconds: float) -> float:
    """Median seconds of a call, after some calls to warm up."""
    for _ in range(3):
        once()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        began = time.perf_counter()
        once()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _bare_call_us(game: str) -> float:
    """Return the trivial bot's own call, in microseconds."""
    space: dict[str, Any] = {}
    exec(TRIVIAL.format(games=[game]), space)
    act, view = space["act"], engines.load(game).position(seed=1).view()

    def thousand() -> None:
        for _ in range(1000):
            act(view)

    return _median_s(thousand, 0.05) * 1e3


def _private_mib(pid: int) -> float:
    """Memory of a process that no other has, where the kernel tells."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return float("nan")
    return round(sum(int(line.split()[1]) for line in lines if line.startswith("Private")) / 1024, 2)
