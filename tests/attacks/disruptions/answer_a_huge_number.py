"""Answers with a number of 400 digits."""

GAMES = ["flip7"]
VERDICT = "illegal"
WORDS = "a number of 1329 bits"


def act(view):
    return 10**400
