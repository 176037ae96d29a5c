"""A league on a cluster that is not there: `python -m benchmarks.scaling --cores 256`.

The driver, the thread that stores, the database, Ray and one relay a node (`arena.cluster.relay`) are real.
All relays are in a few actors on this machine (`PROCESSES`), and only their matches are not played: those
that were played beforehand, here and behind the wall, come back as results after the time that they took. So
it shows what driver, store and Ray's calls cost a match, and how much of a core that is. The network costs no
CPU time here but that of the loopback device.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import pickle
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena.cluster.calls import Alive, RayCalls
from arena.cluster.cores import cores as cores_here
from arena.cluster.driver import Cluster
from arena.cluster.proof import Needs, known_games, versions
from arena.cluster.relay import Relay
from arena.cluster.start import cluster
from arena.cluster.task import run_match
from arena.match.played import Moves, PlayedMatch
from arena.match.setup import MatchSetup
from arena.match.warm import warm_up
from arena.runs.drive import play
from arena.runs.open import enter, open_run, prepare
from arena.runs.stages import setups
from arena.store import Store
from arena.store.models import LeagueRun
from leagues.definition import League
from leagues.schedule import MOST_DEALS

GAME, BOTS = "flip7", ("banker", "oddsman", "racer", "random")
CORES_OF_A_NODE = 64
PROCESSES = 2  # with relays in them: as many as two cores carry
RECORDED = 4  # matches that are played beforehand
LONG = 80 * MOST_DEALS  # deals: matches are as large as they get
SCATTER = 9.0  # shape of the gamma distribution of times: they scatter by a third


class Pretended(Relay):
    """The relay of a node that is not there: results come when one of its cores would have had the time.

    Args:
        node: its id, a number.
        cpus: of that node.
        results: what matches give, in turn, of as many games as the largest match.
        seconds: mean time of a match.
    """

    def __init__(self, node: str, cpus: int, results: Sequence[PlayedMatch], seconds: float) -> None:
        super().__init__(node)
        self._free = [0.0] * cpus  # when each core is
        self._results, self._seconds, self._rng = results, seconds, np.random.default_rng(int(node))
        self._frames: dict[tuple[int, int], bytes] = {}

    async def _outcome(self, memory: int, setup: MatchSetup, packed: Sequence[bytes]) -> bytes:
        """End the match when the core that is free first has had time for it."""
        took = self._seconds * float(self._rng.gamma(SCATTER, 1 / SCATTER))
        ends = max(heapq.heappop(self._free), time.monotonic()) + took
        heapq.heappush(self._free, ends)
        await asyncio.sleep(ends - time.monotonic())
        at, games = setup.number % len(self._results), len(setup.seeds)
        whole = self._results[at]
        if (at, games) not in self._frames:
            self._frames[at, games] = Moves.of(whole.moves[:games]).frame  # packed as a worker sends them
        names = ("cpu_s", "decisions", "host", "memory_mib", "slept_s", "load_s", "requests")
        measured = {name: getattr(whole, name) for name in names}
        moves = Moves.of_frame(self._frames[at, games], games)
        result = PlayedMatch.of(setup, whole.scores[:games], moves, wall_s=took, **measured)
        return pickle.dumps(replace(result, games_sha256=result.games_digest()), pickle.HIGHEST_PROTOCOL)


class Several:
    """Relays of nodes that are not there, in one actor: as `Relay`, with the id of a node before all else."""

    def __init__(
        self, nodes: Sequence[tuple[str, int]], results: Sequence[PlayedMatch], seconds: float
    ) -> None:
        self._relays = {node: Pretended(node, cpus, results, seconds) for node, cpus in nodes}

    async def up(self) -> None:
        """Return when all of them are there."""

    async def take(self, node: str, bundle: bytes) -> None:
        """As `Relay.take`."""
        await self._relays[node].take(bundle)

    async def results(self, node: str, bundle: bytes) -> bytes:
        """As `Relay.results`."""
        return await self._relays[node].results(bundle)


@dataclass
class Bound:
    """A method of the actor `Several`, for one node, as if that had an actor of its own."""

    method: Any
    node: str

    def remote(self, *given: Any) -> Any:
        """Call it."""
        return self.method.remote(self.node, *given)


@dataclass
class OneOf:
    """The relay of one node, as the driver sees it."""

    take: Bound
    results: Bound


class Pretending(RayCalls):
    """`Calls` on nodes that are not there. The relays are actors of the Ray that is connected."""

    def __init__(self, cores: int, results: Sequence[PlayedMatch], seconds: float, game: str) -> None:
        import ray

        super().__init__(ray)
        sizes = [CORES_OF_A_NODE] * (cores // CORES_OF_A_NODE)
        sizes += [cores % CORES_OF_A_NODE] if cores % CORES_OF_A_NODE else []
        self._nodes = [Alive(f"{at}", f"node{at}", size, 1 << 50) for at, size in enumerate(sizes)]
        self._large, given = True, (ray.put(list(results)), seconds)
        self._actors: dict[str, OneOf] = {}
        for first in range(min(PROCESSES, len(sizes))):
            part = [(node.id, node.cpus) for node in self._nodes[first::PROCESSES]]
            actor = ray.remote(Several).options(num_cpus=0).remote(part, *given)
            self._actors |= {id: OneOf(Bound(actor.take, id), Bound(actor.results, id)) for id, _ in part}
            ray.get(actor.up.remote())
        self._proof_of_all = {"games": known_games(game), "versions": versions(), "host": "nowhere"}
        self._proofs: list[tuple[int, Any]] = []

    def nodes(self) -> list[Alive]:
        """All of them, always."""
        return self._nodes

    def prove(self, node: Alive, needs: Needs) -> int:
        """Every node is good."""
        self._proofs.append((next(self._numbers), self._proof_of_all))
        return self._proofs[-1][0]

    def _actor(self, node: Alive) -> Any:
        return self._actors[node.id]

    def collect(self, seconds: float) -> list[tuple[Any, Any]]:
        """As `Calls.collect`."""
        proofs, self._proofs = self._proofs, []
        return proofs or super().collect(seconds)


@dataclass
class Simulated:
    """What a driver of a simulation has used."""

    cores: int
    match_s: float
    matches: int
    seconds: float  # from the first match to the last
    driver_s: float  # CPU seconds of the thread that hands out, but for those in Ray's calls
    clerk_s: float  # CPU seconds of the thread that stores
    ray_s: float  # CPU seconds of all else in the process: Ray's calls and its threads

    @property
    def busy(self) -> float:
        """Share of one core that the process needs while all cores play."""
        return (self.driver_s + self.clerk_s + self.ray_s) / self.matches * self.cores / self.match_s

    def __str__(self) -> str:
        costs = (f"{1000 * part / self.matches:9.3f}" for part in (self.driver_s, self.clerk_s, self.ray_s))
        rates = f"{self.cores / self.match_s:10.0f} {self.matches / self.seconds:8.0f}"
        return f"{self.cores:6} {self.match_s:8.2f} {rates} {''.join(costs)} {100 * self.busy:8.1f} %"


HEAD = (
    "                  matches/s           driver    store     Ray     of one\n"
    " cores  match, s    needed  reached     CPU milliseconds a match      core"
)


class TimedCalls:
    """`Calls` that go on to other ones; CPU seconds of the calling thread in them are summed up."""

    def __init__(self, calls: Any) -> None:
        self._calls, self.seconds = calls, 0.0

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return a call of the others that is timed."""

        def timed(*args: Any) -> Any:
            before = time.thread_time()
            try:
                return getattr(self._calls, name)(*args)
            finally:
                self.seconds += time.thread_time() - before

        return timed


