"""Tzogous 37: pot-limit betting on two-card scores, 2 to 6 players, four pots a hand.

Seven cards a seat are spent in four rounds (two, two, two, and one beside a shared card); suited ace-king,
37, is the best score. About 130 decisions a game for two seats, 400 for six.
"""

from ..declaration import FRENCH
from ..game import Game
from . import encoding, luck, policy, rules, state, text, tools, valid, worlds

GAME = Game(
    name="tzogous37",
    record=state.RECORD,
    players=(2, 2, state.SEATS),
    cards=state.CARDS,
    actions=text.action_texts,
    n_actions=state.ACTIONS,
    fields=text.FIELDS,
    rooms=(rules, worlds, valid, policy, luck, encoding),
    zero_sum=True,
    deck_size=state.PACK,
    check=state.check,
    tools=(tools,),
    columns=encoding.COLUMNS,
    aim="points",
    title="Tzogous 37",
    suits=FRENCH,
    sections={"place": "4.2", "bet": "4.3", "discard": "4.4", "survivor": "4.4", "give": "4.5"},
)
