"""Wants another name for the store, a pipe, a device."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

place = f"{TARGET.folder}/{TARGET.token}"
attempt(lambda: os.link(TARGET.store, place + "1") or "hard link")
attempt(lambda: os.symlink(TARGET.store, place + "2") or "soft link")
attempt(lambda: os.mkfifo(place + "3") or "pipe")
attempt(lambda: os.mknod(place + "4") or "node")

act = play
