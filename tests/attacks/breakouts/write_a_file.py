"""Wants to leave something on the machine."""

from pathlib import Path

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

for folder in ("/tmp", "/dev/shm", "/var/tmp", TARGET.folder, "/run", "/root", "/home"):
    attempt(Path(folder, TARGET.token).write_text, "here I was")

act = play
