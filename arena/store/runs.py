"""Keep runs in the store: definition, stages, entrants, kept tables.

What a run means is in `arena.runs`.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Text, cast, delete, func
from sqlmodel import Session, col, select

from leagues import definition
from leagues.plan import MatchPlan
from leagues.secret import Secret

from ..errors import RunError, RunTaken, Unknown
from ..match.played import Answered
from .database import Family
from .leases import living
from .models import (
    Analysis,
    Audit,
    Bot,
    Commitment,
    Entrant,
    Epoch,
    Forfeit,
    LeagueRun,
    Lease,
    LeftOut,
    Log,
    Match,
    Stage,
    Standing,
    now,
)
from .packing import unpack_schedule

MOST_ENDED = 4096  # runs that have ended and whose stages are held, 2 kB each
AT_ONCE = 2000  # runs, or tables that were kept, that a query asks for: databases limit how many it may name


Key = TypeVar("Key")
Row = TypeVar("Row", Entrant, Audit)


class AddedRun(NamedTuple):
    """A stored run, and whether it is new."""

    run: LeagueRun
    new: bool


class Missed(NamedTuple):
    """A bot that was left out of a run, the kind of its fault, and its last output."""

    run: LeagueRun
    bot: Bot
    kind: str
    text: str


class RunTables(Family):
    """Reading and writing runs."""

    def all(self, name: str | None = None, game: str | None = None) -> list[LeagueRun]:
        """Return runs, oldest first."""
        query = select(LeagueRun).order_by(col(LeagueRun.id))
        if name is not None:
            query = query.where(LeagueRun.name == name)
        if game is not None:
            query = query.where(LeagueRun.game == game)
        with self.reading() as session:
            return list(session.exec(query).all())

    def find(self, label: str | LeagueRun) -> LeagueRun:
        """Return the run of a label, `taroky#2`; the latest of a league without the number; a run is itself.

        A league file stands for its name: `./course.toml`, `./course.toml#2`.

        Raises:
            Unknown: there is none.
        """
        if isinstance(label, LeagueRun):
            return label
        league, _, number = label.partition("#")
        if league.endswith(".toml"):
            league = definition.load(league).name
        found = [run for run in self.all(name=league) if not number or str(run.number) == number]
        if not found:
            if own := sorted({run.name for run in self.all() if run.name.startswith(f"{league}-")}):
                raise Unknown(f"no run {label!r}; those of a season are called {'#N, '.join(own)}#N")
            known = ", ".join(run.label for run in self.all()[-10:]) or "none yet"
            raise Unknown(f"no run {label!r}; runs: {known}")
        return found[-1]

    def same(self, name: str, fingerprint: str, again: bool = True) -> LeagueRun | None:
        """Return the latest run to go on with.

        It has this fingerprint and is unfinished, or finished if none is to be played again.
        """
        with self.reading() as session:
            return _same_run(session, name, fingerprint, again)

    def add(self, run: LeagueRun, stage: Stage, entries: Sequence[Entrant], again: bool = True) -> AddedRun:
        """Store a new run under the next number of its name, unless the same one is there to go on with.

        Args:
            run: without a number.
            again: whether a finished run of the same fingerprint is left alone and a new one begins.

        Raises:
            RunError: another run has taken the secret that waited for this league's next run.
        """
        with self.writing() as session:
            same = _same_run(session, run.name, stage.fingerprint, again)
            if same is not None:
                return AddedRun(same, False)
            insert_run(session, run, stage, entries)
            return AddedRun(run, True)

    def add_stage(self, run: LeagueRun, stage: Stage, entries: Sequence[Entrant]) -> None:
        """Add deals or a bot to a run, which is unfinished from then on.

        Raises:
            RunError: somebody plays the run, or has added to it meanwhile.
        """
        with self.writing() as session:
            _refuse_if_played(session, run)
            if session.exec(select(func.count()).where(Stage.run_id == run.id)).one() != stage.number:
                raise RunError(f"{run.label} has just been added to by somebody else: run the command again")
            places = session.exec(select(func.count()).where(Entrant.run_id == run.id)).one()
            stage.run_id = run.key
            session.add(stage)
            _add_entrants(session, stage, places, entries)
            run.finished, run.seal = None, ""
            session.merge(run)

    @cached_property
    def _ended(self) -> dict[tuple[int, datetime | None], list[Stage]]:
        """Hold stages of runs that have ended, by run and time: a season asks for those of all its epochs."""
        return {}

    def stages(self, run: LeagueRun) -> list[Stage]:
        """Return the stages of a run, in order. Nobody may write to them."""
        return [*self.stages_of([run])[run.key]]

    def stages_of(self, runs: Sequence[LeagueRun]) -> dict[int, list[Stage]]:
        """Return the stages of runs, by key and in order. Nobody may write to them."""
        held = self._ended
        found = {run.key: held[run.key, run.finished] for run in runs if (run.key, run.finished) in held}
        asked = {run.key: run for run in runs if run.key not in found}
        if not asked:
            return found
        found |= {key: [] for key in asked}
        with self.reading() as session:
            for keys in some(asked):
                query = select(Stage).where(col(Stage.run_id).in_(keys))
                for stage in session.exec(query.order_by(col(Stage.run_id), col(Stage.number))).all():
                    found[stage.run_id].append(stage)
        for key, run in asked.items():
            if run.finished:
                if len(held) >= MOST_ENDED:
                    held.clear()
                held[key, run.finished] = found[key]
        return found

    def plans(self, run: LeagueRun) -> list[MatchPlan]:
        """Return all matches of a run by number.

        They are in the order in which they are best played. Numbers and blocks count on through its stages.
        """
        plans: list[MatchPlan] = []
        end = 0
        for stage in self.stages(run):
            first, begin = end, len(plans)
            for rotation, block, blocks, *line_up in unpack_schedule(stage.schedule).tolist():
                plan = MatchPlan(len(plans), tuple(line_up), rotation, first + block, blocks, stage.number)
                plans.append(plan)
            end = max((plan.first_block + plan.blocks for plan in plans[begin:]), default=end)
        return plans

    def entries(self, run: LeagueRun) -> list[Entrant]:
        """Return the entrants of a run, by place."""
        return self.entries_of([run])[run.key]

    def entries_of(self, runs: Sequence[LeagueRun]) -> dict[int, list[Entrant]]:
        """Return the entrants of runs, by the run's key and by place."""
        return self._by_run(runs, Entrant, Entrant.place)

    def leave_out(self, run: LeagueRun, bots: Iterable[tuple[Bot, str, str]]) -> None:
        """Note who was to enter a run and could not be loaded: bot, kind of its fault, its last output."""
        with self.writing() as session:
            for bot, kind, text in bots:
                session.merge(LeftOut(run_id=run.key, bot_id=bot.id or 0, kind=kind, text=text))

    def left_out(self, run: LeagueRun | None = None, bot: Bot | None = None) -> list[Missed]:
        """Who was left out (of one run; one bot), by run and name."""
        query = select(LeagueRun, Bot, LeftOut).where(
            col(LeftOut.run_id) == col(LeagueRun.id), col(LeftOut.bot_id) == col(Bot.id)
        )
        query = query if run is None else query.where(LeftOut.run_id == run.id)
        query = query if bot is None else query.where(LeftOut.bot_id == bot.id)
        with self.reading() as session:
            rows = session.exec(query.order_by(col(LeagueRun.id), col(Bot.name), col(Bot.version))).all()
        return [Missed(which, who, row.kind, row.text) for which, who, row in rows]

    def add_audit(self, run: LeagueRun, match: int, entrant: int, found: Answered) -> None:
        """Store what a bot answered that was asked again about a match."""
        with self.writing() as session:
            session.merge(Audit(run_id=run.key, match=match, entrant=entrant, **asdict(found)))

    def audits(self, run: LeagueRun) -> list[Audit]:
        """Return what bots answered that were asked again, by match and place."""
        return self.audits_of_runs([run])[run.key]

    def audits_of_runs(self, runs: Sequence[LeagueRun]) -> dict[int, list[Audit]]:
        """Return what bots answered that were asked again, by the run's key, match and place."""
        return self._by_run(runs, Audit, Audit.match, Audit.place)

    def _by_run(self, runs: Sequence[LeagueRun], table: type[Row], *order: Any) -> dict[int, list[Row]]:
        query = select(table).order_by(col(table.run_id), *map(col, order))
        found: dict[int, list[Row]] = {run.key: [] for run in runs}
        with self.reading() as session:
            for keys in some(found):
                for one in session.exec(query.where(col(table.run_id).in_(keys))).all():
                    found[one.run_id].append(one)
        return found

    def missed(self) -> dict[int, tuple[int, int]]:
        """Return by run how many bots were left out, and how many were asked again."""
        counts: list[dict[int, int]] = []
        with self.reading() as session:
            for run_id in (col(LeftOut.run_id), col(Audit.run_id)):
                counts.append(dict(session.exec(select(run_id, func.count()).group_by(run_id)).all()))
        return {run: (counts[0].get(run, 0), counts[1].get(run, 0)) for run in {*counts[0], *counts[1]}}

    def audits_of(self, bot: Bot) -> list[tuple[LeagueRun, Audit]]:
        """Where a bot answered otherwise when it was asked again, by run and match."""
        query = select(LeagueRun, Audit).where(
            col(Audit.run_id) == col(LeagueRun.id),
            col(Entrant.run_id) == col(LeagueRun.id),
            col(Entrant.place) == col(Audit.entrant),
            col(Entrant.bot_id) == bot.id,
            col(Audit.now) != "",
        )
        with self.reading() as session:
            rows = session.exec(query.order_by(col(LeagueRun.id), col(Audit.match))).all()
        return [(run, one) for run, one in rows]

    def close(self, run: LeagueRun, aborted: bool = False) -> None:
        """Mark a run as finished, or as aborted: from now on its secret may be shown.

        Raises:
            RunError: it is to be aborted, and somebody plays it.
        """
        with self.writing() as session:
            if aborted:
                _refuse_if_played(session, run)
            _close(session, run, aborted)

    def finish(self, run: LeagueRun) -> bool:
        """Mark a run as finished if all its matches are stored; return whether they are.

        Those count too that were added while it was played.
        """
        planned = select(func.sum(Stage.matches)).where(Stage.run_id == run.id)
        stored = select(func.count()).where(Match.run_id == run.id)
        with self.writing() as session:
            complete = session.exec(planned).one() == session.exec(stored).one()
            if complete:
                _close(session, run, aborted=False)
        return complete

    def delete(self, run: LeagueRun) -> None:
        """Remove a run with all that belongs to it; bots stay. Raises RunError: somebody plays it."""
        with self.writing() as session:
            _refuse_if_played(session, run)
            for table in (Lease, Analysis, Log, Audit, Forfeit, Match, LeftOut, Entrant, Stage, Epoch):
                session.exec(delete(table).where(col(table.run_id) == run.id))
            session.exec(delete(Standing).where(col(Standing.subject) == f"run {run.id}"))
            session.exec(delete(LeagueRun).where(col(LeagueRun.id) == run.id))

    # --- secrets to come, tables that were made -----------------------------------------------------------

    def commitment(self, league: str) -> Commitment | None:
        """Return the secret that waits for a league's next run; None if there is none."""
        with self.reading() as session:
            return session.get(Commitment, league)

    def commit(self, league: str, closed: str | None = None) -> str:
        """Draw the secret of a league's next run, unless one waits; note for what its entries were closed.

        Return its hash, to publish before bots come in.
        """
        with self.writing() as session:
            waiting = drawn(session, league)
            waiting.closed = waiting.closed if closed is None else closed
            return waiting.secret_hash

    def commitments(self) -> list[Commitment]:
        """All secrets that wait, by league."""
        with self.reading() as session:
            return list(session.exec(select(Commitment).order_by(col(Commitment.league))).all())

    def standings(self, subjects: Sequence[str], state: str, kind: type[Any]) -> dict[str, Any]:
        """Return the tables that were kept of subjects in this state: those that are of this type."""
        content, reader = cast(col(Standing.content), Text), TypeAdapter(kind)  # a damaged one is made again
        query = select(Standing.subject, content).where(Standing.state == state)
        found: dict[str, Any] = {}
        with self.reading() as session:
            for names in some(subjects):
                rows = session.exec(query.where(col(Standing.subject).in_(names))).all()
                for subject, text in rows:
                    with contextlib.suppress(ValueError):
                        found[subject] = reader.validate_json(text or "", strict=True)
        return found

    def keep_standing(self, subject: str, state: str, content: dict[str, Any]) -> None:
        """Keep a table until another state is asked for."""
        with self.writing() as session:
            session.exec(delete(Standing).where(col(Standing.subject) == subject))  # unread
            session.add(Standing(subject=subject, state=state, content=content))


