"""Has a docstring and names that would flood a table."""

from .aim import play

GAMES = ["flip7"]

__doc__ = "\x1b[31m" + "x" * 1_000_000
globals()["\u202e\x1b[0m"] = 1

act = play
