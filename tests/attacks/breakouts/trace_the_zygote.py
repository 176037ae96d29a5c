"""Wants to control the fork server as a debugger does."""

import os

from .aim import attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False

attempt(libc, "ptrace", 16, os.getppid(), 0, 0)

act = play
