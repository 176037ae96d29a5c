"""Wants to fill the machine with processes."""

import os

from .aim import attempt, play

GAMES = ["flip7"]
SAFE = False


def bomb():
    for _ in range(20):
        if os.fork() == 0:
            os._exit(0)
    return "20 children"


attempt(bomb)

act = play
