"""Wants the store through links that lead around a check of paths."""

import os
from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

steps_up = "../" * 40
for path in (
    f"/proc/self/root{TARGET.store}",
    f"/proc/self/cwd/{steps_up}{TARGET.store}",
    f"{steps_up}{TARGET.store}",
    f"//{TARGET.store}",
):
    attempt(Path(path).read_text)
attempt(lambda: os.chdir("/") or Path(TARGET.store[1:]).read_text())

act = play
