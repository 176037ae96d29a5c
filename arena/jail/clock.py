"""Measure what a jailed process has used: CPU time, sleep, memory, threads.

All of it is read from the kernel and never told by the process.

Load on the machine costs nobody anything: CPU time is the process's own, and time in which it or the worker
waited for a core is no sleep.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

from leagues.limits import Limits

from .outcomes import Failed, FaultKind

NOBODYS = 1 << 20  # no clock has this number: to read it is an OSError
# kB of address space, the most until now and now, and of page tables; a process names itself, a line above
VM = re.compile(rb"^Vm(Peak|Size|PTE):\s*(\d+) kB", re.MULTILINE)
MEMORY_S = 0.05  # s between two looks at a process's memory, at least


def schedule_s(place: str) -> tuple[float, float]:
    """Seconds that a process's first thread, or a thread, has run, and has waited for a core.

    Raises:
        OSError: there is no such process, or the kernel does not tell (`facts.missing`).
    """
    fd = os.open(f"{place}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        ran, waited, _ = os.read(fd, 64).split()
        return int(ran) / 1e9, int(waited) / 1e9
    finally:
        os.close(fd)


def core_wait_s(place: str) -> float:
    """Return the second of `schedule_s`."""
    return schedule_s(place)[1]


class Clock:
    """Keep the account of one process.

    A process that takes the place of another (`before`) goes on with the other's account.

    Attributes:
        used: CPU seconds at the last look, since the fork.
        begin: CPU seconds before its program's first instruction, less those of the process before.
        slept: seconds of its bank of sleep that are gone.
        asked: decisions asked of it.
        peak_mib: the most memory so far: address space, as `Limits.memory_mib` counts it, or with the page
            tables that the kernel keeps for it, which the process can make much larger than what they map.
    """

    def __init__(self, pid: int, limits: Limits, before: Clock | None = None) -> None:
        self.limits = limits
        self.used = 0.0
        self.begin = 0.0
        self.slept: float = before.slept if before is not None else 0.0
        self.asked: int = before.asked if before is not None else 0
        self.peak_mib: float = before.peak_mib if before is not None else 0.0
        # address space and page tables before its program began; None: it has not begun
        self._first_mib: tuple[float, float] | None = None
        self._memory_read = 0.0  # when
        self.loaded = before is not None  # the second time, loading is paid from the account of the match
        self._before = before.charged if before is not None else 0.0
        self._pid = pid
        self._clock = (~pid << 3) | 2
        # of the request that is being waited for, at its begin: wall time, CPU time, the worker's waits for a
        # core, `_awake`
        self._request: tuple[float, float, float, dict[str, float]] = (0.0, 0.0, 0.0, {})
        self._excused: float | None = None  # s that the worker waited for a core; None: they still count

    @property
    def allowed(self) -> float:
        """CPU seconds since the fork that it may have used by now."""
        budget = (
            self.limits.cpu_s(self.asked)
            if self.loaded
            else min(self.limits.cpu_s_start, self.limits.cpu_s_match)
        )
        return self.begin + budget

    @property
    def charged(self) -> float:
        """CPU seconds since its program's first instruction."""
        return max(0.0, self.used - self.begin)

    def start(self, used: float) -> None:
        """Note that the process is jailed, after so many CPU seconds, and that its program begins now."""
        self.used, self.begin = used, used - self._before
        _, size, tables = self._read_vm() or (0.0, 0.0, 0.0)
        self._first_mib = size, tables

    def start_anew(self) -> None:
        """Note that it has become another program: what it had in memory is gone."""
        self._first_mib = (0.0, 0.0)

    def read(self) -> float:
        """CPU seconds of the process since the fork (of a process that is gone: at the last look)."""
        try:  # noqa: SIM105 - suppress() costs as much as the call
            self.used = time.clock_gettime(self._clock)
        except OSError:  # it was reaped: its fork server has died, and nobody knows
            pass
        return self.used

    def end(self, used: float) -> None:
        """Note that it has ended, after so many CPU seconds; its number may soon be another process's."""
        self.used = max(self.used, used)
        self._clock = NOBODYS

    def read_memory(self) -> float:
        """Return the most memory until now, in MiB; a process that has ended keeps what was read before."""
        self._memory_read = time.monotonic()
        if self._first_mib is not None and (vm := self._read_vm()):
            peak, size, tables = vm
            own, kernels = self._first_mib
            self.peak_mib = max(self.peak_mib, peak - own, size - own + tables - kernels)
        return self.peak_mib

    def _read_vm(self) -> tuple[float, float, float] | None:
        """MiB of address space, the most and now, and of page tables; None: the process has ended."""
        try:
            found = dict(VM.findall(Path(f"/proc/{self._pid}/status").read_bytes()))
            return int(found[b"Peak"]) / 1024, int(found[b"Size"]) / 1024, int(found[b"PTE"]) / 1024
        except (OSError, KeyError):
            return None

    @property
    def over_memory(self) -> bool:
        """Whether it has had more than its memory and what page tables for it may have."""
        return self.peak_mib > self.limits.memory_mib + self.limits.tables_mib

    def check(self) -> None:
        """Look at the process. Raises Failed: it is over its CPU time or memory, or has too many threads."""
        if self.read() > self.allowed:
            what = f"in {self.asked} decisions" if self.asked else "to load the bot"
            budget = self.allowed - self.begin
            raise Failed(
                FaultKind.CPU, f"used {self.charged:.3f} s of CPU time {what}; the budget is {budget:.3f} s"
            )
        if time.monotonic() - self._memory_read > MEMORY_S:
            self.read_memory()
        if self.over_memory:
            raise Failed(FaultKind.MEMORY, self.memory_text)
        if self.limits.profile == "threads":
            self._count_threads()

    @property
    def memory_text(self) -> str:
        """What is wrong with its memory, in a sentence."""
        has, may = self.peak_mib, self.limits.memory_mib
        return f"has {has:.0f} MiB of memory with the kernel's page tables for it; the limit is {may} MiB"

    def _count_threads(self) -> None:
        """Refuse a process with too many threads: no limit of the kernel counts those of one process."""
        try:
            threads = os.stat(f"/proc/{self._pid}/task").st_nlink - 2  # noqa: PTH116 - one call and no list
        except OSError:
            return
        if threads > self.limits.threads:
            raise Failed(FaultKind.MEMORY, f"has {threads} threads; the limit is {self.limits.threads}")

    # --- sleep ----------------------------------------------------------------------------------------------

    def _awake(self) -> dict[str, float]:
        """For each thread the seconds that it has not slept.

        With one thread only its waits for a core, as its CPU time is read apart. Of many, one waits while
        another runs, so their waits say nothing together: who makes many would be paid in sleep for it.
        """
        own = f"/proc/{self._pid}"
        if self.limits.profile == "numpy":
            return {own: core_wait_s(own)}
        awake = {}
        for place in self._threads():
            with contextlib.suppress(OSError):  # it has ended since
                awake[place] = sum(schedule_s(place))
        return awake

    def _threads(self) -> list[str]:
        """Return the folder in /proc of every thread. Raises OSError: the process is gone."""
        own = f"/proc/{self._pid}/task"
        return [f"{own}/{thread}" for thread in os.listdir(own)]  # noqa: PTH208 - the names are wanted

    def begin_wait(self) -> None:
        """Begin to count sleep: a request has not been answered within `FREE_S`.

        Time in which the process does not compute is sleep from now on.
        """
        began = time.monotonic()
        self._excused = None
        try:
            self._request = began, self.read(), core_wait_s("/proc/thread-self"), self._awake()
        except OSError:  # it ends just now
            self._request = began, self.used, 0.0, {}

    def stop_excusing(self) -> None:
        """Stop excusing waits of the worker for a core in this request.

        The worker waits for a core while the process answers in bits, and both waits are then the same time.
        """
        if self._excused is None:
            with contextlib.suppress(OSError):
                self._excused = core_wait_s("/proc/thread-self") - self._request[2]

    def asleep(self) -> float:
        """Seconds of this request, but for its first `FREE_S`, that the process has slept so far."""
        began, cpu, workers, before = self._request
        try:
            awake = max((now - before.get(thread, 0.0) for thread, now in self._awake().items()), default=0.0)
            if self._excused is None:
                workers = core_wait_s("/proc/thread-self") - workers
            else:
                workers = self._excused
        except OSError:
            return 0.0
        computed = self.read() - cpu
        awake = computed + awake if self.limits.profile == "numpy" else max(computed, awake)
        return max(0.0, time.monotonic() - began - awake - workers)

    def _runs(self) -> bool:
        """Whether a thread runs, or waits for a core, which looks like sleep until the wait is over."""
        with contextlib.suppress(OSError):  # it ends just now
            for place in self._threads():
                with contextlib.suppress(OSError):  # it has ended since
                    if Path(f"{place}/stat").read_bytes().rpartition(b") ")[2].startswith(b"R"):
                        return True
        return False

    def check_sleep(self, over: bool) -> None:
        """Take this request's sleep out of the bank. Raises Failed: the bank is empty."""
        slept = self.slept + self.asleep()
        if slept > self.limits.sleep_s_bank and (over or not self._runs()):
            self.slept = slept
            text = f"slept for {slept:.1f} s of this match; the bank is {self.limits.sleep_s_bank:g} s"
            raise Failed(FaultKind.WALL, text)
        if over:
            self.slept = slept
