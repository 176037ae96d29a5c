"""Wants to change the compiled rules that all other processes load."""

from pathlib import Path

import engines
from engines import core

from .aim import TARGET, attempt, play

GAMES = ["flip7"]
SAFE = False

attempt(lambda: Path(core.CACHE_FOLDER, TARGET.token).write_bytes(b"x"))
attempt(lambda: next(Path(core.CACHE_FOLDER).rglob("*.nbc")).open("ab"))
attempt(lambda: Path(engines.__file__).with_name(TARGET.token).write_text("x"))
attempt(lambda: Path(engines.__file__).open("ab"))

act = play
