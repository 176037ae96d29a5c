"""All games of a run as arrays, and what its bots have used: read some thousand matches at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Text, cast
from sqlalchemy import select as columns_of
from sqlmodel import SQLModel

from ..errors import Damaged
from . import packing
from .database import Database, Family
from .matches import check_forfeit, who_knows
from .models import Bot, LeagueRun, Stage
from .runs import RunTables, some

AT_A_TIME = 2000  # matches that are read together
LISTS = ("line_up", "cpu_s", "decisions", "memory_mib", "slept_s")  # that every match has, as JSON
PACKED = ("blocks", "places", "scores", "cpu_buckets")  # that only its games are read from
FORFEIT = ("match", "entrant", "kind", "games", "seats")

Ints = NDArray[np.int64]
Small = NDArray[np.int32]  # columns of all games: as they are stored, since a run may have millions
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Used:
    """What the entrants of a run have used."""

    cpu_s: Floats  # by entrant, seconds of CPU in all its matches
    decisions: Ints  # by entrant, how often it was asked
    memory_mib: Floats  # by entrant, the most memory that it had in a match
    slept_s: Floats  # by entrant, the most sleep of a match

    @classmethod
    def nothing(cls, entrants: int) -> Used:
        """Return what was used before the first match."""
        return cls(np.zeros(entrants), np.zeros(entrants, np.int64), np.zeros(entrants), np.zeros(entrants))

    def add(self, lists: dict[str, Any]) -> None:
        """Add matches: of each of `LISTS` a list for every match."""
        line_ups = lists["line_up"]
        np.add.at(self.cpu_s, _flat(line_ups), _flat(lists["cpu_s"]))
        np.add.at(self.decisions, _flat(line_ups), _flat(lists["decisions"]))
        for most, name in ((self.memory_mib, "memory_mib"), (self.slept_s, "slept_s")):
            there = [line_up[: len(values)] for line_up, values in zip(line_ups, lists[name], strict=True)]
            np.maximum.at(most, np.array(_flat(there), np.int64), _flat(lists[name]))


@dataclass(frozen=True, eq=False)
class RunGames(Used):
    """All games of a run as arrays, in the order of their matches, and what was counted of its bots."""

    run: LeagueRun
    bots: list[Bot]  # the entrants
    match: Small  # (games,) number of the match
    block: Small  # (games,) block in the run
    stretch: Small  # (games,) first block of the stretch
    complete: NDArray[np.bool_]  # (games,) whether all matches of the stretch are stored
    entrant: Small  # (games, seats) place of the entrant in each seat
    score: Small  # (games, seats) as the cards fell
    lost: NDArray[np.bool_]  # (games, seats) whether the seat forfeited
    faults: list[Counter[str]]  # by entrant, seats that were forfeited, by kind
    cpu: Ints  # (entrants, packing.BUCKETS) decisions by CPU time
    luck: Floats | None = None  # (games, seats) points that chance gave the seat; None: not known

    @property
    def labels(self) -> list[str]:
        """The entrants' names as in a table."""
        return [bot.label for bot in self.bots]


class GameTables(Family):
    """Reading all games of a run."""

    def __init__(self, database: Database, runs: RunTables) -> None:
        super().__init__(database)
        self._runs = runs

    def of_runs(self, runs: Sequence[LeagueRun]) -> list[RunGames]:
        """All games of each of these runs as arrays; runs without games are left out."""
        fields, found = self._fields(runs), dict[int, RunGames]()
        for key, portions in groupby(self._portions(fields, PACKED), key=lambda one: one[0].run.key):
            with _readable(fields[key].run):
                found[key] = _joined([_unpacked(field, columns) for field, columns in portions])
        return [found[run.key] for run in runs if run.key in found]

    def used(self, run: LeagueRun) -> Used:
        """Return what the entrants of a run have used; its games are not read."""
        fields = self._fields([run])
        used = Used.nothing(len(fields[run.key].bots))
        for _, columns in self._portions(fields, ()):
            with _readable(run):
                used.add(columns)
        return used

    def with_block(self, run: LeagueRun, block: int) -> list[int]:
        """Return the numbers of the planned matches that a block is in."""
        first, blocks = _spans(self._runs.stages(run))
        return np.flatnonzero((first <= block) & (block < first + blocks)).tolist()

    def _fields(self, runs: Sequence[LeagueRun]) -> dict[int, _Field]:
        """Return by key of the run who and what is planned in it, and how far it is."""
        entries, stages, found = self._runs.entries_of(runs), self._runs.stages_of(runs), dict[int, _Field]()
        lost = self._rows(runs, "forfeit", *FORFEIT)  # before their matches, of which more may come meanwhile
        stored = self._rows(runs, "match", "number", "games")
        for run in runs:
            with _readable(run):
                bots = [entry.bot for entry in entries[run.key]]
                first_block = _spans(stages[run.key])[0]
                numbers = np.array([row.number for row in stored[run.key]], np.int64)
                wrong = numbers[(numbers < 0) | (numbers >= len(first_block))]
                if len(wrong):
                    raise _changed(run, f"match {wrong.min()} is not in its schedule")
                planned = np.bincount(first_block)
                whole = np.bincount(first_block[numbers], minlength=len(planned)) == planned
                of_match: dict[int, list[Any]] = {row.number: [] for row in stored[run.key] if row.games}
                for one in lost[run.key]:
                    check_forfeit(run, one.entrant, one.match, len(bots))
                    of_match[one.match].append(one)
                found[run.key] = _Field(run, bots, first_block, whole[first_block], of_match)
        return found

    def _rows(self, runs: Sequence[LeagueRun], table: str, *names: str) -> dict[int, list[Any]]:
        """Return some columns of the rows of a table, by key of the run."""
        there, found = SQLModel.metadata.tables[table].c, {run.key: list[Any]() for run in runs}
        query = columns_of(there.run_id, *(there[name] for name in names))
        with self.reading() as session:
            for keys in some(found):
                for row in session.connection().execute(query.where(there.run_id.in_(keys))):
                    found[row.run_id].append(row)
        return found

    def _portions(
        self, fields: dict[int, _Field], packed: Sequence[str]
    ) -> Iterator[tuple[_Field, dict[str, Any]]]:
        """Yield matches that have games, some of a run at a time, by number: their columns by name.

        These are number and games, `LISTS` and some of `PACKED`.
        """
        table = SQLModel.metadata.tables["match"].c
        texts = (cast(table[name], Text).label(name) for name in LISTS)  # to be read in one go
        query = columns_of(table.run_id, table.number, table.games, *texts, *(table[name] for name in packed))
        query = query.where(table.games > 0).order_by(table.run_id, table.number)
        query = query.execution_options(yield_per=AT_A_TIME)
        with self.reading() as session:
            for keys in some(fields):
                for rows in session.connection().execute(query.where(table.run_id.in_(keys))).partitions():
                    for key, mine in groupby(rows, key=attrgetter("run_id")):
                        yield fields[key], _columns(fields[key], list(mine))


