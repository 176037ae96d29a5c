"""A lock on a file that everybody can read."""

import fcntl
import os

file = None


def prepare():
    global file
    file = os.open(os.__file__, os.O_RDONLY)


def send(bit):
    fcntl.flock(file, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)


def hear():
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 1
    fcntl.flock(file, fcntl.LOCK_UN)
    return 0
