"""Wants to control an opponent as a debugger does."""

from .aim import TARGET, attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False

attempt(libc, "ptrace", 16, TARGET.victim, 0, 0)

act = play
