"""Two machines on this one: namespaces of their own, joined by a switch that can delay, lose and cut.

Each has its own network, processes, mounts, host name and shared memory, and a first process that reaps. The
switch takes Ethernet frames from both: the kernel's own tool for that, netem, is often not built in.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import random
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

NAMESPACES = ["--net", "--pid", "--mount", "--uts", "--ipc"]
FRAME = 65536  # bytes, at most
# the first process of a machine; gets its name, its address, its own temporary folder, and a socket for the
# descriptor of its network card
FIRST = """
import fcntl, os, signal, socket, struct, subprocess, sys

name, address, folder, fd = sys.argv[1:]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
card = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(card, 0x400454CA, struct.pack("16sH", b"card0", 0x1002))  # TUNSETIFF; IFF_TAP, IFF_NO_PI
socket.sethostname(name)
for words in (
    ["ip", "link", "set", "lo", "up"],
    ["ip", "address", "add", address + "/24", "dev", "card0"],
    ["ip", "link", "set", "card0", "up"],
    ["mount", "-t", "tmpfs", "tmpfs", folder],
    ["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"],
):
    subprocess.Popen(words).wait()
socket.send_fds(socket.socket(fileno=int(fd)), [b"up"], [card])
while True:
    signal.pause()
"""


class Machine:
    """A machine; `card` is the descriptor of its network card: frames are read from it and written to it."""

    def __init__(self, name: str, address: str, folder: Path) -> None:
        self.name, self.address, self.folder = name, address, folder
        ours, theirs = socket.socketpair()
        words = [
            "setpriv",
            "--pdeathsig",
            "KILL",
            "unshare",
            *NAMESPACES,
            "--fork",
            "--kill-child",
            "--mount-proc",
            sys.executable,
            "-c",
            FIRST,
        ]
        with ours, theirs:
            self._process = subprocess.Popen(
                [*words, name, address, str(folder), str(theirs.fileno())], pass_fds=[theirs.fileno()]
            )
            theirs.close()
            _, (self.card,), _, _ = socket.recv_fds(ours, 16, 1)
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
        self._first = int(children)

    def start(self, *words: str, **given: object) -> subprocess.Popen[str]:
        """A process on it, with its temporary folder."""
        inside = ["nsenter", "--target", str(self._first), "--all", f"--wd={Path.cwd()}", *words]
        env = {**os.environ, "TMPDIR": str(self.folder)}
        return subprocess.Popen(inside, env=env, text=True, **given)  # type: ignore[call-overload,no-any-return]

    def kill(self, part: str) -> bool:
        """Kill one process on it whose command has a text in it; whether there was one."""
        return not self.start("pkill", "--signal", "KILL", "--newest", "--full", part).wait()

    def close(self) -> None:
        """Switch it off."""
        self._process.kill()
        self._process.wait()
        os.close(self.card)


class Switch(threading.Thread):
    """What joins two machines.

    Attributes:
        delay_s: of every frame.
        loss: share of the frames that are lost.
        cut: whether nothing passes.
        passed: frames so far.
    """

    def __init__(self, one: Machine, two: Machine) -> None:
        super().__init__(daemon=True)
        self.delay_s, self.loss, self.cut, self.passed = 0.0, 0.0, False, 0
        self._to = {one.card: two.card, two.card: one.card}
        self._open, self._rng = True, random.Random(30)

    def run(self) -> None:
        """Pass frames on until it is closed."""
        late: list[tuple[float, int, int, bytes]] = []
        numbers = count()
        while self._open:
            for card in select.select(list(self._to), [], [], 0.001 if late else 0.05)[0]:
                frame = os.read(card, FRAME)
                if not self.cut and self._rng.random() >= self.loss:
                    due = time.monotonic() + self.delay_s
                    heapq.heappush(late, (due, next(numbers), self._to[card], frame))
            while late and late[0][0] <= time.monotonic():
                *_, card, frame = heapq.heappop(late)
                os.write(card, frame)
                self.passed += 1

    def close(self) -> None:
        """Let nothing pass any more."""
        self._open = False
        self.join()


@contextlib.contextmanager
def two_machines(folder: Path) -> Iterator[tuple[Machine, Machine, Switch]]:
    """Two machines whose temporary folders are below one that has a short name.

    Raises:
        OSError: this user may not make them here.
    """
    if os.geteuid() or not all(map(shutil.which, ("setpriv", "unshare", "nsenter", "ip", "pkill"))):
        raise OSError("it takes root, util-linux, iproute2 and procps")
    done = subprocess.run(["unshare", *NAMESPACES, "--fork", "true"], check=False, capture_output=True)
    if done.returncode or not os.access("/dev/net/tun", os.W_OK):
        raise OSError("namespaces or network cards cannot be made here")
    with contextlib.ExitStack() as opened:
        made = []
        for at, name in enumerate(("alpha", "beta"), 1):
            own = folder / name
            own.mkdir()
            made.append(opened.enter_context(contextlib.closing(Machine(name, f"10.77.0.{at}", own))))
        switch = Switch(*made)
        switch.start()
        opened.callback(switch.close)
        yield made[0], made[1], switch
