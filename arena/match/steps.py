"""Stored games, played again from their deals and moves: many side by side, a move of each at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .played import Moves

if TYPE_CHECKING:
    from engines.game import Game

    from .played import PlayedMatch

Ints = NDArray[np.int64]
NEVER = 1 << 30  # decisions before a forfeit of a seat that did not forfeit


class NextMoves(NamedTuple):
    """The next move of all games that are not over; arrays have an item for each."""

    made: int  # moves before it
    rows: Ints  # which games
    states: Any
    legal: NDArray[np.bool_]
    actions: Ints  # what was played
    seats: Ints  # whose move it is


class Steps:
    """All games of some matches, a row each: first those of the first match."""

    def __init__(
        self,
        game: Game,
        players: int,
        options: dict[str, Any],
        seeds: Any,
        matches: Sequence[PlayedMatch],
    ) -> None:
        self.game = game
        sizes = [len(match.blocks) for match in matches]
        self.ends = np.cumsum(sizes)
        self.of_match = np.repeat(np.arange(len(matches)), sizes)
        arrays = [Moves.of(match.moves).arrays for match in matches]
        self.lengths = np.concatenate([lengths for lengths, _ in arrays])
        self._moves = np.concatenate([moves for _, moves in arrays])
        self._begins = np.cumsum(self.lengths) - self.lengths
        self.places = np.concatenate([match.places for match in matches]).astype(np.int64)
        self.entrant = np.concatenate([np.array(one.line_up)[one.places.astype(np.int64)] for one in matches])
        self.lost_at = np.concatenate([match.lost_at(NEVER) for match in matches])
        self.states = game.new(len(seeds), seeds, players, **options).copy()
        self.going = np.ones(len(self.lengths), np.bool_)  # a game that is taken out is not played on

    def __iter__(self) -> Iterator[NextMoves]:
        """Yield the moves; whatever is `going` is then made.

        Raises:
            GameError: a move that is not legal, of a game that was not taken out.
        """
        from engines import core

        # as bytes, since NumPy copies records field by field; `new` has checked them
        raw = self.states.view(np.uint8).reshape(len(self.states), -1)
        for made in range(int(self.lengths.max(initial=0))):
            rows = np.flatnonzero((self.lengths > made) & self.going)
            if not len(rows):
                return
            part = core.keep(raw[rows].view(self.states.dtype)[:, 0])
            actions = self._moves[self._begins[rows] + made]
            seats = part["seat"].astype(np.int64)
            yield NextMoves(made, rows, part, self.game.legal_mask(part), actions, seats)
            going = self.going[rows]
            if not going.all():
                rows, part, actions = rows[going], part[going], actions[going]
            if len(rows):
                self.game.step(part, actions)
                raw[rows] = part.view(np.uint8).reshape(len(rows), -1)
