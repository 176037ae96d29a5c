"""Writes more to the reply channel than it holds."""

import os

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "wrote more to its channel than an answer"


def act(view):
    os.write(3, bytes(200_000))
