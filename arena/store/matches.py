"""Matches in the store: written once and whole, read back one by one or as arrays of a whole run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, func, insert
from sqlalchemy import select as columns
from sqlmodel import SQLModel, col, select

from ..errors import Damaged
from ..match.played import Forfeited, Logged, Moves, PlayedMatch, Recheck
from . import packing
from .database import Family
from .models import Entrant, Forfeit, LeagueRun, Log, Match, Stage, now
from .packing import GAMES_PER_MATCH
from .runs import seal_of, some

AT_A_TIME = (
    100  # matches that are read together: 2 MB of 256 games each; a query costs as much as ten of them
)


@dataclass(frozen=True)
class RunCount:
    """How many matches and games of a run are stored, and how many matches it has in all."""

    stored: int
    games: int
    planned: int

    def word(self, state: str, driven: bool) -> str:
        """Say how a run in this state stands, with a driver or without: what all lists and pages show."""
        if state != "playing" or driven:
            return state
        return "stopped" if self.stored < self.planned else "being rated"


@dataclass(frozen=True)
class ForfeitSummary:
    """What an entrant lost by one kind of fault in a run, with the last output of the first time."""

    entrant: int
    kind: str
    seats: int
    matches: int
    text: str


class MatchTables(Family):
    """Reading and writing matches."""

    def add(self, run: LeagueRun, matches: Sequence[PlayedMatch]) -> int:
        """Store matches with their forfeits and logs in one transaction; returns how many are new."""
        buckets = packing.histograms([match.requests for match in matches])
        rows = {
            match.number: (_row(run, match, one.tobytes()), match) for match, one in zip(matches, buckets)
        }
        with self.writing() as session:
            connection = session.connection()
            for numbers in some(rows):
                for number in connection.execute(STORED, {"run": run.key, "numbers": numbers}).scalars():
                    del rows[number]
            new = list(rows.values())
            _insert(connection, "match", [row for row, _ in new])
            _insert(connection, "forfeit", [one for row, match in new for one in _forfeits(row, match)])
            _insert(connection, "log", [one for row, match in new for one in _logs(row, match)])
        return len(new)

    def stored(self, run: LeagueRun) -> set[int]:
        """Numbers of the matches that are stored."""
        with self.reading() as session:
            return set(session.exec(select(Match.number).where(Match.run_id == run.id)).all())

    def games_by_match(self, run: LeagueRun) -> dict[int, int]:
        """How many games each stored match has, by its number."""
        query = select(Match.number, Match.games).where(Match.run_id == run.id).order_by(col(Match.number))
        with self.reading() as session:
            return dict(session.exec(query).all())

    def digests(self, run: LeagueRun) -> list[str]:
        """Return the digest of every stored match, by number."""
        query = select(Match.digest).where(Match.run_id == run.id).order_by(col(Match.number))
        with self.reading() as session:
            return list(session.exec(query).all())

    def games_digest(self, run: LeagueRun) -> str:
        """Return the SHA-256 (hex) of all games of a run.

        It is the same wherever and in whatever order they were played; "" if there are none.

        It is made of the digests that were stored with the matches; `verify` compares them with the games.
        """
        query = select(Match.games_sha256).where(Match.run_id == run.id).order_by(col(Match.number))
        with self.reading() as session:
            return seal_of(session.exec(query).all())

    def rechecked(self, run: LeagueRun) -> dict[int, Recheck]:
        """Return what came of the matches that were played on a second node too, by number."""
        query = select(Match.number, Match.host, Match.second_node, Match.same_there)
        query = query.where(Match.run_id == run.id, Match.second_node != "")
        with self.reading() as session:
            rows = session.exec(query.order_by(col(Match.number))).all()
        return {
            number: Recheck(str(host.get("node", "")), second, bool(same))
            for number, host, second, same in rows
        }

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
        counts = defaultdict[int, RunCount](lambda: RunCount(0, 0, 0))  # of a run that begins after this look
        counts.update((run, RunCount(*done.get(run, (0, 0)), int(matches))) for run, matches in rows)
        return counts

    def mark(self) -> str:
        """Return a mark that changes when matches come in, and when runs begin, end or go.

        Only matches of runs that go on are counted: it is asked for every second, for months.
        """
        ended = [func.count(col(one)) for one in (LeagueRun.finished, LeagueRun.aborted)]
        runs = columns(func.max(LeagueRun.id), func.count(), *ended).select_from(LeagueRun)
        going = columns(col(LeagueRun.id)).where(
            col(LeagueRun.finished).is_(None), col(LeagueRun.aborted).is_(None)
        )
        stored = columns(col(Match.run_id), func.count()).where(col(Match.run_id).in_(going))
        stored = stored.group_by(col(Match.run_id)).order_by(col(Match.run_id))
        with self.reading() as session:
            known = [session.connection().execute(query).all() for query in (runs, stored)]
        return str([list(map(list, rows)) for rows in known])

    def wall_s(self, run: LeagueRun) -> float:
        """How long workers have played its stored matches, all together, in s."""
        with self.reading() as session:
            return float(
                session.exec(select(func.sum(col(Match.wall_s))).where(Match.run_id == run.id)).one() or 0
            )

    def spent(self, run: LeagueRun) -> Iterator[tuple[Sequence[int], Sequence[float], Sequence[float]]]:
        """Yield the line-up of every stored match, and the s that its places have slept and computed."""
        wanted = select(Match.line_up, Match.slept_s, Match.cpu_s).where(Match.run_id == run.id)
        with self.reading() as session:
            yield from session.exec(wanted)

    def repeated(self, run: LeagueRun) -> Counter[str]:
        """Why matches were called off and played again with the same deals, and how often."""
        with self.reading() as session:
            causes = session.exec(select(Match.repeated).where(Match.run_id == run.id)).all()
        return Counter(cause for of_match in causes for cause in of_match)

    def one(self, run: LeagueRun, number: int) -> PlayedMatch | None:
        """One stored match."""
        return next(self.all(run, [number]), None)

    def all(self, run: LeagueRun, numbers: Sequence[int] | None = None) -> Iterator[PlayedMatch]:
        """Yield stored matches of a run (some of them), by number."""
        wanted = iter(sorted(self.stored(run) if numbers is None else numbers))
        while portion := list(islice(wanted, AT_A_TIME)):
            rows = select(Match).where(Match.run_id == run.id, col(Match.number).in_(portion))
            faults = select(Forfeit).where(Forfeit.run_id == run.id, col(Forfeit.match).in_(portion))
            lost: dict[int, list[Forfeit]] = {}
            with self.reading() as session:
                found = session.exec(rows.order_by(col(Match.number))).all()
                for one in session.exec(faults.order_by(col(Forfeit.match), col(Forfeit.number))).all():
                    lost.setdefault(one.match, []).append(one)
            for row in found:
                with packing.whole(f"match {row.number} of {run.label}"):
                    match = _match(row, lost.get(row.number, []))
                yield match

    def logs(self, run: LeagueRun, entrant: int, match: int | None = None) -> Iterator[tuple[int, Logged]]:
        """Yield what an entrant of a run printed (in one match), with the number of the match."""
        query = select(Log).where(Log.run_id == run.id, Log.entrant == entrant)
        if match is not None:
            query = query.where(Log.match == match)
        with self.reading() as session:
            rows = session.exec(query.order_by(col(Log.match), col(Log.place))).all()
        for row in rows:
            with packing.whole(f"the log of match {row.match} of {run.label}"):
                said = packing.unpack_log(row.lines)
            yield from ((row.match, Logged(game, row.place, at, words)) for game, at, words in said)

    def forfeits(self, run: LeagueRun) -> list[ForfeitSummary]:
        """Return what each entrant lost, by kind; texts are not read but for the first of each."""
        table = Match.metadata.tables["forfeit"].c
        sums = (func.sum(table.games), func.count(), func.min(table.match))
        query = columns(table.entrant, table.kind, *sums).where(table.run_id == run.id)
        query = query.group_by(table.entrant, table.kind).order_by(table.entrant, table.kind)
        found = []
        with self.reading() as session:
            places = session.exec(select(func.count()).where(Entrant.run_id == run.id)).one()
            for entrant, kind, seats, matches, first in session.connection().execute(query).all():
                check_forfeit(run, entrant, first, places)
                text = columns(table.text).where(
                    table.run_id == run.id, table.match == first, table.entrant == entrant, table.kind == kind
                )
                words = session.connection().execute(text).scalars().first() or ""
                found.append(ForfeitSummary(entrant, kind, int(seats), matches, words))
        return found


def check_forfeit(run: LeagueRun, entrant: int, match: int, places: int) -> None:
    """Refuse a forfeit of an entrant that a run does not have."""
    if not 0 <= entrant < places:
        what = f"match {match} of {run.label} has a forfeit of entrant {entrant}, of {places}"
        raise Damaged(f"{what}: the database was changed; {who_knows(run)}")


def who_knows(run: LeagueRun) -> str:
    """Where to look for all that is wrong with a run."""
    return f"arena league verify {run.label} says what else"


_MATCHES = SQLModel.metadata.tables["match"].c
# what is asked every second is made once: to make a statement costs more than to run it
STORED = columns(_MATCHES.number).where(
    _MATCHES.run_id == bindparam("run"), _MATCHES.number.in_(bindparam("numbers", expanding=True))
)
INSERTS = {name: insert(SQLModel.metadata.tables[name]) for name in ("match", "forfeit", "log")}


def _insert(connection: Connection, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Many rows at once: objects would cost several times as much."""
    if rows:
        connection.execute(INSERTS[table], rows)


