"""A season under faults, unattended: real processes, jailed bots, SQLite; owners are scripts.

    python -m benchmarks.season --days 7 --minutes 5.5 --plan kills=40,stops=5,disk=1,flood=100

Time is squeezed (`clock.c`): a day takes `--minutes`. What ends is started again as systemd does it, and
nobody does anything else. At the end the store is compared with what the owners sent and with every match
that was ever seen in it, and every epoch is verified. `--plan` says what goes wrong, and how often: `kills`
and `stops` of the driver, the server or what the driver has started (`VICTIMS`); `restarts` of driver or
server; `nodes` of Ray that stand still; `locks` of the database; its file `replaced` by a copy while it is in
use; no more `files` for the server; a full `disk`; `jumps` of all clocks; bots that are `hostile`; and a
`flood` of bots that one owner sends in half an hour.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import random
import resource
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

from sqlmodel import select

import engines
from arena.errors import ArenaError
from arena.ladder.service import close_season, new_season
from arena.match.warm import warm_up
from arena.runs.verify import verify
from arena.store import Store
from arena.store.models import Bot, Match, Submission

Claim = tuple[str, str, bool]  # what is claimed, the figures, and whether they bear it out
PLAN = {"kills": 40, "stops": 5, "restarts": 4, "nodes": 2, "locks": 4, "replaced": 2, "files": 4, "disk": 1}
PLAN |= {"jumps": 2, "hostile": 7, "flood": 99}
SENT = ("hostile", "flood")  # what of a plan comes from owners
VICTIMS = {"driver": 12, "server": 12, "ray::": 12, "arena.jail.forkserver": 8, "raylet": 4}
"""What is killed and stopped, and how often: a unit, or what stands in the command line of a process."""
DAY_S = 86_400
AGAIN_S, STOPPED_S, NODE_S, LOCKED_S, FILES_S, FULL_S = 2.0, 20.0, 90.0, 10.0, 20.0, 15.0
FINAL = (0, 2, 5)  # exit codes after which systemd would not start a unit again (deploy/*.service)
FIRST, A_DAY, OWNERS = 60, 20, 30  # honest bots at the start and a day, and who sends them
SEASON = """epoch = "{blocks} blocks"
[[leagues]]
game = "flip7"
players = 4
entrants = ["racer", "collector", "banker", "oddsman"]
options = {{ goal = 60 }}
"""
BOT = '''"""Stops at {points} points."""
GAMES = ["flip7"]


def act(view):
{line}    if "stay" in view.texts and view.points[view.seat] >= {points}:
        return "stay"
    return "hit" if "hit" in view.texts else view.legal[0]  # {mark}
'''
REFUSED, ACCEPTED = "refused", "accepted"
HOSTILE = (  # name of the file, what is put before the first line of a move, what becomes of it
    ("crash{}.py", "    1 / 0\n", REFUSED),
    ("stall{}.py", "    while True:\n        pass\n", REFUSED),
    ("eater{}.py", "    x = [bytes(1 << 20) for _ in range(1 << 16)]\n", REFUSED),
    ("../../\u202eevil{}.py", "", REFUSED),
    ("racer.py", "", REFUSED),  # a house bot's name
    ("clone{}.py", "", ACCEPTED),
)


class Clocks:
    """The simulated time of day, which processes read that were started with `environment`."""

    def __init__(self, folder: Path, at: float, pace: float) -> None:
        self.began, self.at, self.pace, self.jumped = time.time(), at, pace, 0.0
        self._file, library = folder / "clock", folder / "clock.so"
        source = Path(__file__).with_name("clock.c")
        words = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
        subprocess.run(words, check=True)
        self._file.write_bytes(struct.pack("4d", self.began, at, pace, 0.0))
        self._file.chmod(0o644)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_FILE": str(self._file)}

    def until(self, at: float) -> None:
        """Wait for so many simulated seconds after the beginning, without the jumps."""
        time.sleep(max(0.0, at / self.pace - (time.time() - self.began)))

    def jump(self, seconds: float) -> None:
        """Set all clocks forward or back."""
        self.jumped += seconds
        with self._file.open("r+b") as file:  # the page is mapped: it is changed, not replaced
            file.seek(24)
            file.write(struct.pack("d", self.jumped))


class Unit:
    """A process that is started again when it ends, as systemd does it; `codes`: how it ended."""

    def __init__(self, words: list[str], log: Path, **environment: str) -> None:
        self._words, self.log, self._environment = words, log, os.environ | environment
        self.codes, self._due, self.restarted = list[int](), 0.0, False
        self.start()

    def start(self) -> None:
        """Start the process; its output is appended to a file."""
        with self.log.open("ab") as log:
            given = self._words, -1, None, None, log, log
            self.process = subprocess.Popen(*given, cwd=self.log.parent, env=self._environment)

    def look(self) -> None:
        """Start it again if it has ended, unless systemd would not."""
        if self.process.poll() is None:
            return
        if not self._due:
            self.codes.append(self.process.returncode)
            final = self.codes[-1] in FINAL and not self.restarted
            self._due = float("inf") if final else time.monotonic() + AGAIN_S
        elif time.monotonic() > self._due:
            self._due, self.restarted = 0.0, False
            self.start()


def descendants(pid: int) -> list[int]:
    """Return all processes below one."""
    with contextlib.suppress(OSError):
        threads = Path(f"/proc/{pid}/task").glob("*/children")
        below = [int(word) for one in threads for word in one.read_text().split()]
        return [*below, *(deep for one in below for deep in descendants(one))]
    return []


@dataclass
class Sent:
    """A bot that an owner sends: when, what, and what has to become of it."""

    at: float  # seconds since the season began
    owner: str
    file: str
    source: bytes
    note: str  # of the submission: what it is found by
    outcome: str
    refused: bool = False  # by the server, without a trial


@dataclass
class Squeezed:
    """What goes on, and what was seen."""

    days: float
    plan: Mapping[str, int]
    rng: random.Random
    clocks: Clocks
    port: int
    database: Path
    units: dict[str, Unit] = field(default_factory=dict)
    seen: dict[tuple[int, int], str] = field(default_factory=dict)  # digests of all matches, once stored
    looks: Counter[str] = field(default_factory=Counter)  # answers to viewers
    over: threading.Event = field(default_factory=threading.Event)


def plan_of(text: str) -> dict[str, int]:
    """Return what goes wrong, and how often."""
    given = dict(word.partition("=")[::2] for word in text.split(",") if word)
    if unknown := given.keys() - PLAN:
        raise argparse.ArgumentTypeError(f"no fault {min(unknown)!r}; there are {', '.join(PLAN)}")
    return {name: int(often) if often else PLAN[name] for name, often in given.items()}


def scripts(days: float, plan: Mapping[str, int], rng: random.Random) -> list[Sent]:
    """Return what all owners send in the season, by time."""
    sent, end = list[Sent](), days * DAY_S

    def bot(at: float, owner: str, file: str, line: str = "", outcome: str = ACCEPTED) -> None:
        note = f"script {len(sent)}"
        source = BOT.format(points=rng.randrange(12, 40), line=line, mark=note).encode()
        sent.append(Sent(at, owner, file, source, note, outcome))

    for number in range(FIRST + round(A_DAY * days)):
        owner = f"owner{number % OWNERS if number < FIRST else rng.randrange(OWNERS)}"
        at = rng.uniform(0, min(1800, end) if number < FIRST else 0.9 * end)
        bot(at, owner, f"{owner}_{'ab'[number % 2]}.py")
    for number in range(plan.get("hostile", 0)):
        file, line, outcome = HOSTILE[number % len(HOSTILE)]
        bot(rng.uniform(0, 0.9 * end), f"owner{rng.randrange(OWNERS)}", file.format(number), line, outcome)
    for number in range(plan.get("flood", 0)):
        bot(0.2 * end + rng.uniform(0, 1800), "eve", f"eve{number}.py")
    return sorted(sent, key=lambda one: one.at)


def ask(port: int, path: str, token: str = "", body: bytes | None = None) -> tuple[int, float]:
    """Return status and after how many seconds to come back; status 0: no answer."""
    headers = {"X-Arena": "1", "Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            reply.read()
            return reply.status, 0.0
    except urllib.error.HTTPError as error:
        return error.code, float(error.headers.get("Retry-After") or 0)
    except (OSError, http.client.HTTPException):
        return 0, 0.0


def send(season: Squeezed, one: Sent, token: str) -> None:
    """Send a bot until the server says what became of it; after a lost answer, look whether it is there."""
    path = "/api/bots?" + urlencode({"name": one.file, "note": one.note})
    while not season.over.is_set():
        status, wait_s = ask(season.port, path, token, one.source)
        one.refused = status in (400, 403)
        if one.refused or status == 202 or (not status and one.note in stored(season)):
            return
        season.over.wait(max(wait_s / season.clocks.pace, 0.5))


def stored(season: Squeezed) -> dict[str, Submission]:
    """Return what is stored of what was sent, by note."""
    while True:
        with contextlib.suppress(ArenaError), Store(str(season.database)).reading() as session:
            return {row.note: row for row in session.exec(select(Submission)).all()}
        time.sleep(1.0)


def digests(season: Squeezed) -> dict[tuple[int, int], str]:
    """Return the digests of all stored matches, by run and number."""
    with Store(str(season.database)).reading() as session:
        rows = session.exec(select(Match.run_id, Match.number, Match.digest)).all()
    return {(run, number): digest for run, number, digest in rows}


def watch(season: Squeezed) -> None:
    """Look at pages again and again, and remember every match that is stored."""
    while not season.over.wait(2.0):
        for path in ("/season/squeezed", "/healthz", "/metrics", "/api/home"):
            season.looks[f"{path} {ask(season.port, path)[0]}"] += 1
        with contextlib.suppress(ArenaError):
            season.seen = digests(season) | season.seen


def keep(season: Squeezed) -> None:
    """Start again what has ended."""
    while not season.over.wait(0.5):
        for unit in season.units.values():
            unit.look()


def fail(season: Squeezed) -> None:
    """Do what goes wrong when its time comes, and say it."""
    plan = [what for what, often in season.plan.items() for _ in range(often) if what not in SENT]
    for at, what in sorted((season.rng.uniform(0.05, 0.95) * season.days * DAY_S, what) for what in plan):
        season.clocks.until(at)
        print(f"day {at / DAY_S:.2f}: {what} {fault(season, what)}".rstrip(), flush=True)


def fault(season: Squeezed, what: str) -> str:
    """Let something fail; returns what it was."""
    victim, disk = "", season.database.parent
    if what in ("kills", "stops", "nodes", "files"):
        (drawn,) = season.rng.choices([*VICTIMS], [*VICTIMS.values()])
        victim = {"nodes": "raylet", "files": "server"}.get(what, drawn)
        pid = _process(season, victim)
        if what == "files":
            pid = pid if ask(season.port, "/healthz")[0] else 0  # it listens
        if not pid:
            return f"{victim}, which was down"
        with contextlib.suppress(OSError):
            if what == "files":
                _open_no_more(pid)
            elif what == "kills":
                os.kill(pid, signal.SIGKILL)
            else:
                os.kill(pid, signal.SIGSTOP)
                time.sleep(NODE_S if what == "nodes" else STOPPED_S)
                os.kill(pid, signal.SIGCONT)
    elif what == "restarts":
        victim = season.rng.choice(("driver", "server"))
        season.units[victim].restarted = True
        season.units[victim].process.terminate()
    elif what in ("locks", "replaced"):
        with contextlib.closing(sqlite3.connect(season.database, timeout=60, isolation_level=None)) as there:
            there.execute("BEGIN IMMEDIATE")
            _replace(season.database) if what == "replaced" else time.sleep(LOCKED_S)
    elif what == "disk":
        with contextlib.suppress(OSError), (disk / "ballast").open("wb", buffering=0) as file:
            while disk.is_mount():
                file.write(bytes(1 << 20))
        time.sleep(FULL_S)
        (disk / "ballast").unlink(missing_ok=True)
    else:
        season.clocks.jump(-3 * 3600 if season.clocks.jumped > 0 else 5 * 3600)
    return victim


def _open_no_more(pid: int) -> None:
    """Let a process open no file beyond those that it has open, for a while."""
    usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    many = len([*Path(f"/proc/{pid}/fd").iterdir()])
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (many, usual[1]))
    time.sleep(FILES_S)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)


def _replace(database: Path) -> None:
    """Put a copy in the place of a database that is in use, with all that was stored until then."""
    copy = database.with_name("copy")
    with contextlib.closing(sqlite3.connect(database)) as now:
        with contextlib.closing(sqlite3.connect(copy)) as new:
            now.backup(new)
        copy.replace(database)
        for end in ("-wal", "-shm"):
            database.with_name(database.name + end).unlink(missing_ok=True)


def _process(season: Squeezed, victim: str) -> int:
    """Return a unit's process, or one of the driver's with a word in its command; 0: there is none."""
    if victim in season.units:
        process = season.units[victim].process
        return process.pid if process.poll() is None else 0
    found = [0]
    for pid in descendants(season.units["driver"].process.pid):
        with contextlib.suppress(OSError):
            found += [pid] * (victim.encode() in Path(f"/proc/{pid}/cmdline").read_bytes())
    return season.rng.choice(found[1:] or found)


def compare(sent: Sequence[Sent], season: Squeezed) -> Iterator[Claim]:
    """Compare the store with what was sent and seen."""
    store, rows = Store(str(season.database)), stored(season)
    with store.reading() as session:
        many = len(session.exec(select(Submission.id)).all())
        bots = len(session.exec(select(Bot.id).where(Bot.kind == "submitted")).all())
    refused = {one.note: REFUSED for one in sent if one.refused}
    became = {note: row.state for note, row in rows.items()} | refused
    wrong = [f"{one.file}: {became.get(one.note)}" for one in sent if became.get(one.note) != one.outcome]
    said = f"{len(sent)}, {many}, {len(refused)}"
    yield "bots sent, stored, refused unseen", said, many == len(rows)
    yield "bots with another outcome than the script's", f"{len(wrong)} {wrong[:5]}", not wrong
    accepted = sum(row.state == ACCEPTED for row in rows.values())
    yield "bots, and accepted submissions", f"{bots}, {accepted}", bots == accepted
    matches = digests(season)
    gone = sum(matches.get(key) != digest for key, digest in season.seen.items())
    yield "matches seen once and gone, or other", f"{gone} of {len(season.seen)}", not gone
    counts, epochs = store.matches.counts(), store.seasons.epochs("squeezed")
    bad = [
        one.run.label
        for one, far in ((one, counts[one.run.key]) for one in epochs)
        if (one.run.state == "finished" and far.stored != far.planned)
        or (far.games and verify(store, one.run, workers=1).differences)
    ]
    ends, games = Counter(one.run.state for one in epochs), sum(counts[one.run.key].games for one in epochs)
    yield "epochs, games", f"{dict(ends)}, {games}", ends["finished"] > 0
    yield "epochs that lack a match or do not verify", f"{len(bad)} {bad[:3]}", not bad
    yield "answers to viewers", str(dict(sorted(season.looks.items()))), True
    for name, unit in season.units.items():
        yield f"exit codes of the {name}", str(dict(Counter(unit.codes))), True


def main() -> None:
    """Play the season, print the claims; ends with 1 if one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.season", description=__doc__)
    usual = ",".join(f"{name}={often}" for name, often in PLAN.items())
    parser.add_argument("--days", type=float, default=7.0, help="default: 7")
    parser.add_argument("--minutes", type=float, default=5.5, help="that a day takes (default: 5.5)")
    parser.add_argument("--plan", type=plan_of, default=PLAN, help=f"default: {usual}")
    parser.add_argument("--blocks", type=int, default=48, help="of an epoch (default: 48)")
    parser.add_argument("--seed", type=int, default=0, help="of owners and faults (default: 0)")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and all that was started ends
    for game in engines.names():
        warm_up(game, print)  # else the first minutes of a season are a compiler's
    # Ray's sockets need a short name
    with tempfile.TemporaryDirectory(prefix="season-", ignore_cleanup_errors=True) as name:
        disk = Path(name) / "disk"
        disk.mkdir()  # without the right to mount it is never full
        mount = ["mount", "-t", "tmpfs", "-o", "size=1000m", "tmpfs", str(disk)]
        subprocess.run(mount, stderr=subprocess.DEVNULL, check=False)
        try:
            clocks = Clocks(Path(name), datetime(2031, 3, 3, tzinfo=UTC).timestamp(), 1440 / asked.minutes)
            with socket.create_server(("127.0.0.1", 0)) as free:
                given = random.Random(asked.seed), clocks, free.getsockname()[1], disk / "arena.db"
            claims = play(Squeezed(asked.days, asked.plan, *given), asked.blocks)
        finally:
            subprocess.run(["umount", "--lazy", disk], stderr=subprocess.DEVNULL, check=False)
    for claim, figures, held in claims:
        print(f"{'ok' if held else 'NOT'} {claim:50}  {figures}")
    raise SystemExit(not all(held for *_, held in claims))


