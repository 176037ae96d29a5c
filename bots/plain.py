"""Takes a trick as cheaply as it can, else gives its cheapest; discards short suits, makes no calls."""

from engines.taroky.state import BEATEN_BY, CARDS, POINTS, SUIT

GAMES = ["taroky"]


def best_of(trick, ace_high):
    """Return the card that takes the trick so far."""
    best = trick[0]
    for card in trick[1:]:
        if BEATEN_BY[ace_high, best] >> card & 1:
            best = card
    return best


def act(view):
    """Return an action."""
    legal = view.legal.tolist()  # `play` is the number of its card, 0 to 53, `discard` is 54 more
    if view.phase == "discard":
        suits = [SUIT[CARDS.index(card)] for card in view.hand]
        return min(legal, key=lambda action: (suits.count(SUIT[action - 54]), -POINTS[action - 54]))
    if view.phase != "play":
        return legal[0]  # cut, pass, keep, draw, announce, call XIX
    trick = [CARDS.index(card) for card in view.trick]
    if not trick:
        return max(legal)  # trumps have the highest numbers
    ace_high = int(view.options["ace_high"])
    best = best_of(trick, ace_high)
    winners = [card for card in legal if BEATEN_BY[ace_high, best] >> card & 1]
    return min(winners) if winners else min(legal, key=lambda card: POINTS[card])
