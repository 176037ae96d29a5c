"""Puts its log in the place of its reply channel."""

import os

GAMES = ["flip7"]
VERDICT = ["protocol", "wall"]


def act(view):
    os.dup2(1, 4)
    return 0
