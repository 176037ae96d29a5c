"""Wants the futex calls that inherit priorities, in which kernels have had holes."""

import ctypes

from .aim import attempt, play, syscall

GAMES = ["flip7"]
SAFE = False

word = ctypes.c_uint32(0)
for command in (6, 8, 11, 12, 13):
    attempt(
        lambda: (
            syscall((202, 98), ctypes.addressof(word), command | 128, 0, None, ctypes.addressof(word), 0)
            or "done"
        )
    )

act = play
