"""Play a league for an hour while something fails every minute: `python -m benchmarks.endurance`.

A hundred bots play behind the wall on a Ray of this machine. Every minute a process is killed or stopped, or
the database is locked (`OFTEN`, `SELDOM`). Where that ends the command, it is given again. Every minute a
line says what was stored and what memory a process has (proportional set size, the most of all processes of
its kind and of a look every few seconds). In the end the rows are compared with the plan, and some matches
are played again without faults.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena.cluster.cores import cores
from arena.cluster.task import run_match
from arena.league.plans import setups
from arena.store import Store
from arena.store.models import LeagueRun

BOT = '''"""Takes the last action that it may with a chance of {chance}, else the first."""

GAMES = ["flip7"]


def act(view):
    return view.legal[-1] if view.rng.random() < {chance} else view.legal[0]
'''
LEAGUE = 'game = "flip7"\nsubmitted = false\nseed = 30\n'
DRIVER, HOST, GCS, RAYLET, RAY = "driver", "host", "gcs", "raylet", "other Ray"
WORKER, SERVER, BOTS = "worker", "fork server", "bot"
ROLES = (DRIVER, GCS, RAYLET, RAY, WORKER, SERVER, BOTS)
OFTEN = (
    f"kill {WORKER}",
    f"kill {SERVER}",
    f"kill {BOTS}",
    f"stop {WORKER}",
    f"stop {RAYLET}",
    "lock database",
)
"""What a run survives; between them, one after another, what ends the command."""
SELDOM = (*(f"kill {role}" for role in (DRIVER, RAYLET, GCS, HOST)), f"end {DRIVER}")
STOPPED_S, LOCKED_S, LOOK_S, MINUTE_S = 30.0, 20.0, 5.0, 60.0
AGAIN = 40  # matches that are played again


def role_of(pid: int, parent: str) -> str:
    """Return what a process below the driver is, by its command line and what its parent is."""
    if parent in (SERVER, BOTS):
        return BOTS
    line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    named = {"Agent": RAY, "local.main()": HOST, "/gcs_server": GCS, "raylet --": RAYLET, "ray::": WORKER}
    named |= {"arena.jail.forkserver": SERVER}
    return next((role for word, role in named.items() if word in line), RAY)


def processes(pid: int, role: str = DRIVER) -> Iterator[tuple[int, str]]:
    """Yield a process and all below it, with their roles."""
    yield pid, role
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield from processes(int(child), role_of(int(child), role))


def memory_mib(pid: int) -> float:
    """Return the proportional set size of a process; 0 if it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


