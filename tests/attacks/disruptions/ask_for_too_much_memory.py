"""Asks for more memory than it may have."""

GAMES = ["flip7"]
VERDICT = "memory"
WORDS = "MemoryError"


def act(view):
    return bytearray(1 << 30)
