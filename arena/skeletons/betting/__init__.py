"""Skeleton: one card each, one bet, the higher card wins (Kuhn 1950).

Two seats, three cards; at most three decisions a hand.
"""

from engines.game import Game

from . import rules, state, text, valid, worlds

GAME = Game(
    name="skeleton",
    record=state.RECORD,
    players=(2, 2, 2),
    cards=state.CARDS,
    actions=state.ACTIONS,
    fields=text.FIELDS,
    rooms=(rules, worlds, valid),
    zero_sum=True,
    deck_size=len(state.CARDS),
    sections={"bet": "4"},
)
