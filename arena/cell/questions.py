"""What a bot is asked: the decisions that wait for it, of one game or of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core import States
from engines.game import Game


class Decisions(NamedTuple):
    """Decisions that a bot is asked about at once.

    Attributes:
        rows: [n] redacted records, contiguous.
        games: [n] number of the game in the match.
        seats: [n] seat to act.
        legal: the legal actions of all rows, one after the other.
        offsets: [n + 1] where each row's legal actions begin; `legal_of` cuts them out.
    """

    rows: NDArray[np.void]
    games: NDArray[np.int32]
    seats: NDArray[np.int8]
    legal: NDArray[np.int16]
    offsets: NDArray[np.int32]

    @classmethod
    def of(cls, game: Game, states: States, games: Sequence[int] | None = None) -> Decisions:
        """Make the decisions that a batch of states waits for.

        Args:
            game: whose states they are.
            states: [n], none of them over.
            games: their numbers; default: 0 .. n - 1.
        """
        rows, mask = game.views(states), game.legal_mask(states)
        numbers = np.arange(len(rows)) if games is None else np.array(games)
        offsets = np.concatenate([[0], mask.sum(1).cumsum()]).astype(np.int32)
        legal = np.nonzero(mask)[1].astype(np.int16)
        return cls(rows, numbers.astype(np.int32), rows["seat"].astype(np.int8), legal, offsets)

    def legal_of(self, row: int) -> NDArray[np.int16]:
        """Return the legal actions of a row."""
        return self.legal[self.offsets[row] : self.offsets[row + 1]]

    def part(self, first: int, end: int) -> Decisions:
        """Return the rows from `first` up to `end`."""
        begin, cut = self.offsets[first], slice(first, end)
        return Decisions(
            self.rows[cut],
            self.games[cut],
            self.seats[cut],
            self.legal[begin : self.offsets[end]],
            self.offsets[first : end + 1] - begin,
        )
