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
from typing import Any

import numpy as np
from numpy.typing import NDArray

import engines
from leagues.errors import LeagueError
from leagues.limits import Level
from leagues.ratings.anytime import PLANNED
from leagues.ratings.results import NO_GAMES, Results
from leagues.ratings.table import RatedBot, RatingTable, label
from leagues.ratings.table import rating_table as rate

from .. import identity
from ..errors import RunError, StoreError, UsageError
from ..store import Store, clocks
from ..store.matches import RunGames
from ..store.models import Bot, LeagueRun
from .audit import told as audit_told
from .audit import with_losses
from .luck import kept_luck, luckiest_games, weights_of
from .pools import RunPool

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LOADED_LATE = ("scipy.special", "scipy.sparse", "scipy.sparse.csgraph")  # when the first table is made


def load_what_rates() -> None:
    """Load it now, while there is nothing else to do."""
    for name in LOADED_LATE:
        import_module(name)


def run_table(store: Store, run: LeagueRun) -> RatingTable:
    """Return the table of one run, over its complete blocks; trusted bots are not rated."""
    return _kept(store, f"run {run.id}", [run])


def keep_run_table(store: Store, run: LeagueRun) -> None:
    """Make the table of a run that was just finished, with its luck.

    So it is there when it is asked for.
    """
    _kept(store, f"run {run.id}", [run], luck=True)


def pool_table(store: Store, pool: RunPool, luck: bool = False) -> RatingTable:
    """Return the table over all runs of a pool; with `luck`, games whose luck was not kept are replayed."""
    return _kept(store, f"pool {pool.mark}", pool.runs, luck, pool.without)


def _kept(
    store: Store, subject: str, runs: Sequence[LeagueRun], luck: bool = False, without: Sequence[int] = ()
) -> RatingTable:
    """Return the table that was kept if nothing is new since, else a new one.

    A new table is kept if the database can be written.
    """
    counts = store.counts()
    known = [run.id for run in runs if kept_luck(store, run, counts[run.key].games, luck) is not None]
    missed = [[len(store.left_out(run)), len(store.audits(run))] for run in runs]
    facts = [identity.rating(), [[run.id, run.state, counts[run.key].stored] for run in runs], known, missed]
    facts += [list(without)] if without else []
    state = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    kept = store.standing(subject, state)
    if kept is not None:
        return RatingTable.of_plain(kept)
    table = make_table(store, runs, without)
    with contextlib.suppress(StoreError):
        store.keep_standing(subject, state, table.plain())
    return table


def make_table(store: Store, runs: Sequence[LeagueRun], without: Sequence[int] = ()) -> RatingTable:
    """Rate the complete blocks of these runs, but for games with a bot of `without` (ids).

    A seat that forfeited loses to every seat that did not, and its score counts as the lowest at its table:
    nobody gains by crashing. A block counts when all its rotations are stored. With a known seed, games that
    are equal in deal and seating count once.

    Raises:
        RunError: the games cannot be rated.
    """
    pool = load_pool(store, runs, without=without)
    try:
        rated = all(run.definition.level != Level.TRUSTED for run in runs)
        weights = weights_of(runs[0]) if runs and pool.results.luck is not None else None
        table = rate(pool.results, pool.entered, rated=rated, weights=weights, aim=aim_of(runs))
    except LeagueError as error:
        raise RunError(f"{runs[-1].game} cannot be rated: {error}") from None
    labels = [label(row) for row in table.rows]
    told = luckiest_games(table.rows, labels, pool.parts)
    for run in runs:
        told += audit_told(run, store.audits(run), [entry.bot.label for entry in store.entries(run)])
    return replace(table, notes=(*table.notes, *told, *_left_out(store, runs)))


def _left_out(store: Store, runs: Sequence[LeagueRun]) -> list[str]:
    """Say which bots are not in the table of a run because they could not be loaded."""
    missed = store.left_out(runs[0]) if len(runs) == 1 else []
    return [f"{one.bot.label} was left out: it could not be loaded ({one.kind})" for one in missed]


def aim_of(runs: Sequence[LeagueRun]) -> str:
    """Return what a table of these runs is ordered by.

    That is what the newest run says, else its game; "place" if there is no run.
    """
    if not runs:
        return "place"
    return runs[-1].definition.aim or engines.load(runs[-1].game).aim


def by_width(run: LeagueRun) -> bool:
    """Whether a run ends when its intervals are short enough."""
    return run.definition.until.startswith("ci=")


def planned_blocks(store: Store, runs: Sequence[LeagueRun]) -> float | None:
    """For how many blocks of a bot games were planned that people may look at before the last is played.

    None for one finished run whose length was known before its first game: it is looked at once. Where runs
    were added, bots joined or deals were added after a look, it is the length of the first run; where a
    league ends when it looks sure, nobody knows the length. One that ends when intervals are short enough
    (`ci=15`) does not look at who is ahead: its intervals may be plain.
    """
    first = runs[0].definition
    if any(run.definition.tournament == "adaptive" and not by_width(run) for run in runs):
        return float(PLANNED)
    added = len(runs) > 1 or any(stage.kind in ("join", "extend") for stage in store.stages(runs[0]))
    return float(first.deals) if added or runs[0].state != "finished" else None


