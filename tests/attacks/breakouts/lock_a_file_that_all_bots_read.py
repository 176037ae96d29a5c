"""Wants to signal to another bot of its author by a lock."""

import fcntl
import os

from .aim import attempt, play

GAMES = ["flip7"]

file = open(os.__file__)
attempt(lambda: fcntl.flock(file, fcntl.LOCK_EX) or "locked")
attempt(lambda: fcntl.lockf(file, fcntl.LOCK_SH) and "locked")
attempt(lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK) or "leased")
attempt(lambda: fcntl.fcntl(os.open(os.path.dirname(os.__file__), 0), fcntl.F_NOTIFY, 1) or "notified")

act = play
