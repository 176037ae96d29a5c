"""Kills its own process."""

import os

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "SIGKILL"


def act(view):
    os.kill(os.getpid(), 9)
