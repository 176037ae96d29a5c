"""A lock on the log, or on the channel: each bot has its own, and cannot lock it."""

import fcntl

WORKS = False  # not even without a wall


def send(bit):
    fcntl.flock(1, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)


def hear():
    fcntl.flock(1, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return 0
