"""Wants to know when the store changes, by its size and times."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(os.stat, TARGET.store)

act = play
