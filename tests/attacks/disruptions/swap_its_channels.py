"""Puts its log in the place of its reply channel."""

import os

GAMES = ["flip7"]
VERDICT = ["protocol", "wall", "exception"]


def act(view):
    os.dup2(1, 3)
    return 0
