"""The match worker's side: start a zygote, have it fork bots, ask them, keep their clocks, and end them."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import engines
from engines import core
from engines.game import Game

from . import doctor, wire, zygote
from .child import Config
from .limits import LAYERS, Fault, FaultKind, HostError, Layer, Level, Limits

START_S = 600.0  # wall time for a zygote to load a game: its kernels may have to be compiled
JAIL_S = 20.0  # wall time from fork to a jailed process
LOOK_S = 0.25  # how often the clocks of a busy bot are read
GONE_S = 0.5  # wall time between the end of a channel and the end of its process
LEGAL_PER_ROW = 64  # room for legal actions in the request memory, on average
LAST_WORDS = 2048  # characters of the log that a fault keeps

BOOT = "import sys; sys.path[:0] = sys.argv[2:]; from arena.jail.zygote import main; main(int(sys.argv[1]))"


@dataclass(slots=True)
class Reply:
    """What came back for n rows."""

    actions: NDArray[np.int16]  # [n] legal actions; -1 where the row faulted
    faults: dict[int, Fault] = field(default_factory=dict)  # by row; the process lives on
    fault: Fault | None = None  # the process is dead: every action is -1


class Zygote:
    """A fork server for one game, and the way to bots' processes. Use as a context manager.

    Args:
        game: as in `engines.load`.
        level: the wall around every bot of this zygote (`Level`).
        profile: of the limits of every bot of this zygote.

    Raises:
        HostError: it does not start; with what it printed.
    """

    def __init__(self, game: str, level: str = Level.STRICT, profile: str = "numpy") -> None:
        self.level = Level(level)
        self.profile = profile
        self.game: Game = engines.load(game)
        self.bots: set[BotProcess] = set()
        self.host = doctor.host_facts(self.level)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        with theirs:
            self._process = _start(theirs.fileno(), self._errors)
        try:
            self._call(f"{game} {profile}".encode(), timeout=START_S)
            doctor.self_test(self)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def spawn(
        self, source: Path, limits: Limits, seed: int, core: int | None = None, layers: Sequence[Layer] | None = None
    ) -> BotProcess:
        """Fork a process for a bot; returns before the bot is loaded (`BotProcess.ready` waits for that).

        Args:
            source: a `.py` file or a folder with `__init__.py`.
            limits: what it may use.
            seed: of the bot's own random numbers: another one for every bot and match, and none that leads to a deal.
            core: the core to run on, best the worker's own; None: any.
            layers: of the wall, for tests of single ones; default: those of the level.

        Raises:
            HostError: no process, memory or descriptor to be had.
        """
        if limits.profile != self.profile:
            raise ValueError(f"limits of profile {limits.profile!r} for a zygote of profile {self.profile!r}")
        return BotProcess(self, source, limits, seed, core, LAYERS[self.level] if layers is None else layers)

    def close(self) -> None:
        """End all bots and the zygote."""
        for bot in list(self.bots):
            bot.close()
        self._socket.close()
        try:
            self._process.wait(GONE_S * 4)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    @property
    def pid(self) -> int:
        """Process id of the zygote."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process is there. A zygote that is not alive can only be closed."""
        return self._process.poll() is None

    def fork(self, descriptors: list[int]) -> tuple[int, int]:
        """Process id and pidfd of a new process that has got these descriptors."""
        answer, fds = self._call(zygote.FORK, descriptors)
        return answer["pid"], fds[0]

    def reap(self, pid: int) -> dict[str, Any]:
        """How a process, which has ended or was killed, has ended."""
        return self._call(zygote.REAP + str(pid).encode())[0]

    def _call(
        self, request: bytes, descriptors: list[int] | None = None, timeout: float = JAIL_S
    ) -> tuple[dict[str, Any], list[int]]:
        try:
            self._socket.settimeout(timeout)
            socket.send_fds(self._socket, [request], descriptors or [])
            answer, fds, _, _ = socket.recv_fds(self._socket, 4096, 1)
        except OSError as error:
            self._process.kill()  # a late answer would be taken for the next one's
            raise HostError(f"no answer from the zygote of {self.game.name}: {error}{self._last_words()}") from None
        if not answer:
            raise HostError(f"the zygote of {self.game.name} has ended{self._last_words()}")
        plain: dict[str, Any] = json.loads(answer)
        if "error" in plain:
            raise HostError(f"the zygote of {self.game.name} cannot fork: {plain['error']}")
        return plain, fds

    def _last_words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            self._errors.seek(0)
            text = self._errors.read()[-LAST_WORDS:].decode(errors="replace").strip()
            return f"; it printed:\n{text}" if text else ""
        return ""