@dataclass
class Soak:
    """A league under faults.

    Attributes:
        folder: where its bots, its database and its log are.
        words: the command.
        starts: how often it was given.
        process: it, now.
    """

    folder: Path
    words: list[str]
    starts: int = 0
    process: subprocess.Popen[bytes] | None = None
    rng: random.Random = field(default_factory=lambda: random.Random(30))

    @property
    def database(self) -> Path:
        """The file."""
        return self.folder / "soak.db"

    def playing(self) -> bool:
        """Whether the league goes on; its command is given again if something has ended it."""
        if self.process is not None and self.process.poll() is None:
            return True
        if self.process is not None and self.process.returncode == 0:
            return False
        if self.process is not None:
            *_, said = (self.folder / "log").read_text().strip().splitlines()
            print(f"the command ended with {self.process.returncode}: {said}")
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(self.words, cwd=self.folder, stdout=log, stderr=log)
        self.starts += 1
        return True

    def there(self) -> list[tuple[int, str]]:
        """Return all processes of the command, with their roles."""
        if self.process is None or self.process.poll() is not None:
            return []
        return list(processes(self.process.pid))

    def stored(self) -> tuple[int, int]:
        """Return how many matches and games are stored."""
        with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(self._opened("ro")) as there:
            matches, games = there.execute("SELECT count(*), sum(games) FROM match").fetchone()
            return matches, games or 0
        return 0, 0

    def _opened(self, mode: str) -> sqlite3.Connection:
        name = f"file:{self.database}?mode={mode}"
        return sqlite3.connect(name, uri=True, isolation_level=None, timeout=120)

    def fault(self, what: str) -> None:
        """Make something fail."""
        how, _, part = what.partition(" ")
        if part == "database":
            with contextlib.closing(self._opened("rw")) as there:
                there.execute("BEGIN IMMEDIATE")
                time.sleep(LOCKED_S)
            return
        found = [pid for pid, role in self.there() if role == part]
        with contextlib.suppress(IndexError, ProcessLookupError):
            pid = self.rng.choice(found)
            os.kill(pid, {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "end": signal.SIGTERM}[how])
            if how == "stop":
                time.sleep(STOPPED_S)
                os.kill(pid, signal.SIGCONT)

    def minute(self, what: str) -> dict[str, float]:
        """Let a minute pass, with a fault in it; returns the most memory of a process of every role."""
        most: dict[str, float] = defaultdict(float)
        ends = time.monotonic() + MINUTE_S
        thread = threading.Timer(MINUTE_S / 4, self.fault, [what])
        thread.start()
        while time.monotonic() < ends and self.playing():
            for pid, role in self.there():
                most[role] = max(most[role], memory_mib(pid))
            time.sleep(LOOK_S)
        thread.cancel()
        thread.join()
        return most

    def stop(self) -> None:
        """Stop the command as Ctrl-C does."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(120)


def plan_of_faults() -> Iterator[str]:
    """Yield a fault a minute: all of `OFTEN`, one of `SELDOM`, and so on."""
    at = 0
    while True:
        yield from (*OFTEN, *OFTEN)
        yield SELDOM[at % len(SELDOM)]
        at += 1


def compared(store: Store, run: LeagueRun) -> tuple[str, bool]:
    """Compare the rows of a run with its plan; returns what was found, and whether it is as it should be."""
    plans = store.plans(run)
    with store.reading() as session:
        connection = session.connection()
        rows = connection.exec_driver_sql("SELECT number, games FROM match").all()
        held = connection.exec_driver_sql("SELECT count(*) FROM lease").scalar_one()
    numbers = {number for number, _ in rows}
    other = sum(games != plans[number].blocks for number, games in rows if number < len(plans))
    told = (
        f"{len(rows)} rows of {len(plans)} planned matches, {len(rows) - len(numbers)} doubled, "
        f"{len(numbers - set(range(len(plans))))} not planned, {other} with another number of games, "
        f"{held} leases left, {sum(store.repeated(run).values())} repetitions"
    )
    good = len(rows) == len(numbers) and numbers <= set(range(len(plans))) and not other and held == 0
    return told, good and (len(rows) == len(plans) or run.state != "finished")


def differing(store: Store, run: LeagueRun) -> list[int]:
    """Play some stored matches again in this process, and return the numbers of those with other games."""
    plans = store.plans(run)
    some = random.Random(30).sample(sorted(store.stored_matches(run)), AGAIN)
    found = []
    for setup in setups(store, run, [plans[number] for number in some]):
        (stored,) = store.matches(run, [setup.number])
        played = run_match(setup, [store.source(bot.hash) for bot in setup.bots])
        if played.games_digest() != stored.games_digest():
            found.append(setup.number)
    return found


def left_behind(folder: Path) -> list[str]:
    """Return command lines of processes that have the folder in their environment, and folders of Ray."""
    found = [one.name for one in folder.glob("arena-ray-*")]
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal() and str(folder).encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return found


def prepared(folder: Path, bots: int, deals: int, workers: int) -> Soak:
    """Write the league and its bots."""
    names = [f"chance{at:03}" for at in range(bots)]
    for at, name in enumerate(names):
        (folder / f"{name}.py").write_text(BOT.format(chance=round(0.2 + 0.6 * at / bots, 4)))
    (folder / "soak.toml").write_text(LEAGUE)
    words = [sys.executable, "-m", "arena", "league", "run", "./soak.toml", "--progress", "plain"]
    words += ["--bots", ",".join(f"./{name}.py" for name in names), "--deals", str(deals)]
    words += ["--workers", str(workers), "--db", str(folder / "soak.db")]
    return Soak(folder, words)


def main() -> None:
    """Print a line a minute, then what was found; ends with 1 if that is not as it should be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.endurance", description=__doc__)
    parser.add_argument("--minutes", type=int, default=60, help="default: 60")
    parser.add_argument("--bots", type=int, default=100, help="default: 100")
    parser.add_argument("--deals", type=int, default=6000, help="for every bot (default: 6000)")
    parser.add_argument("--workers", type=int, default=cores(), help="default: one per CPU core")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the command is stopped, too
    # Ray's sockets need a short name
    with tempfile.TemporaryDirectory(prefix="endure-", ignore_cleanup_errors=True) as name:
        os.environ["TMPDIR"] = name
        soak = prepared(Path(name), asked.bots, asked.deals, asked.workers)
        print(f"minute   games  games/s   {'  '.join(ROLES)}, MiB   fault", flush=True)
        try:
            _play(soak, asked.minutes)
        finally:
            soak.stop()
        good = _told(soak)
    raise SystemExit(0 if good else 1)


def _play(soak: Soak, minutes: int) -> None:
    faults, games, began = plan_of_faults(), 0, time.monotonic()
    for minute in range(1, minutes + 1):
        what, since = next(faults), time.monotonic()
        most = soak.minute(what)
        before, (_, games) = games, soak.stored()
        rate = (games - before) / (time.monotonic() - since)
        sizes = "  ".join(f"{most[role]:{len(role)}.0f}" for role in ROLES)
        print(f"{minute:6} {games:7} {rate:8.1f}   {sizes}        {what}", flush=True)
        if not soak.playing():
            break
    print(f"{games / (time.monotonic() - began):.1f} games/s in all, {soak.starts} starts of the command")


def _told(soak: Soak) -> bool:
    """Print what is stored, what is left, and what playing again shows; whether all is well."""
    store = Store(str(soak.database))
    (run,) = store.runs()
    told, good = compared(store, run)
    print(told, flush=True)
    left = left_behind(soak.folder)
    print(f"left behind: {'; '.join(left) or 'nothing'}")
    differ = differing(store, run)
    print(f"{AGAIN} matches played again here, without faults: {len(differ)} have other games")
    return good and not left and not differ


if __name__ == "__main__":
    main()
