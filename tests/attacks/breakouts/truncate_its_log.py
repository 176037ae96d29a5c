"""Wants to hide what it printed."""

import os

from .aim import attempt, play

GAMES = ["flip7"]

print("evidence")
attempt(lambda: os.ftruncate(1, 0) or "gone")
attempt(lambda: os.pwrite(1, b"x" * 8, 0))

act = play
