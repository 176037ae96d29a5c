"""Wants into the namespaces of another process."""

from .aim import attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(libc, "setns", 0, 0)

act = play
