"""Wants to stop the kernel in the middle of a call."""

from .aim import attempt, play, syscall

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False

attempt(syscall, (323, 282), 1)

act = play
