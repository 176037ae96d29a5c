"""What the harness costs a decision, as leagues play: trivial bots behind the wall, worker and bots on one
core, matches of the sizes that leagues have.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..jail import Limits, Program
from ..player import GameZygote
from ..player.bench import one_core
from .place import Place
from .play import Table
from .setup import GameSetup, MatchSetup

DEALS = (64, 256)  # 64 is the most of a league's match; 256 shows what larger ones would gain
SOURCES = {
    "act": "GAMES = [{game!r}]\n\ndef act(view):\n    return view.legal[0]\n",
    "act_batch": "GAMES = [{game!r}]\n\ndef act_batch(views):\n    return [v.legal[0] for v in views]\n",
}


@dataclass(frozen=True, slots=True)
class Share:
    """Microseconds a decision: CPU time of the worker, CPU time of the bots' processes (their own calls too),
    wall time of both; the least of several matches.
    """

    worker: float
    bots: float
    wall: float


def measure(game: str, matches: int = 5) -> dict[tuple[str, int], Share]:
    """What a decision costs, by the function that the bots have and by the deals of a match.

    Raises:
        HostError: the wall cannot be had.
    """
    with one_core() as core, GameZygote(game) as zygote:

        def least(source: str, deals: int) -> Share:
            runs = [_match(zygote, source, deals, core) for _ in range(matches)]
            return Share(*(min(getattr(run, part) for run in runs) for part in Share.__slots__))

        return {(kind, deals): least(SOURCES[kind], deals) for kind in SOURCES for deals in DEALS}


def _match(zygote: GameZygote, source: str, deals: int, core: int) -> Share:
    game = zygote.game
    seats = range(game.players)
    places = [tuple((seat + deal) % game.players for seat in seats) for deal in range(deals)]
    games = tuple(GameSetup(i, i, i, places[i]) for i in range(deals))
    setup = MatchSetup(0, game.name, game.players, game.check_options()[1], games, tuple(seats))
    table, limits = Table(setup), Limits().for_match(deals)
    program = Program("trivial", {"trivial.py": source.format(game=game.name).encode()})
    bots = [Place(zygote, program, limits, seed, core) for seed in seats]
    try:
        for bot in bots:
            if fault := bot.ready():
                raise RuntimeError(fault.text)
        loaded, cpu, wall = sum(bot.cpu_s for bot in bots), time.process_time(), time.perf_counter()
        while table.ask_next(bots):
            pass
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        used = sum(bot.cpu_s for bot in bots) - loaded
    finally:
        for bot in bots:
            bot.close()
    return Share(*(seconds / sum(table.asked) * 1e6 for seconds in (cpu, used, wall)))
