"""Wants the names of the machine's users."""

from pathlib import Path

from .aim import attempt, play

GAMES = ["flip7"]

attempt(Path("/etc/passwd").read_text)
attempt(Path("/etc/hostname").read_text)

act = play
