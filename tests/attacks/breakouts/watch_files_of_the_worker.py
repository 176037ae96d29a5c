"""Wants to be told when the store is written."""

from .aim import attempt, libc, play

GAMES = ["flip7"]

attempt(libc, "inotify_init")
attempt(libc, "fanotify_init", 0, 0)

act = play
