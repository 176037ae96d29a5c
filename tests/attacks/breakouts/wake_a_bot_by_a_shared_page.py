"""Wants to signal to another bot by a futex on a page of a library, which both have mapped."""

import ctypes

from .aim import LIBC, attempt, play, syscall

GAMES = ["flip7"]
WALL = False  # no page of a library is shared (`arena.jail.pages`)

code = ctypes.cast(LIBC.getpid, ctypes.c_void_p).value & ~4095
WAKE = 1
attempt(lambda: f"woke {syscall((202, 98), code, WAKE, 999, None, None, 0)}")

act = play
