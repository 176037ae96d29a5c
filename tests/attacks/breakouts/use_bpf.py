"""Wants to load a program into the kernel."""

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(syscall, (321, 280), 0, bytes(72), 72)

act = play
