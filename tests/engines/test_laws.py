"""Every law of `engines.laws` holds for every game. What they must know of a game is in `<game>/facts.py`."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest
from hypothesis import strategies as st

import engines
from engines.game import Game
from engines.laws import LAWS, hold_law, setups_of
from engines.laws.check import Law
from engines.seeds import MAX_SEED

SEEDS = st.integers(0, MAX_SEED)


def facts(game: Game) -> Any:
    return import_module(f"tests.engines.{game.name}.facts")


def setups(game: Game) -> st.SearchStrategy[tuple[int, dict[str, Any]]]:
    """Players and options."""
    return st.integers(0, 2**32).map(lambda seed: setups_of(game, facts(game), random.Random(seed)))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", engines.names())
def test_a_law_holds(name: str, law: Law) -> None:
    game = engines.load(name)
    hold_law(law, game, facts(game))
