"""Kuhn and Leduc poker: cards, actions, options, the record."""

import numpy as np

from engines.core import NOBODY
from engines.declaration import Option
from engines.record import Record, within

CARDS = ("Ja", "Jb", "Qa", "Qb", "Ka", "Kb")  # rank = number // 2; Kuhn poker has the first of each
FOLD, CALL, RAISE = range(3)
ACTIONS = ("fold", "call", "raise")
SEATS, MOVES = 2, 8
OPTIONS = (
    Option("leduc", False, "six cards, a card on the table and two rounds of two bets, of 2 and of 4"),
)
RECORD = Record(
    OPTIONS,
    [
        ("hand", np.int8, SEATS, within(NOBODY, 5)),  # its card; hidden from the other
        ("table_card", np.int8, within(NOBODY, 5)),  # hidden in the first round; blank in Kuhn poker
        ("second", np.int8, within(0, 1)),  # whether it is the second round of bets
        ("bets", np.int8, within(0, 2)),  # bets and raises in this round
        ("paid", np.int16, SEATS, within(0, 13)),  # chips in the pot
        ("made", np.int8, within(0, MOVES)),  # actions so far
        ("moves", np.int8, MOVES, within(NOBODY, 2)),  # the actions in order
        ("won", np.int16, SEATS, within(-13, 13)),  # chips at the end
    ],
)
