"""Lays out whatever it can and discards the card with the least company."""

from typing import Any

from engines.zoliky.state import Action
from engines.zoliky.steps import COST, JOKERS
from engines.zoliky.tools import company

GAMES = ["zoliky"]
WORTH = (COST - 2 * JOKERS).tolist()  # of a meld step: cards out of the hand, jokers rather later


def act(view: Any) -> int:
    """Draw what can be used at once; lay out; discard."""
    legal = view.legal.tolist()
    if legal[0] == 0:  # a draw: the Jolly card rather than the pile, the pile rather than the stock
        return int(legal[-1])
    if legal[-1] >= Action.RUN:
        return max((action for action in legal if action >= Action.RUN), key=WORTH.__getitem__)
    hand = int(view.state["hand"][0, view.seat])
    return min(legal, key=lambda action: company(hand, action - 3))
