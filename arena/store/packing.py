"""A match as bytes: which arrays a row of the store holds, and how they are packed. No database in here.

Whole numbers are stored little-endian: blocks int32 [games], places uint8 and scores int32 [games, seats];
for the moves see `Moves.frame`. A number that does not fit is refused, not cut off.

Of the requests of a match a histogram is kept: CPU time per decision. A request asks a bot for all of its
games that wait, so one reading of the clock is of many decisions: each of them counts with its share, the
request's CPU time by its decisions. So a p99 of 50 us means: 99 % of the
decisions were asked for in requests that took 50 us a decision or less. One slow decision among many quick
ones of a request is thinned out; the worst request is not.

Buckets are quarters of a power of two, from 0.25 us to 18 minutes: what is read off is true to 9 %.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import Damaged, StoreError
from ..match.played import REQUEST, Moves

GAMES_PER_MATCH = 1000
"""A game is known to people as match * GAMES_PER_MATCH + its place in the match: `taroky#1/2003`."""
BUCKETS = 128
PER_OCTAVE = 4
FIRST = -2 * PER_OCTAVE  # of the lowest bucket, which begins at 2 ** -2 us
RECORD = np.dtype([("place", "u1"), ("bucket", "u1"), ("decisions", "<u4")])


@contextlib.contextmanager
def whole(what: str, hint: str = "") -> Iterator[None]:
    """Say that something in the database is not as it was written."""
    try:
        yield
    except (ValueError, IndexError, KeyError, TypeError, zlib.error):
        raise Damaged(f"{what} cannot be read: the database was damaged{hint}") from None


def pack(values: NDArray[Any] | Sequence[Any], kind: DTypeLike) -> bytes:
    """Return an array as bytes. Raises StoreError: a number that does not fit."""
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
    """Return the rows of a schedule."""
    with whole("the schedule of a run"):
        values = np.frombuffer(zlib.decompress(data), "<i4")
        return values[2:].reshape(values[0], values[1])


# --- CPU time per decision ----------------------------------------------------------------------------------


def histograms(matches: Sequence[NDArray[np.void]]) -> list[NDArray[np.void]]:
    """Return the decisions of each match by place and bucket, as `RECORD`s; empty buckets are left out.

    Args:
        matches: the requests of each, as in `PlayedMatch`.
    """
    requests = np.concatenate([np.zeros(0, REQUEST), *matches])
    each_us = requests["cpu_s"] * 1e6 / requests["decisions"]
    octaves = np.log2(np.maximum(each_us, 2.0**-2))
    bucket = np.clip(np.floor(octaves * PER_OCTAVE).astype(np.int64) - FIRST, 0, BUCKETS - 1)
    match = np.repeat(np.arange(len(matches)), [len(one) for one in matches])
    places = int(requests["place"].max(initial=0)) + 1
    counts = np.bincount((match * places + requests["place"]) * BUCKETS + bucket, requests["decisions"])
    used = np.flatnonzero(counts)
    records, row = np.zeros(len(used), RECORD), used // BUCKETS
    records["place"], records["bucket"], records["decisions"] = row % places, used % BUCKETS, counts[used]
    return np.split(records, np.searchsorted(row, places * np.arange(1, len(matches))))


def requests_of(records: NDArray[np.void]) -> NDArray[np.void]:
    """Return the requests of a stored match: one for each record, in the middle of its bucket."""
    requests = np.zeros(len(records), REQUEST)
    requests["place"], requests["decisions"] = records["place"], records["decisions"]
    requests["cpu_s"] = records["decisions"] * _middle_us(records["bucket"]) / 1e6
    return requests


def _middle_us(bucket: Any) -> Any:
    return 2 ** ((np.asarray(bucket, np.float64) + 0.5 + FIRST) / PER_OCTAVE)


def cpu_by_entrant(packed: Sequence[bytes], line_ups: NDArray[np.int64], entrants: int) -> NDArray[np.int64]:
    """(entrants, BUCKETS) decisions over all matches of a run.

    Args:
        packed: the records of each match.
        line_ups: (matches, places) entrant of each place.

    Raises:
        ValueError, IndexError: the bytes are not as they were written.
    """
    records = np.frombuffer(b"".join(packed), RECORD)
    match = np.repeat(np.arange(len(packed)), [len(data) // RECORD.itemsize for data in packed])
    at = line_ups[match, records["place"]] * BUCKETS + records["bucket"]
    return np.bincount(at, records["decisions"], entrants * BUCKETS).astype(np.int64).reshape(-1, BUCKETS)


def cpu_below(counts: NDArray[np.int64], share: float) -> float | None:
    """Return CPU microseconds that this share of decisions does not exceed.

    The share is above 0 and up to 1, and the figure is the middle of its bucket. None: nothing was kept.
    """
    total = counts.sum()
    if not total:
        return None
    bucket = int(np.searchsorted(np.cumsum(counts), share * total))
    return round(float(_middle_us(bucket)), 2)
