"""Answers a byte at a time, each its own message, and thinks in between."""

import os

from .aim import play

GAMES = ["flip7"]
VERDICT = ["protocol"]


def act(view):
    for _ in range(64):
        os.write(3, b"\0")
    return play(view)
