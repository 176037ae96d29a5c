"""Sends half an answer and waits."""

import os

GAMES = ["flip7"]
VERDICT = "protocol"


def act(view):
    os.write(3, bytes(10))
    os.read(3, 99)
