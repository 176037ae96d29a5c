"""What no bot may do, as functions that try it: the self-test of the walls, by effect.

`doctor` starts a copy of this file like a stranger's bot, with a line at its end that calls `run`. Each act prints one line of
JSON: its name, whether the wall held, and the error. Acts that end the process (`FATAL`) are tried one a process.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import engines

GAMES = engines.names()
SEIZE = 0x4206  # PTRACE_SEIZE: unlike attaching it does not stop the other process, should it succeed
TARGETS: dict[str, Any] = {}
_libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> None:
    """Raise what the C library left in errno."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def call(*arguments: int | None) -> None:
    """A system call by number."""
    checked(_libc.syscall(*(a if a is None else ctypes.c_long(a) for a in arguments)))


def prctl(*arguments: int) -> None:
    """`prctl` with integers."""
    checked(_libc.prctl(*map(ctypes.c_ulong, arguments)))


def secret() -> Path:
    """A file of the worker's."""
    return Path(TARGETS["secret"])


def fork() -> None:
    """A child of its own."""
    if os.fork() == 0:
        os._exit(0)


def unprotect_request() -> None:
    """The map of the request memory, found in the caller's variables, made writable."""
    frame: Any = sys._getframe()
    while "memory" not in frame.f_locals:
        frame = frame.f_back
    memory = np.frombuffer(frame.f_locals["memory"], np.uint8)
    checked(_libc.mprotect(ctypes.c_void_p(memory.ctypes.data), ctypes.c_size_t(4096), mmap.PROT_READ | mmap.PROT_WRITE))


def foreign_descriptor() -> None:
    """Any but standard input, the log, the doorbell and the reply pipe."""
    for fd in range(5, 256):
        with contextlib.suppress(OSError):
            os.get_inheritable(fd)
            return
    raise PermissionError("there is none")


def environment() -> None:
    """What the worker was started with."""
    if not os.environ:
        raise PermissionError("it is empty")


def wake_others() -> None:
    """A futex on a page of a library, which every bot has mapped."""
    with Path(os.__file__).open("rb") as file:
        page = np.frombuffer(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), np.uint8)
    wake, everybody = 1, 1 << 20
    call(TARGETS["futex"], page.ctypes.data, wake, everybody, None, None, 0)


def open_parents_memory() -> None:
    """The zygote's memory as a file."""
    with Path(f"/proc/{os.getppid()}/mem").open("rb"):
        pass


def lock() -> None:
    """A lock on a file that every bot can read: a signal to another bot."""
    with Path(os.__file__).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)


ACTS: dict[str, Callable[[], Any]] = {
    "read a file": lambda: secret().read_text(),
    "list a folder": lambda: list(secret().parent.iterdir()),
    "write to a file": lambda: secret().write_text("changed"),
    "write to its own folder": lambda: Path(__file__).with_name("new").touch(),
    "make a file": lambda: secret().with_name("new").touch(),
    "delete a file": lambda: secret().unlink(),
    "read its parent's memory": open_parents_memory,
    "read the worker's environment": lambda: Path(f"/proc/{TARGETS['worker']}/environ").read_bytes(),
    "have an environment": environment,
    "make a socket": socket.socket,
    "make a pair of sockets": socket.socketpair,
    "make a process": fork,
    "make a thread": lambda: threading.Thread(target=int).start(),
    "signal its parent": lambda: os.kill(os.getppid(), 0),
    "signal the worker": lambda: os.kill(TARGETS["worker"], signal.SIGCONT),
    "make shared memory": lambda: os.memfd_create("new"),
    "lock a common file": lock,
    "wake another bot": wake_others,
    "raise its limits": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000)),
    "become readable": lambda: prctl(4, 1),
    "outlive the zygote": lambda: prctl(1, 0),
    "choose its core": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "unprotect the request memory": unprotect_request,
    "find a foreign descriptor": foreign_descriptor,
    "take more memory than its limit": lambda: bytearray(TARGETS["memory"]),
    "start a program": lambda: os.execv("/bin/true", ["true"]),  # the last, as nothing comes after it
}
FATAL: dict[str, Callable[[], Any]] = {
    "trace its parent": lambda: call(TARGETS["ptrace"], SEIZE, os.getppid(), 0, 0),
    "make a user namespace": lambda: call(TARGETS["unshare"], 0x10000000),
}
WITH_THREADS = ("make a thread",)  # allowed in that profile


def compute() -> None:
    """What every bot must be able to do."""
    matrix = np.random.default_rng(1).random((4, 4))
    if not np.allclose(np.linalg.inv(matrix) @ matrix, np.eye(4)) or not np.isclose(np.fft.fft(np.ones(8))[0], 8):
        raise ArithmeticError("NumPy computes wrongly")
    game = engines.load(TARGETS["game"])
    game.playout(game.new(2, seed=1))


def attempt(name: str) -> None:
    """Try one act and print what came of it."""
    try:
        (ACTS | FATAL)[name]()
        result: list[Any] = [name, False, "done"]
    except (OSError, MemoryError, RuntimeError, ValueError) as error:
        result = [name, True, f"{type(error).__name__}: {error}"]
    print(json.dumps(result), flush=True)


def run(targets: dict[str, Any]) -> None:
    """Try all of `targets["acts"]`."""
    TARGETS.update(targets)
    compute()
    for name in targets["acts"]:
        attempt(name)


def act(view: Any) -> int:
    """Play on."""
    return int(view.legal[0])
