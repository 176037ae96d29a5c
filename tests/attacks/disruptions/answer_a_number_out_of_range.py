"""Answers with a million."""

GAMES = ["flip7"]
VERDICT = "illegal"
WORDS = "1000000"


def act(view):
    return 10**6