def _row(run: LeagueRun, played: PlayedMatch, cpu_buckets: bytes) -> dict[str, Any]:
    match = played if played.games_sha256 else replace(played, games_sha256=played.games_digest())
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
        "cpu_buckets": cpu_buckets,
        "decisions": match.decisions,
        "memory_mib": match.memory_mib,
        "slept_s": match.slept_s,
        "wall_s": match.wall_s,
        "host": match.host,
        "repeated": match.repeated,
        "second_node": match.recheck.second if match.recheck else "",
        "same_there": match.recheck.same if match.recheck else None,
        "games_sha256": match.games_sha256,
        "digest": match.digest_now(),
        "finished": now(),
    }


def _forfeits(row: dict[str, Any], match: PlayedMatch) -> list[dict[str, Any]]:
    return [
        {
            "run_id": row["run_id"],
            "match": row["number"],
            "number": number,
            "entrant": entrant,
            "kind": kind,
            "text": text,
            "games": len(seats),
            "seats": packing.pack(seats, "<i4"),
        }
        for number, ((entrant, kind, text), seats) in enumerate(match.faults.items())
    ]


def _logs(row: dict[str, Any], match: PlayedMatch) -> list[dict[str, Any]]:
    lines: dict[int, list[tuple[int, int, str]]] = {}
    for one in match.logs:
        lines.setdefault(one.place, []).append((one.game, one.decision, one.text))
    return [
        {
            "run_id": row["run_id"],
            "match": row["number"],
            "place": place,
            "entrant": match.line_up[place],
            "lines": packing.pack_log(printed),
        }
        for place, printed in sorted(lines.items())
    ]


