"""Computes a power that never ends, inside one operation."""

GAMES = ["flip7"]
VERDICT = ["cpu", "memory"]


def act(view):
    return 3 ** (10**9)
