"""Melds like melder, but sees when it can go out at once, and gives the next seat no card that fits the table."""

from typing import Any

from engines.zoliky_melds import COST, JOKERS, RUN
from engines.zoliky_tools import company, gifts_of, steps_to_go_out

GAMES = ["zoliky"]


def act(view: Any) -> int:
    """Draw what can be used at once; go out if possible, else lay out with few jokers; discard what nobody needs."""
    legal = view.legal.tolist()
    if legal[0] == 0:
        return int(legal[-1])
    if legal[-1] >= RUN:
        steps = steps_to_go_out(view.state) or [action for action in legal if action >= RUN]
        return max(steps, key=lambda action: (-JOKERS[action], COST[action]))
    hand, gifts = int(view.state["h1"][0, view.seat]), gifts_of(view.state)
    return min(legal, key=lambda action: (action - 3 in gifts, company(hand, action - 3)))
