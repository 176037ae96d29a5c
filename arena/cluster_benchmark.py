"""What a league costs beside its matches, on this machine: `arena bench --cluster` prints it.

    python -m arena.cluster_benchmark GAME MATCHES BEGAN       the figures as JSON; BEGAN: the monotonic clock

It plays a league of trivial bots on a Ray of its own, in a process of its own, since the start is measured
too. CPU time is told where other work on the machine must not count, wall time where waiting is the point.
Clusters that are not there are simulated by `benchmarks.scaling` of the checkout.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cluster.calls import Alive, Calls
    from .cluster.jobs import Needs
    from .match.setup import MatchSetup
    from .store import Store
    from .store.models import LeagueRun

TRIVIAL = """
GAMES = [{game!r}]

def act(view):
    return view.legal[0]
"""
GAME = "flip7"  # unless another one is named
DEALS = 64  # of a match
MATCHES, QUICK_MATCHES = 256, 16  # what a run costs once is not to be seen
FIRST_ROW = 10_000_000  # numbers of matches that the run has not
SMALL_GAMES, ROWS, AT_ONCE = 8, 3000, 100  # small results, and how many come while one transaction is written


def run(game: str = GAME, quick: bool = False) -> list[dict[str, Any]]:
    """Return the figures of a game, as rows with game, what, value, unit, target; see `benchmark.bench`.

    Raises:
        GameError: no such game.
        RunError: the process that measures has failed; says how.
    """
    import engines

    from .errors import RunError

    engines.check_name(game)
    matches = QUICK_MATCHES if quick else MATCHES
    words = [sys.executable, "-m", "arena.cluster_benchmark", game, str(matches), repr(time.monotonic())]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RunError(f"the league that is measured has failed, exit code {done.returncode}: see above")
    return list(json.loads(done.stdout.splitlines()[-1]))


class Laps:
    """Wall time by what it was spent on, one after another."""

    def __init__(self, began: float) -> None:
        self.seconds: dict[str, float] = {}
        self._last = began

    def end(self, what: str) -> None:
        """Note how long what was done since the last lap has taken."""
        now = time.monotonic()
        self.seconds[what] = now - self._last
        self._last = now


class Timed:
    """`Calls` that go on to other ones; CPU seconds of the calling thread in them are summed up."""

    def __init__(self, calls: Calls) -> None:
        self._calls, self.seconds = calls, 0.0

    @contextmanager
    def _timed(self) -> Iterator[None]:
        before = time.thread_time()
        try:
            yield
        finally:
            self.seconds += time.thread_time() - before

    def nodes(self) -> list[Alive]:
        """As `Calls.nodes`."""
        with self._timed():
            return self._calls.nodes()

    def put(self, data: bytes) -> Any:
        """As `Calls.put`."""
        with self._timed():
            return self._calls.put(data)

    def play(self, node: Alive, memory: int, setup: MatchSetup, packed: Sequence[Any]) -> Any:
        """As `Calls.play`."""
        with self._timed():
            return self._calls.play(node, memory, setup, packed)

    def prove(self, node: Alive, needs: Needs) -> Any:
        """As `Calls.prove`."""
        with self._timed():
            return self._calls.prove(node, needs)

    def collect(self, seconds: float) -> list[tuple[Any, Any]]:
        """As `Calls.collect`."""
        with self._timed():
            return self._calls.collect(seconds)


def measure(game: str, matches: int, began: float, folder: Path) -> Iterator[tuple[str, float, str, str]]:
    """Yield what, value, unit and target, one after another.

    Args:
        game: its name.
        matches: of the league with all workers; that with one worker has a quarter of them.
        began: when the command was given, by the monotonic clock.
        folder: where bots and databases may lie.
    """
    from .cluster.cores import cores
    from .cluster.local import start_early

    laps, workers = Laps(began), cores()
    laps.end("Python")
    start_early(workers, None)
    from . import api  # noqa: F401  # all that a command imports
    from .cluster.driver import Cluster
    from .cluster.proof import known_games
    from .cluster.start import cluster
    from .league.trial import try_entrants
    from .match.warm import warm_up

    laps.end("imports, while Ray starts")
    warm_up(game, lambda line: print(line, file=sys.stderr))
    store, runs = _store_with_runs(folder, game, matches)
    laps.end("compiled code, league and bots")
    known_games(game)
    laps.end("the short match that nodes must know")
    with cluster(workers) as ready:
        laps.end("Ray: its import, the rest of its start")
        bots = [entry.bot for entry in store.entries(runs[0])]
        try_entrants(store, runs[0].definition, bots, store.stages(runs[0])[0], ready)
        laps.end("the worker's start, proof, trial of the bots")
        for what, seconds in laps.seconds.items():
            yield f"start: {what}", seconds, "s", ""
        yield "from the command to the first match", sum(laps.seconds.values()), "s", ""
        timed = Timed(ready.calls)
        alone = _played(store, runs[0], Cluster(timed, 1))
        played = _played(store, runs[1], Cluster(timed, workers))
        ending = time.monotonic()
    yield "end: Ray and all that it has started are gone", time.monotonic() - ending, "s", ""
    yield from played.rows(workers)
    if workers > 1:
        share = played.games_per_s / (workers * alone.games_per_s)
        yield f"speed of {workers} workers by that of one, each", share, "", ">= 0.95"
    yield from _storing(store, runs[1])


class _Played:
    """What a league that was played has cost."""

    def __init__(self, matches: int, games: int, seconds: float, driver_s: float, ray_s: float) -> None:
        self.matches, self.games, self.seconds = matches, games, seconds
        self.driver_s, self.ray_s = driver_s, ray_s

    @property
    def games_per_s(self) -> float:
        return self.games / self.seconds

    def rows(self, workers: int) -> Iterator[tuple[str, float, str, str]]:
        yield f"league, {workers} workers: matches", self.matches / self.seconds, "matches/s", ""
        yield f"league, {workers} workers: games", self.games_per_s, "games/s", ""
        yield "Ray's calls, CPU in the driver's process", 1000 * self.ray_s / self.matches, "ms/match", ""
        yield "driver and store, CPU besides Ray", 1000 * self.driver_s / self.matches, "ms/match", ""
        yield "driver and store, CPU besides Ray", 1e6 * self.driver_s / self.games, "us/game", ""
        yield (
            f"driver and store, busy with {workers} workers",
            100 * self.driver_s / self.seconds,
            "%",
            "<= 10",
        )


def _played(store: Store, run: LeagueRun, ready: Any) -> _Played:
    """Play a run.

    The driver's cost is that of its two threads without Ray's calls. The rest of what this process has used
    is Ray's.
    """
    from .league.play import play

    games, matches, clerk_s = 0, 0, 0.0
    before = time.monotonic(), time.process_time(), time.thread_time(), ready.calls.seconds

    def stored(match: Any) -> None:  # the thread that stores calls this, at the end of its work on a match
        nonlocal games, matches, clerk_s
        games, matches, clerk_s = games + len(match.blocks), matches + 1, time.thread_time()

    play(store, run, ready, on_match=stored)
    now = time.monotonic(), time.process_time(), time.thread_time(), ready.calls.seconds
    seconds, process_s, main_s, calls_s = (end - begin for begin, end in zip(before, now, strict=True))
    driver_s = main_s - calls_s + clerk_s
    return _Played(matches, games, seconds, driver_s, process_s - driver_s)


def _storing(store: Store, run: LeagueRun) -> Iterator[tuple[str, float, str, str]]:
    """How fast small results are written, as they come from the thread that stores."""
    from dataclasses import replace

    whole = next(store.matches(run))
    some = min(SMALL_GAMES, len(whole.blocks))
    arrays = {name: getattr(whole, name)[:some] for name in ("blocks", "places", "scores", "moves")}
    matches = [replace(whole, number=FIRST_ROW + at, **arrays) for at in range(ROWS)]
    wall, cpu = time.monotonic(), time.process_time()
    for first in range(0, ROWS, AT_ONCE):
        store.add_matches(run, matches[first : first + AT_ONCE])
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    yield f"results of {some} games written, {AT_ONCE} in a transaction", ROWS / wall, "matches/s", ">= 1000"
    yield f"results of {some} games written, CPU", 1000 * cpu / ROWS, "ms/match", "<= 0.3"


def _store_with_runs(folder: Path, game: str, matches: int) -> tuple[Store, list[LeagueRun]]:
    """Return a database with two runs of trivial bots: one for one worker, one for all."""
    import engines
    from leagues.definition import League

    from .league.open import enter, open_run, prepare
    from .store import Store

    players = engines.load(game).players
    names = [folder / f"trivial{place}.py" for place in range(players)]
    for name in names:
        name.write_text(TRIVIAL.format(game=game))
    store, runs = Store(str(folder / "arena.db"), create=True), []
    for seed, share in ((1, 4), (2, 1)):
        deals = DEALS * max(1, matches // players // share)
        league = League.of(name="bench", game=game, deals=deals, seed=seed)
        bots = enter(store, league, [str(name) for name in names])
        runs.append(open_run(store, prepare(store, league, bots)).run)
    return store, runs


def main() -> None:
    """Print the figures as one line of JSON."""
    game, matches, began = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        rows = [
            {"game": game, "what": what, "value": value, "unit": unit, "target": target}
            for what, value, unit, target in measure(game, matches, began, Path(folder))
        ]
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
