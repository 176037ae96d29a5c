"""Machines that fail, for `benchmarks.week`: a clock, a disk, PostgreSQL, processes that are started again.

Everything is real but the time: processes end by SIGKILL, the disk is a small file system that can be full,
and the clock that a process reads is a shared page (`clock.c`), which can run faster and jump.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

AGAIN_S = 2.0  # until a unit is started again
FINAL = (0, 2, 5)  # exit codes after which systemd would not start a unit again (deploy/*.service)
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
SETTINGS = {
    "listen_addresses": "",
    "max_wal_size": "96MB",
    "autovacuum_naptime": "2000000",  # seconds: its clock is fast
    "checkpoint_timeout": "86400",
    "log_min_messages": "panic",
}


class Clock:
    """The simulated time of day, which processes read that were started with `environment`.

    Args:
        folder: for the clock's page and the compiled library.
        at: the time that is shown now, in seconds since 1970.
        pace: seconds that pass in one of the machine's.
    """

    def __init__(self, folder: Path, at: float, pace: float) -> None:
        self.began, self.at, self.pace, self.jumped = time.time(), at, pace, 0.0
        self._file, self._library = folder / "clock", folder / "clock.so"
        source = Path(__file__).with_name("clock.c")
        words = ["cc", "-O1", "-shared", "-fPIC", "-o", str(self._library), str(source), "-ldl"]
        subprocess.run(words, check=True)
        self._file.write_bytes(struct.pack("4d", self.began, at, pace, 0.0))
        self._file.chmod(0o644)

    def now(self) -> float:
        """Return the time that a server's clock shows."""
        return self.at + (time.time() - self.began) * self.pace + self.jumped

    def jump(self, seconds: float) -> None:
        """Set all clocks forward or back."""
        self.jumped += seconds
        with self._file.open("r+b") as file:  # the page is mapped: it is changed, not replaced
            file.seek(24)
            file.write(struct.pack("d", self.jumped))

    def environment(self, steady: bool = False) -> dict[str, str]:
        """Return variables for a process: with a fast clock, or one that was set when the process began."""
        given = {"LD_PRELOAD": str(self._library), "CLOCK_FILE": str(self._file)}
        return given | ({"CLOCK_STEADY": "1"} if steady else {})


class Disk:
    """A small file system in memory, which can be full. Without the right to mount it is a folder."""

    def __init__(self, folder: Path, mib: int) -> None:
        self.folder, self._ballast = folder, folder / "ballast"
        folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(folder)]
        self.mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0

    def fill(self) -> None:
        """Leave no room."""
        with contextlib.suppress(OSError), self._ballast.open("wb", buffering=0) as file:
            while self.mounted:
                file.write(bytes(1 << 20))

    def clear(self) -> None:
        """Make room again."""
        self._ballast.unlink(missing_ok=True)

    def close(self) -> None:
        """Remove it."""
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=False)