@dataclass(frozen=True)
class Pool:
    """The games of some runs of one game, and who played them; entrant numbers are places in `bots`."""

    results: Results
    bots: tuple[Bot, ...]
    entered: tuple[RatedBot, ...]
    parts: tuple[RunGames, ...]

    def number(self, name: str) -> int:
        """Return the entrant that a person names: `rule@1`, or `rule` for its newest version.

        Raises:
            UsageError: there is none.
        """
        places = [i for i, bot in enumerate(self.bots) if name in (bot.label, bot.name)]
        if not places:
            known = ", ".join(bot.label for bot in self.bots) or "none yet"
            raise UsageError(f"no bot {name!r} in these games; bots: {known}")
        return places[-1]


def load_pool(
    store: Store,
    runs: Sequence[LeagueRun],
    luck: bool = False,
    audited: bool = True,
    without: Sequence[int] = (),
) -> Pool:
    """Return the games of all complete blocks of these runs, with what the harness counted of every bot.

    With `luck`, games whose luck was not kept are replayed. Without `audited`, games count as they were
    played, whatever bots answered when they were asked again. Blocks with a bot of `without` (ids) are left
    out, and so are these bots.
    """
    parts = []
    for games in map(store.games, runs):
        if games is not None:
            judged = with_losses(games, store.audits(games.run)) if audited else games
            parts.append(replace(judged, luck=kept_luck(store, games.run, len(games.block), luck)))
    if without:
        parts = [_without(part, without) for part in parts]
    there = {bot.id: bot for part in parts for bot in part.bots if bot.id not in without}
    bots = sorted(there.values(), key=_order)
    place = {bot.id: at for at, bot in enumerate(bots)}
    results = _joined(parts, place)
    if parts:
        results = results.watched(planned_blocks(store, [part.run for part in parts]))
    return Pool(results, tuple(bots), tuple(_entered(parts, bots, place)), tuple(parts))


def _without(part: RunGames, without: Sequence[int]) -> RunGames:
    """Call the blocks of some bots incomplete; all games of a block have one line-up."""
    theirs = [at for at, bot in enumerate(part.bots) if bot.id in without]
    return replace(part, complete=part.complete & ~np.isin(part.entrant, theirs).any(axis=1))


def _joined(parts: Sequence[RunGames], place: dict[int | None, int]) -> Results:
    """Return all games as arrays.

    Blocks of different runs differ, but for runs with one known seed, which share their deals.
    """
    if not parts:
        return NO_GAMES
    seats = max(part.entrant.shape[1] for part in parts)
    lucky = any(part.luck is not None for part in parts)
    columns: list[list[Any]] = []
    first: dict[tuple[str, int | None], int] = {}
    above = matches = 0
    for part in parts:
        seed = part.run.definition.seed
        offset = first.setdefault(("seed", seed) if seed is not None else ("run", part.run.id), above)
        above = max(above, offset + int(part.block.max()) + 1)
        take = slice(None) if part.complete.all() else part.complete
        of_entrant = np.array([place.get(bot.id, -1) for bot in part.bots])
        entrant = of_entrant[part.entrant[take]]
        score = part.score[take].astype(np.float64)
        lost = np.flatnonzero(part.lost[take].any(axis=1))
        gone = part.lost[take][lost]
        score[lost] = np.where(gone, score[lost].min(axis=1, keepdims=True), score[lost])
        rank = score.copy() if len(lost) else score
        rank[lost] = np.where(gone, -np.inf, score[lost])
        block = offset + part.block[take]
        stretch = block if seed is not None else offset + part.stretch[take]
        luck = np.zeros((len(score), score.shape[1] * lucky)) if part.luck is None else part.luck[take]
        match = matches + part.match[take]
        matches = int(match.max(initial=matches)) + 1
        padded = [_padded(score, seats), _padded(rank, seats), _padded(luck, seats * lucky)]
        columns.append([_padded(entrant, seats, -1), block, stretch, match, *padded])
    entrant, block, stretch, match, score, rank, luck = (
        column[0] if len(parts) == 1 else np.concatenate(column) for column in zip(*columns, strict=True)
    )
    once: Ints | slice = slice(None)
    if len(first) < len(parts):  # runs with one known seed: equal games count once
        once = np.sort(np.unique(np.column_stack([block, entrant]), axis=0, return_index=True)[1])
    ranked = None if rank is score else rank[once]
    lucky_or_none = luck[once] if lucky else None
    return Results(entrant[once], score[once], block[once], ranked, stretch[once], lucky_or_none, match[once])


def _padded(values: Any, seats: int, blank: int = 0) -> Any:
    """[games, seats] of a run whose tables may be smaller."""
    missing = seats - values.shape[1]
    return np.pad(values, ((0, 0), (0, missing)), constant_values=blank) if missing else values


def _entered(parts: Sequence[RunGames], bots: Sequence[Bot], place: dict[int | None, int]) -> list[RatedBot]:
    faults: list[Counter[str]] = [Counter() for _ in bots]
    cpu_s, decisions = np.zeros(len(bots)), np.zeros(len(bots), np.int64)
    cpu = np.zeros((len(bots), clocks.BUCKETS), np.int64)
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
            cpu_p99_us=clocks.below(cpu[at], 0.99),
            cpu_worst_us=clocks.below(cpu[at], 1.0),
            decisions=int(decisions[at]),
            owner=bot.owner,
            mark=bot.mark,
        )
        for at, bot in enumerate(bots)
    ]


def _order(bot: Bot) -> tuple[str, int, str]:
    return bot.name, bot.version, bot.hash
