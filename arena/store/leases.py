"""Keep who plays a run now, so that no match is played twice at once.

This is done by leases with a heartbeat, and claims of single matches.

A driver that is killed gives nothing back. On the same machine its lease ends at once, since the process is
gone; from another machine it ends when no heartbeat came for `LEASE_S`, by the database's clock where it
has one, so that clocks of machines may differ. A heartbeat from the future is of a clock that has jumped.
"""

from __future__ import annotations

import getpass
import os
import socket
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from sqlalchemy import BindParameter, Connection, bindparam, delete, insert
from sqlalchemy import select as columns
from sqlmodel import Session, SQLModel, col, select

from ..errors import RunError
from .database import LEASE_S, Database, clock
from .models import Claim, LeagueRun, Lease, Match

HEARTBEAT_S = 10.0
LOOKED_UP = 500  # matches in one query

# what is asked every second is made once: to make a statement costs more than to run it
_CLAIMS, _MATCHES = (SQLModel.metadata.tables[name] for name in ("claim", "match"))
_NUMBERS: BindParameter[list[int]] = bindparam("numbers", expanding=True)
CLAIMED, PLAYED = (
    columns(number).where(run == bindparam("run"), number.in_(_NUMBERS))
    for run, number in ((_CLAIMS.c.run_id, _CLAIMS.c.match), (_MATCHES.c.run_id, _MATCHES.c.number))
)
"""The claimed, and the stored ones, of the matches `numbers` of `run`."""
CLAIM_THEM = insert(_CLAIMS)
UNCLAIM = delete(_CLAIMS).where(_CLAIMS.c.run_id == bindparam("run"), _CLAIMS.c.match.in_(_NUMBERS))
DROP_OTHERS = delete(_CLAIMS).where(
    _CLAIMS.c.run_id == bindparam("run"), _CLAIMS.c.driver.not_in(bindparam("drivers", expanding=True))
)


@dataclass(frozen=True)
class Driver:
    """A process that plays runs: `key` tells it from all others, `who` says it to people."""

    key: str
    who: str

    @classmethod
    def this_process(cls) -> Driver:
        """Return a driver in this process; two calls give two drivers."""
        pid = os.getpid()
        who = f"{_user()} on {socket.gethostname()}, process {pid}"
        return cls(f"{_machine()}/{pid}/{_started(pid)}/{uuid.uuid4().hex}", who)


class LeaseTables(Database):
    """Taking turns at a run."""

    def take_lease(self, run: LeagueRun, driver: Driver, shares: bool) -> str | None:
        """Enter as a driver of a run.

        Args:
            run: the run.
            driver: who enters.
            shares: whether others may play beside it; they must share as well.

        Returns:
            None, or who plays it and does not share (or is there, and this driver does not share).
        """
        with self.writing() as session:
            for lease in living(session, run):
                if not (shares and lease.shares):
                    return lease.who
            lease = Lease(run_id=run.key, driver=driver.key, who=driver.who, shares=shares)
            lease.heartbeat = clock(session)
            session.add(lease)
        return None

    def players(self, run: LeagueRun) -> list[str]:
        """Who plays a run now."""
        with self.reading() as session:
            found = session.exec(select(Lease).where(Lease.run_id == run.id)).all()
            time = clock(session)
        return [lease.who for lease in found if lives(lease.driver, lease.heartbeat, time)]

    def heartbeat(self, run: LeagueRun, driver: Driver) -> None:
        """Say that a driver is still there."""
        with self.writing() as session:
            lease = session.get(Lease, (run.id, driver.key))
            if lease is not None:
                lease.heartbeat = clock(session)

    def release(self, run: LeagueRun, driver: Driver) -> None:
        """Leave a run; matches that were claimed and not stored are free again."""
        with self.writing() as session:
            _drop(session, run, driver.key)

    def claim(self, run: LeagueRun, driver: Driver, wanted: Iterable[int], most: int) -> list[int]:
        """Claim the first of the wanted matches that nobody has played or claimed.

        They are this driver's now.

        Raises:
            RunError: this driver was silent for so long that its lease has ended.
        """
        with self.writing() as session:
            if driver.key not in [lease.driver for lease in living(session, run)]:
                what = "its lease has ended, since it was silent for too long, or the run was removed"
                raise RunError(
                    f"{run.label}: {what}; what was stored is safe: arena league resume {run.label}"
                )
            mine = list(islice(_untaken(session.connection(), run, wanted, most), most))
            claims = [{"run_id": run.key, "match": number, "driver": driver.key} for number in mine]
            if claims:
                session.connection().execute(CLAIM_THEM, claims)
        return mine

    def unplayed(self, run: LeagueRun, driver: Driver, planned: Iterable[int]) -> list[int]:
        """Return the planned matches that are neither stored nor claimed by this driver."""
        with self.reading() as session:
            mine = select(Claim.match).where(Claim.run_id == run.id, Claim.driver == driver.key)
            done = set(session.exec(mine).all())
            done.update(session.exec(select(Match.number).where(Match.run_id == run.id)).all())
        return [number for number in planned if number not in done]


def _untaken(connection: Connection, run: LeagueRun, wanted: Iterable[int], most: int) -> Iterator[int]:
    """Those that nobody has played or claimed; looked up in portions, since a run may have millions."""
    left = iter(wanted)
    while portion := list(islice(left, most)):
        taken = set[int]()
        for numbers in (CLAIMED, PLAYED):
            taken.update(connection.execute(numbers, {"run": run.key, "numbers": portion}).scalars())
        yield from (number for number in portion if number not in taken)
        most = min(2 * most, LOOKED_UP)  # others have taken some: there may be many


def living(session: Session, run: LeagueRun) -> list[Lease]:
    """Return the leases of drivers that are there.

    The leases of other drivers end, and all claims of drivers without a lease.
    """
    found = session.exec(select(Lease).where(Lease.run_id == run.id)).all()
    time = clock(session)
    living = [lease for lease in found if lives(lease.driver, lease.heartbeat, time)]
    for lease in found:
        if lease not in living:
            _drop(session, run, lease.driver)
    here = [lease.driver for lease in living]
    session.connection().execute(DROP_OTHERS, {"run": run.key, "drivers": here})
    return living


def _drop(session: Session, run: LeagueRun, driver: str) -> None:
    session.exec(delete(Claim).where(col(Claim.run_id) == run.id, col(Claim.driver) == driver))
    session.exec(delete(Lease).where(col(Lease.run_id) == run.id, col(Lease.driver) == driver))


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


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
