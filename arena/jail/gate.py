"""A process becomes another program exactly once, by the worker's hand.

The process puts a second filter on itself that asks whoever holds its listener about `execveat` (`close`, in
the process); the listener goes to the worker. When the process asks, the worker lets this one call pass and
closes the listener for ever (`Gate.open`): from then on the kernel refuses the call, with whatever arguments,
and no path of it is ever looked up. At the time of the one call nothing of the stranger has run yet, so its
arguments are the harness's own. Needs Linux 5.5, and no other listener on the worker itself.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import struct

from . import linux, seccomp
from .outcomes import HostError

ASK: seccomp.Instruction = (seccomp.RETURN, 0, 0, 0x7FC00000)  # SECCOMP_RET_USER_NOTIF
SET_MODE_FILTER, NEW_LISTENER = 1, 8
RECEIVE, SEND = 0xC0502100, 0xC0182101  # ioctls of a listener
QUESTION = struct.Struct("<QII iIQ 6Q")  # id, process, flags; number, architecture, instruction, arguments
ANSWER = struct.Struct("<QqiI")  # id, value, error, flags
CONTINUE = 1
GATE_S = 20.0  # wall time from the worker's word to the call


def program(machine: str) -> list[seccomp.Instruction]:
    """Return the filter: `execveat` is asked about, all else is for the other filter to judge."""
    execveat = seccomp.EXECUTED["execveat"][list(seccomp.AUDIT_ARCH).index(machine)]
    assert execveat is not None  # every machine has it
    return [
        (seccomp.LOAD, 0, 0, seccomp.ARCHITECTURE),
        (seccomp.IF_EQUAL, 0, 3, seccomp.AUDIT_ARCH[machine]),
        (seccomp.LOAD, 0, 0, seccomp.NUMBER),
        (seccomp.IF_EQUAL, 0, 1, execveat),
        ASK,
        seccomp.ALLOW,
    ]


def close() -> int:
    """Put the gate on this process, for ever; returns the listener. Needs no_new_privs. Raises OSError."""
    code = b"".join(struct.pack("HBBI", *step) for step in program(platform.machine()))
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    try:
        return linux.syscall(seccomp.SECCOMP[platform.machine()], SET_MODE_FILTER, NEW_LISTENER, header)
    except OSError as error:
        text = (
            f"{error.strerror}: programs that are not Python need a seccomp listener "
            "(Linux 5.5, and a container that has none itself)"
        )
        raise OSError(error.errno, text) from None


class Gate:
    """The worker's end of a process's gate; `close` it, or `open` it once."""

    def __init__(self, listener: int) -> None:
        self._listener = listener

    def close(self) -> None:
        """Nobody passes any more."""
        if self._listener >= 0:
            os.close(self._listener)
            self._listener = -1

    def open(self) -> bool:
        """Wait for the process's one call and let it pass; False: it does not ask."""
        waiting = select.poll()
        waiting.register(self._listener, select.POLLIN)
        try:
            if not any(event & select.POLLIN for _, event in waiting.poll(GATE_S * 1000)):
                return False
            question = bytearray(QUESTION.size)
            fcntl.ioctl(self._listener, RECEIVE, question)
            answer = bytearray(ANSWER.pack(QUESTION.unpack(question)[0], 0, 0, CONTINUE))
            fcntl.ioctl(self._listener, SEND, answer)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ESRCH):  # it has died meanwhile
                return False
            raise HostError(f"a bot's program cannot be started: {error}") from None
        finally:
            self.close()
        return True
