"""Games one by one for a report: who sat where, and what others made of the same cards. Arrays, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leagues.ratings.results import renumbered

from ..runs.standings import Pool
from ..store.packing import GAMES_PER_MATCH

Ints = NDArray[np.int64]
Small = NDArray[np.int32]  # columns of all games: a run may have millions
Floats = NDArray[np.float64]
MOST_GAMES = 30_000
"""Games that a page lists: the newest ones."""
BINS = 24


@dataclass(frozen=True, eq=False)
class Deals:
    """All games of complete blocks of some runs."""

    run: Small  # (games,) place of the run
    number: Ints  # (games,) match * GAMES_PER_MATCH + place in the match
    block: Small  # (games,) the deal in its run
    entrant: Small  # (games, seats) places in `Pool.bots`; -1: no such seat
    score: Small  # (games, seats) as the cards fell
    lost: NDArray[np.bool_]  # (games, seats) whether the seat forfeited
    edge: Floats  # (games, seats) score less the mean of the others with the same cards and seat; NaN: none

    def __len__(self) -> int:
        return len(self.run)

    def of(self, entrant: int) -> Ints:
        """Return the seats that an entrant took, ascending: game * seats + seat."""
        order, taken = self._by_entrant
        begin, end = np.searchsorted(taken, np.array([entrant, entrant + 1], taken.dtype))
        return order[begin:end]

    @cached_property
    def _by_entrant(self) -> tuple[Ints, NDArray[Any]]:
        """All seats in the order of who took them, and who that was."""
        flat = self.entrant.ravel()
        small = flat.astype(np.int16) if flat.max(initial=0) < 2**15 - 1 else flat  # sorted by their digits
        order = np.argsort(small, kind="stable")
        return order, small[order]


def deals_of(pool: Pool) -> Deals:
    """Return the games of a pool, oldest run first."""
    place = {bot.id: at for at, bot in enumerate(pool.bots)}
    seats = max((part.entrant.shape[1] for part in pool.parts), default=1)
    games = sum(int(part.complete.sum()) for part in pool.parts)
    run, block = np.zeros((2, games), np.int32)
    number = np.zeros(games, np.int64)
    entrant, score = np.full((games, seats), -1, np.int32), np.zeros((games, seats), np.int32)
    lost = np.zeros((games, seats), bool)
    end = 0
    for at, part in enumerate(pool.parts):
        take = part.complete
        rows = slice(end, end := end + int(take.sum()))
        wide = rows, slice(0, part.entrant.shape[1])
        first = np.searchsorted(part.match, part.match)
        places = part.match.astype(np.int64) * GAMES_PER_MATCH + np.arange(len(part.match)) - first
        run[rows], number[rows], block[rows] = at, places[take], part.block[take]
        entrant[wide] = np.array([place[bot.id] for bot in part.bots], np.int32)[part.entrant[take]]
        score[wide], lost[wide] = part.score[take], part.lost[take]
    return Deals(run, number, block, entrant, score, lost, edges(run, block, entrant, score))


def edges(run: Small, block: Small, entrant: Small, score: Small) -> Floats:
    """Score less the mean of the others who had the same cards in the same seat; NaN where there is none."""
    edge: Floats = np.full(score.shape, np.nan)
    if not len(score):
        return edge
    deal = renumbered(run.astype(np.int64) * (int(block.max()) + 1) + block)
    for seat, (made, mine) in enumerate(zip(score.T, edge.T, strict=True)):
        others, total = np.bincount(deal)[deal] - 1, np.bincount(deal, made)[deal]
        some = (others > 0) & (entrant[:, seat] >= 0)
        mine[some] = made[some] - (total[some] - made[some]) / others[some]
    return edge


def extremes(deals: Deals, entrant: int, n: int, best: bool) -> list[tuple[int, int]]:
    """Return games, as (row, seat), where an entrant was best (or worst).

    It is compared with others who had the same cards.

    Without such others, those with its highest (or lowest) scores.
    """
    mine = deals.of(entrant)
    edge = deals.edge.ravel()[mine]
    known = ~np.isnan(edge)
    value = edge if known.any() else deals.score.ravel()[mine].astype(np.float64)
    order = np.argsort(-value if best else value, kind="stable")  # NaN stands last
    seats = deals.entrant.shape[1]
    return [divmod(int(mine[at]), seats) for at in order[:n] if not np.isnan(value[at])]


def histograms(deals: Deals, entrants: int) -> tuple[list[float], list[list[int]]]:
    """Return edges of common bins, and each entrant's scores in each bin.

    The outer bins take all that is beyond.
    """
    seated = deals.entrant >= 0
    if not seated.any():
        return [], [[] for _ in range(entrants)]
    scores = deals.score[seated]
    low, high = np.percentile(scores, [0.5, 99.5])
    step = max(1, int(np.ceil((high - low + 1) / BINS)))
    bounds = np.arange(int(low), int(high) + step + 1, step)
    which = np.clip((scores - bounds[0]) // step, 0, len(bounds) - 2)
    counts = np.zeros((entrants, len(bounds) - 1), np.int64)
    np.add.at(counts, (deals.entrant[seated], which), 1)
    return bounds.astype(float).tolist(), counts.tolist()


def packed(deals: Deals) -> bytes:
    """Return the newest games as int32, little-endian, column by column.

    The columns are run, number, block, then entrant, score and lost seat by seat.
    """
    some = slice(max(0, len(deals) - MOST_GAMES), None)
    tables = (deals.entrant[some], deals.score[some], deals.lost[some])
    columns: Sequence[NDArray[np.integer]] = [
        deals.run[some],
        deals.number[some],
        deals.block[some],
        *(table[:, seat].astype(np.int32) for table in tables for seat in range(table.shape[1])),
    ]
    return np.concatenate(columns).astype("<i4").tobytes()
