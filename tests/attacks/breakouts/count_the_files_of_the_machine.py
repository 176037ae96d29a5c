"""Wants inode numbers, which tell how many files were made before it, and shared memory, which takes the next
ones.
"""

import ctypes
import os

from .aim import ARM, attempt, play, syscall

GAMES = ["flip7"]

FSTAT = (5, 80)[ARM]
status = ctypes.create_string_buffer(256)
for fd in range(4):
    attempt(lambda fd=fd: syscall(FSTAT, fd, status) or status.raw[8:16])
    attempt(lambda fd=fd: os.fstat(fd).st_ino)
SHARED, VALIDATED, NOWHERE = 1, 3, 0x20


def take(rights, flags):
    """By its number: the C library of a bot makes memory of its own of it."""
    return syscall((9, 222), None, 4096, rights, flags, -1, 0)


attempt(lambda: take(3, SHARED | NOWHERE) and "shared memory")
attempt(lambda: take(0, SHARED | NOWHERE) and "shared memory without rights")
attempt(lambda: take(3, VALIDATED | NOWHERE) and "shared memory of the newer kind")

act = play
