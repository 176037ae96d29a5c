"""A bot's process, from the fork to the loop that answers: give up every right, in this order, then import the bot.

No code of a stranger runs before `confine` has returned and the worker has been told; until then every failure is the host's.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import platform
import resource
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from engines.game import Game

from . import landlock, linux, namespaces, sdk, seccomp, wire
from .limits import Layer, Limits

MIB = 1024 * 1024


@dataclass(frozen=True)
class Config:
    """What the worker writes into the request memory before the fork.

    The zygote never sees it: it would be in the memory of every later bot.
    """

    source: Path
    seed: int
    core: int | None
    layers: tuple[Layer, ...]
    limits: Limits
    nonce: int

    def to_bytes(self) -> bytes:
        """As the child reads it."""
        limits = {name: getattr(self.limits, name) for name in Limits.__slots__}
        plain = {name: getattr(self, name) for name in ("seed", "core", "layers", "nonce")}
        plain |= {"source": str(self.source), "limits": limits}
        return json.dumps(plain).encode() + b"\0"

    @classmethod
    def of(cls, memory: mmap.mmap) -> Config:
        """The configuration at the start of the request memory."""
        plain: dict[str, Any] = json.loads(memory[: memory.find(b"\0")])
        return cls(
            Path(plain["source"]),
            plain["seed"],
            plain["core"],
            tuple(map(Layer, plain["layers"])),
            Limits(**plain["limits"]),
            plain["nonce"],
        )


@dataclass(frozen=True)
class Home:
    """What the zygote has prepared for its children."""

    game: Game
    readable: tuple[Path, ...]  # what every bot may read
    aliases: dict[Path, Path]  # names of such paths that are links
    zygote: int  # its process id


def run(descriptors: list[int], home: Home) -> NoReturn:
    """The child's whole life.

    Args:
        descriptors: log, doorbell, reply pipe and request memory, as they came from the worker.
        home: from the zygote.
    """
    nonce = 0
    try:
        die_with(home.zygote)
        os.setsid()  # no terminal, and no process group in common with anybody
        memory = place(descriptors)
        config = Config.of(memory)
        nonce = config.nonce
        confine(config, home)
    except BaseException as error:
        sdk.send(0, wire.REFUSED, nonce, words=wire.pack_words([(-1, "host", f"{type(error).__name__}: {error}")]))
        os._exit(1)
    sdk.send(0, wire.OK, nonce)
    try:
        sdk.play(config.source, home.game, config.seed, memory, nonce)
    finally:
        os._exit(1)


def confine(config: Config, home: Home) -> None:
    """Everything between a fork and a stranger's code, in the order that works: the last step takes away the means."""
    layers = config.layers
    folder = config.source if config.source.is_dir() else config.source.parent
    size = address_space()
    os.environ.clear()
    os.chdir(folder)
    if config.core is not None:
        os.sched_setaffinity(0, {config.core})
    if Layer.NAMESPACES in layers:
        namespaces.enter([*home.readable, config.source], home.aliases, folder)
        die_with(home.zygote)  # new rights have made the kernel forget it
    os.umask(0o777)
    if Layer.NO_OPEN in layers:
        sdk.import_from_memory(config.source)
    if Layer.PRIVILEGES in layers:
        give_up_privileges()
    if Layer.FILES in layers or Layer.CALLS in layers:
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)  # else the kernel lets nobody but root build walls
    if Layer.FILES in layers:
        landlock.restrict((*home.readable, config.source))
    if Layer.LIMITS in layers:
        limit_resources(config.limits, size)
    if Layer.CALLS in layers:
        threads, may_open = config.limits.profile == "threads", Layer.NO_OPEN not in layers
        seccomp.install(seccomp.program(platform.machine(), os.getpid(), threads, may_open))


def give_up_privileges() -> None:
    """No capability, and no other process of this user may look inside."""
    linux.drop_capabilities()
    linux.prctl(linux.PR_SET_DUMPABLE, 0)


def die_with(zygote: int) -> None:
    """The kernel kills this process when the zygote ends; the zygote may have ended already."""
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != zygote:
        os._exit(1)


def place(descriptors: list[int]) -> mmap.mmap:
    """Put descriptors 0 to 4 in their places, map the request memory, and close all others."""
    null = os.open(os.devnull, os.O_RDONLY)
    log, bell, reply, memory = (os.dup2(fd, 100 + i) for i, fd in enumerate(descriptors))
    for fd, target in ((null, 0), (log, 1), (log, 2), (bell, wire.BELL_FD), (reply, wire.REPLY_FD)):
        os.dup2(fd, target)
    request = mmap.mmap(memory, 0, prot=mmap.PROT_READ)
    linux.close_from(wire.REPLY_FD + 1)  # the request memory's too, and the duplicate that mmap keeps: the map is enough
    faulthandler.enable(2, all_threads=False)  # a segmentation fault leaves a traceback in the log
    return request


def limit_resources(limits: Limits, size: int) -> None:
    """The kernel's own limits, as hard ones; `size`: bytes of address space that the process has already.

    There is none on CPU time: while RLIMIT_CPU is set, the kernel moves a process's CPU clock by whole ticks (4 ms), which would
    spoil the worker's clock and that of a bot which times itself. The worker keeps the limit; PDEATHSIG holds if it is gone.
    """
    table = {
        resource.RLIMIT_AS: size + limits.memory_mib * MIB,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: limits.log_kib * 1024,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_SIGPENDING: 16,
    }
    if limits.profile == "numpy":  # threads count as processes
        table[resource.RLIMIT_NPROC] = 0
    for which, value in table.items():
        resource.setrlimit(which, (value, value))


def address_space() -> int:
    """Bytes of address space that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
