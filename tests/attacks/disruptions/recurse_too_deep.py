"""Calls itself until Python stops it."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "RecursionError"


def act(view):
    return act(view)
