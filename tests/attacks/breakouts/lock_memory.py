"""Wants memory that cannot be swapped out."""

import ctypes

from .aim import attempt, libc, play

GAMES = ["flip7"]
SAFE = False

attempt(libc, "mlockall", 1)
attempt(libc, "mlock", ctypes.create_string_buffer(1 << 20), 1 << 20)

act = play
