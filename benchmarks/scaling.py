"""A league on a cluster that is not there: `python -m benchmarks.scaling --cores 256`.

The driver, the thread that stores and the database are the real ones. Only Ray's calls are replaced
(`arena.cluster.calls`): matches that were played beforehand, on this machine and behind the wall, come back
as results after the time that they took, in real time. So it shows what the driver spends on a match and how
much of a core that is. What Ray itself costs comes on top: `arena bench --cluster` measures it.
"""

from __future__ import annotations

import argparse
import heapq
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from arena.cluster.calls import Alive
from arena.cluster.driver import Cluster
from arena.cluster.jobs import Needs
from arena.cluster.proof import known_games, versions
from arena.cluster.task import run_match
from arena.cluster_benchmark import Timed
from arena.league.open import enter, open_run, prepare
from arena.league.plans import setups
from arena.league.play import play
from arena.match.played import PlayedMatch
from arena.match.setup import MatchSetup
from arena.match.warm import warm_up
from arena.moves import Moves
from arena.store import Store
from arena.store.models import LeagueRun
from leagues.definition import League
from leagues.schedule import MOST_DEALS

CORES_OF_A_NODE = 64
RECORDED = 4  # matches that are played beforehand
LONG = 80 * MOST_DEALS  # deals: matches are as large as they get
SCATTER = 9.0  # shape of the gamma distribution of times: they scatter by a third


