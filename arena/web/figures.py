"""Give all that a report shows, as plain data.

It comes from `figures_of(store, subject)`. What is drawn of it is the page's business.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, TypedDict

import numpy as np

import engines
from engines.errors import nearest
from leagues.ratings import views
from leagues.ratings.rows import HEADLINES, RatingRow, RatingTable, label

from ..errors import Unknown
from ..printable import Say, count, quiet
from ..runs.pools import RunPool, pools_of
from ..runs.standings import Pool, load_pool, pool_table, run_table
from ..store import Store
from ..store.matches import RunCount
from ..store.models import LeagueRun, now
from .deals import MOST_GAMES, Deals, deals_of, extremes, histograms, packed

MANY_GAMES = 100_000
"""From so many games on a report takes long enough to say how long."""
EXTREMES = 5
"""Best and worst deals of a bot that are named."""


class Figures(TypedDict):
    """A report. Bots are named by their place in `bots`; games by run and number: `taroky#1/2003`."""

    title: str
    subtitle: str
    made: str
    limits: dict[str, Any]
    runs: list[dict[str, Any]]
    bots: list[dict[str, Any]]
    table: list[dict[str, Any]]
    headline: str  # what ranks are by
    row_bots: list[int]  # the bot of each row of the table
    notes: list[str]
    pairs: list[dict[str, Any]]
    families: dict[str, list[dict[str, Any]]]
    forfeits: list[dict[str, Any]]
    clock: list[dict[str, Any]]
    bins: list[float]
    counts: list[list[int]]
    best: list[list[list[Any]]]  # by bot: [game, seat, score, mean of the others or None]
    worst: list[list[list[Any]]]
    games: int
    listed: int
    columns: int  # seats of a packed game
    films: list[str]


@dataclass(frozen=True, eq=False)
class Subject:
    """What a report is about: the runs, their games, their table."""

    title: str
    subtitle: str
    game: str
    runs: tuple[LeagueRun, ...]
    pool: Pool
    table: RatingTable
    deals: Deals
    apart: tuple[RunPool, ...] = ()  # runs of the game that cannot be rated with these


def subject_of(store: Store, name: str, say: Say = quiet) -> Subject:
    """Return the games that a report is about.

    Args:
        name: a game (its main pool), or a run: `taroky#2`, or `taroky-strong` for the latest of that league.

    Raises:
        Unknown: no game and no run has this name, or it has no games.
    """
    if name in engines.names():
        pools = pools_of(store, name)
        if not pools:
            raise Unknown(f"no rated games of {name} yet", f"play some with: arena league run {name}")
        title, runs, rated = pools[0].title, pools[0].runs, partial(pool_table, store, pools[0])
        heading, apart = engines.load(name).title, tuple(pools[1:])
    else:
        check_subject(store, name)
        run, apart = store.runs.find(name), ()
        runs, heading, rated = (run,), run.label, partial(run_table, store, run)
        title = f"{run.definition.players} players, level {run.definition.level}, {run.state}"
    counts = store.matches.counts()
    games = sum(counts[run.key].games for run in runs)
    far = "; a million take about 10 s and 800 MB of memory" if games >= MANY_GAMES else ""
    say(f"{heading}: a page of {count(games, 'game')}{far}")
    table, pool = rated(), load_pool(store, runs)
    return Subject(heading, title, runs[0].game, tuple(runs), pool, table, deals_of(pool), apart)


def check_subject(store: Store, name: str) -> None:
    """Raise Unknown unless a game or a run has this name."""
    runs = store.runs.all()
    known = [*engines.names(), *(run.name for run in runs), *(run.label for run in runs)]
    if name not in known:
        hint = nearest(name, known, f"games: {', '.join(engines.names())}")
        raise Unknown(f"no game and no run {name!r}; {hint}")


def figures_of(store: Store, subject: Subject, words: bool = True) -> tuple[Figures, bytes]:
    """Return the figures, and the games as bytes (see `deals.packed`)."""
    pool, deals, rows = subject.pool, subject.deals, subject.table.rows
    results, entered = pool.results, pool.entered
    many = len(deals) > 0
    bounds, counts = histograms(deals, len(pool.bots))
    families = views.families(results, entered) if many else {}
    listed = min(len(deals), MOST_GAMES)
    stored, driven = store.matches.counts(), store.leases.all()
    apart = [(", ".join(run.label for run in pool.runs), pool.title) for pool in subject.apart]
    made: Figures = {
        "title": subject.title,
        "subtitle": subject.subtitle,
        "made": now().isoformat(timespec="minutes"),
        "limits": asdict(subject.runs[-1].definition.limits),
        "runs": [_run(store, run, stored[run.key], driven) for run in subject.runs],
        "bots": _bots(pool, {one.owner for one in store.owners.all() if one.banned}),
        "table": [row.plain() for row in rows],
        "headline": HEADLINES[subject.table.headline],
        "row_bots": _row_bots(pool, rows),
        "notes": [
            *subject.table.notes,
            *(f"not in here, played under other conditions: {labels} ({why})" for labels, why in apart),
        ],
        "pairs": [asdict(row) for row in views.pair_rows(results, entered)] if many else [],
        "families": {
            name: [asdict(row) for row in found] for name, found in families.items() if len(found) > 1
        },
        "forfeits": _forfeits(store, subject, words),
        "clock": _clock(pool),
        "bins": bounds,
        "counts": counts,
        "best": [_named(subject, extremes(deals, at, EXTREMES, True)) for at in range(len(pool.bots))],
        "worst": [_named(subject, extremes(deals, at, EXTREMES, False)) for at in range(len(pool.bots))],
        "games": len(deals),
        "listed": listed,
        "columns": int(deals.entrant.shape[1]),
        "films": [],
    }
    return made, packed(deals)


def _bots(pool: Pool, banned: Collection[str]) -> list[dict[str, Any]]:
    return [
        {
            "label": label,
            "name": bot.name,
            "title": bot.title,
            "owner": bot.owner,
            "retired": bot.retired is not None,
            "banned": bot.owner in banned,
        }
        for bot, label in zip(pool.bots, _labels(pool), strict=True)
    ]


def game_name(subject: Subject, row: int) -> str:
    """Return the name of a game of the subject: `taroky#1/2003`."""
    deals = subject.deals
    return f"{subject.pool.parts[int(deals.run[row])].run.label}/{int(deals.number[row])}"


def _labels(pool: Pool) -> list[str]:
    """Return the bots' names as the tables have them."""
    return [label(one) for one in pool.entered]


