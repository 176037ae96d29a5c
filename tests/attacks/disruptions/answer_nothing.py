"""Answers with None."""

GAMES = ["flip7"]
VERDICT = "type"
WORDS = "NoneType"


def act(view):
    return None
