"""What many tests of the engines take: every game, one after the other."""

import pytest

import engines
from engines.game import Game


@pytest.fixture(params=engines.names())
def game(request: pytest.FixtureRequest) -> Game:
    """A game."""
    return engines.load(request.param)
