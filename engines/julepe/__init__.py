"""Julepe: a Spanish trick game for a pot; who plays must win two of five tricks or pay the value of the pot.

Five seats, 30 cards, money in whole cents; 5 rounds by default, about 160 decisions a game. With nobody else
in, the dealer may play the house, which follows a fixed policy.
"""

from ..game import Game
from . import encoding, luck, policy, rules, valid, worlds
from .state import ACTIONS, CARDS, RECORD, SEATS, check
from .text import FIELDS

GAME = Game(
    name="julepe",
    record=RECORD,
    players=(SEATS, SEATS, SEATS),
    cards=CARDS,
    actions=ACTIONS,
    fields=FIELDS,
    rooms=(rules, worlds, valid, policy, luck, encoding),
    zero_sum=True,
    deck_size=len(CARDS),
    check=check,
    columns=encoding.COLUMNS,
    aim="points",
    sections={"statements": "4.1", "house": "4.2", "exchange": "4.3", "down": "4.4", "tricks": "4.5"},
)
