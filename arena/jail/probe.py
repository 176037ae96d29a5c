"""What no program may do, as functions that try it: the self-test of the walls, by effect.

A process that is jailed like any other runs `run` instead of a program (`doctor` orders it). Each act prints
one line of JSON: its name, whether the wall held, and the error. Acts that end the process (`FATAL`) are
tried one a process.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import pages

ZEROS = "share the kernel's page of zeros"
SEIZE = 0x4206  # PTRACE_SEIZE: unlike attaching it does not stop the other process, should it succeed
TARGETS: dict[str, Any] = {}
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def checked(result: int) -> None:
    """Raise what the C library left in errno."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def call(*arguments: int | None) -> None:
    """Make a system call by number."""
    checked(_libc.syscall(*(a if a is None else ctypes.c_long(a) for a in arguments)))


def prctl(*arguments: int) -> None:
    """`prctl` with integers."""
    checked(_libc.prctl(*map(ctypes.c_ulong, arguments)))


def secret() -> Path:
    """Return a file of the worker's."""
    return Path(TARGETS["secret"])


def fork() -> None:
    """Fork a child of its own."""
    if os.fork() == 0:
        os._exit(0)


def unprotect_request() -> None:
    """Make the map of the request memory writable."""
    address = ctypes.c_void_p(address_of_requests())
    checked(_libc.mprotect(address, ctypes.c_size_t(4096), mmap.PROT_READ | mmap.PROT_WRITE))


def address_of_requests() -> int:
    """Where the request memory is."""
    import numpy as np

    return int(np.frombuffer(TARGETS["requests"], np.uint8).ctypes.data)


def foreign_descriptor() -> None:
    """Any but standard input, log and channel, and the file that new memory is a copy of with threads."""
    for fd in set(range(4, 256)) - {pages.NEW[1]}:
        with contextlib.suppress(OSError):
            os.get_inheritable(fd)
            return
    raise PermissionError("there is none")


def unwritten_memory() -> None:
    """Take memory that nobody has written to, past the C library, which would have it written to.

    It reads as the kernel's page of zeros, which every process can have.
    """
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    call(TARGETS["mmap"], None, mmap.PAGESIZE, mmap.PROT_READ, flags, -1, 0)


def environment() -> None:
    """Read the environment that the worker was started with."""
    if not os.environ:
        raise PermissionError("it is empty")


def wake_others() -> None:
    """Wake waiters by a futex on the request memory, which another process has mapped, too."""
    wake, everybody = 1, 1 << 20
    call(TARGETS["futex"], address_of_requests(), wake, everybody, None, None, 0)


def queue_signals() -> None:
    """Signals that wait in a queue whose length is counted per user."""
    number = signal.SIGRTMIN + 1
    signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    os.kill(os.getpid(), number)


def open_parents_memory() -> None:
    """Open the fork server's memory as a file."""
    with Path(f"/proc/{os.getppid()}/mem").open("rb"):
        pass


def find(path: str) -> None:
    """Ask for a path, whether there is such a file or not; the kernel may refuse to look."""
    with contextlib.suppress(FileNotFoundError):
        os.stat(path)  # noqa: PTH116


ACTS: dict[str, Callable[[], Any]] = {
    "read a file": lambda: secret().read_text(),
    "list a folder": lambda: list(secret().parent.iterdir()),
    "write to a file": lambda: secret().write_text("changed"),
    "make a file": lambda: secret().with_name("new").touch(),
    "delete a file": lambda: secret().unlink(),
    "ask whether a file exists": lambda: secret().stat(),
    "leave a name in the kernel's cache": lambda: find(f"/{TARGETS['secret']}-none"),
    "read a library": lambda: Path(os.__file__).read_bytes(),
    "read its parent's memory": open_parents_memory,
    "read the worker's environment": lambda: Path(f"/proc/{TARGETS['worker']}/environ").read_bytes(),
    "read the worker's clock": lambda: time.clock_gettime((~TARGETS["worker"] << 3) | 2),
    "have an environment": environment,
    "make a socket": socket.socket,
    "make a pair of sockets": socket.socketpair,
    "make a process": fork,
    "make a thread": lambda: threading.Thread(target=int).start(),
    "start a program": lambda: subprocess.run(["/bin/true"], check=True),
    "kill itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "signal its parent": lambda: os.kill(os.getppid(), 0),
    "signal the worker": lambda: os.kill(TARGETS["worker"], signal.SIGCONT),
    "queue signals": queue_signals,
    "make shared memory": lambda: os.memfd_create("new"),
    "take a huge page": lambda: mmap.mmap(-1, 1 << 21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000),
    ZEROS: unwritten_memory,
    "wake another bot": wake_others,
    "raise its limits": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000)),
    "make its memory readable to others": lambda: prctl(4, 1),
    "outlive the fork server": lambda: prctl(1, 0),
    "choose its core": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "unprotect the request memory": unprotect_request,
    "find an open file that is not its own": foreign_descriptor,
    "take more memory than its limit": lambda: bytearray(TARGETS["memory"]),
}
FATAL: dict[str, Callable[[], Any]] = {
    "trace its parent": lambda: call(TARGETS["ptrace"], SEIZE, os.getppid(), 0, 0),
    "make a user namespace": lambda: call(TARGETS["unshare"], 0x10000000),
}
WITH_THREADS = ("make a thread",)  # allowed in that profile


def attempt(name: str) -> None:
    """Try one act and print what came of it."""
    try:
        (ACTS | FATAL)[name]()
        result: list[Any] = [name, False, "done"]
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        result = [name, True, f"{type(error).__name__}: {error}"]
    os.write(1, json.dumps(result).encode() + b"\n")


def run(targets: dict[str, Any], check: Callable[[], None], requests: mmap.mmap) -> None:
    """Try all of `targets["acts"]`, after what every program must be able to do."""
    TARGETS.update(targets, requests=requests)
    check()
    for name in targets["acts"]:
        attempt(name)
