"""Flip 7: turn cards face up, stop before a number comes twice, seven different numbers end the round.

2 to 10 players, rounds until somebody has `goal` points; about 100 decisions and 10 to 15 rounds for 4 players.
"""

from ..game import Game
from . import rules
from .rules import ACTIONS, CARDS, DECK, FIELDS, OPTIONS, SEATS, STATE, check_options, show

GAME = Game(
    name="flip7",
    state=STATE,
    options=OPTIONS,
    players=(2, 4, SEATS),
    cards=CARDS,
    actions=ACTIONS,
    fields=FIELDS,
    rooms=(rules,),
    deck_size=DECK,
    check=check_options,
    show=show,
)
