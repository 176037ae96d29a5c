"""Kuhn poker, and with the option `leduc` Leduc poker: two small games whose best answers are known."""

from engines.game import Game

from . import rules, state, text, worlds

GAME = Game(
    name="poker",
    record=state.RECORD,
    players=(2, 2, 2),
    cards=state.CARDS,
    actions=state.ACTIONS,
    fields=text.FIELDS,
    rooms=(rules, worlds),
    deck_size=6,
)
