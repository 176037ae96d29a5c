"""Wants a better priority, another core, real time."""

import os

from .aim import attempt, play, syscall

GAMES = ["flip7"]

attempt(lambda: os.nice(1))
attempt(lambda: os.setpriority(os.PRIO_PROCESS, 0, 0) or "set")
attempt(lambda: os.sched_setaffinity(0, range(os.cpu_count())) or "all cores")
attempt(lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)) or "batch")
attempt(syscall, (251, 30), 1, 0, 0)

act = play
