"""Closes the channel on which it is asked."""

import os

from .aim import play

GAMES = ["flip7"]
VERDICT = "crash"
WORDS = "exit code 1"

os.close(3)

act = play
