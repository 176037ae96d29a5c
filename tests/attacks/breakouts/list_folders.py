"""Wants to know what there is on the machine."""

from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

for folder in (TARGET.folder, "/", "/tmp", "/home", "/proc"):
    attempt(lambda: list(Path(folder).iterdir()) or None)

act = play
