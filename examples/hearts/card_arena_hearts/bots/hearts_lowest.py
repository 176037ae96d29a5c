"""Passes and plays the first card that it may."""

GAMES = ["hearts"]


def act(view):
    """Take the lowest card."""
    return view.texts[0]
