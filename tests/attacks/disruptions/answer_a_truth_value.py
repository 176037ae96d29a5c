"""Answers with True."""

GAMES = ["flip7"]
VERDICT = "type"
WORDS = "bool"


def act(view):
    return True