def _match(row: Match, forfeits: Sequence[Forfeit]) -> PlayedMatch:
    seats = len(row.line_up)
    blocks, places = packing.unpack(row.blocks, "<i4"), packing.unpack(row.places, "u1", seats)
    scores = packing.unpack(row.scores, "<i4", seats)
    if not row.games == len(blocks) == len(places) == len(scores):
        raise ValueError("arrays of another number of games")
    return PlayedMatch(
        number=row.number,
        stage=row.stage,
        rotation=row.rotation,
        line_up=tuple(row.line_up),
        blocks=blocks,
        places=places,
        scores=scores,
        moves=list(Moves.of_frame(row.moves, row.games)),
        cpu_s=row.cpu_s,
        decisions=row.decisions,
        wall_s=row.wall_s,
        host=row.host,
        forfeits=[
            Forfeited(game, seat, _place(row, places, one.entrant, game, seat), decision, one.kind, one.text)
            for one in forfeits
            for game, seat, decision in packing.unpack(one.seats, "<i4", 3).tolist()
        ],
        memory_mib=row.memory_mib,
        slept_s=row.slept_s,
        requests=packing.requests_of(np.frombuffer(row.cpu_buckets, packing.RECORD)),
        repeated=row.repeated,
        recheck=Recheck(str(row.host.get("node", "")), row.second_node, bool(row.same_there))
        if row.second_node
        else None,
        games_sha256=row.games_sha256,
        digest=row.digest,
    )


def _place(row: Match, places: NDArray[np.uint8], entrant: int, game: int, seat: int) -> int:
    """Where an entrant sat that forfeited; -1: not in this seat."""
    inside = 0 <= game < len(places) and 0 <= seat < places.shape[1]
    place = int(places[game, seat]) if inside else -1
    return place if 0 <= place < len(row.line_up) and row.line_up[place] == entrant else -1
