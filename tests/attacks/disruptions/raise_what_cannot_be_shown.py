"""Raises an exception whose text raises."""

GAMES = ["flip7"]
VERDICT = "exception"
WORDS = "Evil"


class Evil(Exception):
    def __str__(self):
        raise SystemExit


def act(view):
    raise Evil
