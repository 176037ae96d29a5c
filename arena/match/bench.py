"""Measure what the harness costs a decision, as leagues play.

Bots are in the sandbox, worker and bots on one core, and matches have the sizes that leagues have.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from engines.game import Game

from ..jail import Limits, Program
from ..player import GameZygote
from ..player.bench import one_core
from ..player.bot import Player
from ..player.decisions import Decisions
from .place import Place
from .play import MatchGames
from .setup import MatchSetup

DEALS = (64, 256)  # 64 is the most of a league's match; 256 shows what larger ones would gain
SOURCES = {
    "act": "GAMES = [{game!r}]\n\ndef act(view):\n    return view.legal[0]\n",
    "act_batch": "GAMES = [{game!r}]\n\ndef act_batch(views):\n    return [v.legal[0] for v in views]\n",
}


@dataclass(frozen=True, slots=True)
class Share:
    """Hold microseconds a decision, the least of several matches.

    CPU time of the worker, of the bots' processes, of these without the bots' own calls, and wall time of
    all.
    """

    worker: float
    bots: float
    sdk: float
    wall: float


@dataclass(frozen=True, slots=True)
class Spent:
    """Hold seconds of one match, and what was asked.

    CPU time of the worker and of the bots' processes for all requests, the wall time of these, and CPU time
    of worker and bots until the bots were loaded.
    """

    worker: float
    bots: float
    wall: float
    loading: float
    decisions: int
    requests: int


def measure(game: str, matches: int = 5) -> dict[tuple[str, int], Share]:
    """Return what a decision costs, by the function that the bots have and by the deals of a match.

    Raises:
        HostError: the wall cannot be had.
    """
    with one_core() as core, GameZygote(game) as zygote:
        return {
            (kind, deals): _least(zygote, kind, deals, core, matches) for kind in SOURCES for deals in DEALS
        }


def _least(zygote: GameZygote, kind: str, deals: int, core: int, matches: int) -> Share:
    runs = [spent(zygote, trivial(zygote.game.name, kind), deals, core) for _ in range(matches)]
    worker, bots, wall = (
        min(getattr(run, part) / run.decisions for run in runs) * 1e6 for part in ("worker", "bots", "wall")
    )
    return Share(worker, bots, bots - own_us(zygote.game, kind), wall)


def trivial(game: str, kind: str = "act") -> Program:
    """Return a bot that plays the first legal action."""
    return Program("trivial", {"trivial.py": SOURCES[kind].format(game=game).encode()})


def own_us(game: Game, kind: str) -> float:
    """Return what the trivial bot's own call costs.

    The figure is in microseconds a decision. It is the call at its best, so that the SDK gets all the rest.
    """
    module = ModuleType("trivial")
    exec(SOURCES[kind].format(game=game.name), vars(module))
    player = Player(module, game, 1, print)
    act: Any = player.act
    rows, games, seats, legal, offsets = Decisions.of(game, game.new(64, seed=1))
    views = player.views(rows, games.tolist(), seats.tolist(), legal, offsets.tolist())

    def once() -> float:
        began = time.perf_counter()
        if kind == "act_batch":
            player.act_batch(views)
        else:
            for view in views:
                act(view)
        return time.perf_counter() - began

    return min(once() for _ in range(200)) / len(views) * 1e6


def spent(
    zygote: GameZygote,
    program: Program,
    deals: int,
    core: int,
    players: int | None = None,
    seconds: float = float("inf"),
) -> Spent:
    """Play a match with the same bot in all places.

    Args:
        zygote: the fork server of the game.
        program: the bot.
        deals: games of the match.
        core: that worker and bots run on.
        players: seats; default: the game's own.
        seconds: of wall time, after which no more is asked; the games need not be over.

    Raises:
        HostError: we failed.
        RuntimeError: the bot cannot be loaded.
    """
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
    return Spent(worker, used, wall, cpu - before + loaded, sum(table.asked), len(table.requests))
