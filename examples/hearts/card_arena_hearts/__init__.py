"""Hearts: 13 tricks a round, avoid the hearts and the queen of spades, or take them all.

Four seats, three cards passed on before each round but every fourth; 64 decisions a round with passes.
"""

from engines.declaration import FRENCH
from engines.game import Game

from . import rules, state, text, valid, worlds

GAME = Game(
    name="hearts",
    record=state.RECORD,
    players=(4, 4, 4),
    cards=state.CARDS,
    actions=state.ACTIONS,
    fields=text.FIELDS,
    rooms=(rules, worlds, valid),
    deck_size=len(state.CARDS),
    suits=FRENCH,
    sections={"pass": "4.1", "play": "4.2"},
)
