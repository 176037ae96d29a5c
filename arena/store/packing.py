"""A match as bytes: which arrays a row of the store holds, and how they are packed. No database in here.

Whole numbers are stored little-endian: blocks int32 [games], places uint8 and scores int32 [games, seats];
for the moves see `Moves.frame`. A number that does not fit is refused, not cut off.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import StoreError
from ..moves import Moves
from ..recheck import Recheck
from .clocks import NOTHING

GAMES_PER_MATCH = 1000
"""A game is known to people as match * GAMES_PER_MATCH + its place in the match: `taroky#1/2003`."""


@dataclass(frozen=True)
class LostSeats:
    """One way in which an entrant broke the rules in a match: `seats` int32 [n, 3] are game, seat, decisions
    before it.
    """

    entrant: int
    kind: str
    text: str
    seats: NDArray[np.int32]


@dataclass(frozen=True)
class PlaceLog:
    """What an entrant printed in its place of a match: `lines` are game (-1: none), decisions before it,
    text.
    """

    place: int
    entrant: int
    lines: list[tuple[int, int, str]]


@dataclass(frozen=True, eq=False)
class PlayedMatch:
    """A finished match: arrays by game and seat, lists by place of the line-up."""

    number: int
    stage: int
    rotation: int
    line_up: tuple[int, ...]
    blocks: NDArray[np.int32]
    places: NDArray[np.uint8]
    scores: NDArray[np.int32]
    moves: Sequence[NDArray[np.int16]]
    cpu_s: list[float]
    decisions: list[int]
    wall_s: float
    host: dict[str, Any]
    repeated: list[str] = field(default_factory=list)
    recheck: Recheck | None = None
    lost: list[LostSeats] = field(default_factory=list)
    logs: list[PlaceLog] = field(default_factory=list)  # not read back with the match: see `Store.logs`
    memory_mib: list[float] = field(default_factory=list)
    slept_s: list[float] = field(default_factory=list)
    cpu: NDArray[np.void] = field(default_factory=lambda: NOTHING)  # see `clocks.histogram`
    digest: str = ""  # as it was when the match was stored

    def games_digest(self) -> str:
        """SHA-256 (hex) of the games alone: who sat where, every move, scores, forfeits. Nothing that was
        measured is in it, so it is the same wherever the match was played.
        """
        facts = [self.number, self.line_up]
        facts += sorted([one.entrant, one.kind, *seat] for one in self.lost for seat in one.seats.tolist())
        return self._with_games(hashlib.sha256(json.dumps(facts).encode()))

    def digest_now(self) -> str:
        """SHA-256 (hex) of everything but the logs and the histogram of CPU time."""
        facts = [
            self.number,
            self.stage,
            self.rotation,
            self.line_up,
            self.cpu_s,
            self.decisions,
            self.wall_s,
        ]
        facts += [self.host, self.repeated, self.memory_mib, self.slept_s]
        facts += [None if self.recheck is None else asdict(self.recheck)]
        facts += [[one.entrant, one.kind, one.text, one.seats.tolist()] for one in self.lost]
        return self._with_games(hashlib.sha256(json.dumps(facts, sort_keys=True).encode()))

    def _with_games(self, digest: hashlib._Hash) -> str:
        for values, kind in ((self.blocks, "<i4"), (self.places, "u1"), (self.scores, "<i4")):
            digest.update(pack(values, kind))
        digest.update(_moves(self.moves).digested())
        return digest.hexdigest()


def pack(values: NDArray[Any] | Sequence[Any], kind: DTypeLike) -> bytes:
    """An array as bytes.

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
    """The array that was packed; two-dimensional if columns are given."""
    values = np.frombuffer(data, kind)
    return values.reshape(-1, columns) if columns else values


def pack_moves(games: Sequence[NDArray[np.int16]]) -> bytes:
    """All actions of all games of a match, see `Moves.frame`.

    Raises:
        StoreError: a number that does not fit.
    """
    return _moves(games).frame


def unpack_moves(data: bytes, games: int) -> list[NDArray[np.int16]]:
    """The actions of each game."""
    return list(Moves.of_frame(data, games))


def _moves(games: Sequence[NDArray[np.int16]]) -> Moves:
    try:
        return Moves.of(games)
    except ValueError as error:
        raise StoreError(str(error)) from None


def pack_log(lines: Sequence[tuple[int, int, str]]) -> bytes:
    """What was printed in a place of a match."""
    return zlib.compress(json.dumps(lines).encode(), 6)


def unpack_log(data: bytes) -> list[tuple[int, int, str]]:
    """What was printed: game, decisions before it, text."""
    return [(game, decision, text) for game, decision, text in json.loads(zlib.decompress(data))]


def pack_schedule(matches: Iterable[Sequence[int]]) -> bytes:
    """The rows of a schedule, all equally long: whole numbers of 32 bits, in one zlib frame."""
    rows = np.array(list(matches), "<i4")
    return zlib.compress(np.array(rows.shape, "<i4").tobytes() + rows.tobytes(), 6)


def unpack_schedule(data: bytes) -> NDArray[np.int32]:
    """The rows of a schedule.

    Raises:
        StoreError: the bytes are not as they were written.
    """
    try:
        values = np.frombuffer(zlib.decompress(data), "<i4")
        return values[2:].reshape(values[0], values[1])
    except (zlib.error, ValueError, IndexError):
        raise StoreError("the schedule of a run cannot be read: the database was damaged") from None
