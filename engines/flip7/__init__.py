"""Flip 7: turn cards face up, stop before a number comes twice, seven different numbers end the round.

2 to 10 players, rounds until somebody has `goal` points; about 100 decisions and 10 to 15 rounds for 4.
"""

from ..game import Game
from . import encoding, luck, policy, rules, state, text, tools, valid, worlds

GAME = Game(
    name="flip7",
    record=state.RECORD,
    players=(2, 4, state.SEATS),
    cards=state.CARDS,
    actions=state.ACTIONS,
    fields=text.FIELDS,
    rooms=(rules, worlds, valid, policy, luck, encoding),
    deck_size=state.DECK,
    check=state.check,
    tools=(tools,),
    columns=encoding.COLUMNS,
    aim="place",
    title="Flip 7",
    sections={"turn": "4.2", "save": "4.3", "give": "4.4"},
)
