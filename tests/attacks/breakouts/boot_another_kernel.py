"""Wants another kernel at the next start."""

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False
SAFE = False

attempt(syscall, (246, 104), 0, 0, None, 0)

act = play
