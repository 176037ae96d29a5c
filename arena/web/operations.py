"""What who runs a server needs: figures for Prometheus, a log of requests, and backups."""

from __future__ import annotations

import contextlib
import resource
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import ArenaError, UsageError
from ..printable import Say
from ..store import Store
from ..store.models import now
from .logfile import LogFile

COPIES = 14  # of the database that are kept
DAY_S = 86_400.0
LATELY_MIN = 5.0  # what is called recent
STATES = ("waiting", "trying", "accepted", "refused")


def metrics(store: Store, tables: int) -> str:
    """Return figures in the text format of Prometheus."""
    return "".join(f"{line}\n" for line in _metrics(store, tables))


def _metrics(store: Store, tables: int) -> Iterator[str]:
    facts, sent, lately = store.whole.facts(), store.submissions.count(), store.whole.lately(LATELY_MIN)
    age = max(0.0, (now() - lately.newest).total_seconds()) if lately.newest else None
    lag = max(0.0, (now() - lately.unrated).total_seconds()) if lately.unrated else 0.0
    usage = resource.getrusage(resource.RUSAGE_SELF)
    for name, kind, meaning, value in (
        ("games", "counter", "Games that are stored.", facts["games"]),
        ("matches", "counter", "Matches that are stored.", facts["matches"]),
        ("runs", "gauge", "Runs of leagues.", facts["runs"]),
        ("bots", "gauge", "Versions of bots.", facts["bots"]),
        ("database_bytes", "gauge", "Size of the database.", facts["bytes"]),
        ("recent_games", "gauge", "Games stored in the last five minutes.", lately.games),
        (
            "recent_matches_called_off",
            "gauge",
            "Matches of these games that failed before, for no fault of a bot.",
            lately.called_off,
        ),
        ("newest_match_age_seconds", "gauge", "Time since the newest match was finished.", age),
        ("rating_lag_seconds", "gauge", "Time since a run ended that is in no table yet.", lag),
        ("seasons_playing", "gauge", "Seasons with an epoch that a driver plays now.", _playing(store)),
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


def _playing(store: Store) -> int:
    return len(
        {one.epoch.season for one in store.seasons.unfinished_epochs() if store.leases.player(one.run)}
    )


class AccessLog:
    """Middleware that writes a JSON line for every request, to a file that is rotated.

    A line has no query: keys of tables are in those.

    Args:
        app: what answers.
        file: the log.

    Raises:
        UsageError: it cannot be written.
    """

    def __init__(self, app: ASGIApp, file: Path) -> None:
        self.app, self._log = app, LogFile(file, "--access-log")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, then write its line."""
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
            self._log.write(
                **{"from": (scope.get("client") or ("",))[0]},
                method=scope["method"],
                path=scope["path"],
                status=status,
                ms=round((time.monotonic() - began) * 1000, 1),
            )


class Backups:
    """A thread that copies the database once a day, whatever is restarted between.

    Args:
        store: what is copied, also while others write.
        folder: for the copies; the newest `COPIES` stay.
        say: hears what failed.

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
        made = [path.stat().st_mtime for path in self._folder.glob("arena-*.db")]
        return DAY_S - max(0.0, time.time() - max(made)) if made else 0.0

    def _work(self) -> None:
        while True:
            wait_s = DAY_S
            try:
                if (due_s := self.due_s()) > 0:
                    wait_s = due_s
                else:
                    self._copy()
            except (ArenaError, OSError) as error:
                with contextlib.suppress(OSError):
                    self._say(f"--backup: {error}; again in a day")
            time.sleep(wait_s)

    def _copy(self) -> None:
        """Write a copy, whole or not at all, then remove the oldest ones."""
        path = self._folder / f"arena-{datetime.now(UTC):%Y%m%dT%H%M%S}.db"
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        self._store.whole.backup(part)
        part.replace(path)
        for old in sorted(self._folder.glob("arena-*.db"))[:-COPIES]:
            old.unlink()