def drawn(session: Session, league: str) -> Commitment:
    """Return the secret that waits for a league's next run, a fresh one if there was none."""
    found = session.get(Commitment, league)
    if found is None:
        secret = Secret.fresh()
        found = Commitment(league=league, secret=secret.key.hex(), secret_hash=secret.hash)
        session.add(found)
    return found


def some(keys: Iterable[Key]) -> Iterator[list[Key]]:
    """Yield `AT_ONCE` keys after another."""
    every = list(keys)
    return (every[begin : begin + AT_ONCE] for begin in range(0, len(every), AT_ONCE))


def insert_run(session: Session, run: LeagueRun, stage: Stage, entries: Sequence[Entrant]) -> None:
    """Store a new run under the next number of its name; the secret that waited for it is used up.

    Raises:
        RunError: another run has taken that secret.
    """
    _refuse_used_secret(session, stage)
    last = session.exec(select(func.max(LeagueRun.number)).where(LeagueRun.name == run.name)).one()
    run.number = (last or 0) + 1
    session.add(run)
    session.flush()
    stage.run_id = run.key
    session.add(stage)
    _add_entrants(session, stage, 0, entries)
    session.exec(delete(Commitment).where(col(Commitment.secret_hash) == stage.secret_hash))


def _same_run(session: Session, name: str, fingerprint: str, again: bool) -> LeagueRun | None:
    query = select(LeagueRun).join(Stage, col(Stage.run_id) == col(LeagueRun.id))
    query = query.where(LeagueRun.name == name, Stage.number == 0, Stage.fingerprint == fingerprint)
    for run in session.exec(query.order_by(col(LeagueRun.number).desc())).all():
        if run.state == "playing" or (run.state == "finished" and not again):
            return run
    return None


