"""Stops its own process."""

import os
import signal

GAMES = ["flip7"]
VERDICT = "wall"


def act(view):
    os.kill(os.getpid(), signal.SIGSTOP)
