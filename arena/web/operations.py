"""What who runs a server needs: figures for Prometheus, a log of requests, and backups."""

from __future__ import annotations

import contextlib
import resource
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import ArenaError, UsageError
from ..places import age_s
from ..printable import LogFile, Say
from ..store import Store
from ..store.models import SeasonDriver, age, now

COPIES = 14  # of the database that are kept
DAY_S, HOUR_S = 86_400.0, 3600.0
LATELY_MIN = 5.0  # what is called recent
STATES = ("waiting", "trying", "accepted", "refused")


@dataclass
class Answers:
    """Answers of a server by the first digit of their status, and the seconds that they took."""

    number: Counter[int] = field(default_factory=Counter)
    seconds: float = 0.0

    def lines(self) -> Iterator[str]:
        """Yield them as Prometheus reads them."""
        yield "# HELP arena_answers_total Answers by the first digit of their status."
        yield "# TYPE arena_answers_total counter"
        yield from (f'arena_answers_total{{status="{kind}xx"}} {self.number[kind]}' for kind in range(2, 6))
        yield "# HELP arena_answer_seconds_total Time that all answers took."
        yield "# TYPE arena_answer_seconds_total counter"
        yield f"arena_answer_seconds_total {self.seconds}"


def upkeep(store: Store, copies: Path | None, there: Mapping[str, SeasonDriver]) -> dict[str, float | None]:
    """Return what tells whether somebody has to look: ages in seconds, seasons, bytes; None: not there."""
    lately, today = store.whole.lately(LATELY_MIN), now().date()
    epochs = store.seasons.of_runs(ended=False)
    playing = {epochs[key] for key in store.leases.all().keys() & epochs.keys()}
    due = {
        one.name
        for one in store.seasons.all()
        if one.state in ("open", "closing") and (one.definition.starts or today) <= today
    }
    file = store.file and store.file.absolute()
    wal = file and Path(f"{file}-wal")
    return {
        "newest_match_age_seconds": age(lately.newest),
        "oldest_submission_age_seconds": age(store.submissions.waits_since()),
        "submissions_failing": len(store.submissions.failing()),
        "newest_backup_age_seconds": newest_copy_s(copies) if copies else None,
        "seasons_due": len(due),
        "seasons_driven": sum(not one.silent for one in there.values()),
        "seasons_playing": len(playing),
        "disk_free_bytes": shutil.disk_usage(file.parent).free if file else None,
        "wal_bytes": wal.stat().st_size if wal and wal.exists() else 0,
    }


UPKEEP = {
    "newest_match_age_seconds": "Time since the newest match was finished.",
    "oldest_submission_age_seconds": "Time that the oldest submission without an outcome has waited.",
    "submissions_failing": "Submissions that wait after a trial that failed for no fault of the bot.",
    "newest_backup_age_seconds": "Time since the newest backup was made.",
    "seasons_due": "Seasons that have begun and are neither paused nor closed.",
    "seasons_driven": "Seasons with a driver that was heard of in the last minute: it plays, or waits.",
    "seasons_playing": "Seasons with an epoch that a driver plays now.",
    "disk_free_bytes": "Room on the disk of the database.",
    "wal_bytes": "Size of the database's write-ahead log.",
}


def metrics(store: Store, tables: int, copies: Path | None, answers: Answers) -> str:
    """Return figures in the text format of Prometheus."""
    return "".join(f"{line}\n" for line in (*_metrics(store, tables, copies), *answers.lines()))


