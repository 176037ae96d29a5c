"""Answers with -1."""

GAMES = ["flip7"]
VERDICT = "illegal"
WORDS = "-1"


def act(view):
    return -1
