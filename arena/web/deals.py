"""Games one by one for a report: who sat where, and what others made of the same cards. Arrays, no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..league.table import Pool
from ..store.packing import GAMES_PER_MATCH

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_GAMES = 30_000
"""Games that a page lists: the newest ones."""
BINS = 24


@dataclass(frozen=True, eq=False)
class Deals:
    """All games of complete blocks of some runs.

    Attributes:
        run: (games,) place of the run.
        number: (games,) match * GAMES_PER_MATCH + place in the match.
        block: (games,) the deal in its run.
        entrant: (games, seats) places in `Pool.bots`; -1: no such seat.
        score: (games, seats) as the cards fell.
        lost: (games, seats) whether the seat forfeited.
        edge: (games, seats) score less the mean of the others with the same cards and seat; NaN: none.
    """

    run: Ints
    number: Ints
    block: Ints
    entrant: Ints
    score: Ints
    lost: NDArray[np.bool_]
    edge: Floats

    def __len__(self) -> int:
        return len(self.run)


def deals_of(pool: Pool) -> Deals:
    """Return the games of a pool, oldest run first."""
    place = {bot.id: at for at, bot in enumerate(pool.bots)}
    seats = max((part.entrant.shape[1] for part in pool.parts), default=1)
    columns: list[list[NDArray[np.int64]]] = [[] for _ in range(6)]
    for run, part in enumerate(pool.parts):
        take = part.complete
        of_entrant = np.array([place[bot.id] for bot in part.bots], np.int64)
        first = np.searchsorted(part.match, part.match)
        number = part.match.astype(np.int64) * GAMES_PER_MATCH + np.arange(len(part.match)) - first
        wide = ((0, 0), (0, seats - part.entrant.shape[1]))
        found = (
            np.full(int(take.sum()), run, np.int64),
            number[take],
            part.block[take].astype(np.int64),
            np.pad(of_entrant[part.entrant[take]], wide, constant_values=-1),
            np.pad(part.score[take].astype(np.int64), wide),
            np.pad(part.lost[take].astype(np.int64), wide),
        )
        for column, values in zip(columns, found, strict=True):
            column.append(values)
    if not pool.parts:
        columns = [[np.zeros((0,) if at < 3 else (0, seats), np.int64)] for at in range(6)]
    run_, number, block, entrant, score, lost = (np.concatenate(column) for column in columns)
    return Deals(run_, number, block, entrant, score, lost.astype(bool), edges(run_, block, entrant, score))


def edges(run: Ints, block: Ints, entrant: Ints, score: Ints) -> Floats:
    """Score less the mean of the others who had the same cards in the same seat; NaN where there is none."""
    games, seats = score.shape
    if not games:
        return np.zeros((0, seats))
    cell = (run * (block.max() + 1) + block)[:, None] * seats + np.arange(seats)
    _, cell = np.unique(cell, return_inverse=True)
    cell = cell.reshape(games, seats)
    count = np.bincount(cell.ravel()).astype(np.float64)
    total = np.bincount(cell.ravel(), score.ravel().astype(np.float64))
    others = count[cell] - 1
    mean = np.divide(total[cell] - score, others, out=np.full(score.shape, np.nan), where=others > 0)
    return np.asarray(np.where(entrant >= 0, score - mean, np.nan))


def extremes(deals: Deals, entrant: int, n: int, best: bool) -> list[tuple[int, int]]:
    """Return games, as (row, seat), where an entrant was best (or worst).

    It is compared with others who had the same cards.

    Without such others, those with its highest (or lowest) scores.
    """
    mine = deals.entrant == entrant
    known = mine & ~np.isnan(deals.edge)
    value = np.where(known, deals.edge, np.nan) if known.any() else np.where(mine, deals.score, np.nan)
    flat = (-value if best else value).ravel()
    order = np.argsort(flat, kind="stable")  # NaN stands last
    seats = deals.entrant.shape[1]
    return [divmod(int(at), seats) for at in order[:n] if not np.isnan(flat[at])]


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
    columns: Sequence[NDArray[np.int64]] = [
        deals.run[some],
        deals.number[some],
        deals.block[some],
        *(table[:, seat].astype(np.int64) for table in tables for seat in range(table.shape[1])),
    ]
    return np.concatenate(columns).astype("<i4").tobytes()