def _metrics(store: Store, tables: int, copies: Path | None) -> Iterator[str]:
    facts, sent, lately = store.whole.facts(), store.submissions.count(), store.whole.lately(LATELY_MIN)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seen, lag = upkeep(store, copies, store.leases.season_drivers()), age(lately.unrated) or 0.0
    for name, kind, meaning, value in (
        ("games", "counter", "Games that are stored.", facts["games"]),
        ("matches", "counter", "Matches that are stored.", facts["matches"]),
        ("runs", "gauge", "Runs of leagues.", facts["runs"]),
        ("bots", "gauge", "Versions of bots.", facts["bots"]),
        ("database_bytes", "gauge", "Size of the database.", facts["bytes"]),
        ("recent_games", "gauge", "Games stored in the last five minutes.", lately.games),
        ("recent_matches_called_off", "gauge", "Those matches that had been called off.", lately.called_off),
        ("rating_lag_seconds", "gauge", "Time since a run ended that is in no table yet.", lag),
        *((name, "gauge", meaning, seen[name]) for name, meaning in UPKEEP.items()),
        ("tables", "gauge", "Tables for people.", tables),
        ("server_cpu_seconds", "counter", "CPU time of the server.", usage.ru_utime + usage.ru_stime),
        ("server_peak_memory_bytes", "gauge", "Most memory of the server.", usage.ru_maxrss * 1024),
    ):
        if value is not None:
            full = f"arena_{name}" + ("_total" if kind == "counter" else "")
            yield from (f"# HELP {full} {meaning}", f"# TYPE {full} {kind}", f"{full} {value}")
    yield "# HELP arena_submissions Submissions by state."
    yield "# TYPE arena_submissions gauge"
    yield from (f'arena_submissions{{state="{state}"}} {sent.get(state, 0)}' for state in STATES)


class AccessLog:
    """Middleware that counts answers, and writes a JSON line for each to a file that is rotated.

    A line has no query: keys of tables are in those.

    Raises:
        UsageError: it cannot be written.
    """

    def __init__(self, app: ASGIApp, answers: Answers, file: Path | None) -> None:
        self.app, self._answers = app, answers
        self._log = LogFile(file, "--access-log") if file else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, then count it and write its line."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.app(scope, receive, noted)
        finally:
            took_s = time.monotonic() - began
            self._answers.number[status // 100] += 1
            self._answers.seconds += took_s
            if self._log:
                asked = {"from": (scope.get("client") or ("",))[0], "method": scope["method"]}
                self._log.write(**asked, path=scope["path"], status=status, ms=round(took_s * 1000, 1))


def newest_copy_s(folder: Path) -> float:
    """Return the age of the newest backup, and none is of a time to come; if there is none, as of 1970."""
    return min(map(age_s, folder.glob("arena-*.db")), default=time.time())


class Backups:
    """A thread that copies the database once a day, whatever is restarted between; `COPIES` stay.

    Raises:
        UsageError: it is no SQLite file, or the folder cannot be made.
    """

    def __init__(self, store: Store, folder: Path, say: Say) -> None:
        if store.file is None:
            raise UsageError(f"--backup: {store.name} is no SQLite file: use the tools of its server")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--backup {folder}: cannot be made: {error.strerror}") from None
        self._store, self._folder, self._say = store, folder, say
        threading.Thread(target=self._work, name="backups", daemon=True).start()

    def due_s(self) -> float:
        """Return the seconds until the next copy is due, by the age of the newest one.

        So a server that is started again and again does not crowd out the older copies.
        """
        return DAY_S - newest_copy_s(self._folder)

    def _work(self) -> None:
        while True:
            wait_s = HOUR_S
            try:
                if (due_s := self.due_s()) > 0:
                    wait_s = due_s
                else:
                    self._copy()
            except (ArenaError, OSError) as error:
                with contextlib.suppress(OSError):
                    self._say(f"--backup: {error}; again in an hour")
            time.sleep(wait_s)

    def _copy(self) -> None:
        """Write a copy, whole or not at all, then remove the oldest ones."""
        path = self._folder / f"arena-{datetime.now(UTC):%Y%m%dT%H%M%S}.db"
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        self._store.whole.backup(part)
        part.replace(path)
        made = self._folder.glob("arena-*.db")  # those of a time to come go first
        for old in sorted(made, key=lambda one: (one.name <= path.name, one.name))[:-COPIES]:
            old.unlink()
