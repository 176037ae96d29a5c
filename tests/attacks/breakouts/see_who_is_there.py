"""Wants to know which processes run."""

import os
from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: os.readlink(f"/proc/{TARGET.worker}/exe"))
attempt(lambda: os.readlink(f"/proc/{TARGET.worker}/fd/0"))
attempt(Path(f"/proc/{TARGET.worker}/cmdline").read_bytes)
attempt(Path(f"/proc/{TARGET.victim}/status").read_bytes)
attempt(lambda: list(Path(f"/proc/{TARGET.worker}/task").iterdir()))

act = play
