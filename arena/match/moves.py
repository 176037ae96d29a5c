"""Hold all actions of all games of a match in one array.

So they are stored, travel and are hashed. Nothing here knows what an action means.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

LEVEL = 1  # of zlib: 6 takes six times as long, for 5 % (Taroky) to a third (Flip 7) fewer bytes


class Moves(Sequence[NDArray[np.int16]]):
    """The actions of each game. A worker packs them; they are unpacked where somebody looks at them."""

    def __init__(self, games: Sequence[NDArray[Any]]) -> None:
        """Of an array for each game.

        Raises:
            ValueError: a number that does not fit into 16 bits.
        """
        lengths = np.array([len(one) for one in games], "<i4")
        given = np.concatenate(games) if games else np.zeros(0, "<i2")
        every = given.astype("<i2")
        if (every != given).any():
            raise ValueError(f"the numbers {given.min()} to {given.max()} cannot be stored as int16")
        self._games = len(lengths)
        self._arrays: tuple[NDArray[np.int32], NDArray[np.int16]] | None = (lengths, every)
        self._frame = b""

    @classmethod
    def of(cls, games: Sequence[NDArray[Any]]) -> Moves:
        """As they are if they are packed already."""
        return games if isinstance(games, cls) else cls(games)

    @classmethod
    def of_frame(cls, frame: bytes, games: int) -> Moves:
        """From what `frame` gave; looked at later, so an error comes then."""
        made = cls.__new__(cls)
        made._games, made._arrays, made._frame = games, None, frame
        return made

    @property
    def frame(self) -> bytes:
        """One zlib frame: how many each game has (int32), then all of them (int16), little-endian."""
        if not self._frame:
            lengths, every = self.arrays
            self._frame = zlib.compress(lengths.tobytes() + every.tobytes(), LEVEL)
        return self._frame

    @property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
        """How many each game has, and all of them one after the other.

        Raises:
            ValueError, zlib.error: the frame is not as it was made.
        """
        if self._arrays is None:
            raw = zlib.decompress(self._frame)
            lengths = np.frombuffer(raw, "<i4", self._games)
            every = np.frombuffer(raw, "<i2", offset=4 * self._games)
            self._arrays = lengths, every
        return self._arrays

    def digested(self) -> bytes:
        """Return what digests are made of, as int16: a length (two numbers), its moves, a length, ..."""
        lengths, every = self.arrays
        begins = np.cumsum(lengths + 2) - lengths - 2
        told = np.empty(len(every) + 2 * len(lengths), "<i2")
        moves = np.ones(len(told), np.bool_)
        moves[begins] = moves[begins + 1] = False
        told[moves], told[~moves] = every, lengths.view("<i2")
        return told.tobytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return Moves.of_frame, (self.frame, self._games)

    def __len__(self) -> int:
        return self._games

    @overload
    def __getitem__(self, at: int) -> NDArray[np.int16]: ...
    @overload
    def __getitem__(self, at: slice) -> Moves: ...
    def __getitem__(self, at: int | slice) -> NDArray[np.int16] | Moves:
        if isinstance(at, slice):
            return Moves(list(self)[at])
        lengths, every = self.arrays
        game = range(self._games)[at]  # an IndexError where there is none
        begin = int(lengths[:game].sum())
        return every[begin : begin + int(lengths[game])]

    def __iter__(self) -> Iterator[NDArray[np.int16]]:
        lengths, every = self.arrays
        ends = np.cumsum(lengths)
        return (every[begin:end] for begin, end in zip((ends - lengths).tolist(), ends.tolist()))
