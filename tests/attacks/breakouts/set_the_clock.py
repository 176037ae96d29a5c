"""Wants to move the machine's time."""

import time

from .aim import attempt, libc, play

GAMES = ["flip7"]
SAFE = False

attempt(lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()) or "set")
attempt(libc, "adjtimex", bytes(208))
attempt(lambda: __import__("socket").sethostname("x"))

act = play
