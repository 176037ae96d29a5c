"""Wants the machine to start again."""

from .aim import attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False
SAFE = False

attempt(libc, "reboot", 0)

act = play
