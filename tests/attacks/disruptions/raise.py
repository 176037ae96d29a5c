"""Raises an exception."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "KeyError: 'no such plan'"


def act(view):
    return {}["no such plan"]
