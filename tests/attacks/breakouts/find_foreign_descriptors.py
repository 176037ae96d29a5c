"""Wants what the worker or the zygote has left open."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
WALL = False


def descriptors():
    own = 4 if TARGET.threads else 3  # the last one: what new memory is a copy of, or the channel
    return [fd for fd in range(own + 1, 300) if _is_open(fd)] or None


def _is_open(fd):
    try:
        os.get_inheritable(fd)
    except OSError:
        return False
    return True


attempt(descriptors)

act = play
