"""Wants to swap the root folder."""

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(syscall, (155, 41), b".", b".")

act = play
