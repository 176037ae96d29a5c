"""Measure what a jailed process has used: CPU time, sleep, threads.

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
VM_PEAK = re.compile(rb"^VmPeak:\s*(\d+) kB", re.MULTILINE)  # a process names itself, a line above
VM_MOST = re.compile(rb"Max address space\s+(\d+)")


def schedule_s(place: str) -> tuple[float, float]:
    """Seconds that a process's first thread, or a thread, has run, and has waited for a core.

    Args:
        place: its folder in /proc.

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
        peak_mib: the most address space so far, as `Limits.memory_mib` counts it.
    """

    def __init__(self, pid: int, limits: Limits, before: Clock | None = None) -> None:
        self.limits = limits
        self.used = 0.0
        self.begin = 0.0
        self.slept: float = before.slept if before is not None else 0.0
        self.asked: int = before.asked if before is not None else 0
        self.peak_mib: float = before.peak_mib if before is not None else 0.0
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
        """Note that the program begins, after so many CPU seconds."""
        self.used, self.begin = used, used - self._before

    def read(self) -> float:
        """CPU seconds of the process since the fork (of a process that is gone: at the last look)."""
        try:  # noqa: SIM105 - suppress() costs as much as the call
            self.used = time.clock_gettime(self._clock)
        except OSError:  # it was reaped: its fork server has died, and nobody knows
            pass
        return self.used

    def end(self, used: float) -> None:
        """Note that it has ended, after so many CPU seconds since the fork.

        The number of the process may soon be another's.
        """
        self.used = max(self.used, used)
        self._clock = NOBODYS

    def read_memory(self) -> float:
        """Return the most address space until now, in MiB above the first.

        A process that has ended keeps what was read before.
        """
        try:
            peak = VM_PEAK.search(Path(f"/proc/{self._pid}/status").read_bytes())
            most = VM_MOST.search(Path(f"/proc/{self._pid}/limits").read_bytes())
        except OSError:
            return self.peak_mib
        if peak is not None and most is not None:
            left = int(most[1]) / 2**20 - int(peak[1]) / 2**10
            self.peak_mib = max(self.peak_mib, self.limits.memory_mib - left)
        return self.peak_mib

    def check(self) -> None:
        """Look at the process.

        Raises:
            Failed: it is over its CPU time or has too many threads.
        """
        if self.read() > self.allowed:
            what = f"in {self.asked} decisions" if self.asked else "to load the bot"
            budget = self.allowed - self.begin
            raise Failed(
                FaultKind.CPU, f"used {self.charged:.3f} s of CPU time {what}; the budget is {budget:.3f} s"
            )
        if self.limits.profile == "threads":
            self._count_threads()

    def _count_threads(self) -> None:
        """Refuse a process with too many threads.

        The kernel has no limit that counts the threads of one process.
        """
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
        """Return the folder in /proc of every thread.

        Raises:
            OSError: the process is gone.
        """
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
        """Whether a thread runs or waits for a core just now.

        The kernel counts such a wait when it is over; until then it looks like sleep.
        """
        with contextlib.suppress(OSError):  # it ends just now
            for place in self._threads():
                with contextlib.suppress(OSError):  # it has ended since
                    if Path(f"{place}/stat").read_bytes().rpartition(b") ")[2].startswith(b"R"):
                        return True
        return False

    def check_sleep(self, over: bool) -> None:
        """Take this request's sleep out of the bank.

        Args:
            over: whether the request has ended.

        Raises:
            Failed: the bank is empty.
        """
        slept = self.slept + self.asleep()
        if slept > self.limits.sleep_s_bank and (over or not self._runs()):
            self.slept = slept
            text = f"slept for {slept:.1f} s of this match; the bank is {self.limits.sleep_s_bank:g} s"
            raise Failed(FaultKind.WALL, text)
        if over:
            self.slept = slept
