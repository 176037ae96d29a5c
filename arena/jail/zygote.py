"""Reach a fork server: start it, have it fork and reap, end it.

`Server` starts it, `Zygote` has it fork and reap. `forkserver` is its other end.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from leagues.limits import Level

from . import cgroups, facts, forkserver
from .clock import Clock
from .outcomes import LAYERS, Failed, HostError

START_S = 600.0  # wall time for a fork server to load everything: the hook may have to compile
CALL_S = 20.0  # wall time of its answer to anything else
LOOK_S = 0.1  # how often the clocks of all processes are read while one is asked
FILES = 128  # the fewest open files that a process must be allowed; with 72 bots cannot be jailed
LAST_WORDS = 2048  # characters of what it printed that an error keeps
BOOT = (
    "import sys; sys.path[:0] = sys.argv[3:]; from arena.jail.forkserver import main; "
    "main(int(sys.argv[1]), sys.argv[2])"
)
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Forked(Protocol):
    """What a zygote knows of a process that was forked from it (`process.Process`)."""

    clock: Clock

    def end(self, failed: Failed) -> object:
        """Kill it for a fault."""

    def close(self) -> None:
        """Kill it."""


def check_files() -> None:
    """Make sure that this user may run Python, and open as many files as fork servers and Ray need."""
    if not os.access(sys.executable, os.X_OK):
        place = os.path.realpath(sys.executable)
        what = "this user may not run it: have Python and the project where all may read them, as in /opt"
        raise HostError(f"{place}: {what}")
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < FILES:
        raise HostError(f"a process may open only {most} files here: allow more, as by ulimit -n 1024")


class Server:
    """Run a fork server's process.

    It loads its libraries at once, and then waits for the order that a `Zygote` sends. It has nothing of this
    process but one socket, a file for errors and a minimal environment.

    Args:
        hook: name of a module with `load()`, `prepare(argument)` and `PACKAGES`: what to load at once, what
            then, and what programs may import of it; what the processes do (`inside.Hook`).
    """

    def __init__(
        self, hook: str, roots: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        check_files()
        self.ordered = False
        self.made_of = (hook, tuple(roots), dict(environment or {}))
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        own = str(Path(sys.modules[__package__].__path__[0]).parents[1])
        with theirs:
            self.process = _start(hook, theirs.fileno(), self.errors, [own, *roots], environment or {})

    def order(self, **what: Any) -> bytes:
        """Return the first message."""
        self.ordered = True
        return json.dumps(what).encode()

    def kill(self) -> None:
        """End it at once, so that nobody takes it for alive afterwards."""
        self.process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)

    def close(self) -> None:
        """End it; at once, if it has no order yet."""
        self.socket.close()
        if not self.ordered:
            self.process.kill()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.errors.close()


class Zygote:
    """A fork server that has its order. Use as a context manager; `Process` makes its processes.

    Args:
        start: starts its process, or gives one that was started before; called once this host is known to
            have what the level needs.
        argument: for the hook's `prepare`.

    Raises:
        HostError: it does not start; with what it printed. Or this host lacks something for this level.
    """

    def __init__(
        self,
        start: Callable[[], Server],
        argument: str = "",
        level: str = Level.STRICT,
        profile: str = "numpy",
        preload: Sequence[str] = (),
    ) -> None:
        self.level = Level(level)
        self.layers = LAYERS[self.level]
        self.profile = profile
        self.preload = tuple(preload)
        self.processes: set[Forked] = set()
        self._looked = 0.0
        if lacks := facts.missing(self.layers):
            raise HostError(
                f"level {self.level} does not work here: {lacks}; `arena doctor` lists the levels that do"
            )
        self.host = facts.host_facts(self.level)
        self.groups = _groups()
        self._server = start()
        try:
            order = self._server.order(argument=argument, profile=profile, preload=self.preload)
            self._call(order, timeout=START_S)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all processes and the fork server."""
        for process in list(self.processes):
            process.close()
        self._server.close()

    def look_after(self, waiting: Forked) -> None:
        """Look now and then at all processes but the one waited for: what they do out of turn counts too."""
        now = time.monotonic()
        if now - self._looked < LOOK_S:
            return
        self._looked = now
        for process in list(self.processes):
            if process is not waiting:
                try:
                    process.clock.check()
                except Failed as failed:
                    process.end(failed)

    def await_ready(self, ready: select.poll, seconds: float) -> bool:
        """Wait for something else than an answer; read the memory of all processes meanwhile."""
        until = time.monotonic() + seconds
        while not ready.poll(LOOK_S * 1000):
            if time.monotonic() > until:
                return False
            for process in list(self.processes):
                process.clock.read_memory()
        return True

    @property
    def pid(self) -> int:
        """Process id of the fork server."""
        return self._server.process.pid

    @property
    def alive(self) -> bool:
        """Whether the fork server is there. A zygote that is not alive can only be closed."""
        return self._server.process.poll() is None

    def fork(self, descriptors: list[int]) -> tuple[int, int]:
        """Process id and pidfd of a new process that has got these descriptors."""
        answer, fds = self._call(forkserver.FORK, descriptors)
        plain = json.loads(answer)
        if "error" in plain or not fds:  # the kernel drops one for which there is no number left
            raise HostError(f"the fork server cannot fork: {plain.get('error', 'too many open files')}")
        return plain["pid"], fds[0]

    def reap(self, pid: int) -> tuple[int, float]:
        """Reap a process; returns its exit code (minus the signal that ended it) and all its CPU seconds."""
        answer, _ = self._call(forkserver.REAP + str(pid).encode())
        status, *used = forkserver.END.unpack(answer)
        return os.waitstatus_to_exitcode(status), used[0] + used[2] + (used[1] + used[3]) / 1e6

    def _call(
        self, request: bytes, descriptors: list[int] | None = None, timeout: float = CALL_S
    ) -> tuple[bytes, list[int]]:
        try:
            self._server.socket.settimeout(timeout)
            socket.send_fds(self._server.socket, [request], descriptors or [])
            ready = select.poll()
            ready.register(self._server.socket, select.POLLIN)
            self.await_ready(ready, timeout)
            answer, fds, _, _ = socket.recv_fds(self._server.socket, 4096, 1)
        except BaseException as error:  # as of who asks this process to end
            self._server.kill()  # a late answer would be taken for the next one's
            if isinstance(error, OSError):
                raise HostError(f"no answer from the fork server: {error}{self._last_words()}") from None
            raise
        if not answer:
            self._server.kill()
            raise HostError(f"the fork server has ended{self._last_words()}")
        return answer, fds

    def _last_words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            self._server.errors.seek(0)
            text = self._server.errors.read()[-LAST_WORDS:].decode(errors="replace").strip()
            return f"; it printed:\n{text}" if text else ""
        return ""


def _groups() -> Path | None:
    """Where each process can have a control group of its own; None: nowhere."""
    try:
        return cgroups.find()
    except cgroups.NoGroups:
        return None


def _start(
    hook: str, fd: int, errors: Any, roots: Sequence[str], more: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a fresh interpreter."""
    environment = {
        "PATH": os.defpath,
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "MALLOC_ARENA_MAX": "1",
        "OPENSSL_ia32cap": "~0x10",  # no counter of cycles, which bots may not read
        **more,
    }
    environment |= dict.fromkeys(ONE_THREAD, "1")
    # modules that only it imports are compiled once, too, unless nothing may be written here
    flags = ["-P", "-s", *(["-B"] if sys.dont_write_bytecode else [])]
    try:
        return subprocess.Popen(
            [sys.executable, *flags, "-c", BOOT, str(fd), hook, *dict.fromkeys(roots)],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=[fd],
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise HostError(f"cannot start {sys.executable}: {error}") from error
