"""All games of a run as arrays, and what its bots have used: read some thousand matches at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Text, cast
from sqlalchemy import select as columns
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

    def add(self, lists: dict[str, list[list[Any]]]) -> None:
        """Add matches: of each of `LISTS` a list for every match."""
        line_ups = lists["line_up"]
        np.add.at(self.cpu_s, _joined(line_ups), _joined(lists["cpu_s"]))
        np.add.at(self.decisions, _joined(line_ups), _joined(lists["decisions"]))
        for most, name in ((self.memory_mib, "memory_mib"), (self.slept_s, "slept_s")):
            there = [line_up[: len(values)] for line_up, values in zip(line_ups, lists[name], strict=True)]
            np.maximum.at(most, np.array(_joined(there), np.int64), _joined(lists[name]))


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
        fields, lost, found = self._fields(runs), self._lost(runs), dict[int, RunGames]()
        for key, portions in groupby(self._portions(fields, PACKED), key=lambda one: one[0].run.key):
            field, used, parts = fields[key], Used.nothing(len(fields[key].bots)), list[_Portion]()
            with _readable(field.run):
                for _, portion in portions:
                    used.add(portion.lists)
                    portion.unpack(len(field.bots))
                    parts.append(portion)
                if any(len(part.block) for part in parts):
                    found[key] = _arrays(field, parts, lost[key], used)
        return [found[run.key] for run in runs if run.key in found]

    def used(self, run: LeagueRun) -> Used:
        """Return what the entrants of a run have used; its games are not read."""
        fields = self._fields([run])
        used = Used.nothing(len(fields[run.key].bots))
        with _readable(run):
            for _, portion in self._portions(fields, ()):
                used.add(portion.lists)
        return used

    def with_block(self, run: LeagueRun, block: int) -> list[int]:
        """Return the numbers of the planned matches that a block is in."""
        first, blocks = _spans(self._runs.stages(run))
        return np.flatnonzero((first <= block) & (block < first + blocks)).tolist()

    def _fields(self, runs: Sequence[LeagueRun]) -> dict[int, _Field]:
        """Return by key of the run who and what is planned in it."""
        entries, stages, found = self._runs.entries_of(runs), self._runs.stages_of(runs), {}
        for run in runs:
            with _readable(run):
                bots = [entry.bot for entry in entries[run.key]]
                found[run.key] = _Field(run, bots, _spans(stages[run.key])[0])
        return found

    def _lost(self, runs: Sequence[LeagueRun]) -> dict[int, list[Any]]:
        """Return by key of the run its forfeits: match, entrant, kind, packed games and seats."""
        table, found = SQLModel.metadata.tables["forfeit"].c, {run.key: list[Any]() for run in runs}
        query = columns(table.run_id, table.match, table.entrant, table.kind, table.games, table.seats)
        with self.reading() as session:
            for keys in some(found):
                for row in session.connection().execute(query.where(table.run_id.in_(keys))):
                    found[row.run_id].append(row)
        return found

    def _portions(
        self, fields: dict[int, _Field], packed: Sequence[str]
    ) -> Iterator[tuple[_Field, _Portion]]:
        """Yield stored matches that have games, by run and number, with `LISTS` and some of `PACKED`."""
        table = SQLModel.metadata.tables["match"].c
        texts = (cast(table[name], Text).label(name) for name in LISTS)  # to be read in one go
        query = columns(table.run_id, table.number, table.games, *texts, *(table[name] for name in packed))
        query = query.order_by(table.run_id, table.number).execution_options(yield_per=AT_A_TIME)
        with self.reading() as session:
            for keys in some(fields):
                for rows in session.connection().execute(query.where(table.run_id.in_(keys))).partitions():
                    for key, mine in groupby(rows, key=attrgetter("run_id")):
                        with _readable(fields[key].run):
                            portion = _Portion(list(mine))
                            portion.check(fields[key])
                        yield fields[key], portion


@dataclass(frozen=True, eq=False)
class _Field:
    """Who plays a run, and the first block of every planned match, by number."""

    run: LeagueRun
    bots: list[Bot]
    first_block: Ints


def _spans(stages: Sequence[Stage]) -> tuple[Ints, Ints]:
    """Return the first block of every planned match of a run and how many it has, as `plans` has them."""
    firsts, many, end = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for stage in stages:
        _, block, blocks, *_ = packing.unpack_schedule(stage.schedule).T.astype(np.int64)
        firsts.append(end + block)
        many.append(blocks)
        end = int((firsts[-1] + blocks).max(initial=end))
    return np.concatenate(firsts), np.concatenate(many)


class _Portion:
    """Some matches of a run.

    Args:
        rows: of the match table, one at least.

    Attributes:
        stored: (matches,) numbers of all of them.
        number: (matches,) of those that have games; so is all that follows.
        lists: `LISTS`.
        size: (matches,) how many games; this and what follows is there when they are unpacked.
        block, entrant, score, cpu: as in `RunGames`.
    """

    size: Ints
    block: Small
    entrant: Small
    score: Small
    cpu: Ints

    def __init__(self, rows: Sequence[Any]) -> None:
        names, there = rows[0]._fields, [row for row in rows if row.games]
        self.stored = np.array([row.number for row in rows], np.int64)
        # by column: to ask every row for each of its values takes as long as all else
        self._columns = dict(zip(names, zip(*there) if there else [()] * len(names)))
        self.number = np.array(self._columns["number"], np.int64)
        self.lists = {name: json.loads(f"[{','.join(self._columns[name])}]") for name in LISTS}
        self._line_ups = np.array(self.lists["line_up"], np.int64)

    def check(self, field: _Field) -> None:
        """Refuse matches that a run cannot have."""
        wrong = self.stored[(self.stored < 0) | (self.stored >= len(field.first_block))]
        if len(wrong):
            raise _changed(field.run, f"match {wrong[0]} is not in its schedule")
        beyond = (self._line_ups < 0) | (self._line_ups >= len(field.bots))
        strange = beyond.reshape(len(self.number), -1).any(axis=1)
        if strange.any():
            number = self.number[strange.argmax()]
            raise _changed(field.run, f"match {number} has entrants that it does not have")

    def unpack(self, entrants: int) -> None:
        """Unpack the games; their bytes are not kept.

        Raises:
            ValueError, IndexError: the bytes are not as they were written.
        """
        columns, self._columns, seats = self._columns, {}, self._line_ups.shape[-1]
        self.size = sizes = np.array(columns["games"], np.int64)
        for name, each in (("blocks", 4), ("places", seats), ("scores", 4 * seats)):
            if (np.array([*map(len, columns[name])], np.int64) != each * sizes).any():
                raise ValueError("bytes of another number of games")
        places = packing.unpack(b"".join(columns["places"]), "u1", seats or 1)
        line_ups = np.repeat(self._line_ups.reshape(len(sizes), -1), sizes, axis=0)
        self.block = packing.unpack(b"".join(columns["blocks"]), "<i4")
        self.entrant = np.take_along_axis(line_ups, places.astype(np.int64), axis=1).astype(np.int32)
        self.score = packing.unpack(b"".join(columns["scores"]), "<i4", seats or 1)
        self.cpu = packing.cpu_by_entrant(columns["cpu_buckets"], self._line_ups, entrants)


def _joined(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Return all lists as one."""
    return [value for values in lists for value in values]


