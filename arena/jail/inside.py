"""Run a jailed process, from the fork to the stranger's first instruction.

It gives up every right, in this order, then runs the program.

No code of a stranger runs before `confine` has returned and the worker has been told; until then every
failure is the host's.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import time
from dataclasses import dataclass
from typing import NoReturn, Protocol

from leagues.limits import Limits

from . import execute, files, gate, imports, landlock, linux, namespaces, pages, probe, seccomp
from .outcomes import Layer
from .program import Orders

MIB = 1024 * 1024
DESCRIPTORS = 64  # the most that a process may have open
NO_CORE = 1  # bytes, fewer than any core dump has; at 0 the kernel would give one to a host's handler
CHANNEL = 3  # the descriptor that questions come and answers go by; 0 is /dev/null, 1 and 2 are the log
STACK_SIGNAL = signal.SIGUSR1  # asks for the stack in the log
FIRST_FREE = 100  # where descriptors are kept while they are put in their places

# the first message: a word, the nonce of the orders, CPU seconds used until then
JAILED = struct.Struct("<4sQd")
GATE = b"gate"  # before it, for a program that is not Python: the listener of its gate
YES, NO = b"yes!", b"no. "  # after the second follows why the host cannot jail a process


@dataclass(frozen=True)
class Inside:
    """What a hook gets to run a program with: the program's files are served and can be imported by now."""

    name: str
    is_folder: bool
    seed: int
    requests: mmap.mmap  # memory that the worker writes its questions into
    nonce: int
    limits: Limits
    began: float  # CPU seconds of this process that are not charged, less those charged before it
    asked: int  # questions that were answered before it


class Hook(Protocol):
    """What the fork server has prepared for its children: made by `prepare(argument)` of a module."""

    def check(self) -> None:
        """Raise if what every program needs does not work behind the wall."""

    def run(self, inside: Inside) -> None:
        """Import a program and let it answer; returns when it cannot go on."""


def run(descriptors: list[int], hook: Hook, server: int) -> NoReturn:
    """Return the process's whole life.

    Args:
        descriptors: log, channel, orders and request memory, as they came from the worker; for a program that
            is not Python also its standard input and output.
    """
    channel = descriptors[1]
    try:
        linux.die_with(server)
        os.setsid()  # no terminal, and no process group in common with anybody
        source, requests = place(descriptors)
        channel = CHANNEL
        orders = Orders.read(source)
        files.STORE.mount(source, orders.places, _folder(orders))
        if orders.execute is not None:
            execute.open_files(orders.execute, files.STORE.read)
        confine(orders, server)
    except BaseException as error:
        os.write(
            channel,
            JAILED.pack(NO, 0, 0.0) + f"{type(error).__name__}: {error}".encode(errors="replace")[:2000],
        )
        os._exit(1)
    used = time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)
    inside = Inside(
        orders.name,
        "__init__.py" in orders.places,
        orders.seed,
        requests,
        orders.nonce,
        orders.limits,
        used - orders.spent,
        orders.asked,
    )
    os.write(CHANNEL, JAILED.pack(YES, orders.nonce, used))
    # the worker's word to go on: all processes of a match are jailed before one of them runs a program
    os.read(CHANNEL, 1)
    try:
        if orders.execute is not None:
            execute.run(orders.name, orders.execute, orders.limits.memory_mib * MIB, CHANNEL)
        elif orders.probe is None:
            hook.run(inside)
        else:
            probe.run(orders.probe, hook.check, requests)
    finally:
        os._exit(1)


def _folder(orders: Orders) -> str:
    """Where the program seems to lie."""
    return f"{files.ROOT}/{orders.name}" if "__init__.py" in orders.places else files.ROOT


