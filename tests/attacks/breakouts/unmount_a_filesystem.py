"""Wants to take a filesystem away."""

from .aim import TARGET, attempt, libc, play

GAMES = ["flip7"]
VERDICT = "forbidden"
WALL = False

attempt(libc, "umount2", (TARGET.folder + "/none").encode(), 0)

act = play
