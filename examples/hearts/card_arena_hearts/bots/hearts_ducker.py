"""Passes its highest cards, stays below the trick while it can, and throws away points."""

GAMES = ["hearts"]
RANKS = "23456789TJQKA"


def rank(text):
    """Return the rank of the card in an action's text."""
    return RANKS.index(text.split()[1][0])


def act(view):
    """Take the action that is least likely to win points."""
    if view.phase == "pass":
        return max(view.texts, key=rank)
    if not view.trick:
        return min(view.texts, key=rank)
    suit, cards = view.trick[0][1], [text for text in view.texts if text[-1] == view.trick[0][1]]
    if not cards:
        return max(view.texts, key=lambda text: (text == "play Qs", text[-1] == "h", rank(text)))
    best = max(rank(f"play {card}") for card in view.trick if card[1] == suit)
    below = [text for text in cards if rank(text) < best]
    return max(below, key=rank) if below else min(cards, key=rank)