class Unit:
    """A process that is started again when it ends, as systemd does it.

    Attributes:
        name: for the report.
        codes: exit codes of the processes that have ended; negative: by a signal.
        given_up: it ended with a code after which systemd would leave it.
        peaks: by day, the most memory of one process, in MiB.
    """

    def __init__(self, name: str, words: list[str], folder: Path, **environment: str) -> None:
        self.name, self._words, self._folder = name, words, folder
        self._environment = os.environ | environment
        self._user: Mapping[str, object] = {}
        self.codes: list[int] = []
        self.given_up = False
        self.peaks: dict[int, float] = {}
        self._due = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process, if it lives; else 0."""
        return self.process.pid if self.process is not None and self.process.poll() is None else 0

    def start(self) -> None:
        """Start the process; its output is appended to a file."""
        with (self._folder / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                self._words, cwd=self._folder, env=self._environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, **self._user,  # type: ignore[call-overload]
            )  # fmt: skip

    def look(self, day: int) -> None:
        """Start it again if it has ended, and note its memory."""
        if self.process is None or self.given_up:
            return
        if self.pid:
            self.peaks[day] = max(self.peaks.get(day, 0.0), memory_mib(self.pid))
        elif not self._due:
            self.codes.append(self.process.returncode)
            self.given_up = self.process.returncode in FINAL
            self._due = time.monotonic() + AGAIN_S
        elif time.monotonic() > self._due:
            self._due = 0.0
            self.start()

    def kill(self) -> bool:
        """End the process as a power cut does; whether it lived."""
        alive = bool(self.pid)
        for pid in [self.pid, *self._with_it()] if alive else []:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return alive

    def _with_it(self) -> list[int]:
        """Return what dies with it."""
        return []

    def stop(self, number: int = signal.SIGTERM, wait_s: float = 60.0) -> None:
        """End it for good."""
        if self.process is None:
            return
        self.given_up = True
        if self.pid:
            self.process.send_signal(number)
        try:
            self.process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()


class Postgres(Unit):
    """A PostgreSQL server on a disk of its own; to kill it kills all of its processes."""

    def __init__(self, disk: Path, folder: Path, clock: Clock) -> None:
        found = BINARIES[0] / "postgres" if BINARIES else shutil.which("postgres")
        binaries = Path(found or sys.exit("no PostgreSQL on this machine")).parent
        data = disk / "data"
        words = [str(binaries / "postgres"), "-D", str(data), "-k", str(folder)]
        for key, value in SETTINGS.items():
            words += ["-c", f"{key}={value}"]
        super().__init__("database", words, folder, **clock.environment())
        if os.geteuid() == 0:  # it refuses to run as root
            user = pwd.getpwnam("nobody")
            self._user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(disk, user.pw_uid, user.pw_gid)
            folder.chmod(0o777)
        initdb = [str(binaries / "initdb"), "-D", str(data), "-U", "arena", "--auth", "trust"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd=disk, **self._user)  # type: ignore[call-overload]
        self.url = f"postgresql://arena@/arena?host={folder}"
        self._create = [str(binaries / "createdb"), "-h", str(folder), "-U", "arena", "arena"]

    def create(self) -> None:
        """Start it, and make the database."""
        self.start()
        deadline = time.monotonic() + 60
        while subprocess.run(self._create, capture_output=True, check=False).returncode:
            if time.monotonic() > deadline:
                sys.exit("PostgreSQL does not start")
            time.sleep(0.2)

    def _with_it(self) -> list[int]:
        return descendants(self.pid)


class Supervisor(threading.Thread):
    """Looks after units until `over` is set."""

    def __init__(self, units: list[Unit], clock: Clock) -> None:
        super().__init__(name="supervisor", daemon=True)
        self.units, self._clock, self.over = units, clock, threading.Event()

    def run(self) -> None:
        """Start again what has ended."""
        while not self.over.wait(0.5):
            day = int((self._clock.now() - self._clock.jumped - self._clock.at) // 86_400)
            for unit in self.units:
                unit.look(day)


def memory_mib(pid: int) -> float:
    """Return what a process has of memory for itself, in MiB; 0 if it has ended."""
    try:
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        return int(fields["RssAnon"].split()[0]) / 1024
    except (OSError, KeyError):
        return 0.0


def descendants(pid: int) -> list[int]:
    """Return all processes below one."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(entry.name))
    found, left = list[int](), [pid]
    while left:
        below = parents.get(left.pop(), [])
        found += below
        left += below
    return found


def workers(driver: int) -> list[int]:
    """Return the processes in which a driver's matches are played."""
    return [pid for pid in descendants(driver) if _command(pid).startswith("ray::")]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


@contextlib.contextmanager
def supervised(units: list[Unit], clock: Clock) -> Iterator[Supervisor]:
    """Look after units; end them at the end, last one first."""
    keeper = Supervisor(units, clock)
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.over.set()
        keeper.join()
        for unit in reversed(units):
            unit.stop()