def confine(orders: Orders, server: int) -> None:
    """Take every step between a fork and a stranger's code.

    The steps are in the order that works: the last one takes away the means.
    """
    layers, limits, executes = orders.layers, orders.limits, orders.execute is not None
    size = memory_sizes()
    closed = not executes and seccomp.is_closed(platform.machine())
    if closed and limits.profile == "threads" and Layer.CALLS in layers:
        pages.have_memory_of_a_file(limits.memory_mib * MIB)
    os.environ.clear()
    os.chdir("/")
    if orders.core is not None:
        os.sched_setaffinity(0, {orders.core})
    if Layer.LIMITS in layers:
        be_the_first_to_go()
    if Layer.NAMESPACES in layers:
        namespaces.enter()
        linux.die_with(server)  # new rights have made the kernel forget it
    os.umask(0o777)
    if Layer.PRIVILEGES in layers:
        linux.drop_capabilities()
        linux.prctl(linux.PR_SET_DUMPABLE, 0)  # no other process of this user may look inside
    if Layer.FILES in layers or Layer.CALLS in layers or executes:
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)  # else the kernel lets nobody but root build walls
    if Layer.FILES in layers:
        landlock.restrict(readable=execute.readable(orders.execute))
    if Layer.LIMITS in layers:
        limit_resources(limits, size, own_count=Layer.NAMESPACES in layers)
        if closed:
            forbid_the_stack_to_grow()
    if executes:
        give_gate_away()
    if Layer.CALLS in layers:
        machine, kind = platform.machine(), execute.kind(orders.execute)
        if machine == "x86_64" and kind is seccomp.Kind.PYTHON and plain(limits):
            linux.prctl(linux.PR_SET_TSC, linux.PR_TSC_SIGSEGV)
        code = seccomp.packed(machine, limits.profile == "threads", kind)
        seccomp.install(code, os.getpid())
    else:
        imports.from_disk_too()


def plain(limits: Limits) -> bool:
    """Tell whether nothing but what is tested here can need the processor's counter of cycles.

    It tells when the machine was started. Torch reads it, and programs in other languages may.
    """
    return limits.profile == "numpy" and not limits.preload


def give_gate_away() -> None:
    """Close the gate to other programs; only the worker can open it now, once."""
    listener = gate.close()
    socket.send_fds(socket.socket(fileno=os.dup(CHANNEL)), [GATE], [listener])
    os.close(listener)


def be_the_first_to_go() -> None:
    """If the machine runs out of memory, the kernel ends the largest jailed process, and no worker."""
    with contextlib.suppress(OSError):  # where /proc cannot be written to
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)


def place(descriptors: list[int]) -> tuple[mmap.mmap, mmap.mmap]:
    """Put descriptors 0 to 3 in their places, map orders and request memory, and close all others."""
    null = os.open(os.devnull, os.O_RDONLY)
    log, channel, orders, requests, *pipes = (os.dup2(fd, FIRST_FREE + i) for i, fd in enumerate(descriptors))
    reads, writes = pipes or (null, log)
    for fd, target in ((reads, 0), (writes, 1), (log, 2)):
        os.dup2(fd, target)
    os.dup2(channel, CHANNEL, inheritable=False)
    maps = mmap.mmap(orders, 0, prot=mmap.PROT_READ), mmap.mmap(requests, 0, prot=mmap.PROT_READ)
    # those of the maps too, and the duplicates that mmap keeps: the maps are enough
    os.closerange(CHANNEL + 1, 1 << 20)
    return maps


def limit_resources(limits: Limits, size: tuple[int, int], own_count: bool) -> None:
    """Set the kernel's own limits, as hard ones.

    Args:
        limits: what the process may use.
        size: bytes of address space and of writable memory that it has already.
        own_count: whether the kernel counts its threads apart from all others of this user.

    What is counted per user (locked memory, message queues, processes, queued signals) is zero: two processes
    could signal by the count. There is no limit on CPU time: while RLIMIT_CPU is set, the kernel moves a
    process's CPU clock by whole ticks (4 ms), which would spoil the worker's clock and that of a program
    which times itself.
    """
    table = {
        resource.RLIMIT_AS: size[0] + limits.memory_mib * MIB,
        # where the kernel cannot seal libraries it could write to them, too: each page would be copied
        resource.RLIMIT_DATA: size[1] + limits.memory_mib * MIB,
        resource.RLIMIT_CORE: NO_CORE,
        resource.RLIMIT_FSIZE: limits.log_kib * 1024,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_SIGPENDING: 0,
    }
    if limits.profile == "numpy":
        table[resource.RLIMIT_NPROC] = 0
    elif own_count:  # threads count as processes, of all that this user has
        table[resource.RLIMIT_NPROC] = limits.threads
    for which, value in table.items():
        resource.setrlimit(which, (value, value))


def forbid_the_stack_to_grow() -> None:
    """Let the kernel add no page to the first thread's stack.

    A page that it adds is the page of zeros for whoever only reads it. Below the stack lies memory that was
    written to (`pages`), which the stack goes on in; a program can unmap that.
    """
    resource.setrlimit(resource.RLIMIT_STACK, (0, 0))


def memory_sizes() -> tuple[int, int]:
    """Bytes of address space that this process has now, and those of them that are its own and writable."""
    fd = os.open("/proc/self/statm", os.O_RDONLY)  # not by `Path`: every bot waits for this
    try:
        pages = list(map(int, os.read(fd, 128).split()))
        return pages[0] * resource.getpagesize(), pages[5] * resource.getpagesize()
    finally:
        os.close(fd)
