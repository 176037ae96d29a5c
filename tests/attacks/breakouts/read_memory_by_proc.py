"""Wants the memory and environment of others through /proc."""

import os
from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

for pid in (os.getppid(), TARGET.worker, TARGET.victim):
    for name in ("environ", "maps", "auxv", "stack"):
        attempt(lambda: Path(f"/proc/{pid}/{name}").read_bytes() or None)
    attempt(lambda: Path(f"/proc/{pid}/mem").open("rb"))
    attempt(lambda: list(Path(f"/proc/{pid}/fd").iterdir()))

act = play
