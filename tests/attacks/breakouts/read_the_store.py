"""Wants the results and seeds in the worker's store."""

from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(Path(TARGET.store).read_text)

act = play
