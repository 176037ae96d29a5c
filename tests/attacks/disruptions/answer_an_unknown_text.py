"""Answers with a text that is no action."""

GAMES = ["flip7"]
VERDICT = "illegal"
WORDS = "no action 'win'"


def act(view):
    return "win"
