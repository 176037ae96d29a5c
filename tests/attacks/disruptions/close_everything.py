"""Closes all descriptors."""

import os

GAMES = ["flip7"]
VERDICT = ["crash", "exception", "protocol"]


def act(view):
    os.closerange(0, 999)
    return 0
