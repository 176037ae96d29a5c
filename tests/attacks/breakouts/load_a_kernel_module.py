"""Wants to be the kernel."""

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(syscall, (313, 273), 0, b"", 0)

act = play
