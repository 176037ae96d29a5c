"""A game as an engine builds it, and as `engines.load` returns it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .batches import Batches
from .core import copy_states
from .position import Position
from .seeds import seeds_of


class Game(Batches):
    """A game's rules, tables and batches (`Batches`, which says what it is made of), and single positions."""

    def position(
        self,
        seed: int = 0,
        players: int | None = None,
        shuffles: Iterable[Sequence[str]] | None = None,
        record: bool = False,
        **options: Any,
    ) -> Position:
        """One game, at its first decision.

        Args:
            seed: the seed of its shuffles.
            players: number of seats.
            shuffles: the shuffles from outside, in order of need, each the cards as text in shuffled order;
                the seed is not used.
            record: keep every shuffle in `position.shuffles`.
            options: by name.

        Raises:
            GameError: an option, a shuffle or a card is wrong (OptionError, ShuffleError, TextError).
        """
        states = self.blank(1, players, **options)
        states["seed"] = seeds_of(seed, 1)
        given = None if shuffles is None else [[self.card(card) for card in cards] for cards in shuffles]
        return Position(self, states, given, record)

    def use_everything(self) -> None:
        """Compile and load every function that batches, positions, views and bots use."""
        from . import search  # not needed before a bot searches
        from .learn import network

        states = self.new(2, seed=1)
        views = self.views(states)
        position, phases = self.position(seed=1), set[str]()
        for decision in range(200):  # to phases whose fields need what earlier ones do not
            if position.over:
                break
            if (view := position.view()).phase not in phases:
                str(view), view.texts, [getattr(view, name) for name in self.fields]
                phases.add(view.phase)
            position.play(int(view.legal[decision % len(view.legal)]))
        self.step(states.copy(), self.legal_mask(states).argmax(axis=1))
        self.playout(self.determinize(views, seed=1), seed=1)
        if self.columns:
            self.encode(states)
            network.use_all(self, views)
        self.legal_mask(copy_states(states))
        for tools in self.tools:
            tools.use_all(copy_states(states))
        self.playout(states, seed=1)
        self.scores(states)
        search.use_all(self.position(seed=1))
