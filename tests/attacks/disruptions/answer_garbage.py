"""Writes garbage to the reply channel."""

import os

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote to the reply channel"


def act(view):
    os.write(3, b"\xff" * 999)
