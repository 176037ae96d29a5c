"""Answers with an int that says something else when asked again."""

GAMES = ["flip7"]
VERDICT = "illegal"
WORDS = "number 77"


class Number(int):
    def __index__(self):
        return 0

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


def act(view):
    return Number(77)
