"""Playouts on a GPU: whether they are right there, how quick, and what bounds them.

    python -m benchmarks.gpu                      # all games, a million rows each
    python -m benchmarks.gpu taroky --rows 100000

Every row must end byte for byte as on the processor; one that does not ends the command with 1. Then the
decisions a second, copies to and from the GPU included: of rows that are made here, and of games that are
dealt there, whose scores come back (the first piece of them is compared); those of one thread of the
processor; the registers, the local and the constant memory of a thread; and the share of a multiprocessor's
threads that these registers let run at once. Without a GPU nothing is measured, and the command ends with 2.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

import numpy as np

import engines
from engines import GameError, core

PIECE = 100_000
"""Rows that go to the GPU together: some 300 MB."""
THREADS = os.cpu_count() or 1
"""Of the processor, for the comparison; the first piece is timed in one."""
WARP, REGISTERS_AT_ONCE = 32, 256
"""Threads that run together, and the unit in which they get their registers."""


def main() -> int:
    """Measure the games that were asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help=f"{', '.join(engines.names())}; default: all"
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="games of each (default: 1000000)")
    asked = parser.parse_args()
    unknown = set(asked.games) - set(engines.names())
    if unknown or asked.rows < 1:
        parser.error(f"no game {min(unknown)!r}" if unknown else "--rows is at least 1")
    try:
        from engines import cuda
    except ImportError as error:
        print(error, file=sys.stderr)
        return 2
    print(
        "| game | rows | rows sent, decisions/s | dealt there | one CPU thread | registers | local B "
        "| constant B | occupancy |"
    )
    print("| --- |" + " ---: |" * 8)
    worst = 0
    for name in asked.games or engines.names():
        try:
            cuda.check_gpu()
            print(measured(cuda, name, asked.rows), flush=True)
        except GameError as error:
            print(error, file=sys.stderr)
            worst = max(worst, 1 if "differ" in str(error) else 2)
    return worst


def measured(cuda: Any, name: str, rows: int) -> str:
    """Play the rows of a game in both places; its row of the table.

    Raises:
        GameError: a row or a score is not that of the processor.
    """
    game = engines.load(name)
    cuda.playout(game.new(64, 1), seed=1)  # compiles
    decisions, there_s, here = 0, 0.0, 0.0
    for first in range(0, rows, PIECE):
        states = game.new(min(PIECE, rows - first), seed=first)
        there = core.copy_states(states)
        begin = time.perf_counter()
        made = cuda.playout(there, seed=first)
        there_s += time.perf_counter() - begin
        begin = time.thread_time()
        expected = game.playout(states, seed=first, threads=THREADS if first else 1)
        here = here or made / (time.thread_time() - begin)
        same = made == expected and there.tobytes() == states.tobytes()
        if same and not first:
            same = np.array_equal(cuda.play_new(name, len(states), first)[0], game.scores(states))
        if not same:
            raise GameError(f"{name}: rows {first} to {first + len(states) - 1} differ from the processor's")
        decisions += made
    begin = time.perf_counter()
    _, dealt = cuda.play_new(name, rows, seed=rows)
    dealt_s = time.perf_counter() - begin
    used = cuda.resources(name)
    return (
        f"| {name} | {rows:,} | {decisions / there_s:,.0f} | {dealt / dealt_s:,.0f} | {here:,.0f} "
        f"| {used.registers} | {used.local} | {used.constant} | {occupancy(cuda, used.registers):.0%} |"
    )


def occupancy(cuda: Any, registers: int) -> float:
    """Tell the share of a multiprocessor's threads that can run at once with so many registers."""
    device = cuda.cuda.get_current_device()
    each = -(-registers * WARP // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
    warps = cuda.BLOCK // WARP
    blocks = min(
        device.MAX_REGISTERS_PER_MULTIPROCESSOR // (each * warps),
        device.MAX_THREADS_PER_MULTIPROCESSOR // cuda.BLOCK,
    )
    return float(blocks * cuda.BLOCK / device.MAX_THREADS_PER_MULTIPROCESSOR)


if __name__ == "__main__":
    sys.exit(main())
