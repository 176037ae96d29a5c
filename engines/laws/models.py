"""An engine against a slow second implementation of its rules, the class `Model` of its facts.

`Model(players, options, shuffle)`: `shuffle` takes the texts of the cards that are shuffled, in any order,
and returns them in the engine's order. This is all that a model knows of the engine. Its parts:

play     generator of `(seat to act, texts of all legal actions)`; it is sent the text of the action.
         None for the texts: too many to find out; the engine's are taken
scores   final scores when `play` is exhausted
open     optional: `open()` maps fields of an onlooker's view to the values they must have at every decision
seen     optional: `seen(seat)` does so for the view of each seat, and of an onlooker (-1): its hand, and what
         it knows of cards that lie face-down
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from ..game import Game
from .setups import hold

DECISIONS = 200
"""Decisions of a game that are compared, at most."""


def compare(
    game: Game, model: Any, players: int, options: dict[str, Any], seed: int, decisions: int = DECISIONS
) -> None:
    """Play a random game with the engine and with a model.

    Raises:
        AssertionError: says the first difference.
    """
    position = game.position(seed=seed, players=players, record=True, **options)
    rng, liked = random.Random(seed), dict[str, float]()
    other = model(players, position.options, _shuffler(position))
    play = other.play()
    asked = next(play, None)
    for number in range(decisions):
        if asked is None or position.over:
            break
        seat, texts = asked
        legal = sorted(position.legal())
        where = f"decision {number} of seed {seed}, {players} players, {options}"
        hold(position.seat == seat, f"{where}: seat {position.seat} is to act, in the model seat {seat}")
        if texts is not None and sorted(texts) != legal:
            more, less = set(legal) - set(texts), set(texts) - set(legal)
            raise AssertionError(
                f"{where}: legal in the rules alone: {sorted(more)}, in the model alone: {sorted(less)}"
            )
        _compare_views(position, other, where)
        action = choose(rng, liked, legal)
        position.play(action)
        try:
            asked = play.send(action)
        except StopIteration:
            asked = None
    hold((asked is None) == position.over, f"seed {seed}: one of rules and model ends before the other")
    if position.over:
        ours, theirs = list(position.scores()), list(other.scores)
        hold(ours == theirs, f"seed {seed}, {options}: scores {ours}, in the model {theirs}")


def _compare_views(position: Any, model: Any, where: str) -> None:
    """Compare fields of views with what a model says that they show."""
    views: dict[int, dict[str, Any]] = {-1: getattr(model, "open", dict)()}
    if hasattr(model, "seen"):
        views = {seat: {**views.get(seat, {}), **model.seen(seat)} for seat in range(-1, position.players)}
    for seat, fields in views.items():
        view = position.view(seat)
        for field, value in fields.items():
            shown, who = getattr(view, field), f"view.{field} of seat {seat}"
            hold(shown == value, f"{where}: {who} is {shown!r}, in the model {value!r}")


def _shuffler(position: Any) -> Any:
    """Return what puts a model's cards into the order that the engine drew for the same shuffle."""
    taken = iter(range(10**9))

    def shuffle(cards: Iterable[str]) -> list[str]:
        number = next(taken)
        hold(number < len(position.shuffles), "the model shuffles more often than the rules")
        drawn = list(position.shuffles[number])
        hold(sorted(cards) == sorted(drawn), "the model and the rules shuffle different cards")
        return drawn

    return shuffle


def choose(rng: random.Random, liked: dict[str, float], legal: list[str]) -> str:
    """Return a random action whose first word is drawn by how much this game likes it.

    So there are eager games and shy ones.
    """
    words = sorted({text.split()[0] for text in legal})
    word = rng.choices(words, [liked.setdefault(word, 0.02 + rng.random() ** 3) for word in words])[0]
    return rng.choice([text for text in legal if text.split()[0] == word])
