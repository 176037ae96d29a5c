"""What viewers of a live season cost a person at a table: `python -m benchmarks.ladder --viewers 200`.

A driver plays a season of Flip 7, and the real server serves it. A person plays Julepe against house bots at
a table of that server and notes how long each action takes to be answered. In turns nobody and many look
on: they ask as the pages do, each from an address of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import multiprocessing
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections import defaultdict
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import numpy as np

from arena.ladder.service import new_season
from arena.store import Store

from .hour import process, spread
from .week import Claim, ask

SEASON = """
epoch = "1 minutes"
[[leagues]]
game = "flip7"
players = 4
entrants = ["racer", "collector", "banker", "oddsman", "random"]
[leagues.options]
goal = 60
"""
ROUNDS = 3  # of nobody, then many
BEFORE = 3000  # games that the season has when the measurement begins
THINK_S = 0.25  # between two actions of the person
MOST_ADDED_S = 0.2
REPORT_S, HOME_S, SEASON_S = 4.0, 5.0, 15.0  # between two requests of a page
PAGES = HOME, SEASON_PAGE, REPORT = "/api/home", "/season/viewers", "/api/report?subject=flip7"
Took = dict[str, list[float]]


# --- those who look on --------------------------------------------------------------------------------------


@dataclass
class Viewer:
    """One open page; it keeps its connection, as browsers do."""

    port: int
    number: int
    took: Took
    known: dict[str, str] = field(default_factory=dict)  # ETags by path
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def watch(self, until: float) -> None:
        """Ask as a page does: two in three show the live report, the others the first page or the season."""
        await asyncio.sleep(self.number % 50 / 10)
        if self.number % 3 < 2:
            await self._report(until)
        path, pause_s = ((HOME, HOME_S), (SEASON_PAGE, SEASON_S))[self.number // 3 % 2]
        while time.monotonic() < until:
            await self._get(path)
            await asyncio.sleep(pause_s)
        if self.streams:
            self.streams[1].close()

    async def _report(self, until: float) -> None:
        state = ""
        while time.monotonic() < until:
            now = json.loads(await self._get("/api/state") or "{}").get("state")
            if now != state:
                report = await self._get(REPORT)
                state = json.loads(report)["state"] if report else state
            await asyncio.sleep(REPORT_S)

    async def _get(self, path: str) -> bytes:
        """Return the content of an answer; nothing if it is known, or none came."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(60):
                if self.streams:  # the server closes what is idle; a browser asks again, then
                    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                        return await self._asked(path)
                    self.streams = None
                return await self._asked(path)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
            self.streams = None
            self.took["no answer"].append(time.monotonic() - began)
            return b""
        finally:
            self.took[path].append(time.monotonic() - began)

    async def _asked(self, path: str) -> bytes:
        self.streams = self.streams or await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        reader, writer = self.streams
        words = [
            f"GET {path} HTTP/1.1",
            "Host: localhost",
            "Accept-Encoding: gzip",
            f"X-Forwarded-For: 10.0.{self.number // 250}.{self.number % 250}",
            *([f"If-None-Match: {self.known[path]}"] if path in self.known else []),
        ]
        writer.write("\r\n".join([*words, "", ""]).encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        fields = {name.lower(): text for name, text in (one.split(": ", 1) for one in lines)}
        content = await reader.readexactly(int(fields.get("content-length", 0)))
        status = int(first.split()[1])
        if status not in (200, 304):
            self.took[f"{path} {status}"].append(0.0)
            return b""
        if "etag" in fields:
            self.known[path] = fields["etag"]
        return gzip.decompress(content) if fields.get("content-encoding") == "gzip" else content


def look_on(port: int, many: int, seconds: float, told: Queue[Took]) -> None:
    """Be many viewers for some seconds, in a process of their own."""
    took: Took = defaultdict(list)

    async def watch() -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(Viewer(port, number, took).watch(until) for number in range(many)))

    asyncio.run(watch())
    told.put(dict(took))


# --- the person at the table --------------------------------------------------------------------------------


