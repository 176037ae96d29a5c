"""Wants a second process that thinks while it is not asked."""

import os

from .aim import attempt, play, syscall

GAMES = ["flip7"]
SAFE = False

SIGCHLD = 17


def child(pid):
    if pid == 0:
        os._exit(0)
    return "a child"


attempt(lambda: child(os.fork()))
attempt(lambda: child(syscall((56, 220), SIGCHLD, 0, 0, 0, 0)))

act = play
