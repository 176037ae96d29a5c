"""An engine against a slow second implementation of its rules, the class `Model` of its facts.

`Model(players, options, shuffle)`: `shuffle` takes the texts of the cards that are shuffled, in any order,
and returns them in the engine's order. This is all that a model knows of the engine. Its parts:

play     generator of `(seat to act, texts of all legal actions)`; it is sent the text of the action.
         None for the texts: too many to find out; the engine's are taken
scores   final scores when `play` is exhausted
open     optional: `open()` maps fields of an onlooker's view to the values they must have
seen     optional: `seen(seat)` does so for the view of each seat, and of an onlooker (-1): its hand, and what
         it knows of cards that lie face-down
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import core
from ..game import Game
from ..position import Position
from ..seeds import seeds_of
from .setups import hold

DECISIONS = 200
"""Decisions of a game that are compared, at most."""
HEAPS = (1, 2, 4, 8, 64)
"""How many heaps a shuffle of a random game has at most. One heap is an even shuffle."""
VIEWED = 0.25
"""Share of decisions at which a random seat's view is compared. A view costs as much as all else there."""


def compare(
    game: Game, model: Any, players: int, options: dict[str, Any], seed: int, decisions: int = DECISIONS
) -> None:
    """Play a random game with the engine and with a model; the arguments decide the game.

    Raises:
        AssertionError: says the first difference.
    """
    states = game.blank(1, players, **options)
    states["seed"] = seeds_of(seed, 1)
    position = Heaped(game, states)
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
        if rng.random() < VIEWED:
            _compare_view(position, other, rng.randrange(-1, players), where)
        action = choose(rng, liked, legal)
        position.play(action)
        try:
            asked = play.send(action)
        except StopIteration:
            asked = None
    own = [number for number in position.numbers if (number + 1) % core.HAND_SHUFFLES]
    hold(len(own) == len({*own}), f"seed {seed}, {options}: two shuffles have one number in s.shuffle: {own}")
    hold((asked is None) == position.over, f"seed {seed}: one of rules and model ends before the other")
    if position.over:
        ours, theirs = list(position.scores()), list(other.scores)
        hold(ours == theirs, f"seed {seed}, {options}: scores {ours}, in the model {theirs}")


class Heaped(Position):
    """A position with uneven shuffles: cards whose texts begin, or end, with the same letter lie in one heap.

    So hands of few ranks or suits, pairs and ties are frequent, and the rules about them are tried.
    """

    def __init__(self, game: Game, states: core.States) -> None:
        self.numbers: list[int] = []
        super().__init__(game, states, given=[])

    def _take_given(self, cards: Any) -> None:
        core.shuffle_row(self._rows, 0, cards)
        self.numbers.append(int(self._states["shuffle"][0]))
        rng = random.Random(f"{self._states['seed'][0]} {self.numbers[-1]}")
        heaps, letter, heap = rng.choice(HEAPS), rng.choice((0, -1)), dict[str, int]()
        letters = [self.game.cards[card][letter] for card in cards.tolist()]
        places = [heap.setdefault(letter, rng.randrange(heaps)) for letter in letters]
        cards[:] = cards[np.argsort(places, kind="stable")]


def _compare_view(position: Any, model: Any, seat: int, where: str) -> None:
    """Compare fields of a seat's view with what a model says that they show; -1: an onlooker's."""
    known = hasattr(model, "seen")
    seat = seat if known else -1
    fields = model.open() if seat < 0 and hasattr(model, "open") else {}
    fields |= model.seen(seat) if known else {}
    view = position.view(seat) if fields else None
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
    """Return a random action, its first word by how much this game likes it: some are eager, others shy."""
    words = sorted({text.split()[0] for text in legal})
    word = rng.choices(words, [liked.setdefault(word, 0.02 + rng.random() ** 3) for word in words])[0]
    return rng.choice([text for text in legal if text.split()[0] == word])
