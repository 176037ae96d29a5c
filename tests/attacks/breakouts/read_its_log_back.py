"""Wants its log as a memory that others may read."""

import mmap
import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: os.pread(1, 99, 0))
attempt(lambda: mmap.mmap(1, 4096))
attempt(lambda: open(f"/proc/{TARGET.victim}/fd/1").read())

act = play
