"""Melds like melder, but sees when it can go out at once, and gives the next seat no card that fits."""

from typing import Any

from engines.zoliky.tools import before_the_discard, company, gifts_of

GAMES = ["zoliky"]


def act(view: Any) -> int:
    """Draw what is of use at once, go out or lay out with few jokers, discard what nobody needs."""
    legal = view.legal.tolist()
    before = before_the_discard(legal, view.state)
    if before is not None:
        return before
    hand, gifts = int(view.state["hand"][0, view.seat]), gifts_of(view.state)
    return min(legal, key=lambda action: (action - 3 in gifts, company(hand, action - 3)))
