"""Answers with the view."""

GAMES = ["flip7"]
VERDICT = "type"
WORDS = "View"


def act(view):
    return view
