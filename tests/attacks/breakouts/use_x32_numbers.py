"""Wants the second table of system calls, which simple filters forget."""

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(syscall, 0x40000000 + 41, 2, 1, 0)

act = play
