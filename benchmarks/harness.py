"""Print what is harness and what is bot in a match, as Markdown.

`python -m benchmarks.harness bots` measures every house bot,
`python -m benchmarks.harness seats` how that grows with the seats.

Matches of 64 deals behind the wall, worker and bots on one core, the same bot in all places; CPU time. Not
here: one game's figures (`arena bench`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import engines
from arena.cell import GameZygote
from arena.cell.frames import Decisions
from arena.cell.loaded import Player
from arena.intake import registry
from arena.match.bench import SOURCES, MatchCost, one_core, rate, spent, trivial
from engines.game import Game

DEALS = 64
MATCHES = 5  # of a trivial bot; the least counts
TARGET = 0.95


def main() -> None:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.harness", description=__doc__)
    parser.add_argument("table", choices=["bots", "seats"])
    parser.add_argument("games", nargs="*", choices=engines.names(), help="default: all")
    parser.add_argument("--seconds", type=float, default=2.0, help="wall time of a bot's match (default: 2)")
    asked = parser.parse_args()
    lines = SEATS if asked.table == "seats" else BOTS
    print(lines, flush=True)
    for name in asked.games or engines.names():
        with one_core() as core, GameZygote(name) as zygote:
            rows = seats(zygote, core) if asked.table == "seats" else bots(zygote, core, asked.seconds)
            for row in rows:
                print(row, flush=True)


# --- bots ---------------------------------------------------------------------------------------------------

BOTS = """| game | bot | own, us a decision | harness, us a decision | to load, ms a bot | share of own |
| --- | --- | ---: | ---: | ---: | ---: |"""


def bots(zygote: GameZygote, core: int, seconds: float) -> Iterator[str]:
    """Yield a row a house bot: what its own calls take of all CPU time, once it is loaded.

    The SDK in its process counts as harness: as much a decision as in that of a bot that does nothing.
    """
    game = zygote.game
    idle = least(zygote, core, game.players)
    sdk = idle.bots / idle.decisions * 1e6 - own_us(game)
    for name, source in registry.house_bots().items():
        if game.name in source.games:
            run = spent(zygote, registry.program_of(name, game.name), DEALS, core, seconds=seconds)
            harness = run.worker / run.decisions * 1e6 + sdk
            own = max(0.0, run.bots / run.decisions * 1e6 - sdk)
            share, load_ms = own / (own + harness), run.loading / game.players * 1e3
            told = f"{share:.1%}{'' if share >= TARGET else ' MISSED'}"
            yield f"| {game.name} | {name} | {own:.3g} | {harness:.3g} | {load_ms:.3g} | {told} |"


def own_us(game: Game) -> float:
    """Return what the trivial bot's own call costs at its best, microseconds a decision."""
    module = ModuleType("trivial")
    exec(SOURCES["act"].format(game=game.name), vars(module))
    player = Player(module, game, 1, print)
    act: Any = player.act
    rows, games, seats, legal, offsets = Decisions.of(game, game.new(64, seed=1))
    views = player.views(rows, games.tolist(), seats.tolist(), legal, offsets.tolist())

    def once() -> float:
        began = time.perf_counter()
        for view in views:
            act(view)
        return time.perf_counter() - began

    return min(once() for _ in range(200)) / len(views) * 1e6


# --- seats --------------------------------------------------------------------------------------------------

SEATS = """| game | seats | games a request | worker | bots' processes | wall | playouts, ns a decision |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def seats(zygote: GameZygote, core: int) -> Iterator[str]:
    """Yield a row for the smallest and the largest table, us a decision."""
    game = zygote.game
    for players in sorted({game.min_players, game.max_players}):
        run = least(zygote, core, players)
        worker, used, wall = (1e6 * part / run.decisions for part in (run.worker, run.bots, run.wall))
        playouts = rate(lambda: game.playout(game.new(500, seed=7, players=players), seed=1), 0.3)  # noqa: B023
        yield (
            f"| {game.name} | {players} | {run.decisions / run.requests:.1f} | {worker:.2f} | {used:.2f} "
            f"| {wall:.2f} | {1e9 / playouts:.0f} |"
        )


def least(zygote: GameZygote, core: int, players: int) -> MatchCost:
    """Return the cheapest of several matches of the trivial bot."""
    program = trivial(zygote.game.name)
    runs = [spent(zygote, program, DEALS, core, players) for _ in range(MATCHES)]
    return min(runs, key=lambda run: run.worker + run.bots)


if __name__ == "__main__":
    main()