def _readable(run: LeagueRun) -> AbstractContextManager[None]:
    return packing.whole(f"{run.label}: some stored matches", f"; {who_knows(run)}")


def _changed(run: LeagueRun, what: str) -> Damaged:
    return Damaged(f"{run.label}: {what}: the database was changed; {who_knows(run)}")


def _arrays(field: _Field, parts: list[_Portion], lost: Sequence[Any], used: Used) -> RunGames:
    """Return the games of all portions as one."""
    parts, first_block = [part for part in parts if len(part.size)], field.first_block
    number, size = (np.concatenate([getattr(part, name) for part in parts]) for name in ("number", "size"))
    planned = np.bincount(first_block)
    stored = np.bincount(first_block[np.concatenate([part.stored for part in parts])], minlength=len(planned))
    match = np.repeat(number.astype(np.int32), size)
    faults = [Counter[str]() for _ in field.bots]
    for one in lost:
        check_forfeit(field.run, one.entrant, one.match, len(faults))
        faults[one.entrant][one.kind] += one.games
    block, entrant, score = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("block", "entrant", "score")
    )
    return RunGames(
        **vars(used),
        run=field.run,
        bots=field.bots,
        match=match,
        block=block,
        stretch=first_block.astype(np.int32)[match],
        complete=(stored == planned)[first_block[match]],
        entrant=entrant,
        score=score,
        lost=_lost_seats(dict(zip(number.tolist(), np.cumsum(size) - size)), lost, entrant.shape),
        faults=faults,
        cpu=np.sum([part.cpu for part in parts], axis=0),
    )


def _lost_seats(first: dict[int, Any], rows: Sequence[Any], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """(games, seats) whether the seat forfeited; `first` is the first game of each match."""
    lost = np.zeros(shape, np.bool_)
    for row in rows:
        at = packing.unpack(row.seats, "<i4", 3)
        lost[first[row.match] + at[:, 0], at[:, 1]] = True
    return lost
