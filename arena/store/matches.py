"""Matches in the store: written once and whole, read back one by one or as arrays of a whole run."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, insert
from sqlalchemy import select as columns
from sqlmodel import SQLModel, col, select

from ..errors import StoreError
from ..recheck import Outcome, Recheck
from . import clocks, packing
from .database import Database
from .leases import LOOKED_UP, PLAYED, UNCLAIM
from .models import Entrant, Forfeit, LeagueRun, Log, Match, Stage, now
from .packing import GAMES_PER_MATCH, LostSeats, PlaceLog, PlayedMatch

AT_A_TIME = (
    100  # matches that are read together: 2 MB of 256 games each; a query costs as much as ten of them
)


@dataclass(frozen=True, eq=False)
class StoredGames:
    """All games of a run as arrays, in the order of their matches.

    Attributes:
        match: (games,) number of the match.
        block: (games,) block in the run.
        entrant: (games, seats) place of the entrant in each seat.
        score: (games, seats) as the cards fell.
        lost: (games, seats) whether the seat forfeited.
        cpu_s: by entrant, seconds of CPU in all its matches.
        cpu: (entrants, clocks.BUCKETS) decisions by CPU time.
        decisions: by entrant, how often it was asked.
        memory_mib: by entrant, the most memory that it had in a match.
        slept_s: by entrant, the most sleep of a match.
    """

    match: NDArray[np.int64]
    block: NDArray[np.int64]
    entrant: NDArray[np.int64]
    score: NDArray[np.int64]
    lost: NDArray[np.bool_]
    cpu_s: NDArray[np.float64]
    cpu: NDArray[np.int64]
    decisions: NDArray[np.int64]
    memory_mib: NDArray[np.float64]
    slept_s: NDArray[np.float64]


@dataclass(frozen=True)
class RunCount:
    """How many matches and games of a run are stored, and how many matches it has in all."""

    stored: int
    games: int
    planned: int


@dataclass(frozen=True)
class ForfeitSummary:
    """What an entrant lost by one kind of fault in a run, with the last words of the first time."""

    entrant: int
    kind: str
    seats: int
    matches: int
    text: str


class MatchTables(Database):
    """Reading and writing matches."""

    def add_match(self, run: LeagueRun, match: PlayedMatch) -> bool:
        """Store a match with its forfeits, all or nothing; False if it was there already."""
        return self.add_matches(run, [match]) == 1

    def add_matches(self, run: LeagueRun, matches: Sequence[PlayedMatch]) -> int:
        """Store matches with their forfeits and logs in one transaction; returns how many are new."""
        rows = {match.number: (_row(run, match), match) for match in matches}
        with self.writing() as session:
            numbers, connection = sorted(rows), session.connection()
            for first in range(0, len(numbers), LOOKED_UP):
                some = {"run": run.key, "numbers": numbers[first : first + LOOKED_UP]}
                for number in connection.execute(PLAYED, some).scalars():
                    del rows[number]
                connection.execute(UNCLAIM, some)
            new = list(rows.values())
            _insert(connection, "match", [row for row, _ in new])
            _insert(connection, "forfeit", [one for row, match in new for one in _forfeits(row, match.lost)])
            _insert(connection, "log", [one for row, match in new for one in _logs(row, match.logs)])
        return len(new)

    def stored_matches(self, run: LeagueRun) -> set[int]:
        """Numbers of the matches that are stored."""
        with self.reading() as session:
            return set(session.exec(select(Match.number).where(Match.run_id == run.id)).all())

    def games_by_match(self, run: LeagueRun) -> dict[int, int]:
        """How many games each stored match has, by its number."""
        query = select(Match.number, Match.games).where(Match.run_id == run.id).order_by(col(Match.number))
        with self.reading() as session:
            return dict(session.exec(query).all())

    def digests(self, run: LeagueRun) -> list[str]:
        """The digest of every stored match, by number."""
        query = select(Match.digest).where(Match.run_id == run.id).order_by(col(Match.number))
        with self.reading() as session:
            return list(session.exec(query).all())

    def games_digest(self, run: LeagueRun) -> str:
        """SHA-256 (hex) of all games of a run, the same wherever and in whatever order they were played; ""
        if there are none.

        Raises:
            StoreError: the bytes of one are not as they were written.
        """
        digests = [match.games_digest() for match in self.matches(run)]
        return hashlib.sha256("\n".join(digests).encode()).hexdigest() if digests else ""

    def rechecked(self, run: LeagueRun) -> dict[int, Recheck]:
        """What came of the matches that were played on a second node too, by number.

        Raises:
            StoreError: one is not as it was written.
        """
        query = select(Match.number, Match.recheck, Match.recheck_nodes, Match.recheck_blamed)
        query = query.where(Match.run_id == run.id, col(Match.recheck).is_not(None))
        with self.reading() as session:
            rows = session.exec(query.order_by(col(Match.number))).all()
        try:
            return {
                number: Recheck(Outcome(str(outcome)), tuple(nodes), blamed)
                for number, outcome, nodes, blamed in rows
            }
        except ValueError:
            raise StoreError(f"{run.label}: a recheck cannot be read; {_who_knows(run)}") from None

    def counts(self) -> dict[int, RunCount]:
        """How far every run is."""
        stored = columns(col(Match.run_id), func.count(), func.sum(col(Match.games))).group_by(
            col(Match.run_id)
        )
        planned = columns(col(Stage.run_id), func.sum(col(Stage.matches))).group_by(col(Stage.run_id))
        with self.reading() as session:
            done = {
                run: (matches, int(games)) for run, matches, games in session.connection().execute(stored)
            }
            rows = session.connection().execute(planned).all()
        return {run: RunCount(*done.get(run, (0, 0)), int(matches)) for run, matches in rows}

    def repeated(self, run: LeagueRun) -> Counter[str]:
        """Why matches were called off and played again with the same deals, and how often."""
        with self.reading() as session:
            causes = session.exec(select(Match.repeated).where(Match.run_id == run.id)).all()
        return Counter(cause for found in causes for cause in found)

    def match(self, run: LeagueRun, number: int) -> PlayedMatch | None:
        """One stored match."""
        return next(self.matches(run, [number]), None)

    def matches(self, run: LeagueRun, numbers: Sequence[int] | None = None) -> Iterator[PlayedMatch]:
        """Stored matches of a run (some of them), by number.

        Raises:
            StoreError: the bytes of one are not as they were written.
        """
        wanted = iter(sorted(self.stored_matches(run) if numbers is None else numbers))
        while portion := list(islice(wanted, AT_A_TIME)):
            rows = select(Match).where(Match.run_id == run.id, col(Match.number).in_(portion))
            faults = select(Forfeit).where(Forfeit.run_id == run.id, col(Forfeit.match).in_(portion))
            lost: dict[int, list[Forfeit]] = {}
            with self.reading() as session:
                found = session.exec(rows.order_by(col(Match.number))).all()
                for one in session.exec(faults.order_by(col(Forfeit.match), col(Forfeit.number))).all():
                    lost.setdefault(one.match, []).append(one)
            for row in found:
                try:
                    yield _match(row, lost.get(row.number, []))
                except (ValueError, zlib.error):
                    raise StoreError(
                        f"match {row.number} of {run.label} cannot be read: the database was damaged"
                    ) from None

    def logs(self, run: LeagueRun, entrant: int, match: int | None = None) -> Iterator[tuple[int, PlaceLog]]:
        """What an entrant of a run printed (in one match): number of the match, and the log of a place.

        Raises:
            StoreError: the bytes of one are not as they were written.
        """
        query = select(Log).where(Log.run_id == run.id, Log.entrant == entrant)
        if match is not None:
            query = query.where(Log.match == match)
        with self.reading() as session:
            rows = session.exec(query.order_by(col(Log.match), col(Log.place))).all()
        for row in rows:
            try:
                yield row.match, PlaceLog(row.place, row.entrant, packing.unpack_log(row.lines))
            except (ValueError, zlib.error):
                raise StoreError(
                    f"the log of match {row.match} of {run.label} cannot be read: the database was damaged"
                ) from None

    def games(self, run: LeagueRun) -> StoredGames | None:
        """All games of a run as arrays; None if there are none."""
        table = Match.metadata.tables["match"].c
        counted = ("cpu_s", "cpu_buckets", "decisions", "memory_mib", "slept_s")
        names = ("number", "line_up", "games", "blocks", "places", "scores", *counted)
        query = columns(*(table[name] for name in names)).where(table.run_id == run.id).order_by(table.number)
        lost = Match.metadata.tables["forfeit"].c
        with self.reading() as session:
            rows = session.connection().execute(query).all()
            faults = (
                session.connection()
                .execute(columns(lost.match, lost.seats).where(lost.run_id == run.id))
                .all()
            )
        rows = [row for row in rows if row.games]
        if not rows:
            return None
        try:
            return _arrays(rows, faults)
        except (ValueError, IndexError, KeyError, TypeError):
            what = f"{run.label}: some stored matches cannot be read, the database was damaged"
            raise StoreError(f"{what}; {_who_knows(run)}") from None

    def forfeits(self, run: LeagueRun) -> list[ForfeitSummary]:
        """What each entrant lost, by kind; texts are not read but for the first of each.

        Raises:
            StoreError: one that is of no entrant of the run.
        """
        table = Match.metadata.tables["forfeit"].c
        sums = (func.sum(table.games), func.count(), func.min(table.match))
        query = columns(table.entrant, table.kind, *sums).where(table.run_id == run.id)
        query = query.group_by(table.entrant, table.kind).order_by(table.entrant, table.kind)
        found = []
        with self.reading() as session:
            places = session.exec(select(func.count()).where(Entrant.run_id == run.id)).one()
            for entrant, kind, seats, matches, first in session.connection().execute(query).all():
                if not 0 <= entrant < places:
                    what = f"match {first} of {run.label} has a forfeit of entrant {entrant}, of {places}"
                    raise StoreError(f"{what}: the database was changed; {_who_knows(run)}")
                text = columns(table.text).where(
                    table.run_id == run.id, table.match == first, table.entrant == entrant, table.kind == kind
                )
                words = session.connection().execute(text).scalars().first() or ""
                found.append(ForfeitSummary(entrant, kind, int(seats), matches, words))
        return found


def _who_knows(run: LeagueRun) -> str:
    """Where to look for all that is wrong with a run."""
    return f"arena league verify {run.label} says what else"


def _arrays(rows: Sequence[Any], faults: Sequence[Any]) -> StoredGames:
    """The games of these rows, all of one run."""
    entrants = 1 + max(max(row.line_up) for row in rows)
    cpu_s, decisions = np.zeros(entrants), np.zeros(entrants, np.int64)
    memory_mib, slept_s = np.zeros(entrants), np.zeros(entrants)
    for row in rows:
        size = len(row.line_up) * row.games
        if (len(row.blocks), len(row.places), len(row.scores)) != (4 * row.games, size, 4 * size):
            raise ValueError(f"match {row.number}")
        np.maximum.at(memory_mib, row.line_up[: len(row.memory_mib)], row.memory_mib)
        np.maximum.at(slept_s, row.line_up[: len(row.slept_s)], row.slept_s)
        np.add.at(cpu_s, row.line_up, row.cpu_s)
        np.add.at(decisions, row.line_up, row.decisions)
    seats = len(rows[0].line_up)
    line_ups = np.array([row.line_up for row in rows], np.int64)
    sizes = np.array([row.games for row in rows])
    numbers = np.repeat([row.number for row in rows], sizes)
    places = packing.unpack(b"".join(row.places for row in rows), "u1", seats)
    line_up = np.repeat(line_ups, sizes, axis=0)
    return StoredGames(
        match=numbers,
        block=packing.unpack(b"".join(row.blocks for row in rows), "<i4").astype(np.int64),
        entrant=np.take_along_axis(line_up, places.astype(np.int64), axis=1),
        score=packing.unpack(b"".join(row.scores for row in rows), "<i4", seats).astype(np.int64),
        lost=_lost_seats(
            dict(zip((row.number for row in rows), np.cumsum(sizes) - sizes)), faults, len(numbers), seats
        ),
        cpu_s=cpu_s,
        cpu=clocks.by_entrant([row.cpu_buckets for row in rows], line_ups, entrants),
        decisions=decisions,
        memory_mib=memory_mib,
        slept_s=slept_s,
    )


def _lost_seats(first: dict[int, Any], faults: Sequence[Any], games: int, seats: int) -> NDArray[np.bool_]:
    lost = np.zeros((games, seats), np.bool_)
    for match, packed in faults:
        at = packing.unpack(packed, "<i4", 3)
        lost[first[match] + at[:, 0], at[:, 1]] = True
    return lost


INSERTS = {name: insert(SQLModel.metadata.tables[name]) for name in ("match", "forfeit", "log")}


def _insert(connection: Connection, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Many rows at once: objects would cost several times as much."""
    if rows:
        connection.execute(INSERTS[table], rows)


