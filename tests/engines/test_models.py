"""Every engine against a slow second implementation of its rules, written from the rules page: `tests/models/<game>.py`.

A model has a class `Model(players, options, shuffle)`. `shuffle` takes the texts of the cards that are shuffled, in
any order, and returns them in the engine's order: all that a model knows of the engine. Its parts:

play     generator of `(seat to act, texts of all legal actions)`; it is sent the text of the action.
         None for the texts: too many to find out; the engine's are taken
scores   final scores when `play` is exhausted
open     optional: `open()` maps fields of an onlooker's view to the values they must have at every decision
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engines
from engines.seeds import MAX_SEED

DECISIONS = 200


def shuffler(position: Any) -> Any:
    """What puts a model's cards into the order that the engine drew for the same shuffle."""
    taken = iter(range(10**9))

    def shuffle(cards: Iterable[str]) -> list[str]:
        drawn = list(position.shuffles[next(taken)])
        assert sorted(cards) == sorted(drawn), "the engine shuffles other cards"
        return drawn

    return shuffle


def choose(rng: random.Random, liked: dict[str, float], legal: list[str]) -> str:
    """A random action whose first word is drawn by how much this game likes it: eager games and shy ones."""
    words = sorted({text.split()[0] for text in legal})
    word = rng.choices(words, [liked.setdefault(word, 0.02 + rng.random() ** 3) for word in words])[0]
    return rng.choice([text for text in legal if text.split()[0] == word])


def compare(name: str, players: int, options: dict[str, Any], seed: int, decisions: int = DECISIONS) -> None:
    """Play a random game with the engine and with the model, and stop at the first difference."""
    position = engines.load(name).position(seed=seed, players=players, record=True, **options)
    rng, liked = random.Random(seed), dict[str, float]()
    model = import_module(f"tests.models.{name}").Model(players, position.options, shuffler(position))
    play = model.play()
    asked = next(play, None)
    for _ in range(decisions):
        if asked is None or position.over:
            break
        seat, legal = asked
        legal = position.legal() if legal is None else legal
        assert (position.seat, sorted(position.legal())) == (seat, sorted(legal))
        view = position.view(-1)
        for field, value in getattr(model, "open", dict)().items():
            assert getattr(view, field) == value, field
        action = choose(rng, liked, sorted(legal))
        position.play(action)
        try:
            asked = play.send(action)
        except StopIteration:
            asked = None
    assert (asked is None) == position.over
    if position.over:
        assert list(position.scores()) == list(model.scores)


@pytest.mark.parametrize("name", engines.names())
@settings(max_examples=20)
@given(data=st.data())
def test_a_game_is_played_as_the_model_written_from_the_rules_page_plays_it(
    name: str, data: st.DataObject
) -> None:
    players, options = data.draw(import_module(f"tests.engines.{name}.facts").setups())
    compare(name, players, options, data.draw(st.integers(0, MAX_SEED)))
