"""Wants to signal to another bot of its author by a lock."""

import fcntl
import os

from .aim import attempt, play

GAMES = ["flip7"]

attempt(lambda: fcntl.flock(open(os.__file__), fcntl.LOCK_EX) or "locked")
attempt(lambda: fcntl.flock(1, fcntl.LOCK_EX) or "locked")
attempt(lambda: fcntl.lockf(open(os.__file__), fcntl.LOCK_SH) or "locked")
attempt(lambda: fcntl.fcntl(open(os.__file__), fcntl.F_SETLEASE, fcntl.F_RDLCK) or "leased")
attempt(lambda: fcntl.fcntl(os.open(os.path.dirname(os.__file__), 0), fcntl.F_NOTIFY, 1) or "notified")

act = play
