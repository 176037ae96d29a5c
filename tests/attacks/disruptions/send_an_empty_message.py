"""Sends a message of no bytes, which looks like the end of the channel."""

import os

GAMES = ["flip7"]
VERDICT = "protocol"
WORDS = "closed its channel"


def act(view):
    os.write(3, b"")
    return 0
