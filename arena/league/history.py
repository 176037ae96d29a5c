"""How ratings moved from run to run: every bot's Elo after each run of a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leagues.ratings.table import rating_table

from ..store import Store
from ..store.models import LeagueRun
from .table import aim_of, load_pool


@dataclass(frozen=True)
class HistoryRow:
    """One bot after one run, over all games until then. The interval is 95 %."""

    run: str
    finished: str | None  # ISO 8601; None: still going on
    bot: str
    version: int
    mark: str  # of a guest, as in the rating table
    rank: int | None
    elo: float | None
    low: float | None
    high: float | None
    games: int


def history_rows(store: Store, runs: Sequence[LeagueRun]) -> list[HistoryRow]:
    """Return the table of the first run, of the first two, and so on.

    Runs are in the order in which they were started.
    """
    rows, runs = [], sorted(runs, key=lambda run: run.started)
    for last, run in enumerate(runs, 1):
        pool = load_pool(store, runs[:last])
        finished = run.finished.isoformat(timespec="seconds") if run.finished else None
        for row in rating_table(pool.results, pool.entered, aim=aim_of(runs[:last])).rows:
            numbers = (row.rank, row.elo, row.elo_low, row.elo_high, row.games)
            rows.append(HistoryRow(run.label, finished, row.bot, row.version, row.mark, *numbers))
    return rows
