"""Make the rating table of stored games.

Find which games count, as arrays for `leagues.ratings`. Tables are kept until games come in.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

import engines
from leagues.errors import LeagueError
from leagues.limits import Level
from leagues.ratings.anytime import PLANNED
from leagues.ratings.results import NO_GAMES, PORTION, Results
from leagues.ratings.rows import RatedBot, RatingTable, label
from leagues.ratings.rows import rating_table as rate

from ..errors import RunError, StoreError
from ..match import identity
from ..store import Store, packing
from ..store.arrays import RunGames
from ..store.models import Bot, LeagueRun
from . import heap
from .audit import told as audit_told
from .audit import with_losses
from .luck import alarming, kept_luck, luckiest_games, weights_of
from .pools import RunPool

Ints = NDArray[np.int64]


def load_what_rates() -> None:
    """Load now, while there is nothing else to do, what the first table would load."""
    import_module("scipy.special")


def run_table(store: Store, run: LeagueRun) -> RatingTable:
    """Return the table of one run, over its complete blocks; trusted bots are not rated."""
    return _kept(store, f"run {run.id}", [run])


def keep_run_table(store: Store, run: LeagueRun) -> None:
    """Make the table of a run that was just finished, with its luck. So it is there when it is asked for."""
    _kept(store, f"run {run.id}", [run], luck=True)


def pool_table(store: Store, pool: RunPool) -> RatingTable:
    """Return the table over all runs of a pool; it names bots that count here, but not in their season."""
    table = _kept(store, f"pool {pool.mark}", pool.runs, without=pool.without)
    seasons = [one for one in store.seasons.all() if one.without and not pool.without]
    of_runs = store.seasons.of_runs() if seasons else {}
    here = {of_runs.get(run.key) for run in pool.runs}
    bots = {bot.id: bot.label for bot in store.bots.all(newest=False)} if seasons else {}
    told = [
        f"excluded from season {one.name}, whose own table leaves their games out: "
        + ", ".join(bots.get(bot, "a deleted bot") for bot in one.without)
        for one in seasons
        if one.name in here
    ]
    return replace(table, notes=(*table.notes, *told))


def _kept(
    store: Store, subject: str, runs: Sequence[LeagueRun], luck: bool = False, without: Sequence[int] = ()
) -> RatingTable:
    """Return the kept table if nothing is new since, else a new one, which is kept where that can be."""
    counts = store.matches.counts()
    known = [*kept_luck(store, runs, [counts[run.key].games for run in runs], luck)]
    by_run = store.runs.missed()
    missed = [[*by_run.get(run.key, (0, 0))] for run in runs]
    facts = [identity.rating(), [[run.id, run.state, counts[run.key].stored] for run in runs], known, missed]
    facts += [list(without)] if without else []
    state = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    kept = store.runs.standings([subject], state, RatingTable).get(subject)
    if kept is not None:
        return kept
    table = make_table(store, runs, without)
    with contextlib.suppress(StoreError):
        store.runs.keep_standing(subject, state, table.plain())
    return table


def make_table(store: Store, runs: Sequence[LeagueRun], without: Sequence[int] = ()) -> RatingTable:
    """Rate the complete blocks of these runs, but for games with a bot of `without` (ids).

    A seat that forfeited loses to every seat that did not, and its score counts as the lowest at its table:
    nobody gains by crashing. A block counts when all its rotations are stored. With a known seed, games that
    are equal in deal and seating count once.

    Raises:
        RunError: the games cannot be rated.
    """
    pool = load_pool(store, runs, without=without, parts=False)
    heap.trim()
    try:
        rated = all(run.definition.level != Level.TRUSTED for run in runs)
        weights = weights_of(runs[0]) if runs and pool.results.luck is not None else None
        table = rate(pool.results, pool.entered, rated=rated, weights=weights, aim=aim_of(runs))
    except LeagueError as error:
        raise RunError(f"{runs[-1].game} cannot be rated: {error}") from None
    told: list[str] = []
    if any(map(alarming, table.rows)):
        parts = load_pool(store, runs, without=without).parts
        told = luckiest_games(table.rows, [label(row) for row in table.rows], parts)
    audits = store.runs.audits_of_runs(runs)
    for run in runs:
        if audits[run.key]:
            told += audit_told(run, audits[run.key], [entry.bot.label for entry in store.runs.entries(run)])
    told += _copies(pool.bots, runs)
    for one in store.runs.left_out(runs[0]) if len(runs) == 1 else ():
        told.append(f"{one.bot.label} was left out: it could not be loaded ({one.kind})")
    return replace(table, notes=(*table.notes, *told))


def _copies(bots: Sequence[Bot], runs: Sequence[LeagueRun]) -> list[str]:
    """Say which bots have the same files: whoever beats them most gains by every copy more."""
    alike: dict[str, list[str]] = {}
    for bot in bots:
        alike.setdefault(bot.hash, []).append(bot.label)
    return [
        f"{', '.join(labels)} have the same files: copies move the Elo and the points of the others, but no "
        f"number of arena ratings {runs[-1].game} --view nash"
        for labels in alike.values()
        if len(labels) > 1
    ]


def aim_of(runs: Sequence[LeagueRun]) -> str:
    """Return what a table of these runs is ordered by: what the newest says, else its game; else "place"."""
    if not runs:
        return "place"
    return runs[-1].definition.aim or engines.load(runs[-1].game).aim


def planned_blocks(store: Store, runs: Sequence[LeagueRun]) -> float | None:
    """For how many blocks of a bot games were planned that people may look at before the last is played.

    None for one finished run whose length was known before its first game: it is looked at once. Where runs
    were added, bots joined or deals were added after a look, it is the length of the first run; where a
    league ends when it looks sure, nobody knows the length. One that ends when intervals are short enough
    (`ci=15`) does not look at who is ahead: its intervals may be plain.
    """
    first = runs[0].definition
    leagues = [run.definition for run in runs]
    if any(one.tournament == "adaptive" and not one.until.startswith("ci=") for one in leagues):
        return float(PLANNED)
    added = len(runs) > 1 or any(stage.kind in ("join", "extend") for stage in store.runs.stages(runs[0]))
    return float(first.deals) if added or runs[0].state != "finished" else None


@dataclass(frozen=True)
class Pool:
    """The games of some runs of one game, and who played them; entrant numbers are places in `bots`."""

    results: Results
    bots: tuple[Bot, ...]
    entered: tuple[RatedBot, ...]
    parts: tuple[RunGames, ...]


def load_pool(
    store: Store,
    runs: Sequence[LeagueRun],
    luck: bool = False,
    audited: bool = True,
    without: Sequence[int] = (),
    parts: bool = True,
) -> Pool:
    """Return the games of all complete blocks of these runs, with what the harness counted of every bot.

    With `luck`, games whose luck was not kept are replayed. Without `audited`, games count as they were
    played, whatever bots answered when they were asked again. Blocks with a bot of `without` (ids) are left
    out, and so are these bots. Without `parts` the pool keeps no games but those of `results`: a large one
    needs half the memory.
    """
    found = store.games.of_runs(runs)
    heap.trim()
    if audited:
        audits = store.runs.audits_of_runs(runs)
        found = [with_losses(part, audits[part.run.key]) for part in found]
    lucky = kept_luck(store, [part.run for part in found], [len(part.block) for part in found], luck)
    found = [replace(part, luck=lucky.get(part.run.key)) for part in found]
    if without:
        found = [_without(part, without) for part in found]
    there = {bot.id: bot for part in found for bot in part.bots if bot.id not in without}
    bots = sorted(there.values(), key=_order)
    place = {bot.id: at for at, bot in enumerate(bots)}
    results = _joined(found, place)
    if found:
        results = results.watched(planned_blocks(store, [part.run for part in found]))
    return Pool(results, tuple(bots), tuple(_entered(found, bots, place)), tuple(found) if parts else ())


def _without(part: RunGames, without: Sequence[int]) -> RunGames:
    """Call the blocks of some bots incomplete; all games of a block have one line-up."""
    theirs = [at for at, bot in enumerate(part.bots) if bot.id in without]
    return replace(part, complete=part.complete & ~np.isin(part.entrant, theirs).any(axis=1))


def _joined(parts: Sequence[RunGames], place: dict[int | None, int]) -> Results:
    """Return all games as arrays; a seat that forfeited has the lowest score.

    Blocks of different runs differ, but for runs with one known seed, which share their deals.
    """
    if not parts:
        return NO_GAMES
    total = sum(int(part.complete.sum()) for part in parts)
    shape = total, max(part.entrant.shape[1] for part in parts)
    entrant, score = np.full(shape, -1, np.int64), np.zeros(shape)
    block, stretch, number = np.zeros((3, total), np.int64)
    rank = np.zeros(shape) if any(part.lost.any() for part in parts) else None
    luck = np.zeros(shape) if any(part.luck is not None for part in parts) else None
    first: dict[tuple[str, int | None], int] = {}
    above = matches = games = 0
    for part in parts:
        seed = part.run.definition.seed
        offset = first.setdefault(("seed", seed) if seed is not None else ("run", part.run.id), above)
        above = max(above, offset + int(part.block.max()) + 1)
        of_entrant = np.array([place.get(bot.id, -1) for bot in part.bots])
        rows = _in_order(part, of_entrant)
        at = slice(games, games + len(rows))
        block[at], number[at] = offset + part.block[rows], matches + part.match[rows]
        stretch[at] = block[at] if seed is not None else offset + part.stretch[rows]
        matches, games = int(number[at].max(initial=matches)) + 1, at.stop
        for begin in range(0, len(rows), PORTION):
            some = rows[begin : begin + PORTION]
            here = slice(at.start + begin, at.start + begin + len(some)), slice(0, part.entrant.shape[1])
            points, lost = part.score[some].astype(np.float64), part.lost[some]
            entrant[here] = of_entrant[part.entrant[some]]
            score[here] = np.where(lost, points.min(axis=1, keepdims=True), points)
            if rank is not None:
                rank[here] = np.where(lost, -np.inf, points)
            if luck is not None and part.luck is not None:
                luck[here] = part.luck[some]
    columns = entrant, score, block, rank, stretch, luck, number
    if len(first) < len(parts):  # runs with one seed: equal games count once
        game = np.column_stack([block, entrant])
        kept = np.sort(np.unique(game, axis=0, return_index=True)[1])
        return Results(*(None if one is None else one[kept] for one in columns))  # type: ignore[arg-type]
    return Results(*columns)


def _in_order(part: RunGames, of_entrant: Ints) -> Ints:
    """Return the rows of the complete games of a run in the order of `Results`, which then sorts nothing."""
    first = of_entrant[part.entrant[:, 0]] + 1
    key = part.block.astype(np.int64) * (first.max() + 1) + first  # a stretch is a run of blocks
    order = np.argsort(key, kind="stable")
    return order[part.complete[order]]


def _entered(parts: Sequence[RunGames], bots: Sequence[Bot], place: dict[int | None, int]) -> list[RatedBot]:
    faults: list[Counter[str]] = [Counter() for _ in bots]
    cpu_s, decisions = np.zeros(len(bots)), np.zeros(len(bots), np.int64)
    cpu = np.zeros((len(bots), packing.BUCKETS), np.int64)
    for part in parts:
        for at, bot in enumerate(part.bots):
            if bot.id not in place:
                continue
            faults[place[bot.id]] += part.faults[at]
            cpu_s[place[bot.id]] += part.cpu_s[at]
            cpu[place[bot.id]] += part.cpu[at]
            decisions[place[bot.id]] += part.decisions[at]
    return [
        RatedBot(
            bot.name,
            bot.version,
            bot.kind == "guest",
            faults[at],
            cpu_s=float(cpu_s[at]),
            cpu_p99_us=packing.cpu_below(cpu[at], 0.99),
            cpu_worst_us=packing.cpu_below(cpu[at], 1.0),
            decisions=int(decisions[at]),
            owner=bot.owner,
            mark=bot.mark,
        )
        for at, bot in enumerate(bots)
    ]


def _order(bot: Bot) -> tuple[str, int, str]:
    return bot.name, bot.version, bot.hash