def play(season: Squeezed, blocks: int) -> list[Claim]:
    """Play the season; returns what is claimed of it."""
    db, clocks, folder = str(season.database), season.clocks, season.database.parents[1]
    store = Store(db, create=True)
    (folder / "squeezed.toml").write_text(SEASON.format(blocks=blocks))
    new_season(store, folder / "squeezed.toml")
    sent = scripts(season.days, season.plan, season.rng)
    tokens = {name: store.owners.invite(name, "season") for name in sorted({one.owner for one in sent})}
    given = {"PYTHONPATH": str(Path(__file__).parents[1]), "ARENA_DB": db}
    driver, server = "ladder run squeezed --progress plain", f"serve --port {season.port} --allow-submissions"
    for name, words in {"driver": driver, "server": server}.items():
        clock = clocks.environment | ({"CLOCK_STEADY": "1"} if name == "driver" else {})  # set at its start
        arena = [sys.executable, "-m", "arena", *words.split()]
        season.units[name] = Unit(arena, folder / f"{name}.log", **given, **clock)
    threads = [threading.Thread(target=work, args=(season,), daemon=True) for work in (keep, watch, fail)]
    for thread in threads:
        thread.start()
    try:
        with ThreadPoolExecutor(40) as owners:
            for one in sent:
                clocks.until(one.at)
                owners.submit(send, season, one, tokens[one.owner])
            clocks.until(season.days * DAY_S)
            end = clocks.began + 2 * season.days * DAY_S / clocks.pace
            while time.time() < end and not all(row.ended for row in stored(season).values()):
                time.sleep(1.0)
            print(f"over after {(time.time() - clocks.began) * clocks.pace / DAY_S:.1f} days", flush=True)
            season.over.set()
        for thread in threads:
            thread.join()
    finally:
        season.over.set()
        for unit in season.units.values():
            unit.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                unit.process.wait(60)
            unit.process.kill()
            print(unit.log.read_text()[-3000:], file=sys.stderr)
    close_season(Store(db), "squeezed")
    return list(compare(sent, season))


if __name__ == "__main__":
    main()
