"""Wants to go on after a call that ends it, by a signal handler."""

import signal

from .aim import attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False

signal.signal(signal.SIGSYS, signal.SIG_IGN)
attempt(libc, "ptrace", 0, 0, 0, 0)
attempt(lambda: "still here")

act = play
