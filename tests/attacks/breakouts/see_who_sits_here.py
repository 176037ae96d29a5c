"""Wants to know its opponents, by their files or the folders that they lie in."""

import os
from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
WALL = False

attempt(lambda: [name for name in os.listdir("/bot") if name != __name__.partition(".")[0]] or None)
attempt(
    lambda: (
        [str(path) for path in Path(__file__).parents[1].rglob("*") if __package__ not in str(path)] or None
    )
)
attempt(lambda: os.stat(f"/bot/{Path(TARGET.other).stem}"))
attempt(
    lambda: (
        Path(f"/bot/../{TARGET.other}").resolve(strict=True).name
        if os.path.exists("/bot/../bot/other")
        else None
    )
)

act = play