def _start(fd: int, errors: Any) -> subprocess.Popen[bytes]:
    """Start a fresh interpreter: nothing of this process but one socket, a file for errors and a minimal environment."""
    found = (sys.modules[__package__].__path__[0], engines.__path__[0], np.__path__[0], numba.__path__[0])
    roots = dict.fromkeys(str(Path(path).parents[path.endswith("jail")]) for path in found)
    kept = ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1"}
    environment |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
    if core.CACHE_FOLDER is not None:
        environment["ARENA_CACHE"] = str(core.CACHE_FOLDER)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", "-c", BOOT, str(fd), *roots],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            pass_fds=[fd],
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise HostError(f"cannot start {sys.executable}: {error}") from error


class BotProcess:
    """One bot's process, made by `Zygote.spawn`."""

    def __init__(
        self, zygote: Zygote, source: Path, limits: Limits, seed: int, core: int | None, layers: Sequence[Layer]
    ) -> None:
        self.source = Path(source)
        self.limits = limits
        self.max_rss_mib: float = 0.0  # set by the end of the process
        self.fault: Fault | None = None  # why the process ended, if the bot failed
        self._zygote = zygote
        self._game = zygote.game
        self._asked = 0
        self._used = 0.0  # CPU seconds at the last look
        self._start = 0.0  # CPU seconds when it was ready
        self._log_text: str | None = None
        self._looked = 0.0  # when its clock was last looked at in a long wait
        self._unknown = 0.0  # seconds of long waits in which it computed, where the kernel does not tell more
        self._nonce = secrets.randbits(63)
        self._open_descriptors = contextlib.ExitStack()
        try:
            self._open(Config(self.source.resolve(), seed, core, tuple(layers), limits, self._nonce))
        except OSError as error:
            self._open_descriptors.close()
            raise HostError(f"cannot start a bot's process: {error}") from error
        except BaseException:
            self._open_descriptors.close()
            raise
        zygote.bots.add(self)

    # --- start and end ---------------------------------------------------------------------------------------------------

    def _open(self, config: Config) -> None:
        """Make the channel and the log, and have the process forked."""
        size = wire.MAX_ROWS * (self._game.state.itemsize + 2 * LEGAL_PER_ROW + 16) + 2 * self._game.n_actions + 64
        self._room = max(LEGAL_PER_ROW * wire.MAX_ROWS, self._game.n_actions)
        with contextlib.ExitStack() as theirs:
            memory, memory_fd = wire.request_memory(max(size, wire.MAX_CONFIG))
            theirs.callback(os.close, memory_fd)
            self._open_descriptors.callback(memory.close)
            self._memory: Any = memory  # takes any array, whatever its typing says
            plain = config.to_bytes()
            self._memory[: len(plain)] = plain
            bell_fd, self._bell = self._pipe(theirs)
            reply_fd, self._reply = self._pipe(theirs, ours_reads=True)
            self._log = wire.new_memory("log")
            self._open_descriptors.callback(os.close, self._log)
            log_fd = os.open(f"/proc/self/fd/{self._log}", os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            theirs.callback(os.close, log_fd)
            self.pid, self._pidfd = self._zygote.fork([log_fd, bell_fd, reply_fd, memory_fd])
        self._open_descriptors.callback(os.close, self._pidfd)
        self._clock = (~self.pid << 3) | 2
        self._poll = select.poll()
        self._poll.register(self._reply, select.POLLIN)

    def _pipe(self, theirs: contextlib.ExitStack, ours_reads: bool = False) -> tuple[int, int]:
        """A pipe as (the bot's end, our end); ours does not block."""
        read, write = os.pipe2(os.O_CLOEXEC)
        ours, other = (read, write) if ours_reads else (write, read)
        theirs.callback(os.close, other)
        self._open_descriptors.callback(os.close, ours)
        os.set_blocking(ours, False)
        return other, ours

    def close(self) -> None:
        """End the process, whatever it does, and free everything; what it printed stays readable."""
        if self._log_text is not None:
            return
        self._zygote.bots.discard(self)
        with contextlib.suppress(HostError):  # its zygote is dead, and it with the zygote
            self._reap()
        self._log_text = self._read_log()
        self._open_descriptors.close()

    def _reap(self) -> int:
        """Kill the process and wait for it; returns its exit code, or minus the signal that ended it."""
        self._cpu()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        end = self._zygote.reap(self.pid)
        self.max_rss_mib = end["max_rss_kib"] / 1024
        return int(end["status"])

    def log(self) -> str:
        """What the bot printed, to standard output, standard error or `view.log`, up to `Limits.log_kib`."""
        return self._read_log() if self._log_text is None else self._log_text

    def _read_log(self) -> str:
        return printable(os.pread(self._log, self.limits.log_kib * 1024, 0).decode(errors="replace"))

    # --- clocks ----------------------------------------------------------------------------------------------------------

    @property
    def cpu_s(self) -> float:
        """CPU seconds charged so far: all that the process used since it was ready."""
        return max(0.0, self._cpu() - self._start)

    def _cpu(self) -> float:
        """CPU seconds of the process since the fork, from the kernel's clock (of a process that is gone: the last look)."""
        if self._log_text is None:
            try:  # noqa: SIM105 - suppress() costs as much as the call
                self._used = time.clock_gettime(self._clock)
            except OSError:  # its zygote has died, and nobody knows
                pass
        return self._used

    def _awake(self) -> float:
        """Seconds that the process has computed or waited for a core.

        Where the kernel does not tell how long it waited, all time in which it computes at all counts.
        """
        before, cpu = self._used, self._cpu()
        now = time.monotonic()
        waited = core_wait_s(self.pid)
        if waited is None:
            self._unknown += now - self._looked if cpu > before else 0.0
            waited = self._unknown - cpu
        self._looked = now
        return cpu + waited

    def _wait(self, until: float) -> None:
        """Wait until there is something to read.

        Args:
            until: CPU seconds of the process that end the wait.

        Raises:
            Failed: over its CPU time, or asleep.
        """
        if self._poll.poll(_milliseconds(until - self._used)):
            return
        self._count_threads()
        begin, awake = time.monotonic(), self._awake()
        while self._used <= until:
            if self._poll.poll(_milliseconds(until - self._used)):
                return
            self._count_threads()
            if time.monotonic() - begin - (self._awake() - awake) > self.limits.wall_s_asleep:
                raise Failed(FaultKind.WALL, f"neither answered nor computed for {self.limits.wall_s_asleep:g} s")
        raise Failed(FaultKind.CPU, self._over_budget(until))

    def _count_threads(self) -> None:
        """End a bot that makes more threads than it may: the kernel has no limit that counts those of one process."""
        if self.limits.profile == "threads":
            with contextlib.suppress(OSError):
                threads = os.stat(f"/proc/{self.pid}/task").st_nlink - 2  # noqa: PTH116 - one call and no list
                if threads > self.limits.threads:
                    raise Failed(FaultKind.MEMORY, f"has {threads} threads; the limit is {self.limits.threads}")

    def _over_budget(self, until: float) -> str:
        used, budget = self._used - self._start, until - self._start
        what = f"in {self._asked} decisions" if self._asked else "to import the bot"
        return f"used {used:.3f} s of CPU time {what}; the budget is {budget:.3f} s"

    # --- requests --------------------------------------------------------------------------------------------------------

    def ready(self) -> Fault | None:
        """Wait until the bot is loaded; None, or why it cannot play.

        Raises:
            HostError: the process could not be jailed.
        """
        self._await_jail()
        self._start = self._cpu()
        try:
            self._receive(0, self._nonce, self._start + self.limits.cpu_s_start)
        except Failed as failed:
            return self._end(failed)
        self._start = self._cpu()
        return None

    def ask(
        self,
        rows: NDArray[np.void],
        games: NDArray[np.int32],
        seats: NDArray[np.int8],
        legal: NDArray[np.int16],
        offsets: NDArray[np.int32],
    ) -> Reply:
        """One action for every row.

        Args:
            rows: [n] redacted records, contiguous.
            games: [n] number of the game in the match.
            seats: [n] seat to act.
            legal: the legal actions of all rows, one after the other.
            offsets: [n + 1] where each row's legal actions begin; those of row i are `legal[offsets[i]:offsets[i + 1]]`.

        Raises:
            HostError: the zygote has ended.
        """
        n = len(rows)
        if n <= wire.MAX_ROWS and len(legal) <= self._room and self.fault is None:
            reply = self._ask(rows, games, seats, legal, offsets)
        else:
            reply = self._ask_in_parts(rows, games, seats, legal, offsets)
        return reply if self.fault is None else Reply(np.full(n, -1, np.int16), fault=self.fault)

    def _ask_in_parts(self, rows: Any, games: Any, seats: Any, legal: Any, offsets: Any) -> Reply:
        """`ask` for more rows or legal actions than a request holds."""
        n, first = len(rows), 0
        whole = Reply(np.full(n, -1, np.int16))
        while first < n and self.fault is None:
            begin = offsets[first]
            last = min(first + wire.MAX_ROWS, n)
            if offsets[last] > begin + self._room:
                last = int(np.searchsorted(offsets, begin + self._room, "right")) - 1
            part = slice(first, last)
            its_legal, its_offsets = legal[begin : offsets[last]], offsets[first : last + 1] - begin
            reply = self._ask(rows[part], games[part], seats[part], its_legal, its_offsets)
            whole.actions[part] = reply.actions
            whole.faults |= {first + row: fault for row, fault in reply.faults.items()}
            first = last
        return whole

    def _ask(self, rows: Any, games: Any, seats: Any, legal: Any, offsets: Any) -> Reply:
        """One request; if the process ends by it, `fault` is set."""
        n, m = len(rows), len(legal)
        begin, *_, end = wire.layout(n, m, rows.itemsize)
        small = b"".join((offsets.tobytes(), games.tobytes(), legal.tobytes(), seats.tobytes()))
        if len(small) != end - begin:
            raise ValueError("a request is rows [n], games int32 [n], seats int8 [n], legal int16 [m], offsets int32 [n + 1]")
        self._memory[: n * rows.itemsize] = rows
        self._memory[begin:end] = small
        nonce = int.from_bytes(os.urandom(8), "little")
        self._asked += n
        until = self._start + self.limits.cpu_s_bank + self.limits.cpu_ms_per_decision / 1000 * self._asked
        try:
            self._count_threads()
            self._ring(wire.BELL.pack(n, m, nonce))
            frame, words = self._receive(n, nonce, until)
            if self._cpu() > until:
                raise Failed(FaultKind.CPU, self._over_budget(until))
        except Failed as failed:
            self._end(failed)
            return Reply(np.full(n, -1, np.int16))
        reply = Reply(np.array(frame.cast("h"), np.int16))
        for i in illegal_rows(reply.actions, legal, offsets):
            text = self._illegal(int(reply.actions[i]), rows[i : i + 1], legal[offsets[i] : offsets[i + 1]].tolist())
            reply.actions[i] = -1
            reply.faults[i] = Fault(FaultKind.ILLEGAL, text)
        if words:
            self._adopt(words, reply)
        return reply

    def _ring(self, bell: bytes) -> None:
        try:
            os.write(self._bell, bell)
        except BrokenPipeError:
            raise self._ended() from None
        except BlockingIOError:
            raise Failed(FaultKind.PROTOCOL, "does not read its requests") from None

    def _receive(self, n: int, nonce: int, until: float, spare: int = 1) -> tuple[memoryview, bytes]:
        """One reply frame: its actions and its words. Everything in it is checked but the actions themselves.

        Raises:
            Failed: it does not come, is not one, or says that the bot has failed.
        """
        size, frame, status, words = wire.REPLY.size + 2 * n, b"", -1, 0
        while len(frame) < size:
            self._wait(until)
            part = os.read(self._reply, size + spare - len(frame))
            if not part:
                raise self._ended()
            frame += part
            if status < 0 and len(frame) >= wire.REPLY.size:
                rows, status, words, _, echo = wire.REPLY.unpack_from(frame)
                if echo != nonce or words > wire.MAX_WORDS or rows != (n if status == wire.OK else 0):
                    raise Failed(FaultKind.PROTOCOL, "wrote to the reply channel itself")
                size = wire.REPLY.size + 2 * rows + words
        if len(frame) > size:
            raise Failed(FaultKind.PROTOCOL, "wrote more to the reply channel than its answer")
        text = frame[size - words :] if words else b""
        if status != wire.OK:
            raise said(text)
        return memoryview(frame)[wire.REPLY.size : size - words], text

    def _await_jail(self) -> None:
        """Wait for the frame that says that the process is jailed, before any code of the bot's has run.

        Raises:
            HostError: it is not; with the reason.
        """
        if not self._poll.poll(JAIL_S * 1000):
            raise HostError(f"a bot's process was not jailed within {JAIL_S:g} s: is this machine overloaded?")
        header = os.read(self._reply, wire.REPLY.size)
        if len(header) < wire.REPLY.size:
            raise HostError(f"a bot's process ended before it was jailed, {_ending(self._reap())}")
        _, status, words, _, _ = wire.REPLY.unpack(header)
        if status != wire.OK:
            reasons = wire.unpack_words(os.read(self._reply, words))
            raise HostError(f"a bot's process could not be jailed: {'; '.join(text for _, _, text in reasons)}")

    def _adopt(self, words: bytes, reply: Reply) -> None:
        """Take over the failures that the bot's process reports, for rows without a legal answer."""
        for row, kind, text in wire.unpack_words(words):
            if 0 <= row < len(reply.actions) and reply.actions[row] < 0:
                allowed = kind in (FaultKind.ILLEGAL, FaultKind.TYPE, FaultKind.EXCEPTION)
                reply.faults[row] = Fault(FaultKind(kind) if allowed else FaultKind.EXCEPTION, printable(text))

    def _illegal(self, action: int, row: NDArray[np.void], legal: list[int]) -> str:
        texts = self._game.actions(self._game.options_of(row))
        name = repr(texts[action]) if 0 <= action < len(texts) else f"number {action}"
        return f"illegal action {name}; legal: {', '.join(repr(texts[a]) for a in legal)}"

    # --- the end of a bot ------------------------------------------------------------------------------------------------

    def _ended(self) -> Failed:
        """What the end of a channel means: the process has ended, or it has closed the channel."""
        gone = select.poll()
        gone.register(self._pidfd, select.POLLIN)
        if not gone.poll(GONE_S * 1000):
            return Failed(FaultKind.PROTOCOL, "closed its channel")
        return Failed(FaultKind.CRASH, "")

    def _end(self, failed: Failed) -> Fault:
        """End the process; the fault tells why, with the last words."""
        status = self._reap()
        kind, text = failed.kind, failed.text
        if kind is FaultKind.CRASH:
            kind = FaultKind.FORBIDDEN if status == -signal.SIGSYS else FaultKind.CRASH
            text = f"the process ended by itself: {_ending(status)}"
        self._log_text = self._read_log()
        tail = self._log_text[-LAST_WORDS:].strip()
        self.fault = Fault(kind, printable(f"{text}\n{tail}" if tail else text))
        self._zygote.bots.discard(self)
        self._open_descriptors.close()
        return self.fault


class Failed(Exception):
    """The bot's process cannot go on: why. Never leaves this module."""

    def __init__(self, kind: FaultKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


def said(words: bytes) -> Failed:
    """The failure that the bot's process itself reports as its last act."""
    for _, kind, text in wire.unpack_words(words):
        if kind in (FaultKind.IMPORT, FaultKind.MEMORY):
            return Failed(FaultKind(kind), text)
    return Failed(FaultKind.PROTOCOL, "wrote to the reply channel itself")


def illegal_rows(actions: NDArray[np.int16], legal: NDArray[np.int16], offsets: NDArray[np.int32]) -> list[int]:
    """The rows whose action is not among their legal ones. Every row has at least one legal action."""
    if len(actions) == 1:
        return [] if int(actions[0]) in legal.tolist() else [0]
    hits = np.repeat(actions, np.diff(offsets)) == legal
    return np.flatnonzero(~np.logical_or.reduceat(hits, offsets[:-1])).tolist()


def core_wait_s(pid: int) -> float | None:
    """Seconds that the threads of a process have waited for a core; None where the kernel does not tell."""
    total, told = 0, False
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            computed, waited, _ = map(int, (task / "schedstat").read_text().split())
            total += waited
            told = told or computed > 0
    except (OSError, ValueError):
        return None
    return total / 1e9 if told else None


def printable(text: str) -> str:
    """Text that is safe to show on a terminal: every control character but tab and newline is escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def _milliseconds(cpu_s: float) -> float:
    """How long to wait before the clock must be read again."""
    return max(1.0, min(cpu_s, LOOK_S) * 1000)


def _ending(status: int) -> str:
    """An exit status in words."""
    if status >= 0:
        return f"exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    hint: dict[int, str] = {
        signal.SIGSYS: " (a system call that no bot needs)",
        signal.SIGKILL: " (by itself, or by the kernel for want of memory)",
    }
    return f"killed by {name}{hint.get(-status, '')}"
