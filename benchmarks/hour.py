"""An hour of a season in real time: house bots and their versions, real processes, a browser open on it.

    python -m benchmarks.ladder --hour

Nothing is simulated, killed or squeezed. The driver and the server run as an organiser starts them. Owners
send house bots under names of their own, and then versions of those, every few minutes. Chromium has the
first page, a live report, a season's page, the page of submissions and a table open all the time, and a
person plays at that table. In the end every epoch is verified.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from sqlmodel import select

from arena.ladder.service import close_season, new_season
from arena.league.verify import verify
from arena.store import Store
from arena.store.models import Submission

from .endurance import DRIVER, memory_mib, processes
from .week import Claim, ask

GAMES = {
    "flip7": ("racer", "collector", "banker", "oddsman"),
    "julepe": ("reckoner", "daring", "thumb", "wary"),
    "taroky": ("rule", "steady", "plain", "hasty"),
    "tzogous37": ("odds37", "maniac37", "rock37", "station37", "steady37"),
    "zoliky": ("tallyman", "watcher", "melder", "hoarder"),
}
OWNERS = ("ada", "bob", "cleo", "dan", "eva", "fred")
SEND_S, LOOK_S, PROBE_S, PART_S = 100.0, 20.0, 5.0, 600.0
PROBED = (
    "/healthz",
    "/metrics",
    "/season/hour",
    "/season/hour/feed",
    "/api/home",
    "/api/report?subject=flip7",
)
SERVER = "server"
TEXT = "racer"  # what a reader of the report has typed into its search


@dataclass
class Hour:
    """What goes on, and what was seen."""

    folder: Path
    port: int
    seconds: float
    began: float = field(default_factory=time.monotonic)
    sent: dict[str, int] = field(default_factory=dict)  # number of the submission by its note; 0: not taken
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # seconds, by page
    statuses: Counter[str] = field(default_factory=Counter)
    memory: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    complaints: list[str] = field(default_factory=list)  # of the browser
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began

    def note_memory(self, pids: dict[str, int]) -> None:
        """Note the most memory of a process of each kind, by part of the hour."""
        most: dict[str, float] = defaultdict(float)
        for kind, pid in pids.items():
            with contextlib.suppress(OSError):
                for below, role in processes(pid, kind):
                    name = role if kind == DRIVER else kind
                    most[name] = max(most[name], memory_mib(below))
        for name, mib in most.items():
            self.keep(name, mib)

    def keep(self, name: str, mib: float) -> None:
        """Note how much memory something has now."""
        part = int(self.elapsed // PART_S)
        self.memory[name][part] = max(self.memory[name].get(part, 0.0), mib)


def season() -> str:
    """Return the season's file."""
    leagues = "".join(
        f'[[leagues]]\ngame = "{game}"\nentrants = {json.dumps(bots)}\n' for game, bots in GAMES.items()
    )
    return f'epoch = "2 minutes"\n{leagues}'


def send(hour: Hour, tokens: dict[str, str]) -> None:
    """Send a house bot, or a version of one that was sent, every few minutes."""
    bots = [names[at] for at in range(3) for names in GAMES.values()]
    turn = 0
    while not hour.over.wait(SEND_S if turn else 20.0):
        owner, bot = OWNERS[turn % len(OWNERS)], bots[turn % (2 * len(OWNERS))]
        source = (Path(__file__).parents[1] / "bots" / f"{bot}.py").read_text()
        note = f"version of turn {turn}"
        words = f"/api/bots?name={owner}_{bot}.py&note={note.replace(' ', '+')}"
        status, content, _ = ask(hour.port, words, tokens[owner], f"{source}\n# {note}\n".encode())
        hour.sent[note] = int(str(content["number"])) if status == 202 else 0
        turn += 1


def probe(hour: Hour) -> None:
    """Ask for pages, and note how long each takes."""
    while not hour.over.wait(PROBE_S):
        for path in PROBED:
            began = time.monotonic()
            status, _, _ = ask(hour.port, path)
            hour.took[path].append(time.monotonic() - began)
            hour.statuses[f"{path} {status}"] += 1


