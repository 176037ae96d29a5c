"""Wants passwords and keys from the environment and the arguments."""

import ctypes
import os
import sys

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
WALL = False

LIBC = ctypes.CDLL(None)
LIBC.getenv.restype = ctypes.c_char_p
attempt(lambda: dict(os.environ) or None)
attempt(lambda: LIBC.getenv(b"ARENA_SECRET"))
attempt(lambda: [word for word in sys.orig_argv if TARGET.folder in word] or None)
attempt(lambda: open("/proc/self/environ").read() or None)

act = play
