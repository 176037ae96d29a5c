"""Keep who plays a run now: one driver, with a lease and a heartbeat; and who drives a season.

A driver that is killed gives nothing back. On the same machine its lease ends at once, since the process is
gone; from another machine it ends when no heartbeat came for `LEASE_S`, by the database's clock where it
has one, so that clocks of machines may differ. A heartbeat from the future is of a clock that has jumped.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import delete
from sqlmodel import Session, col, select

from ..errors import ArenaError, RunError, RunTaken, StoreError
from ..places import user_name
from .database import Family, clock
from .models import LEASE_S, LeagueRun, Lease, SeasonDriver

HEARTBEAT_S = 10.0


@dataclass(frozen=True)
class Driver:
    """A process that plays runs: `key` tells it from all others, `who` says it to people."""

    key: str
    who: str

    @classmethod
    def this_process(cls) -> Driver:
        """Return a driver in this process; two calls give two drivers."""
        pid = os.getpid()
        who = f"{user_name() or f'user {os.getuid()}'} on {socket.gethostname()}, process {pid}"
        return cls(f"{_machine()}/{pid}/{_started(pid)}/{uuid.uuid4().hex}", who)


class LeaseTables(Family):
    """Taking turns at a run."""

    def take(self, run: LeagueRun, driver: Driver) -> str | None:
        """Enter as the driver of a run; None, or who plays it."""
        with self.writing() as session:
            other = living(session, run)
            if other is not None:
                return other.who
            lease = Lease(run_id=run.key, driver=driver.key, who=driver.who, heartbeat=clock(session))
            session.merge(lease)
        return None

    def player(self, run: LeagueRun) -> str | None:
        """Who plays a run now."""
        with self.reading() as session:
            lease = living(session, run)
        return None if lease is None else lease.who

    def all(self) -> dict[int, Lease]:
        """Return the leases of all runs whose drivers are there, by the run's id."""
        with self.reading() as session:
            time = clock(session)
            leases = session.exec(select(Lease)).all()
        return {one.run_id: one for one in leases if lives(one.driver, one.heartbeat, time)}

    def heartbeat(self, run: LeagueRun, driver: Driver) -> None:
        """Say that the driver of a run is still there.

        Raises:
            RunError: it was silent for so long that another one plays, or the run was removed.
        """
        with self.writing() as session:
            held(session, run, driver).heartbeat = clock(session)

    def release(self, run: LeagueRun, driver: Driver) -> None:
        """Leave a run."""
        with self.writing() as session:
            lease = session.get(Lease, run.id)
            if lease is not None and lease.driver == driver.key:
                session.delete(lease)

    # --- drivers of seasons -------------------------------------------------------------------------------

    def season_drivers(self) -> dict[str, SeasonDriver]:
        """Return the drivers that are there, by season; of several of one the last that was heard of."""
        with self.reading() as session:
            time, there = clock(session), session.exec(select(SeasonDriver)).all()
        return {one.season: one for one in there if lives(one.driver, one.heartbeat, time)}

    @contextlib.contextmanager
    def driving(self, season: str) -> Iterator[Callable[[str], bool]]:
        """Be the driver of a season; yield what tells for what it waits ("": it plays), and if that is news.

        Raises:
            RunTaken: another one lives.
        """
        if other := self.season_drivers().get(season):
            raise RunTaken(f"season {season}", other.who)
        driver = Driver.this_process()
        row = SeasonDriver(season=season, driver=driver.key, who=driver.who, waits="it begins")

        def beat() -> None:
            with self.writing() as session:
                session.merge(SeasonDriver(**row.model_dump(exclude={"heartbeat"}), heartbeat=clock(session)))

        def tell(waits: str) -> bool:
            before, row.waits = row.waits, waits
            if news := waits != before:
                beat()
            return news

        beat()
        try:
            with beating(beat):
                yield tell
        finally:  # what came before says more; who is gone drives nothing
            with contextlib.suppress(StoreError), self.writing() as session:
                session.exec(delete(SeasonDriver).where(col(SeasonDriver.driver) == driver.key))


@contextlib.contextmanager
def beating(beat: Callable[[], None]) -> Iterator[None]:
    """Have a heartbeat come every `HEARTBEAT_S`, from a thread."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(HEARTBEAT_S):
            with contextlib.suppress(ArenaError):  # the next may come through; the end of the work tells
                beat()

    thread = threading.Thread(target=work, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def living(session: Session, run: LeagueRun) -> Lease | None:
    """Return the lease of a run whose driver is there."""
    lease = session.get(Lease, run.id)
    there = lease is not None and lives(lease.driver, lease.heartbeat, clock(session))
    return lease if there else None


def held(session: Session, run: LeagueRun, driver: Driver) -> Lease:
    """Return the lease that a driver has. Raises RunError: it has ended."""
    lease = session.get(Lease, run.id)
    if lease is None or lease.driver != driver.key:
        what = "its lease has ended, since it was silent for too long, or the run was removed"
        raise RunError(f"{run.label}: {what}; what was stored is safe: arena league resume {run.label}")
    return lease


def lives(driver: str, heartbeat: datetime, time: datetime) -> bool:
    """Whether a driver is there: its process on this machine, its heartbeat from another one."""
    machine, pid, started, _ = driver.split("/")
    if machine == _machine():
        return _started(int(pid)) == started
    return abs(time - heartbeat) < timedelta(seconds=LEASE_S)


def _machine() -> str:
    """Return the machine, since its last boot, and its namespace of process numbers."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{socket.gethostname()}:{boot[:8]}:{Path('/proc/self/ns/pid').stat().st_ino}"


def _started(pid: int) -> str:
    """Return when a process started, in the kernel's ticks.

    "" if there is none, or it is dead and nobody waited for it.
    """
    try:
        state, *facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state in "ZX" else facts[18]
