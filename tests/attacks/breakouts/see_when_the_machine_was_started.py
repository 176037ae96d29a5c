"""Wants to know which machine it runs on, by when that was started: the time of day less a clock, to a minute. And
by clocks whose distance is another one on every machine.
"""

import time

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
ASROOT = True


def started(clock):
    began = time.time() - time.clock_gettime(clock)
    return began if abs(began - TARGET.started) < 60 else None


for clock in (time.CLOCK_MONOTONIC, time.CLOCK_BOOTTIME, 6):
    attempt(started, clock)
attempt(time.clock_gettime, time.CLOCK_MONOTONIC_RAW)
attempt(time.clock_gettime, time.CLOCK_TAI)

act = play
