"""Wants what the worker or the zygote has left open."""

import os

from .aim import attempt, play

GAMES = ["flip7"]
WALL = False


def descriptors():
    return [fd for fd in range(4, 300) if _is_open(fd)] or None


def _is_open(fd):
    try:
        os.get_inheritable(fd)
    except OSError:
        return False
    return True


attempt(descriptors)

act = play
