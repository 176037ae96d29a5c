"""Wants what the kernel tells the organiser."""

from .aim import attempt, libc, play

GAMES = ["flip7"]

attempt(libc, "klogctl", 10, None, 0)

act = play
