"""Closes all descriptors."""

import os

GAMES = ["flip7"]
# it ends when it cannot answer: `protocol` if the worker looks between the two
VERDICT = ["crash", "protocol"]


def act(view):
    os.closerange(0, 999)
    return 0
