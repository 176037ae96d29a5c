"""Wants so much memory that others have none."""

import mmap

from .aim import attempt, play

GAMES = ["flip7"]
SAFE = False

attempt(lambda: len(bytearray(3 << 30)))
attempt(lambda: mmap.mmap(-1, 8 << 30))
attempt(lambda: [bytearray(1 << 20) for _ in range(4096)] and "4 GiB")

act = play
