"""Wants any open call that lets it write."""

import os

from .aim import TARGET, attempt, play

GAMES = ["flip7"]

for flags in (
    os.O_WRONLY,
    os.O_RDWR,
    os.O_RDONLY | os.O_CREAT,
    os.O_RDONLY | os.O_TRUNC,
    os.O_RDONLY | os.O_APPEND,
    os.O_RDWR | os.O_TMPFILE,
):
    attempt(lambda: os.open(TARGET.folder if flags & os.O_TMPFILE == os.O_TMPFILE else TARGET.store, flags))

act = play
