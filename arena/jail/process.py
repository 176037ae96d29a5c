"""Drive one jailed process, seen from the worker.

Start it, send it messages and get its answers under its clocks, end it.

What the messages mean is not known here; that there is one, within the limits, is what `hear` promises.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import select
import signal
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from leagues.limits import FREE_S, Limits

from ..printable import printable, shortened
from . import files, inside, memory, program
from .cgroups import ControlGroup
from .clock import Clock
from .outcomes import Failed, Fault, FaultKind, HostError, Killed, Layer
from .program import Executable, Program
from .zygote import LOOK_S, Zygote

JAIL_S = 20.0  # wall time from fork to a jailed process
PF_EXITING = 4  # of the flags in /proc/PID/stat
LAST_WORDS = 2048  # characters of the log that a fault keeps
STACK_LINES = 12
STACK_S = 0.1  # s that a process that is about to be ended has to show where it is
STACK_WALL_S = 5.0  # and that it may wait for a core meanwhile
# of a stack, which the program may have written itself: lines of bounded parts, read in one go
FRAME = re.compile(rb'^  File "([^"\n]{1,300})", line (\d{1,9}) in ([^\n]{1,300})$', re.MULTILINE)
MARKS = re.compile(rb"\x1e-?\d*\n")  # lines that tell what the next ones are about, for programs
KILLED = "was killed from outside: by the kernel, if the machine ran out of memory, or by somebody"
MAX_TEXT = 6144  # characters of a fault
# bytes of a control group beyond `Limits.memory_mib`: pages of the fork server that a process changes are
# copied, and the kernel's own memory for it counts too
COPIED = 1 << 30
SEND_BUFFER = 1 << 18  # bytes of answers that are on their way: a process that writes more waits


class Process:
    """A process that runs one stranger's program.

    Args:
        room: bytes of the memory for questions.
        layers: of the wall; None: those of the zygote's level.
        probe: what to try instead of running the program (`doctor`).
        before: the account of a process that has died, to go on with.
        execute: what takes the process's place (`executed`); None: the program is a Python module.

    Raises:
        HostError: no process, memory or descriptor to be had.
    """

    def __init__(
        self,
        zygote: Zygote,
        stranger: Program,
        limits: Limits,
        seed: int,
        room: int,
        core: int | None = None,
        layers: Sequence[Layer] | None = None,
        probe: dict[str, Any] | None = None,
        before: Clock | None = None,
        execute: Executable | None = None,
    ) -> None:
        if limits.profile != zygote.profile or set(limits.preload) - set(zygote.preload):
            raise ValueError(
                f"these limits need another zygote: profile {limits.profile!r}, preload {limits.preload}"
            )
        self.limits = limits
        self.fault: Fault | None = None  # why the process ended, if the program failed
        self.nonce = secrets.randbits(63)
        self.jailed = False
        self._zygote, self._name = zygote, stranger.name
        self._log_kept: bytes | None = None  # once the process has ended
        self._resources = contextlib.ExitStack()
        wall = zygote.layers if layers is None else tuple(layers)
        # with threads, the first one can end and wait there until the worker kills the others
        self._kills_itself = Layer.CALLS not in wall or limits.profile == "threads"
        orders = {
            "seed": seed,
            "core": core,
            "layers": wall,
            "limits": limits,
            "nonce": self.nonce,
            "probe": probe,
            "execute": execute,
            "spent": before.charged if before is not None else 0.0,
            "asked": before.asked if before is not None else 0,
        }
        try:
            self._start(stranger, orders, room)
            self.clock = Clock(self.pid, limits, before)
        except OSError as error:
            self._resources.close()
            raise HostError(f"cannot start a bot's process: {error}") from error
        except BaseException:
            self._resources.close()
            raise
        zygote.processes.add(self)

    # --- start and end --------------------------------------------------------------------------------------

    def _start(self, stranger: Program, orders: dict[str, Any], room: int) -> None:
        """Make the channel, the memory and the log, and have the process forked."""
        with contextlib.ExitStack() as theirs:
            orders_fd = program.send(stranger, **orders)
            theirs.callback(os.close, orders_fd)
            requests, requests_fd = memory.one_way("requests", room)
            theirs.callback(os.close, requests_fd)
            self._resources.callback(requests.close)
            self.requests: Any = requests  # takes any array, whatever its typing says
            self._log, log_fd = memory.append_only("log")
            self._resources.callback(os.close, self._log)
            theirs.callback(os.close, log_fd)
            self._channel, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._resources.callback(self._channel.close)
            theirs.callback(other.close)
            self._channel.setblocking(False)
            other.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            given = [log_fd, other.fileno(), orders_fd, requests_fd, *self._more_descriptors(theirs)]
            self.pid, self._pidfd = self._zygote.fork(given)
        self._resources.callback(os.close, self._pidfd)
        self._group = self._own_group()
        self._poll = select.poll()
        self._poll.register(self._channel, select.POLLIN)

    def _more_descriptors(self, theirs: contextlib.ExitStack) -> list[int]:
        """Return what else the process gets; closed here by `theirs`."""
        return []

    def _own_group(self) -> ControlGroup | None:
        """Put the process into a control group before it runs the program's code; None if there are none."""
        if self._zygote.groups is None:
            return None
        threads = self.limits.threads if self.limits.profile == "threads" else 1
        group = ControlGroup(self._zygote.groups, threads, (self.limits.memory_mib << 20) + COPIED)
        self._resources.callback(group.close)
        group.add(self.pid)
        return group

    def await_jail(self) -> None:
        """Wait for the message that says that the process is jailed, before code of the program has run."""
        self._await_message()
        self._read_jailed(self._channel.recv(4096))

    def _await_message(self) -> None:
        if not self._zygote.await_ready(self._poll, JAIL_S):
            raise HostError(
                f"a bot's process was not jailed within {JAIL_S:g} s: is this machine overloaded?"
            )

    def _read_jailed(self, message: bytes) -> None:
        """Read the message of `await_jail`; raises as it says."""
        if len(message) < inside.JAILED.size:
            raise HostError(f"a bot's process ended before it was jailed, {ending(self._reap())}")
        word, nonce, used = inside.JAILED.unpack_from(message)
        if word != inside.YES or nonce != self.nonce:
            reason = message[inside.JAILED.size :].decode(errors="replace")
            raise HostError(f"a bot's process could not be jailed: {reason}")
        self.clock.start(used)
        self.jailed = True

    def run(self) -> None:
        """Let the jailed process run its program. Raises Failed: it has ended already."""
        self.tell(b"!")

    def close(self) -> None:
        """End the process, whatever it does, and free everything; what it printed stays readable."""
        if self._log_kept is not None:
            return
        self._zygote.processes.discard(self)
        with contextlib.suppress(HostError):  # its zygote is dead, and it with the zygote
            self._reap()
        self._free(self.printed())

    def end(self, failed: Failed) -> Fault:
        """End the process for a failure; the fault tells why, with its last output.

        Raises:
            Killed: it did not fail, it was killed from outside.
        """
        if self.fault is None:
            size = len(self.printed())
            asked = failed.kind in (FaultKind.CPU, FaultKind.WALL)
            where = self._stack(size) if asked else ""
            status = self._reap()
            kind, text = failed.kind, failed.text
            if kind is FaultKind.CRASH:
                out_of_memory = self._group is not None and self._group.ran_out_of_memory()
                killed = status == -signal.SIGKILL and not self._kills_itself and not out_of_memory
                if killed and not self.clock.over_memory:
                    self._free(self.printed())
                    raise Killed(f"the process of {self._name} ({self.clock.peak_mib:.0f} MiB) {KILLED}")
                kind = FaultKind.FORBIDDEN if status == -signal.SIGSYS else FaultKind.CRASH
                text = f"the process ended by itself: {ending(status)}"
                if out_of_memory:
                    kind, text = (
                        FaultKind.MEMORY,
                        "the kernel ended it because its control group had no memory left",
                    )
                elif killed:
                    kind, text = FaultKind.MEMORY, f"the kernel ended it: it {self.clock.memory_text}"
            log = self.printed()[: size if asked else None]
            tail = shown(log)[-LAST_WORDS:].strip()
            self.fault = told(kind, "\n".join(filter(None, (text, where, tail))))
            self._free(log)
        return self.fault

    def _free(self, log: bytes) -> None:
        """Free everything of a process that was reaped but its log."""
        self._log_kept = log
        self._zygote.processes.discard(self)
        self._resources.close()

    def _reap(self) -> int:
        """Kill the process and wait for it; returns its exit code, or minus the signal that ended it."""
        self.clock.read_memory()
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        status, used = self._zygote.reap(self.pid)
        self.clock.end(used)
        return status

    def _stack(self, size: int) -> str:
        """Return where the program is now, by lines of code.

        Those are the lines of its own files, the innermost last; the line of a library if none of its own are
        near; "" if it does not say.

        Args:
            size: bytes of its log until now.
        """
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(self._pidfd, inside.STACK_SIGNAL)
        began, used, seen = time.monotonic(), self.clock.read(), size
        while self._may_speak(time.monotonic() - began, self.clock.read() - used):
            time.sleep(0.002)  # it runs on this very core
            before, seen = seen, os.fstat(self._log).st_size
            if seen == before > size:
                break
        root = f"{files.ROOT}/".encode()
        frames = [frame.groups() for frame in FRAME.finditer(self.printed(size))]
        own = [(name.removeprefix(root), *place) for name, *place in frames if name.startswith(root)]
        # a library's file is named without its folder, which is the host's
        near = own or [(name.rpartition(b"/")[2], *place) for name, *place in frames[:1]]
        lines = [
            "  {}, line {}, in {}".format(*(part.decode(errors="replace") for part in frame))
            for frame in reversed(near)
        ]
        return "\n".join(["it was at:", *lines[-STACK_LINES:]]) if lines else ""

    def _may_speak(self, wall_s: float, cpu_s: float) -> bool:
        """Tell whether a process that was asked for its stack may still answer: it had no core to do so."""
        if wall_s < STACK_S:
            return True
        return wall_s < STACK_WALL_S and cpu_s < STACK_S and self._stat()[:1] == [b"R"]

    def log(self) -> str:
        """Return what the program printed, up to `Limits.log_kib`."""
        return printable(shown(self.printed()))

    def printed(self, since: int = 0) -> bytes:
        """Return what the program printed from this byte on, up to `Limits.log_kib` in all, with marks."""
        if self._log_kept is not None:
            return self._log_kept[since:]
        most = self.limits.log_kib * 1024
        if since and os.fstat(self._log).st_size <= since:
            return b""
        return os.pread(self._log, max(0, most - since), since)

    # --- messages -------------------------------------------------------------------------------------------

    def tell(self, message: bytes) -> None:
        """Send a message. Raises Failed: the process is over its limits, has ended or does not read."""
        if self.fault is not None:
            raise Failed(self.fault.kind, self.fault.text)
        try:
            self._channel.send(message, socket.MSG_NOSIGNAL)
        except BlockingIOError:
            raise Failed(FaultKind.PROTOCOL, "does not read its requests") from None
        except OSError:
            raise self._ended() from None

    def hear(self, most: int) -> bytes:
        """Return the next message: one message is one answer, so it comes whole or not at all.

        Raises:
            Failed: it does not come within the limits, or is longer.
        """
        self._wait()
        try:
            message = self._channel.recv(most + 1)
        except OSError:
            raise self._ended() from None
        if not message:
            raise self._ended()
        if len(message) > most:
            raise Failed(FaultKind.PROTOCOL, "wrote more to its channel than an answer")
        self.clock.check()
        return message

    def _wait(self) -> None:
        """Wait for a message, and look after all processes of the zygote meanwhile."""
        answered = self._poll.poll(FREE_S * 1000)
        self._zygote.look_after(self)
        if answered:
            return
        self.clock.begin_wait()
        while not self._poll.poll(self._patience() * 1000):
            self._zygote.look_after(self)
            self.clock.check()
            self.clock.check_sleep(over=False)
        self.clock.check_sleep(over=True)

    def _patience(self) -> float:
        """Seconds until the clocks must be read again."""
        return max(0.001, min(self.clock.allowed - self.clock.used, LOOK_S))

    def _ended(self) -> Failed:
        """Return what the end of a channel means: the process has ended, or it has closed the channel."""
        gone = select.poll()
        gone.register(self._pidfd, select.POLLIN)
        # its own status stays when it is killed now; threads could outlive the first one
        if self._is_ending() or gone.poll(0):
            return Failed(FaultKind.CRASH, "")
        return Failed(FaultKind.PROTOCOL, "closed its channel")

    def _is_ending(self) -> bool:
        """Whether the kernel is about to end the process: it closes the channel on the way."""
        stat = self._stat()
        return not stat or bool(int(stat[6]) & PF_EXITING)

    def _stat(self) -> list[bytes]:
        """Return the fields of /proc/PID/stat after the name, which is any bytes.

        The first field is the state (R: it runs or waits for a core). The list is empty if the process is
        gone.
        """
        try:
            return Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return []


def shown(log: bytes) -> str:
    """Return a log as text, without marks."""
    return MARKS.sub(b"", log).decode(errors="replace")


def told(kind: FaultKind, text: str) -> Fault:
    """Return a fault with what a stranger says about it: safe to show, and not longer than `MAX_TEXT`."""
    return Fault(kind, shortened(printable(text), MAX_TEXT))


def ending(status: int) -> str:
    """Return an exit status in words."""
    if status >= 0:
        return f"exit code {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    hint: dict[int, str] = {
        signal.SIGSYS: " (a system call that no bot needs)",
        signal.SIGKILL: " (by itself, or by the kernel because memory ran out)",
    }
    return f"killed by {name}{hint.get(-status, '')}"
