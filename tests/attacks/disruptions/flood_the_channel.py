"""Writes more to the reply channel than it holds."""

import os

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote to the reply channel"


def act(view):
    os.write(4, bytes(200_000))
