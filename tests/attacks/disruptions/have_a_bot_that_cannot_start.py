"""Fails when a game's bot is made."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "not in this seat"


class Bot:
    def __init__(self, seat, seed):
        raise RuntimeError("not in this seat")
