"""Answers with an object that would run code where it is unpickled."""

import os

GAMES = ["flip7"]
VERDICT = "type"
WORDS = "an object (Pickle)"


class Pickle:
    def __reduce__(self):
        return os.system, ("touch /tmp/unpickled",)


def act(view):
    return Pickle()
