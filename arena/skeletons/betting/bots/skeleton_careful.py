"""Bets with the king, and passes with all other cards."""

GAMES = ["skeleton"]


def act(view):
    """Look at the one card."""
    return "bet" if view.hand == ("K",) else "pass"
