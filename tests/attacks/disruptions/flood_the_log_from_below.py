"""Writes to the log past Python, for ever."""

import os

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "File too large"


def act(view):
    while True:
        os.write(1, b"x" * 4096)
