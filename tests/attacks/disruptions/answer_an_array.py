"""Answers with the array of legal actions."""

GAMES = ["flip7"]
VERDICT = "type"
WORDS = "ndarray"


def act(view):
    return view.legal