@dataclass(frozen=True, eq=False)
class _Field:
    """Who plays a run, what is planned in it, and what was lost."""

    run: LeagueRun
    bots: list[Bot]
    first_block: Ints  # of every planned match
    complete: NDArray[np.bool_]  # of every planned match, whether all of its stretch are stored
    lost: dict[int, list[Any]]  # forfeits of every stored match that has games


def _spans(stages: Sequence[Stage]) -> tuple[Ints, Ints]:
    """Return the first block of every planned match of a run and how many it has, as `plans` has them."""
    firsts, many, end = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for stage in stages:
        _, block, blocks, *_ = packing.unpack_schedule(stage.schedule).T.astype(np.int64)
        firsts.append(end + block)
        many.append(blocks)
        end = int((firsts[-1] + blocks).max(initial=end))
    return np.concatenate(firsts), np.concatenate(many)


def _columns(field: _Field, rows: Sequence[Any]) -> dict[str, Any]:
    """Return rows of the match table by column: to ask every row for its values takes as long as all else."""
    columns = dict(zip(rows[0]._fields, zip(*rows)))
    with _readable(field.run):
        columns |= {name: json.loads(f"[{','.join(columns[name])}]") for name in LISTS}
        line_ups = np.array(columns["line_up"], np.int64)
        strange = ((line_ups < 0) | (line_ups >= len(field.bots))).any(axis=1)
    if strange.any():
        number = columns["number"][int(strange.argmax())]
        raise _changed(field.run, f"match {number} has entrants that it does not have")
    return columns


def _unpacked(field: _Field, columns: dict[str, Any]) -> RunGames:
    """Return the games of some matches.

    Raises:
        ValueError, IndexError: the bytes are not as they were written.
    """
    number, size = (np.array(columns[name], np.int64) for name in ("number", "games"))
    line_up = np.array(columns["line_up"], np.int64)
    seats = line_up.shape[1]
    for name, each in (("blocks", 4), ("places", seats), ("scores", 4 * seats)):
        if (np.array([*map(len, columns[name])], np.int64) != each * size).any():
            raise ValueError("bytes of another number of games")
    places = packing.unpack(b"".join(columns["places"]), "u1", seats)
    match, used = np.repeat(number, size), Used.nothing(len(field.bots))
    used.add(columns)
    lost, faults = np.zeros(places.shape, np.bool_), [Counter[str]() for _ in field.bots]
    for which, first in zip(columns["number"], np.cumsum(size) - size):
        for one in field.lost.get(which, ()):
            at = packing.unpack(one.seats, "<i4", 3)
            lost[first + at[:, 0], at[:, 1]] = True
            faults[one.entrant][one.kind] += one.games
    return RunGames(
        **vars(used),
        run=field.run,
        bots=field.bots,
        match=match.astype(np.int32),
        block=packing.unpack(b"".join(columns["blocks"]), "<i4"),
        stretch=field.first_block[match].astype(np.int32),
        complete=field.complete[match],
        entrant=np.take_along_axis(np.repeat(line_up, size, axis=0), places.astype(np.int64), axis=1).astype(
            np.int32
        ),
        score=packing.unpack(b"".join(columns["scores"]), "<i4", seats),
        lost=lost,
        faults=faults,
        cpu=packing.cpu_by_entrant(columns["cpu_buckets"], line_up, len(field.bots)),
    )


def _joined(parts: Sequence[RunGames]) -> RunGames:
    """Return the games of a run as one."""

    def of_all(by: Any, *names: str) -> dict[str, Any]:
        return {name: by([getattr(part, name) for part in parts], axis=0) for name in names}

    faults = [sum((part.faults[at] for part in parts), Counter()) for at in range(len(parts[0].bots))]
    return replace(
        parts[0],
        faults=faults,
        **of_all(np.concatenate, "match", "block", "stretch", "complete", "entrant", "score", "lost"),
        **of_all(np.sum, "cpu_s", "decisions", "cpu"),
        **of_all(np.max, "memory_mib", "slept_s"),
    )


def _flat(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Return all lists as one."""
    return [value for values in lists for value in values]


def _readable(run: LeagueRun) -> AbstractContextManager[None]:
    return packing.whole(f"{run.label}: some stored matches", f"; {who_knows(run)}")


def _changed(run: LeagueRun, what: str) -> Damaged:
    return Damaged(f"{run.label}: {what}: the database was changed; {who_knows(run)}")
