"""Wants the new calls for mounts."""

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(syscall, 428, -100, b"/", 1)

act = play