def seal_of(digests: Sequence[str]) -> str:
    """Return what stands for all matches of a run.

    It is the SHA-256 (hex) of their digests in order; "" without matches.
    """
    return hashlib.sha256("\n".join(digests).encode()).hexdigest() if digests else ""


def _close(session: Session, run: LeagueRun, aborted: bool) -> None:
    """End a run, unless somebody else has just ended it."""
    session.add(run)
    session.refresh(run)
    if run.state != "playing":
        return
    kept = select(Match.digest).where(Match.run_id == run.id).order_by(col(Match.number))
    run.seal = seal_of(session.exec(kept).all())
    if aborted:
        run.aborted = now()
    else:
        run.finished = now()


def _refuse_if_played(session: Session, run: LeagueRun) -> None:
    lease = living(session, run)
    if lease is not None:
        raise RunTaken(run.label, lease.who)


def _refuse_used_secret(session: Session, stage: Stage) -> None:
    """Refuse a secret that another run has used.

    Whoever sees a secret when its run is finished would know the deals of the other.
    """
    used = select(Stage.run_id).where(Stage.secret_hash == stage.secret_hash, col(Stage.mixed))
    if stage.mixed and session.exec(used).first() is not None:
        raise RunError(
            "the secret that was drawn for the next run has just been taken: run the command again"
        )


def _add_entrants(session: Session, stage: Stage, first: int, entries: Sequence[Entrant]) -> None:
    """Add the entrants that come with a stage, at the places from `first` on."""
    for place, entrant in enumerate(entries, first):
        entrant.run_id, entrant.place, entrant.stage = stage.run_id, place, stage.number
        session.add(entrant)
