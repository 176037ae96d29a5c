"""Sends half an answer and waits."""

import os

GAMES = ["flip7"]
VERDICT = "wall"


def act(view):
    os.write(4, bytes(10))
    os.read(3, 99)
