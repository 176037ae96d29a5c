"""Answers with not-a-number."""

GAMES = ["flip7"]
VERDICT = "type"
WORDS = "nan (float)"


def act(view):
    return float("nan")
