"""Every law of `engines.laws` holds for every game. What they must know of a game is in `<game>/facts.py`."""

import random
from importlib import import_module
from typing import Any

import pytest
from hypothesis import strategies as st

import engines
from engines.game import Game
from engines.laws import LAWS, hold_law, setups_of
from engines.laws.check import EXAMPLES, Law
from engines.laws.models import Heaped
from engines.seeds import MAX_SEED

FEW = 10
"""Examples by which planted mistakes are found (`test_mutants.py`); of the law on models it takes all."""
SEEDS = st.integers(0, MAX_SEED)


def facts(game: Game) -> Any:
    return import_module(f"tests.engines.{game.name}.facts")


def setups(game: Game) -> st.SearchStrategy[tuple[int, dict[str, Any]]]:
    """Players and options."""
    return st.integers(0, 2**32).map(lambda seed: setups_of(game, facts(game), random.Random(seed)))


@pytest.mark.parametrize("examples", [FEW, pytest.param(EXAMPLES, marks=pytest.mark.soak)])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", engines.names())
def test_a_law_holds(name: str, law: Law, examples: int) -> None:
    game = engines.load(name)
    hold_law(law, game, facts(game), EXAMPLES if law is LAWS[0] else examples)


def test_some_shuffles_of_games_for_models_begin_with_few_ranks_and_all_have_the_whole_pack() -> None:
    game, packs = engines.load("tzogous37"), []
    for seed in range(100):
        states = game.blank(1)
        states["seed"] = seed
        (pack,) = Heaped(game, states).shuffles or ()
        packs.append(pack)
    assert {tuple(sorted(pack)) for pack in packs} == {tuple(sorted(packs[0]))}
    assert len(packs[0]) == 54
    few = sum(len({card[0] for card in pack[:14]}) <= 5 for pack in packs)
    assert 10 <= few <= 50  # one of 25 000 even shuffles does