class Pages:
    """Pages that are open all the time."""

    def __init__(self, browser: Any, hour: Hour, token: str) -> None:
        self._hour, self._address = hour, f"http://127.0.0.1:{hour.port}"
        self._context = browser.new_context()
        self._context.set_default_timeout(60_000)
        self.home = self._open("/")
        self.report = self._open("/report/flip7")
        self.season = self._open("/season/hour")
        self.submit = self._open("/submit")
        self.submit.locator("input[type=password]").fill(token)
        self.submit.get_by_role("button", name="Show mine").click()
        self.table = self._sit()
        self._typed = False

    def _open(self, path: str) -> Any:
        page = self._context.new_page()
        page.on("console", lambda said: self._complain(path, said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self._complain(path, str(error)))
        page.goto(self._address + path)
        return page

    def _sit(self) -> Any:
        page = self._open("/play#game=taroky")
        page.locator("#sit").click()
        return page

    def _complain(self, path: str, text: str) -> None:
        self._hour.complaints.append(f"{self._hour.elapsed:.0f} s, {path}: {text}")

    def look(self) -> None:
        """Look at each page as a person would; what is not as it was left is a complaint."""
        self._read()
        self._play()
        began = time.monotonic()
        self.season.reload()
        self._hour.took["season, in the browser"].append(time.monotonic() - began)
        if not self.home.locator("h2", has_text="Runs").count():
            self._complain("/", f"no runs: {self.home.locator('main').inner_text()[:100]!r}")
        if not self.submit.locator("h2", has_text="Submissions of").count():
            self._complain("/submit", "no submissions are shown")
        for path, page in (("/", self.home), ("/report", self.report), ("/submit", self.submit)):
            self._weigh(path, page)

    def _weigh(self, path: str, page: Any) -> None:
        """Note how much memory a page's scripts hold."""
        session = page.context.new_cdp_session(page)
        session.send("HeapProfiler.collectGarbage")
        mib = session.send("Runtime.getHeapUsage")["usedSize"] / (1 << 20)
        session.detach()
        self._hour.keep(f"page {path}", mib)

    def _read(self) -> None:
        """Type into the report's search; what was typed has to stay, with the focus."""
        box = self.report.locator("input[type=search]")
        if not box.count():
            if not self.report.locator("h2", has_text="Standings").count():
                self.report.reload()
            return
        if self._typed and box.first.input_value() != TEXT:
            self._complain("/report", "what was typed is gone")
        if self._typed and self.report.evaluate("document.activeElement.type") != "search":
            self._complain("/report", "the focus is gone")
        self._typed = True
        box.first.fill(TEXT)
        box.first.focus()

    def _play(self) -> None:
        """Play an action at the table, or sit down again when the game is over."""
        if self.table.locator("#scores").count():
            self.table.close()
            self.table = self._sit()
        button = self.table.locator(".actions button").first
        if not button.count():
            return
        with self.table.expect_response(lambda reply: reply.request.method == "POST") as answered:
            self.table.keyboard.press("Enter")
        answered.value.finished()
        took = answered.value.request.timing
        self._hour.took["a person's move"].append((took["responseEnd"] - took["requestStart"]) / 1000)


@contextlib.contextmanager
def pages(hour: Hour, token: str) -> Iterator[Pages]:
    """Open a browser on the server."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=120_000)
        try:
            yield Pages(browser, hour, token)
        finally:
            browser.close()


def play(minutes: float = 60.0) -> list[Claim]:
    """Play the hour; return claims, figures, and whether they hold."""
    folder = Path(tempfile.mkdtemp(prefix="hour-"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        hour = Hour(folder, free.getsockname()[1], 60 * minutes)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        return _played(hour)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _played(hour: Hour) -> list[Claim]:
    store = Store(str(hour.folder / "arena.db"), create=True)
    (hour.folder / "hour.toml").write_text(season())
    new_season(store, hour.folder / "hour.toml")
    tokens = {name: store.invite(name, "hour") for name in OWNERS}
    with contextlib.ExitStack() as stack:
        driver = stack.enter_context(
            process(hour.folder, "ladder", "run", "hour", "--workers", "1", "--progress", "plain")
        )
        words = ["--port", str(hour.port), "--allow-submissions", "--no-trials"]
        server = stack.enter_context(process(hour.folder, "serve", *words))
        while ask(hour.port, "/healthz")[0] != 200:
            time.sleep(1.0)
        threads = [
            threading.Thread(target=send, args=(hour, tokens)),
            threading.Thread(target=probe, args=(hour,)),
        ]
        stack.callback(hour.over.set)
        for thread in threads:
            thread.start()
        _watch(hour, {DRIVER: driver.pid, SERVER: server.pid}, tokens[OWNERS[0]])
        hour.over.set()
        for thread in threads:
            thread.join()
        while open_submissions := sum(store.count_submissions().get(one, 0) for one in ("waiting", "trying")):
            print(f"waiting for {open_submissions} trials", flush=True)
            time.sleep(15.0)
        codes = [process.poll() for process in (driver, server)]
    close_season(store, "hour")
    return compare(store, hour, codes)


@contextlib.contextmanager
def process(folder: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command of the project; end it as systemd does."""
    given = os.environ | {
        "ARENA_DB": str(folder / "arena.db"),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    with (folder / f"{words[0]}.log").open("ab") as log:
        begun = subprocess.Popen(
            [sys.executable, "-m", "arena", *words], cwd=folder, env=given, stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        yield begun
    finally:
        begun.terminate()
        begun.wait(180)
        print((folder / f"{words[0]}.log").read_text()[-4000:], file=sys.stderr)


def _watch(hour: Hour, pids: dict[str, int], token: str) -> None:
    """Look at the pages and at the memory until the hour is over."""
    with pages(hour, token) as shown:
        while hour.elapsed < hour.seconds:
            time.sleep(LOOK_S)
            try:
                shown.look()
            except Exception as error:  # of the browser: the hour goes on
                hour.complaints.append(f"{hour.elapsed:.0f} s: {str(error)[:300]}")
            hour.note_memory(pids)


# --- the report ---------------------------------------------------------------------------------------------


def compare(store: Store, hour: Hour, codes: list[int | None]) -> list[Claim]:
    """Compare the store with what was sent: claim, figures, whether it holds."""
    with store.reading() as session:
        rows = list(session.exec(select(Submission)).all())
    taken = [number for number in hour.sent.values() if number]
    waits = [(row.ended - row.sent).total_seconds() for row in rows if row.ended]
    refused = [f"{row.file}: {row.text}" for row in rows if row.state != "accepted"]
    epochs = store.epochs("hour")
    counts, bad = store.counts(), list[str]()
    for one in epochs:
        if counts[one.run.key].games and verify(store, one.run, workers=1).differences:
            bad.append(one.run.label)
    games = sum(counts[one.run.key].games for one in epochs)
    claims: list[Claim] = [
        ("driver and server run to the end", str(codes), codes == [None, None]),
        ("bots sent, stored, with one outcome", f"{len(hour.sent)}, {len(taken)}, {len(waits)}",
         len(hour.sent) == len(taken) == len(rows) == len(waits)),
        ("submissions that were refused", f"{len(refused)} {refused[:3] or ''}", not refused),
        ("seconds until an outcome", spread(waits), True),
        ("epochs, games", f"{dict(Counter(one.run.state for one in epochs))}, {games}", games > 0),
        ("epochs that do not verify", f"{len(bad)} {bad[:3] or ''}", not bad),
        ("answers that were no 200", str({k: n for k, n in hour.statuses.items() if not k.endswith(" 200")}),
         all(one.endswith(" 200") for one in hour.statuses)),
        ("complaints of the browser", f"{len(hour.complaints)}", not hour.complaints),
    ]  # fmt: skip
    claims += [(f"seconds for {page}", spread(took), True) for page, took in hour.took.items()]
    claims += [memory(name, parts) for name, parts in hour.memory.items()]
    for said in hour.complaints[:40]:
        print(said, file=sys.stderr)
    return claims


def memory(name: str, parts: dict[int, float]) -> Claim:
    """Say by ten minutes how much memory a process of a kind had at most; flat after the first twenty."""
    peaks = [parts[at] for at in sorted(parts)]
    later = max(peaks[2:], default=0.0)
    return (
        f"memory of the {name}, MiB",
        " ".join(f"{one:.0f}" for one in peaks),
        later <= 1.05 * max(peaks[:2]),
    )


def spread(values: list[float]) -> str:
    """Return median, 95 % quantile and the most."""
    if not values:
        return "none"
    middle, high = np.quantile(values, [0.5, 0.95])
    return f"median {middle:.3f}, 95 % {high:.3f}, most {max(values):.3f} of {len(values)}"
