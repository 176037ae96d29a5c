"""A week of a season, unattended: real processes, jailed bots, PostgreSQL; owners are scripts.

    python -m benchmarks.ladder --days 7

Time is squeezed. The driver, a worker, the server and the database's machine are killed at random, the disk
is full once, and the clocks jump twice. What ends is started again as systemd does it, and nobody does
anything else. At the end the store is compared with what the owners sent and with every match that was ever
seen in it, and every epoch is verified.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

from arena.errors import ArenaError
from arena.ladder.service import close_season, new_season
from arena.league.verify import verify
from arena.store import Store
from arena.store.models import Submission

from .machines import Clock, Disk, Postgres, Unit, supervised, workers

Claim = tuple[str, str, bool]
"""What is claimed, the figures, and whether they bear it out."""

DAY_S = 86_400
MOST_SHARES = 2.0  # that an honest owner waits, in fair shares
FIRST, A_DAY, HOSTILE, EVES = 60, 20, 20, 100  # bots at the start, a day; one of HOSTILE is hostile; eve's
OWNERS = 30
SEASON = """
epoch = "{blocks} blocks"
[[leagues]]
game = "flip7"
players = 4
entrants = ["racer", "collector", "banker", "oddsman"]
[leagues.options]
goal = 60
"""
BOT = '''"""Stops at {points} points."""
GAMES = ["flip7"]


def act(view):
    if "stay" in view.texts and view.points[view.seat] >= {points}:
        return "stay"
    return "hit" if "hit" in view.texts else view.legal[0]  # {mark}
'''
BODY = BOT.partition("def act(view):\n")[2]
REFUSED, ACCEPTED = "refused", "accepted"
HOSTILES = {  # what is put before the first line of a move, and what becomes of it
    "crash": ("    1 / 0\n", REFUSED),
    "stall": ("    while True:\n        pass\n", REFUSED),
    "sleep": ("    import time\n    time.sleep(60)\n", REFUSED),
    "late": ("    if view.rng.random() < 0.02:\n        raise MemoryError\n", ""),  # either, by its luck
    "eater": ("    x = [bytes(1 << 20) for _ in range(1 << 16)]\n", REFUSED),
}


@dataclass
class Sent:
    """A bot that an owner sends: when, what, and what has to become of it ("": either)."""

    at: float  # seconds since the season began
    owner: str
    file: str
    source: bytes
    outcome: str
    honest: bool = True
    number: int = 0  # of the submission, once it is stored
    tries: int = 0  # requests
    refused: str = ""  # why the server did not take it


@dataclass
class Week:
    """What goes on, and what was seen."""

    days: int
    kills: int
    rng: random.Random
    folder: Path
    port: int
    seen: dict[tuple[int, int], str] = field(default_factory=dict)  # digests of all matches, once stored
    looks: Counter[str] = field(default_factory=Counter)  # answers to viewers
    killed: Counter[str] = field(default_factory=Counter)
    over: threading.Event = field(default_factory=threading.Event)


def scripts(days: int, rng: random.Random) -> list[Sent]:
    """Return what all owners send in the season, by time."""
    sent: list[Sent] = []
    for number in range(FIRST + A_DAY * days):
        at = rng.uniform(0, 1800) if number < FIRST else rng.uniform(0, days * DAY_S * 0.9)
        owner = f"owner{number % OWNERS if number < FIRST else rng.randrange(OWNERS)}"
        if number % HOSTILE == HOSTILE - 1:
            sent.append(_hostile(number // HOSTILE, at, owner))
            continue
        name = f"{owner}_{'ab'[number % 2]}"
        source = BOT.format(points=rng.randrange(12, 40), mark=f"bot {number}")
        sent.append(Sent(at, owner, f"{name}.py", source.encode(), ACCEPTED))
    for number in range(EVES):
        at = (1.5 + rng.uniform(0, 0.02)) * DAY_S  # in half an hour
        source = BOT.format(points=rng.randrange(12, 40), mark=f"eve {number}")
        sent.append(Sent(at, "eve", f"eve{number}.py", source.encode(), ACCEPTED, False))
    return sorted(sent, key=lambda one: one.at)


def _hostile(number: int, at: float, owner: str) -> Sent:
    """Return one of the hostile bots, in turn: bad moves, bad names, clones."""
    kinds = [*HOSTILES, "name", "house", "other", "clone"]
    kind = kinds[number % len(kinds)]
    plain = BOT.format(points=20, mark=f"hostile {number}").encode()
    if kind == "name":
        return Sent(at, owner, "../../\u202eevil.py", plain, REFUSED, False)
    if kind == "house":
        return Sent(at, owner, "racer.py", plain, REFUSED, False)
    if kind == "other":  # the name of another owner's bot, which may come later
        return Sent(at + 2 * DAY_S, owner, "eve0.py", plain, REFUSED, False)
    if kind == "clone":
        return Sent(
            at, owner, f"clone{number}.py", BOT.format(points=20, mark="clone").encode(), ACCEPTED, False
        )
    line, outcome = HOSTILES[kind]
    source = BOT.replace(BODY, line + BODY).format(points=20, mark=f"hostile {number}")
    return Sent(at, owner, f"{kind}{number}.py", source.encode(), outcome, False)


# --- owners, viewers, kills ---------------------------------------------------------------------------------


def ask(
    port: int, path: str, token: str = "", body: bytes | None = None
) -> tuple[int, dict[str, object], float]:
    """Return status, content and after how many seconds to come back; status 0: no answer."""
    headers = {"X-Arena": "1"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            content = reply.read()
            return reply.status, json.loads(content) if path.startswith("/api") else {}, 0.0
    except urllib.error.HTTPError as error:
        with contextlib.suppress(OSError, ValueError, http.client.HTTPException):
            return error.code, json.loads(error.read()), float(error.headers.get("Retry-After") or 0)
        return error.code, {}, 0.0
    except (OSError, http.client.HTTPException, ValueError):
        return 0, {}, 0.0


def send(week: Week, clock: Clock, one: Sent, token: str, note: str) -> None:
    """Send a bot until the server says what became of it; after a lost answer, look whether it is there."""
    while not week.over.is_set():
        one.tries += 1
        words = urlencode({"name": one.file, "note": note})
        status, content, wait_s = ask(week.port, f"/api/bots?{words}", token, one.source)
        if status == 202:
            one.number = int(str(content["number"]))
            return
        if status in (400, 403):
            one.refused = str(content.get("error"))
            return
        if not status:
            time.sleep(1.0)
            _, mine, _ = ask(week.port, "/api/bots", token)
            stored = [sub for sub in mine.get("submissions", ()) if sub["note"] == note]  # type: ignore[attr-defined]
            if stored:
                one.number = int(stored[-1]["number"])
                return
        week.over.wait(max(wait_s / clock.pace, 0.5))


def watch(week: Week) -> None:
    """Look at the pages again and again."""
    paths = [
        "/season/week",
        "/season/week/feed",
        "/season/week/badge/racer.svg",
        "/healthz",
        "/metrics",
        "/api/home",
    ]
    while not week.over.wait(2.0):
        for path in paths:
            status, _, _ = ask(week.port, path)
            week.looks[f"{path} {status}"] += 1


def look(week: Week, url: str) -> None:
    """Remember every match that is stored: it has to be there at the end."""
    from sqlmodel import select

    from arena.store.models import Match

    store = None
    while not week.over.wait(3.0):
        with contextlib.suppress(ArenaError):
            store = store or Store(url)
            with store.reading() as session:
                rows = session.exec(select(Match.run_id, Match.number, Match.digest)).all()
            for run, number, digest in rows:
                if week.seen.setdefault((run, number), digest) != digest:
                    week.looks["match that changed"] += 1


def kill(week: Week, driver: Unit, server: Unit, database: Unit) -> None:
    """Kill something."""
    kind = week.rng.choices(("driver", "worker", "server", "database"), (12, 12, 10, 6))[0]
    if kind == "worker":
        there = workers(driver.pid) if driver.pid else []
        if there:
            with contextlib.suppress(OSError):
                os.kill(week.rng.choice(there), signal.SIGKILL)
                week.killed[kind] += 1
                return
        kind = "driver"
    unit = {"driver": driver, "server": server, "database": database}[kind]
    week.killed[kind if unit.kill() else f"{kind}, which was down"] += 1


def faults(
    week: Week, clock: Clock, disk: Disk, units: tuple[Unit, Unit, Unit]
) -> Iterator[tuple[float, str]]:
    """Do what goes wrong when its time comes; yields what was done."""
    plan = [(week.rng.uniform(0.05, week.days - 0.1) * DAY_S, "kill") for _ in range(week.kills)]
    plan += [
        (week.days * DAY_S * 0.45, "disk"),
        (week.days * DAY_S * 0.3, "jump +5 h"),
        (week.days * DAY_S * 0.7, "jump -3 h"),
    ]
    for at, what in sorted(plan):
        while (left := (at - elapsed(clock)) / clock.pace) > 0:
            time.sleep(min(left, 1.0))
        if what == "kill":
            kill(week, *units)
        elif what == "disk":
            disk.fill()
            time.sleep(15)
            disk.clear()
        else:
            clock.jump(5 * 3600 if "+" in what else -3 * 3600)
        yield at, what


def elapsed(clock: Clock) -> float:
    """Return simulated seconds since the beginning, without the jumps."""
    return clock.now() - clock.jumped - clock.at


# --- the report ---------------------------------------------------------------------------------------------


def compare(store: Store, sent: list[Sent], week: Week) -> list[Claim]:
    """Compare the store with what was sent and seen: claim, figures, whether it holds."""
    from sqlmodel import select

    from arena.store.models import Bot, Match

    with store.reading() as session:
        rows = list(session.exec(select(Submission)).all())
        bots = list(session.exec(select(Bot).where(Bot.kind == "submitted")).all())
        matches = {
            (run, number): digest
            for run, number, digest in session.exec(select(Match.run_id, Match.number, Match.digest))
        }
    notes = Counter(row.note for row in rows)
    taken = [one for one in sent if one.number]
    state = {row.key: row.state for row in rows}
    lost = [one.file for one in taken if state.get(one.number) not in (ACCEPTED, REFUSED)]
    wrong = [
        f"{one.file} is {state.get(one.number) or REFUSED}"
        for one in sent
        if one.outcome and (state.get(one.number) if one.number else REFUSED) != one.outcome
    ]
    unsent = [one.file for one in sent if not one.number and not one.refused]
    accepted = sum(row.state == ACCEPTED for row in rows)
    gone = [key for key in week.seen if key not in matches]
    other = [key for key, digest in week.seen.items() if key in matches and matches[key] != digest]
    found = [
        (
            "bots sent",
            f"{len(sent)}, {len(taken)} of them stored, {sum(one.tries for one in sent)} requests",
            not unsent,
        ),
        ("submissions lost", f"{len(lost)} {lost[:3] or ''}", not lost),
        (
            "submissions doubled",
            str(sum(n > 1 for n in notes.values())),
            max(notes.values(), default=1) == 1 and len(rows) == len(taken),
        ),
        ("submissions with another outcome than the script's", f"{len(wrong)} {wrong[:5] or ''}", not wrong),
        ("bots, and accepted submissions", f"{len(bots)}, {accepted}", len(bots) == accepted),
        (
            "matches seen once and gone, or other",
            f"{len(gone)}, {len(other)}, of {len(week.seen)}",
            not gone + other,
        ),
    ]
    counts, incomplete, bad, games = store.counts(), [], [], 0
    for one in store.epochs("week"):
        far = counts[one.run.key]
        games += far.games
        if one.run.state == "finished" and far.stored != far.planned:
            incomplete.append(one.run.label)
        if far.games and verify(store, one.run, workers=1).differences:
            bad.append(one.run.label)
    ends = Counter(one.run.state for one in store.epochs("week"))
    found.append(("epochs", f"{dict(ends)}, {len(matches)} matches, {games} games", ends["finished"] > 0))
    found.append(("finished epochs that lack a match", str(len(incomplete)), not incomplete))
    found.append(("epochs that do not verify", f"{len(bad)} {bad[:3] or ''}", not bad))
    return [*found, *waits(rows, sent)]


def waits(rows: Sequence[Submission], sent: Sequence[Sent]) -> list[Claim]:
    """Say how long honest owners waited for an outcome, and how many others were served before them."""
    honest = {one.number for one in sent if one.honest}
    mine = [row for row in rows if row.key in honest and row.ended]
    hours = [(row.ended - row.sent).total_seconds() / 3600 for row in mine if row.ended]
    before = [turns(row, rows) for row in mine]
    worst = max((served / fair for served, fair in before), default=0.0)
    total = sum(served for served, _ in before) / max(sum(fair for _, fair in before), 1)
    return [
        ("mean and longest wait of honest owners (hours)", f"{np.mean(hours):.2f}, {max(hours):.2f}", True),
        (
            "served before an honest owner, in fair shares: all, the worst (at most 2)",
            f"{total:.2f}, {worst:.2f} of {len(before)}",
            bool(before) and total <= MOST_SHARES,
        ),
    ]


def turns(row: Submission, rows: Sequence[Submission]) -> tuple[int, int]:
    """Return how many submissions had their trial while one waited, and how many had a right to.

    Its own earlier ones have, and before each of these and of itself one of every other owner who waited
    meanwhile; a trial that was under way ends first.
    """
    taken = row.taken or row.ended or row.sent
    meanwhile = [
        one
        for one in rows
        if one.key != row.key and one.sent < taken and (one.ended is None or one.ended > row.sent)
    ]
    served = [one for one in meanwhile if one.ended and one.ended <= taken]
    earlier = sum(one.owner == row.owner and one.key < row.key for one in meanwhile)
    others = {one.owner for one in meanwhile} - {row.owner}
    return len(served), (earlier + 1) * (len(others) + 1)


def memory(unit: Unit) -> Claim:
    """Say by day how much memory a process had at most."""
    peaks = [unit.peaks[day] for day in sorted(unit.peaks)]
    later = max(peaks[1:], default=0.0)
    return (
        f"memory of the {unit.name} by day, MiB",
        " ".join(f"{one:.0f}" for one in peaks),
        later <= 1.05 * peaks[0],
    )


def play(days: int, minutes: float, kills: int, blocks: int, seed: int) -> list[Claim]:
    """Play the week; return claims, figures, and whether they hold."""
    folder = Path(tempfile.mkdtemp(prefix="week-"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        week = Week(days, kills, random.Random(seed), folder, free.getsockname()[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and all that was started ends
    disk = Disk(folder / "disk", 1000)
    try:
        clock = Clock(folder, datetime(2031, 3, 3, tzinfo=UTC).timestamp(), DAY_S / (60 * minutes))
        return _played(week, disk, clock, blocks)
    finally:
        disk.close()
        shutil.rmtree(folder, ignore_errors=True)


def _played(week: Week, disk: Disk, clock: Clock, blocks: int) -> list[Claim]:
    database = Postgres(disk.folder, week.folder, clock)
    database.create()
    store = Store(database.url, create=True)
    (week.folder / "week.toml").write_text(SEASON.format(blocks=blocks))
    new_season(store, week.folder / "week.toml")
    sent = scripts(week.days, week.rng)
    tokens = {name: store.invite(name, "week") for name in sorted({one.owner for one in sent})}
    arena = [sys.executable, "-m", "arena"]
    given = {"ARENA_DB": database.url, "PYTHONPATH": str(Path(__file__).parents[1])}
    driver = Unit(
        "driver",
        [*arena, "ladder", "run", "week", "--progress", "plain"],
        week.folder,
        **given,
        **clock.environment(steady=True),
    )
    words = ["serve", "--port", str(week.port), "--allow-submissions", "--no-trials"]
    server = Unit("server", [*arena, *words], week.folder, **given, **clock.environment())
    for unit in (driver, server):
        unit.start()
    viewers = [
        threading.Thread(target=watch, args=(week,), daemon=True),
        threading.Thread(target=look, args=(week, database.url), daemon=True),
    ]
    for thread in viewers:
        thread.start()
    with supervised([database, server, driver], clock), ThreadPoolExecutor(40) as owners:
        wrong = threading.Thread(
            target=_tell, args=(week, clock, disk, (driver, server, database)), daemon=True
        )
        wrong.start()
        for number, one in enumerate(sent):
            while (left := (one.at - elapsed(clock)) / clock.pace) > 0:
                time.sleep(min(left, 1.0))
            owners.submit(send, week, clock, one, tokens[one.owner], f"script {number}")
        wrong.join()
        while elapsed(clock) < week.days * DAY_S or (
            _open(database.url) and elapsed(clock) < 2 * week.days * DAY_S
        ):
            time.sleep(1.0)
        late = elapsed(clock) / DAY_S
        driver.stop(signal.SIGTERM)
        week.over.set()
        for thread in viewers:
            thread.join()
        units = (driver, server, database)
        close_season(Store(database.url), "week")
        claims = compare(Store(database.url), sent, week)
        claims.append(
            (
                "units that systemd would have left",
                str([unit.name for unit in units[1:] if unit.given_up] or 0),
                not any(unit.given_up for unit in units[1:]),
            )
        )
        claims.append(("days until the queue was empty", f"{late:.1f}", True))
        claims.append(("killed", str(dict(week.killed)), True))
        claims.append(
            ("exit codes", "; ".join(f"{unit.name} {dict(Counter(unit.codes))}" for unit in units), True)
        )
        claims.append(
            (
                "answers to viewers",
                str(dict(sorted(week.looks.items()))),
                "match that changed" not in week.looks,
            )
        )
        for unit in units:
            claims.append(memory(unit))
        print((week.folder / "driver.log").read_text()[-6000:], file=sys.stderr)
        print((week.folder / "server.log").read_text()[-6000:], file=sys.stderr)
    return claims


def _tell(week: Week, clock: Clock, disk: Disk, units: tuple[Unit, Unit, Unit]) -> None:
    for at, what in faults(week, clock, disk, units):
        print(f"day {at / DAY_S:.2f}: {what} {dict(week.killed)}", flush=True)


def _open(url: str) -> int:
    """Return how many submissions have no outcome yet; 1 if the database cannot be asked."""
    try:
        counts = Store(url).count_submissions()
    except ArenaError:
        return 1
    return counts.get("waiting", 0) + counts.get("trying", 0)


def report(claims: list[Claim]) -> str:
    """Return the claims as a table."""
    width = max(len(claim) for claim, _, _ in claims)
    return "\n".join(
        f"{'ok' if held else 'NOT'} {claim:{width}}  {figures}" for claim, figures, held in claims
    )
