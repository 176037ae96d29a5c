"""Wants any system call that nobody has named: tries every number with arguments that mean nothing."""

import ctypes
import errno

from .aim import LIBC, TARGET, attempt, play

GAMES = ["flip7"]
SAFE = False
NOTHING = [ctypes.c_long(-1)] * 6


def answers(number):
    ctypes.set_errno(0)
    return LIBC.syscall(number, *NOTHING) != -1 or ctypes.get_errno() != errno.EPERM


attempt(lambda: [number for number in TARGET.unnamed if answers(number)] or None)

act = play
