"""Give all that a report shows, as plain data.

It comes from `figures_of(store, subject)`. What is drawn of it is the page's business. Games one by one are
arrays (`Deals`): who sat where, and what others made of the same cards.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

import engines
from engines.errors import nearest
from leagues.ratings import views
from leagues.ratings.results import renumbered
from leagues.ratings.rows import HEADLINES, RatingRow, RatingTable, label

from ..errors import Unknown
from ..printable import Say, count, quiet
from ..runs.pools import RunPool, pools_of
from ..runs.standings import Pool, load_pool, pool_table, run_table
from ..store import Store
from ..store.matches import RunCount
from ..store.models import LeagueRun, now
from ..store.packing import GAMES_PER_MATCH

Ints = NDArray[np.int64]
Small = NDArray[np.int32]  # columns of all games: a run may have millions
Floats = NDArray[np.float64]
MOST_GAMES = 30_000
"""Games that a page lists: the newest ones."""
BINS = 24
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
    """Return the figures, and the games as bytes (see `packed`)."""
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


# --- games one by one ---------------------------------------------------------------------------------------


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
