"""Answers with an object whose number is SystemExit."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "SystemExit"


class Number:
    def __index__(self):
        raise SystemExit


def act(view):
    return Number()
