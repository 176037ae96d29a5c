"""Raises a group of groups of groups, whose text has a million million lines."""

GAMES = ["flip7"]
VERDICT = "cpu"
WORDS = "it was at:"


def act(view):
    error = ValueError("a leaf")
    for _ in range(40):
        error = ExceptionGroup("a branch", [error, error])
    raise error
