"""Keeps its melds in hand to go out at one stroke; lays them out only when somebody is close to the end."""

from typing import Any

from engines.core import copy_states, legal_row, rows, work
from engines.zoliky.state import N_ACTIONS, Action
from engines.zoliky.steps import COST, JOKERS
from engines.zoliky.tools import company

GAMES = ["zoliky"]
CLOSE = 3  # cards in another hand: with so few it may go out in its next turn
WORTH = (COST - 2 * JOKERS).tolist()  # of a meld step: cards out of the hand, jokers rather later


def act(view: Any) -> int:
    """Go out if that is possible in this turn; else hoard, or save what can be saved.

    Nobody can lay cards on melds that are still in hand, and only a seat that has not opened may take the
    Jolly card. The price: it is often caught with a full hand. It wins as many deals as melder does, and
    loses a card a deal more.
    """
    legal = view.legal.tolist()
    in_danger = min(size for seat, size in enumerate(view.sizes) if seat != view.seat) <= CLOSE
    finishing = ways_out(view)
    if legal[0] == 0:  # the stock always, the pile and the Jolly card if they can be placed
        return max(finishing, default=legal[-1] if in_danger else 0)
    steps = finishing or [action for action in legal if action >= Action.RUN]
    if finishing or (steps and (in_danger or legal[0] >= Action.RUN)):
        return max(steps, key=WORTH.__getitem__)
    hand = int(view.state["hand"][0, view.seat])
    return min(
        (action for action in legal if action < Action.RUN), key=lambda action: company(hand, action - 3)
    )


def ways_out(view: Any) -> list[int]:
    """Return the actions after which the hand can go out in this very turn, but for a draw from the stock.

    That is the duty of a turn with the Jolly card, and the rules look ahead for it: they are asked as if it
    were one.
    """
    states = copy_states(view.state)
    states["jolly_turn"] = 1
    out = work(N_ACTIONS)
    n = legal_row(rows(states), 0, out)
    return list(out[int(view.phase == "drawing") : n].tolist())
