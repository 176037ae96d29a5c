"""A jailed process that has become another program, seen from the worker: it is told lines and answers lines.

The clocks, the wall and who ends whom are `Process`'s; what the lines mean is not known here.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time

from leagues.limits import FREE_S

from . import inside
from .gate import Gate
from .outcomes import Failed, FaultKind
from .process import Process

PIPE = 1 << 16  # bytes that are read or written at once
PIECES = 8  # of an answer that are read as they come; a pipe gives a long one in two or three
PAUSE_S = 0.001  # s before each of the others: every look costs the worker more than the program
STARTED_S = 20.0  # wall time from the gate to the first instruction


class Executed(Process):
    """A process for a program that is not Python; arguments as `Process`."""

    _gate: Gate | None = None

    def _more_descriptors(self, theirs: contextlib.ExitStack) -> list[int]:
        """Pipes for its standard input and output."""
        reads, self._input = os.pipe2(os.O_CLOEXEC)
        self._output, writes = os.pipe2(os.O_CLOEXEC)
        for fd in (self._input, self._output):
            os.set_blocking(fd, False)
            self._resources.callback(os.close, fd)
        for fd in (reads, writes):
            theirs.callback(os.close, fd)
        self._lines = select.poll()
        self._lines.register(self._output, select.POLLIN)
        return [reads, writes]

    def await_jail(self) -> None:
        """As `Process.await_jail`; before that message comes the process's gate."""
        self._await_message()
        message, fds, _, _ = socket.recv_fds(self._channel, 4096, 1)
        if message != inside.GATE:
            return self._read_jailed(message)
        self._gate = Gate(fds[0])
        self._resources.callback(self._gate.close)
        super().await_jail()

    def run(self) -> None:
        """Let the jailed process become its program: the gate is open for this one call.

        Raises:
            Failed: it has ended already, or what it is to become cannot be started.
            HostError: the kernel does not let a program through.
        """
        self.tell(b"!")
        if self._gate is None or not self._gate.open():
            raise self._ended()
        self._zygote.await_ready(
            self._poll, STARTED_S
        )  # its end of the channel closes when the program starts
        try:
            reason = self._channel.recv(512)
        except OSError:
            reason = b"it does not start"
        if reason:
            raise Failed(
                FaultKind.IMPORT, f"its program cannot be started: {reason.decode(errors='replace')}"
            )
        self.clock.start_anew()

    def exchange(self, line: bytes, most: int) -> bytes:
        """Tell a line and hear the next one, without its end.

        Args:
            line: with its end.
            most: bytes that the answer may have.

        Raises:
            Failed: it does not come within the limits, is longer, or there is more than one.
        """
        if self.fault is not None:
            raise Failed(self.fault.kind, self.fault.text)
        left, got = memoryview(line), bytearray()
        self._lines.register(self._input, select.POLLOUT)
        began, waits, pieces = time.monotonic(), False, 0
        while b"\n" not in got:
            ready = dict(self._lines.poll((self._patience() if waits else FREE_S) * 1000))
            self._zygote.look_after(self)
            if self._output in ready:
                got += self._read(most + 1 - len(got))
                pieces += 1
            if left and self._input in ready:
                left = self._write(left)
            if waits:
                self.clock.check()
                self.clock.check_sleep(over=False)
            elif time.monotonic() - began >= FREE_S:
                self.clock.begin_wait()
                waits = True
            if pieces >= PIECES and b"\n" not in got:
                self.clock.stop_excusing()
                time.sleep(PAUSE_S)
        if left:
            raise Failed(FaultKind.PROTOCOL, "answered before it had read the question")
        answer, _, rest = got.partition(b"\n")
        if rest:
            raise Failed(FaultKind.PROTOCOL, "wrote more to its standard output than one line for a question")
        if waits:
            self.clock.check_sleep(over=True)
        self.clock.check()
        return bytes(answer)

    def _read(self, room: int) -> bytes:
        """Return what has come on its standard output.

        Raises:
            Failed: the line is too long, or the output was closed.
        """
        if room <= 0:
            raise Failed(FaultKind.PROTOCOL, "wrote a line that is longer than an answer")
        with contextlib.suppress(BlockingIOError):
            if data := os.read(self._output, min(room, PIPE)):
                return data
            raise self._ended()
        return b""

    def _write(self, left: memoryview) -> memoryview:
        """Write what fits into its standard input; returns what is left."""
        try:
            left = left[os.write(self._input, left[:PIPE]) :]
        except BlockingIOError:
            return left
        except BrokenPipeError:
            raise self._ended() from None
        if not left:
            self._lines.unregister(self._input)
        return left

    def _stack(self, size: int) -> str:
        """Nothing: what a program of another language does is not known."""
        return ""
