"""Positions that no game leads to, for the test of a single rule: hands of a few cards, money from nowhere.

`Position.of` refuses them (`engines.batches`).
"""

from engines import core
from engines.core import States, copy_states
from engines.game import Game
from engines.position import Position


def built(game: Game, states: States) -> Position:
    """A position from a row that nobody checks."""
    position = Position.__new__(Position)
    position._adopt(game, copy_states(states))
    position._given = position.shuffles = None
    position._n = core.legal_row(position._rows, 0, position._out)
    return position
