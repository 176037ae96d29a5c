"""The fork server: a fresh, single-threaded interpreter with the game loaded, of which every bot's process is a fork.

Started by `worker.Zygote` with one socket; speaks `FORK` (with four descriptors) and `REAP <pid>`, one answer each. It is told
nothing about bots: what it knew, every later bot could read in its own memory. Ends when the worker closes the socket or dies.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

import engines
from engines import core

from . import child, files, read_only_numba

PRELOADED = [
    "numpy.fft",
    "numpy.linalg",
    "numpy.ma",
    "numpy.polynomial",
    "numpy.random",
    "abc",
    "array",
    "base64",
    "bisect",
    "collections.abc",
    "contextlib",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "gzip",
    "hashlib",
    "heapq",
    "importlib.resources",
    "importlib.util",
    "io",
    "itertools",
    "json",
    "math",
    "numbers",
    "operator",
    "pathlib",
    "pickle",
    "pkgutil",
    "queue",
    "random",
    "re",
    "statistics",
    "string",
    "struct",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "warnings",
    "weakref",
    "zlib",
]  # what bots import: loaded late it would cost each of them (numpy.random: 10 ms), and strict-noopen cannot load it late
FORK = b"fork"
REAP = b"reap"


def _one_more(x: int) -> int:
    return x + 1


def default_signals() -> None:
    """What children inherit: default signals, but a full log or a lost reader are errors that can be caught."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def prepare(game_name: str, threads: bool) -> child.Home:
    """Import what bots use and load the game's kernels; afterwards the process must still have one thread."""
    for name in PRELOADED:
        __import__(name)
    game = engines.load(game_name)
    game.use_everything()
    np.linalg.inv(np.eye(2))
    if core.JIT:
        numba.njit(_one_more)(1)  # starts the compiler, for bots that bring compiled functions of their own
    read_only_numba.install()
    default_signals()
    tasks = len(list(Path("/proc/self/task").iterdir()))
    if tasks != 1:
        raise RuntimeError(f"the zygote has {tasks} threads: a fork would not be safe")
    links = {Path(name): Path(name).resolve() for name in sys.path if Path(name).exists()}
    home = child.Home(
        game,
        readable=tuple(files.readable(core.CACHE_FOLDER, threads)),
        aliases={name: path for name, path in links.items() if name != path},
        zygote=os.getpid(),
    )
    gc.collect()
    gc.freeze()
    return home


def fork(server: socket.socket, descriptors: list[int], home: child.Home) -> None:
    """Fork a bot's process; answer with its id and a pidfd, or with what the kernel said."""
    try:
        pid = os.fork()
    except OSError as error:
        return say(server, error=str(error))
    if pid == 0:
        child.run(descriptors, home)
    try:
        pidfd = os.pidfd_open(pid)
    except OSError as error:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        return say(server, error=str(error))
    socket.send_fds(server, [json.dumps({"pid": pid}).encode()], [pidfd])
    os.close(pidfd)


def reap(server: socket.socket, pid: int) -> None:
    """Wait for the end of a bot's process, which the worker has seen or ordered; answer with how it ended."""
    _, status, usage = os.wait4(pid, 0)
    say(server, status=os.waitstatus_to_exitcode(status), max_rss_kib=usage.ru_maxrss, cpu_s=usage.ru_utime + usage.ru_stime)


def say(server: socket.socket, **answer: Any) -> None:
    """Answer the worker."""
    server.send(json.dumps(answer).encode())


def main(fd: int) -> None:
    """Serve until the worker is gone."""
    server = socket.socket(fileno=fd)
    game, profile = server.recv(64).decode().split()
    home = prepare(game, profile == "threads")
    say(server, ready=True)
    while True:
        request, descriptors, _, _ = socket.recv_fds(server, 64, 4)
        if not request:
            return
        if request == FORK:
            fork(server, descriptors, home)
            for descriptor in descriptors:
                os.close(descriptor)
        else:
            reap(server, int(request.removeprefix(REAP)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
