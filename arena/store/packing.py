"""A match as bytes: which arrays a row of the store holds, and how they are packed. No database in here.

Whole numbers are stored little-endian: blocks int32 [games], places uint8 and scores int32 [games, seats];
for the moves see `Moves.frame`. A number that does not fit is refused, not cut off.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import StoreError
from ..match.moves import Moves

GAMES_PER_MATCH = 1000
"""A game is known to people as match * GAMES_PER_MATCH + its place in the match: `taroky#1/2003`."""


def pack(values: NDArray[Any] | Sequence[Any], kind: DTypeLike) -> bytes:
    """Return an array as bytes.

    Raises:
        StoreError: a number that does not fit.
    """
    given = np.asarray(values)
    made = given.astype(kind, copy=False)
    if made is not given and (made != given).any():
        raise StoreError(
            f"the numbers {given.min()} to {given.max()} cannot be stored as {np.dtype(kind).name}"
        )
    return made.tobytes()


def unpack(data: bytes, kind: str, columns: int = 0) -> NDArray[Any]:
    """Return the array that was packed; two-dimensional if columns are given."""
    values = np.frombuffer(data, kind)
    return values.reshape(-1, columns) if columns else values


def pack_moves(games: Sequence[NDArray[np.int16]]) -> bytes:
    """All actions of all games of a match, see `Moves.frame`.

    Raises:
        StoreError: a number that does not fit.
    """
    try:
        return Moves.of(games).frame
    except ValueError as error:
        raise StoreError(str(error)) from None


def pack_log(lines: Sequence[tuple[int, int, str]]) -> bytes:
    """Return what was printed in a place of a match."""
    return zlib.compress(json.dumps(lines).encode(), 6)


def unpack_log(data: bytes) -> list[tuple[int, int, str]]:
    """Return what was printed: game, decisions before it, text."""
    return [(game, decision, text) for game, decision, text in json.loads(zlib.decompress(data))]


def pack_schedule(matches: Iterable[Sequence[int]]) -> bytes:
    """Return the rows of a schedule, all equally long: whole numbers of 32 bits, in one zlib frame."""
    rows = np.array(list(matches), "<i4")
    return zlib.compress(np.array(rows.shape, "<i4").tobytes() + rows.tobytes(), 6)


def unpack_schedule(data: bytes) -> NDArray[np.int32]:
    """Return the rows of a schedule.

    Raises:
        StoreError: the bytes are not as they were written.
    """
    try:
        values = np.frombuffer(zlib.decompress(data), "<i4")
        return values[2:].reshape(values[0], values[1])
    except (zlib.error, ValueError, IndexError):
        raise StoreError("the schedule of a run cannot be read: the database was damaged") from None
