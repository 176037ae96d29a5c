"""Wants to remember something for the next match, or to be another bot then."""

from pathlib import Path

from .aim import attempt, play

GAMES = ["flip7"]
WALL = False

mine = Path(__file__)
attempt(mine.with_name("memory.txt").write_text, "the deals of match 1")
attempt(mine.write_text, "changed")
attempt(mine.parent.rename, mine.parent.with_name("renamed"))
attempt(lambda: mine.with_name("folder").mkdir() or "a folder")

act = play