@dataclass
class Person:
    """Who plays game after game at a table of the server."""

    port: int
    path: str = ""
    key: str = ""
    view: dict[str, Any] = field(default_factory=dict)

    def play(self, seconds: float) -> list[float]:
        """Act for some seconds; return how long each action took to be answered."""
        until, took = time.monotonic() + seconds, []
        while time.monotonic() < until:
            if not self.view.get("legal"):
                self._sit()
                continue
            move = {"action": self.view["legal"][0], "at": self.view["at"], "since": self.view["at"]}
            began = time.monotonic()
            self.view = self._ask(self.path, move)
            took.append(time.monotonic() - began)
            time.sleep(THINK_S)
        return took

    def _sit(self) -> None:
        seats = ["person", "reckoner", "thumb", "daring", "wary"]
        made = self._ask("/api/tables", {"game": "julepe", "seats": seats})
        self.path, self.key = f"/api/tables/{made['table']}", made["keys"][0]
        self.view = self._ask(self.path)

    def _ask(self, path: str, content: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {
            "X-Arena": "1",
            "X-Arena-Key": self.key,
            "X-Forwarded-For": f"10.9.0.{int(time.time()) // 20 % 250}",
        }
        body = json.dumps(content).encode() if content is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers)
        with urllib.request.urlopen(request, timeout=120) as reply:
            found: dict[str, Any] = json.loads(reply.read())
            return found


# --- the measurement ----------------------------------------------------------------------------------------


def play(viewers: int, seconds: float = 40.0) -> list[Claim]:
    """Measure; return claims, figures, and whether they hold."""
    folder = Path(tempfile.mkdtemp(prefix="viewers-"))
    try:
        return _played(folder, viewers, seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _played(folder: Path, viewers: int, seconds: float) -> list[Claim]:
    store = Store(str(folder / "arena.db"), create=True)
    (folder / "viewers.toml").write_text(SEASON)
    new_season(store, folder / "viewers.toml")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with contextlib.ExitStack() as stack:
        stack.enter_context(
            process(folder, "ladder", "run", "viewers", "--workers", "1", "--progress", "plain")
        )
        server = stack.enter_context(process(folder, "serve", "--port", str(port), "--proxy", "127.0.0.1"))
        while ask(port, "/healthz")[0] != 200 or store.facts()["games"] < BEFORE:
            time.sleep(2.0)
        person, alone, beside, spent = Person(port), list[float](), list[float](), list[float]()
        took: Took = defaultdict(list)
        person.play(5.0)
        first = [look(port, path) for path in PAGES]
        for _ in range(ROUNDS):
            began = cpu_s(server)
            alone += person.play(seconds)
            spent.append(cpu_s(server) - began)
            looking = Looking(port, viewers, seconds)
            began = cpu_s(server)
            beside += person.play(seconds)
            spent.append(cpu_s(server) - began)
            for path, some in looking.ended().items():
                took[path] += some
        games = store.facts()["games"]
    unanswered = len(took.pop("no answer", []))
    added = [float(np.quantile(beside, at) - np.quantile(alone, at)) for at in (0.5, 0.95)]
    return [
        (f"seconds that {viewers} viewers add to a move: median, 95 %", f"{added[0]:.3f}, {added[1]:.3f}",
         max(added) <= MOST_ADDED_S),
        ("seconds for a move, nobody looks on", spread(alone), True),
        (f"seconds for a move, {viewers} look on", spread(beside), True),
        ("CPU of the server in a second: nobody, viewers",
         ", ".join(f"{np.mean(spent[at::2]) / seconds:.2f}" for at in (0, 1)), True),
        ("games of the season at the end", str(games), True),
        ("seconds for the first answer of a new server: first page, season, report",
         ", ".join(f"{one:.2f}" for one in first), True),
        ("requests without an answer", str(unanswered), not unanswered),
        *((f"seconds of viewers for {path}", spread(some), True) for path, some in sorted(took.items())),
    ]  # fmt: skip


def look(port: int, path: str) -> float:
    """Ask for a page; return the seconds until it came."""
    began = time.monotonic()
    assert ask(port, path)[0] == 200
    return time.monotonic() - began


class Looking:
    """Viewers in a process of their own."""

    def __init__(self, port: int, many: int, seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self._told: Queue[Took] = context.Queue()
        self._process = context.Process(target=look_on, args=(port, many, seconds, self._told))
        self._process.start()

    def ended(self) -> Took:
        """Wait for the end; return what each request took, by path."""
        found = self._told.get(timeout=300)
        self._process.join()
        return found


def cpu_s(process: subprocess.Popen[bytes]) -> float:
    """Return the CPU time of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
