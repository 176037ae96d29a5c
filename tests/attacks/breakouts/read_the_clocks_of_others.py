"""Wants to know how long the worker and its opponents have computed, and which processes there are."""

import os
import time

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]


def clock(pid):
    return (~pid << 3) | 2


for target in (TARGET.worker, TARGET.victim, os.getppid()):
    attempt(lambda: time.clock_gettime(clock(target)))
    attempt(lambda: time.clock_getres(clock(target)))
    attempt(lambda: syscall((230, 115), clock(target), 1, bytes(16), None) or "slept by it")


def alive(pid):
    try:
        time.clock_gettime(clock(pid))
    except OSError:
        return False
    return True


attempt(lambda: [pid for pid in range(1, 2000) if pid != os.getpid() and alive(pid)] or None)

act = play