def _row_bots(pool: Pool, rows: Sequence[RatingRow]) -> list[int]:
    """Which bot each row of the table is; guests of one name and mark in their order."""
    free = dict(enumerate(_labels(pool)))
    played = []
    for row in rows:
        at = next((at for at, name in free.items() if name == label(row)), -1)
        free.pop(at, None)
        played.append(at)
    return played


def run_facts(run: LeagueRun, count: RunCount, driven: Collection[int]) -> dict[str, Any]:
    """Return how far a run is, as plain data."""
    return {
        "label": run.label,
        "state": run.state,
        "word": count.word(run.state, run.key in driven),
        "started": run.started.isoformat(timespec="minutes"),
        "games": count.games,
        "matches": count.stored,
        "planned": count.planned,
    }


def _run(store: Store, run: LeagueRun, count: RunCount, driven: Collection[int]) -> dict[str, Any]:
    stages = store.runs.stages(run)
    return run_facts(run, count, driven) | {"version": stages[-1].code["versions"]["card-arena"]}


def _named(subject: Subject, found: Sequence[tuple[int, int]]) -> list[list[Any]]:
    """Games of a bot with what it made and what the others made of the same cards."""
    deals = subject.deals
    made: list[list[Any]] = []
    for row, seat in found:
        score, edge = int(deals.score[row, seat]), float(deals.edge[row, seat])
        mean = None if np.isnan(edge) else round(score - edge, 2)
        made.append([game_name(subject, row), seat, score, mean])
    return made


def _forfeits(store: Store, subject: Subject, words: bool) -> list[dict[str, Any]]:
    place = {bot.id: at for at, bot in enumerate(subject.pool.bots)}
    rows = []
    for run in subject.runs:
        entries = store.runs.entries(run)
        for lost in store.matches.forfeits(run):
            bot = place.get(entries[lost.entrant].bot.id)
            if bot is not None:
                facts = {"bot": bot, "run": run.label, "kind": lost.kind, "seats": lost.seats}
                rows.append(facts | {"matches": lost.matches, "text": lost.text if words else ""})
    return rows


def _clock(pool: Pool) -> list[dict[str, Any]]:
    """Return the CPU time of every bot per decision, in microseconds.

    The figures are as in the rating table; p99 and worst are None for one that was never asked.
    """
    return [
        {
            "bot": at,
            "mean": round(one.cpu_s / one.decisions * 1e6, 1),
            "p99": one.cpu_p99_us,
            "worst": one.cpu_worst_us,
        }
        for at, one in enumerate(pool.entered)
        if one.decisions
    ]