def simulate(store: Store, run: LeagueRun, calls: Pretending, match_s: float, seconds: float) -> Simulated:
    """Play a run for some seconds on a cluster that is not there."""
    began, clerk_s, stored = time.monotonic(), [0.0], [0]
    before, process = time.thread_time(), time.process_time()

    def on_match(match: Any) -> None:  # called by the thread that stores
        stored[0] += 1
        clerk_s[0] = time.thread_time()

    def enough() -> bool:
        return time.monotonic() - began > seconds

    timed: Any = TimedCalls(calls)
    play(store, run, Cluster(timed), on_match, enough)
    if not stored[0]:
        raise SystemExit(f"nothing was stored within {seconds:g} s: give it more --seconds")
    passed, driver_s = time.monotonic() - began, time.thread_time() - before - timed.seconds
    ray_s = time.process_time() - process - driver_s - clerk_s[0]
    cores = sum(node.cpus for node in calls.nodes())
    return Simulated(cores, match_s, stored[0], passed, driver_s, clerk_s[0], ray_s)


def recorded(store: Store, run: LeagueRun) -> list[PlayedMatch]:
    """Play the largest matches of a run here, with sandboxed bots.

    `wall_s` is the CPU time of worker and bots, who have one core: other work on this machine is not in it.
    """
    longest = sorted(store.runs.plans(run), key=lambda plan: -plan.blocks)[:RECORDED]
    results = []
    for setup in setups(store, run, longest):
        before = time.process_time()
        result = run_match(setup, [store.bots.source(digest) for _, digest in setup.bots])
        results.append(replace(result, wall_s=time.process_time() - before + sum(result.cpu_s)))
    return results


def main() -> None:
    """Print a line for every number of cores."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--cores", type=int, nargs="+", default=[16, 256, 4096])
    parser.add_argument("--match-s", type=float, nargs="+", help="mean time of a match; default: as recorded")
    parser.add_argument("--seconds", type=float, default=10.0, help="of every simulation (default: 10)")
    asked = parser.parse_args()
    warm_up(GAME, print)
    with tempfile.TemporaryDirectory(prefix="arena-scaling-") as folder, cluster(cores_here()):
        results = recorded(*opened(f"{folder}/recorded.db", league_of(GAME, BOTS, LONG), BOTS))
        mean_s = sum(result.wall_s for result in results) / len(results)
        print(f"{GAME}, {', '.join(BOTS)}: matches of {len(results[0].moves)} games, {mean_s:.3f} s")
        print(HEAD)
        for match_s in asked.match_s or [mean_s]:
            for cores in asked.cores:
                matches = 2 * asked.seconds * cores / match_s + 4 * cores  # more than can be played
                deals = min(10**6, max(LONG, MOST_DEALS * int(matches / len(BOTS))))
                url = f"{folder}/{cores}-{match_s}.db"
                played = opened(url, league_of(GAME, BOTS, deals), BOTS)
                calls = Pretending(cores, results, match_s, GAME)
                print(simulate(*played, calls, match_s, asked.seconds), flush=True)


def league_of(game: str, bots: Sequence[str], deals: int) -> League:
    """Return a league of these bots at tables for all of them, with the game's default options."""
    return League.of(name="simulated", game=game, players=len(bots), deals=deals, seed=1)


def opened(url: str, league: League, bots: Sequence[str]) -> tuple[Store, LeagueRun]:
    """Return a new database with a run that is to be played."""
    store = Store(url, create=True)
    return store, open_run(store, prepare(store, league, enter(store, league, bots))).run


if __name__ == "__main__":
    from benchmarks import scaling  # noqa: PLW0406  # actors import it by its name

    scaling.main()
