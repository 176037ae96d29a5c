"""Wants counters that tell what others do: page faults, lost cores, load, uptime."""

import ctypes
import os
import resource

from .aim import attempt, libc, play, syscall

GAMES = ["flip7"]

attempt(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_majflt + 1)
attempt(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw + 1)
attempt(lambda: syscall((100, 153), None) and "ticks")
attempt(os.getloadavg)
attempt(lambda: libc("sysinfo", ctypes.create_string_buffer(256)) or "load, memory, number of processes")
attempt(lambda: syscall((309, 168), ctypes.create_string_buffer(4), None, None) or "its core")
attempt(lambda: os.sched_getaffinity(os.getppid()))
attempt(lambda: os.getpriority(os.PRIO_USER, 0) + 100)

act = play
