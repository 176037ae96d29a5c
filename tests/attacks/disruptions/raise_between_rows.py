"""Fails in one game and plays on in the others."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "RuntimeError: in this game"


def act(view):
    if view.seat >= 0 and view.rng.random() >= 0:
        raise RuntimeError("in this game")
