"""Wants to be another user."""

import os

from .aim import attempt, play

GAMES = ["flip7"]

attempt(lambda: os.setuid(os.getuid()) or "set")
attempt(lambda: os.setgroups([]) or "no groups")
attempt(lambda: os.setresgid(-1, -1, -1) or "set")
attempt(lambda: os.setsid())

act = play
