"""Raises an exception with a text of 5 MB."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "ValueError: xxx"


def act(view):
    raise ValueError("x" * 5_000_000)
