"""Wants to learn about the worker's objects."""

import os

from .aim import TARGET, attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(syscall, (312, 272), os.getpid(), TARGET.worker, 0, 0, 0)

act = play
