"""Jolly Zoliky: rummy for 2-6 players with two French decks and four jokers.

Open with 36 points and a run without joker, lay cards off, exchange jokers, and go out by discarding the last
card. A deal of 4 takes 60-170 decisions.
"""

from ..declaration import FRENCH
from ..game import Game
from . import encoding, luck, policy, rules, tools, valid, worlds
from .state import CARDS, DECK_SIZE, MOST_PLAYERS, RECORD
from .text import ACTIONS, FIELDS

GAME = Game(
    name="zoliky",
    record=RECORD,
    players=(2, 4, MOST_PLAYERS),
    cards=CARDS,
    actions=ACTIONS,
    fields=FIELDS,
    rooms=(rules, worlds, valid, policy, luck, encoding),
    deck_size=DECK_SIZE,
    tools=(tools,),
    columns=encoding.COLUMNS,
    aim="points",
    title="Jolly Žolíky",
    suits=FRENCH,
    sections={"drawing": "4.2", "melding": "4.3"},
)
