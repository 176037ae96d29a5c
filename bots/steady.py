"""Knows friend from foe, pays points into its side's tricks, saves trumps; plays Prever on nine trumps."""

from engines.taroky.state import BEATEN_BY, CARDS, POINTS, SUIT

GAMES = ["taroky"]


def friends(view):
    """Return the seats on our side. Whoever has not shown a side counts as ours, if Povinnost is not."""
    mine = view.sides[view.seat]
    return [
        seat for seat in range(4) if view.sides[seat] == mine or (mine == "opponent" and not view.sides[seat])
    ]


def play(view, legal):
    """Take the trick if it is worth it, else pay into a friend's trick or throw a cheap card."""
    beaten_by = BEATEN_BY[int(view.options["ace_high"])].tolist()
    trick = [CARDS.index(card) for card in view.trick]
    cheapest = min(legal, key=lambda card: (POINTS[card], card))
    if not trick:
        return lead(legal, view)
    best = 0
    for k, card in enumerate(trick):
        if beaten_by[trick[best]] >> card & 1:
            best = k
    last = len(trick) == 3
    winners = [card for card in legal if beaten_by[trick[best]] >> card & 1]
    if (view.leaders[-1] + best) % 4 in friends(view) and (last or trick[best] >= CARDS.index("XVIII")):
        return max(legal, key=lambda card: (POINTS[card], -card) if card < CARDS.index("XXI") else (0, 0))
    if not winners:
        return cheapest
    if last:
        return max(winners, key=lambda card: (POINTS[card], -card) if card < CARDS.index("XXI") else (0, 0))
    return winners[len(winners) // 2] if sum(POINTS[card] for card in trick) + len(trick) >= 3 else cheapest


def lead(legal, view):
    """Return a low trump with more trumps than most, else the cheapest card of the longest suit."""
    trumps = [card for card in legal if SUIT[card] == 4 and POINTS[card] == 1]
    others = [card for card in legal if SUIT[card] < 4]
    if trumps and (2 * len(trumps) > len(legal) or not others):
        return trumps[len(trumps) // 2]
    if not others:
        return max(legal)
    lengths = [SUIT[card] for card in others]
    return max(others, key=lambda card: (lengths.count(SUIT[card]), -POINTS[card]))


def act(view):
    """Return an action: cards by the rules of thumb above, Prever on nine trumps with the Skyz."""
    legal = view.legal.tolist()
    hand = [CARDS.index(card) for card in view.hand]
    if view.phase == "play":
        return play(view, legal)
    if view.phase == "discard":
        kings = {SUIT[card] for card in hand if card < 32 and POINTS[card] == 5}
        suits = [SUIT[card] for card in hand]
        return min(legal, key=lambda a: (SUIT[a - 54] in kings, suits.count(SUIT[a - 54]), -POINTS[a - 54]))
    if view.phase == "bid" and sum(card >= 32 for card in hand) >= 9 and CARDS.index("Sk") in hand:
        return legal[-1]
    return legal[-1] if view.phase == "call" else legal[0]
