"""Wants to change the store's times, mode, owner and attributes."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

attempt(lambda: os.utime(TARGET.store) or "touched")
attempt(lambda: os.chmod(TARGET.store, 0o777) or "everybody's")
attempt(lambda: os.chown(TARGET.store, os.getuid(), os.getgid()) or "mine")
attempt(lambda: os.setxattr(TARGET.store, "user.x", b"1") or "marked")

act = play
