"""Wants to signal all processes that it may."""

import os

from .aim import attempt, play

GAMES = ["flip7"]

attempt(lambda: os.kill(-1, 0) or "signalled")
attempt(lambda: os.kill(0, 0) or "signalled")
attempt(lambda: os.kill(1, 0) or "signalled")

act = play