def _row(run: LeagueRun, match: PlayedMatch) -> dict[str, Any]:
    if len(match.blocks) > GAMES_PER_MATCH:
        raise ValueError(f"a match has at most {GAMES_PER_MATCH} games")
    return {
        "run_id": run.key,
        "number": match.number,
        "stage": match.stage,
        "rotation": match.rotation,
        "line_up": list(match.line_up),
        "games": len(match.blocks),
        "blocks": packing.pack(match.blocks, "<i4"),
        "places": packing.pack(match.places, "u1"),
        "scores": packing.pack(match.scores, "<i4"),
        "moves": packing.pack_moves(match.moves),
        "cpu_s": match.cpu_s,
        "cpu_buckets": match.cpu.tobytes(),
        "decisions": match.decisions,
        "memory_mib": match.memory_mib,
        "slept_s": match.slept_s,
        "wall_s": match.wall_s,
        "host": match.host,
        "repeated": match.repeated,
        "recheck": match.recheck and match.recheck.outcome,
        "recheck_nodes": list(match.recheck.nodes) if match.recheck else [],
        "recheck_blamed": match.recheck.blamed if match.recheck else "",
        "digest": match.digest_now(),
        "finished": now(),
    }


def _forfeits(row: dict[str, Any], lost: Sequence[LostSeats]) -> list[dict[str, Any]]:
    return [
        {
            "run_id": row["run_id"],
            "match": row["number"],
            "number": number,
            "entrant": one.entrant,
            "kind": one.kind,
            "text": one.text,
            "games": len(one.seats),
            "seats": packing.pack(one.seats, "<i4"),
        }
        for number, one in enumerate(lost)
    ]


