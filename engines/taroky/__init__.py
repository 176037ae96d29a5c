"""Taroky, the Czech tarock game: four seats, 54 cards, 12 tricks a round, chips for calls and card points.

Four rounds by default, about 290 decisions. One seat, Povinnost, plays with a secret partner, the holder of a
called trump; or one seat plays Prever, alone against three.
"""

from ..declaration import FRENCH
from ..game import Game
from . import encoding, policy, rules, settlement, setup, valid, worlds
from .state import ACTIONS, CARDS, N_CARDS, RECORD
from .text import FIELDS

GAME = Game(
    name="taroky",
    record=RECORD,
    players=(4, 4, 4),
    cards=CARDS,
    actions=ACTIONS,
    fields=FIELDS,
    rooms=(setup, rules, settlement, worlds, valid, policy, encoding),
    zero_sum=True,
    deck_size=N_CARDS,
    columns=encoding.COLUMNS,
    aim="points",
    suits=FRENCH,
    sections={
        "cut": "4.1", "pile": "4.1", "bid": "4.3", "talon": "4.4", "draw": "4.5", "offer": "4.5",
        "discard": "4.6", "call": "4.7", "money": "4.8", "valat": "4.9", "contra": "4.10", "pagat": "4.11",
        "play": "4.12",
    },
)  # fmt: skip
