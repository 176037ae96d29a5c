"""CPU time per decision as a histogram: what is kept of the requests of a match, and what is read off it.

A request asks a bot for all of its games that wait, so one reading of the clock is of many decisions: each of
them counts with its share, the request's CPU time by its decisions. So a p99 of 50 us means: 99 % of the
decisions were asked for in requests that took 50 us a decision or less. One slow decision among many quick
ones of a request is thinned out; the worst request is not.

Buckets are quarters of a power of two, from 0.25 us to 18 minutes: what is read off is true to 9 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..match.played import REQUEST

BUCKETS = 128
PER_OCTAVE = 4
FIRST = -2 * PER_OCTAVE  # of the lowest bucket, which begins at 2 ** -2 us
RECORD = np.dtype([("place", "u1"), ("bucket", "u1"), ("decisions", "<u4")])


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


def by_entrant(packed: Sequence[bytes], line_ups: NDArray[np.int64], entrants: int) -> NDArray[np.int64]:
    """(entrants, BUCKETS) decisions over all matches of a run.

    Args:
        packed: the records of each match.
        line_ups: (matches, places) entrant of each place.
        entrants: how many there are.

    Raises:
        ValueError, IndexError: the bytes are not as they were written.
    """
    records = np.frombuffer(b"".join(packed), RECORD)
    match = np.repeat(np.arange(len(packed)), [len(data) // RECORD.itemsize for data in packed])
    at = line_ups[match, records["place"]] * BUCKETS + records["bucket"]
    return np.bincount(at, records["decisions"], entrants * BUCKETS).astype(np.int64).reshape(-1, BUCKETS)


def below(counts: NDArray[np.int64], share: float) -> float | None:
    """Return CPU microseconds that this share of decisions does not exceed.

    The share is above 0 and up to 1, and the figure is the middle of its bucket. None: nothing was kept.
    """
    total = counts.sum()
    if not total:
        return None
    bucket = int(np.searchsorted(np.cumsum(counts), share * total))
    return round(float(_middle_us(bucket)), 2)