def _logs(row: dict[str, Any], logs: Sequence[PlaceLog]) -> list[dict[str, Any]]:
    return [
        {
            "run_id": row["run_id"],
            "match": row["number"],
            "place": one.place,
            "entrant": one.entrant,
            "lines": packing.pack_log(one.lines),
        }
        for one in logs
    ]


def _match(row: Match, lost: Sequence[Forfeit]) -> PlayedMatch:
    seats = len(row.line_up)
    return PlayedMatch(
        number=row.number,
        stage=row.stage,
        rotation=row.rotation,
        line_up=tuple(row.line_up),
        blocks=packing.unpack(row.blocks, "<i4"),
        places=packing.unpack(row.places, "u1", seats),
        scores=packing.unpack(row.scores, "<i4", seats),
        moves=packing.unpack_moves(row.moves, row.games),
        cpu_s=row.cpu_s,
        decisions=row.decisions,
        memory_mib=row.memory_mib,
        slept_s=row.slept_s,
        cpu=np.frombuffer(row.cpu_buckets, clocks.RECORD),
        wall_s=row.wall_s,
        host=row.host,
        repeated=row.repeated,
        recheck=Recheck(Outcome(row.recheck), tuple(row.recheck_nodes), row.recheck_blamed)
        if row.recheck is not None
        else None,
        digest=row.digest,
        lost=[
            LostSeats(one.entrant, one.kind, one.text, packing.unpack(one.seats, "<i4", 3)) for one in lost
        ],
    )
