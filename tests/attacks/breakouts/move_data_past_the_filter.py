"""Wants to copy files inside the kernel."""

import os

from .aim import attempt, play

GAMES = ["flip7"]
SAFE = False

attempt(lambda: os.sendfile(3, os.open(os.__file__, os.O_RDONLY), 0, 10))
attempt(lambda: os.splice(3, 1, 10))
attempt(lambda: os.copy_file_range(os.open(os.__file__, os.O_RDONLY), 1, 10))

act = play
