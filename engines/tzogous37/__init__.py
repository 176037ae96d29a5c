"""Tzogous 37: pot-limit betting on two-card scores, 2 to 6 players, four pots a hand.

Seven cards a seat are spent in four rounds (two, two, two, and one beside a shared card); suited ace-king, 37, is the best
score. About 130 decisions a game for two seats, 400 for six.
"""

from ..game import Game
from . import rules, tools, worlds
from .state import ACTIONS, CARDS, OPTIONS, PACK, SEATS, STATE, check
from .text import FIELDS, action_texts, show

GAME = Game(
    name="tzogous37",
    state=STATE,
    options=OPTIONS,
    players=(2, 2, SEATS),
    cards=CARDS,
    actions=action_texts,
    n_actions=ACTIONS,
    fields=FIELDS,
    rooms=(
        rules,
        worlds,
    ),
    deck_size=PACK,
    check=check,
    show=show,
    tools=(tools,),
)
