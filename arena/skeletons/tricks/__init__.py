"""Skeleton: thirteen tricks a round, a point for each.

Four seats, 52 cards, no trumps; 52 decisions a round.
"""

from engines.game import Game
from engines.suits import FRENCH

from . import rules, state, text, valid, worlds

GAME = Game(
    name="skeleton",
    record=state.RECORD,
    players=(4, 4, 4),
    cards=state.CARDS,
    actions=state.ACTIONS,
    fields=text.FIELDS,
    rooms=(rules, worlds, valid),
    deck_size=len(state.CARDS),
    suits=FRENCH,
    sections={"play": "4"},
)
