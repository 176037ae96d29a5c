"""Wants memory that outlives it and that its twin can reach."""

from .aim import attempt, libc, play

GAMES = ["flip7"]
SAFE = False

KEY, CREATE = 0x5EC12E7, 0o1600
attempt(libc, "shmget", KEY, 4096, CREATE)
attempt(libc, "semget", KEY, 1, CREATE)
attempt(libc, "msgget", KEY, CREATE)

act = play
