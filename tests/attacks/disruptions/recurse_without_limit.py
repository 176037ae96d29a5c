"""Calls itself for ever, with Python's limit off."""

import sys

GAMES = ["flip7"]
VERDICT = ["cpu", "memory", "crash"]

sys.setrecursionlimit(10**9)


def act(view):
    return act(view)