class Recorded:
    """`Calls` on nodes that are not there: results come when a core of the node would have had the time.

    Args:
        cores: of the whole cluster.
        results: what matches give, in turn, of as many games as the largest match.
        seconds: mean time of a match.
        game: its name.
    """

    def __init__(self, cores: int, results: Sequence[PlayedMatch], seconds: float, game: str) -> None:
        sizes = [CORES_OF_A_NODE] * (cores // CORES_OF_A_NODE)
        sizes += [cores % CORES_OF_A_NODE] if cores % CORES_OF_A_NODE else []
        self._nodes = [Alive(f"{at:06x}", f"node{at}", size, 1 << 50) for at, size in enumerate(sizes)]
        self._free = {node.id: [0.0] * node.cpus for node in self._nodes}  # when each core is free
        self._results, self._seconds, self._rng = results, seconds, np.random.default_rng(1)
        self._due: list[tuple[float, int]] = []
        self._values: dict[int, Any] = {}
        self._frames: dict[tuple[int, int], bytes] = {}
        self._numbers = count()
        self._proof = {"games": known_games(game), "versions": versions(), "host": "nowhere"}
        self.busy_s = 0.0  # of all cores

    def nodes(self) -> list[Alive]:
        """All of them, always."""
        return self._nodes

    def put(self, data: bytes) -> int:
        """Nobody fetches it."""
        return len(data)

    def play(self, node: Alive, memory: int, setup: MatchSetup, packed: Sequence[Any]) -> int:
        """End the match when the core of this node that is free first has had time for it."""
        took = self._seconds * float(self._rng.gamma(SCATTER, 1 / SCATTER))
        begins = max(heapq.heappop(self._free[node.id]), time.monotonic())
        heapq.heappush(self._free[node.id], begins + took)
        self.busy_s += took
        whole, games = self._results[setup.number % len(self._results)], len(setup.seeds)
        moves = Moves.of_frame(self._frame(setup.number % len(self._results), games), games)
        names = ("cpu_s", "decisions", "host", "memory_mib", "slept_s", "load_s", "requests")
        measured = {name: getattr(whole, name) for name in names}
        result = PlayedMatch.of(setup, whole.scores[:games], moves, wall_s=took, **measured)
        return self._keep(begins + took, result)

    def _frame(self, at: int, games: int) -> bytes:
        """Return the first moves of a result, packed as a worker sends them."""
        if (at, games) not in self._frames:
            self._frames[at, games] = Moves.of(self._results[at].moves[:games]).frame
        return self._frames[at, games]

    def prove(self, node: Alive, needs: Needs) -> int:
        """Every node is good."""
        return self._keep(time.monotonic(), self._proof)

    def _keep(self, due: float, value: Any) -> int:
        number = next(self._numbers)
        self._values[number] = value
        heapq.heappush(self._due, (due, number))
        return number

    def wait(self, references: Sequence[int], seconds: float) -> list[int]:
        """Sleep until one is ready; then all that are."""
        end = time.monotonic() + seconds
        if self._due:
            time.sleep(max(0.0, min(self._due[0][0], end) - time.monotonic()))
        ready, now = [], time.monotonic()
        while self._due and self._due[0][0] <= now:
            ready.append(heapq.heappop(self._due)[1])
        return ready

    def get(self, ready: Sequence[int]) -> list[Any]:
        """Return what was recorded."""
        return [self._values.pop(reference) for reference in ready]


@dataclass
class Simulated:
    """What a simulation has shown.

    Attributes:
        cores: of the cluster.
        match_s: mean seconds of a match.
        matches: that were played and stored.
        seconds: from the first match to the last.
        driver_s: CPU seconds of the thread that hands out, but for those of the stand-in for Ray.
        clerk_s: CPU seconds of the thread that stores.
        used: share of the cores' time in which they played.
        stored_bytes: what the database has grown by.
    """

    cores: int
    match_s: float
    matches: int
    seconds: float
    driver_s: float
    clerk_s: float
    used: float
    stored_bytes: int

    @property
    def ms_a_match(self) -> float:
        """CPU milliseconds of both threads."""
        return 1000 * (self.driver_s + self.clerk_s) / self.matches

    @property
    def busy(self) -> float:
        """Share of one core that both threads need while all cores play."""
        return self.ms_a_match / 1000 * self.cores / self.match_s

    def __str__(self) -> str:
        needed = self.cores / self.match_s
        return (
            f"{self.cores:6} {self.match_s:8.2f} {needed:10.0f} {self.matches / self.seconds:8.0f}"
            f" {1000 * self.driver_s / self.matches:8.3f} {1000 * self.clerk_s / self.matches:8.3f}"
            f" {100 * self.busy:7.1f} % {100 * self.used:6.1f} % {self.stored_bytes / self.matches:8.0f}"
        )


HEAD = (
    "                  matches/s           driver     clerk   of one    cores    bytes\n"
    " cores  match, s    needed  reached  ms/match  ms/match     core   playing  a match"
)


def simulate(
    store: Store, run: LeagueRun, calls: Recorded, cores: int, match_s: float, seconds: float
) -> Simulated:
    """Play a run for some seconds on a cluster that is not there."""
    began, clerk_s, stored = time.monotonic(), [0.0], [0]
    before = time.thread_time()

    def on_match(match: Any) -> None:  # called by the thread that stores
        stored[0] += 1
        clerk_s[0] = time.thread_time()

    size, timed = _size(store), Timed(calls)
    play(store, run, Cluster(timed), on_match=on_match, enough=lambda: time.monotonic() - began > seconds)
    if not stored[0]:
        raise SystemExit(f"nothing was stored within {seconds:g} s: give it more --seconds")
    passed, driver_s = time.monotonic() - began, time.thread_time() - before - timed.seconds
    return Simulated(
        cores,
        match_s,
        stored[0],
        passed,
        driver_s,
        clerk_s[0],
        min(1.0, calls.busy_s / (passed * cores)),
        _size(store) - size,
    )


def _size(store: Store) -> int:
    """Bytes of the database and its journal."""
    assert store.file is not None
    beside = Path(f"{store.file}-wal")
    return store.file.stat().st_size + (beside.stat().st_size if beside.exists() else 0)


def recorded(store: Store, run: LeagueRun) -> list[PlayedMatch]:
    """Play the largest matches of a run here, with sandboxed bots.

    `wall_s` is the CPU time of worker and bots, who have one core: other work on this machine is not in it.
    """
    longest = sorted(store.plans(run), key=lambda plan: -plan.blocks)[:RECORDED]
    results = []
    for setup in setups(store, run, longest):
        before = time.process_time()
        result = run_match(setup, [store.source(bot.hash) for bot in setup.bots])
        results.append(replace(result, wall_s=time.process_time() - before + sum(result.cpu_s)))
    return results


def main() -> None:
    """Print a line for every number of cores."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--cores", type=int, nargs="+", default=[16, 256, 4096])
    parser.add_argument("--match-s", type=float, nargs="+", help="mean time of a match; default: as recorded")
    parser.add_argument("--seconds", type=float, default=10.0, help="of every simulation (default: 10)")
    parser.add_argument("--game", default="flip7")
    parser.add_argument("--bots", default="banker,oddsman,racer,random")
    asked = parser.parse_args()
    warm_up(asked.game, print)
    bots = asked.bots.split(",")
    with tempfile.TemporaryDirectory(prefix="arena-scaling-") as folder:
        results = recorded(*opened(Path(folder) / "recorded.db", league_of(asked.game, bots, LONG), bots))
        mean_s = sum(result.wall_s for result in results) / len(results)
        print(f"{asked.game}, {', '.join(bots)}: matches of {len(results[0].moves)} games, {mean_s:.3f} s")
        print(HEAD)
        for match_s in asked.match_s or [mean_s]:
            for cores in asked.cores:
                matches = 2 * asked.seconds * cores / match_s + 4 * cores  # more than can be played
                deals = max(LONG, MOST_DEALS * int(matches / len(bots)))
                league, file = league_of(asked.game, bots, deals), Path(folder) / f"{cores}-{match_s}.db"
                store, run = opened(file, league, bots)
                calls = Recorded(cores, results, match_s, asked.game)
                print(simulate(store, run, calls, cores, match_s, asked.seconds), flush=True)


def league_of(game: str, bots: Sequence[str], deals: int) -> League:
    """Return a league of these bots at tables for all of them, with the game's default options."""
    return League.of(name="simulated", game=game, players=len(bots), deals=deals, seed=1)


def opened(file: Path, league: League, bots: Sequence[str]) -> tuple[Store, LeagueRun]:
    """Return a new database with a run that is to be played."""
    store = Store(str(file), create=True)
    return store, open_run(store, prepare(store, league, enter(store, league, bots))).run


if __name__ == "__main__":
    main()
