"""Wants to see the machine through a mount of its own."""

from .aim import TARGET, attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
SAFE = False

attempt(libc, "mount", b"tmpfs", TARGET.folder.encode(), b"tmpfs", 0, None)

act = play
