"""Plays its lowest card."""

GAMES = ["skeleton"]


def act(view):
    """Take the lowest rank."""
    return min(view.texts, key=lambda text: "23456789TJQKA".index(text.split()[1][0]))
