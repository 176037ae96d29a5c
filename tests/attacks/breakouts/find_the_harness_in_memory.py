"""Wants the harness's modules, its store and its games, through the interpreter."""

import gc
import sys

from .aim import attempt, play

GAMES = ["flip7"]
WALL = False

names = ("arena.match", "arena.store", "arena.cluster", "arena.runs", "ray", "sqlmodel", "sqlite3")
attempt(lambda: [name for name in names if name in sys.modules] or None)
attempt(
    lambda: (
        [
            thing
            for thing in gc.get_objects()
            if type(thing).__name__ in ("MatchSetup", "PlayedMatch", "Zygote", "Store")
        ]
        or None
    )
)

act = play
