"""Handle whole databases.

Facts about one, a copy, and runs of another one brought in. Games as rows are in `arena.cli.db`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import func, or_, text
from sqlmodel import Session, SQLModel, col, select

from ..errors import UsageError
from . import migrations
from .database import Database, Family, copy_file
from .models import (
    Analysis,
    Audit,
    Bot,
    BotSource,
    Entrant,
    Forfeit,
    LeagueRun,
    LeftOut,
    Log,
    Match,
    Stage,
    Standing,
    now,
)

OF_A_RUN: tuple[type[SQLModel], ...] = (Stage, Match, Forfeit, Log, Audit, Analysis)


class Lately(NamedTuple):
    """What was stored lately."""

    games: int  # of matches that were stored
    called_off: int  # of these matches, those that had been called off and were played again
    newest: datetime | None  # when the newest match of all was finished; None: there is none
    unrated: datetime | None  # when the newest run ended, if no table was made since; else None
    nodes: dict[str, datetime]  # when each node finished its newest of these matches
    causes: list[str]  # why matches of these were called off, oldest first


class Copies(Family):
    """Looking at and copying whole databases."""

    def lately(self, minutes: float) -> Lately:
        """Return what was stored in the last minutes.

        Only runs that go on or ended lately are looked at, and the one that ended last: not all matches.
        """
        since, run = now() - timedelta(minutes=minutes), LeagueRun
        going = or_(col(run.finished) >= since, col(run.aborted) >= since)
        going = or_(going, col(run.finished).is_(None) & col(run.aborted).is_(None))
        ended = func.coalesce(run.finished, run.aborted)
        with self.reading() as session:
            runs = list(session.exec(select(run.id).where(going)).all())
            runs += session.exec(
                select(run.id).where(ended.is_not(None)).order_by(ended.desc()).limit(1)
            ).all()
            query = select(Match.games, Match.repeated, Match.finished, Match.host)
            query = query.where(col(Match.run_id).in_(runs), col(Match.finished) >= since)
            found = session.exec(query.order_by(col(Match.finished))).all()
            newest = session.exec(select(func.max(Match.finished)).where(col(Match.run_id).in_(runs))).one()
            last = session.exec(select(func.max(run.finished))).one()
            rated = session.exec(select(func.max(Standing.made))).one()
        games, called_off = sum(row[0] for row in found), sum(bool(row[1]) for row in found)
        unrated = last if last and (rated is None or rated < last) else None
        nodes = {str(host["node"]): at for _, _, at, host in found if "node" in host}
        causes = [cause for _, repeated, _, _ in found for cause in repeated]
        return Lately(games, called_off, newest, unrated, nodes, causes)

    def facts(self) -> dict[str, Any]:
        """Where it is, its schema and size, and how much is in it."""
        with self.reading() as session:

            def count(table: Any) -> int:
                return session.exec(select(func.count()).select_from(table)).one()

            games = session.exec(select(func.sum(Match.games))).one()
            counts = {"bots": count(Bot), "runs": count(LeagueRun), "matches": count(Match)}
            size = self._size(session)
        return {
            "database": self.database.name,
            "schema": migrations.revisions()[-1],
            "bytes": size,
            **counts,
            "games": int(games or 0),
        }

    def _size(self, session: Session) -> int | None:
        """Return the bytes of the database; None if nobody knows."""
        if self.database.file is not None:
            return self.database.file.stat().st_size if self.database.file.exists() else None
        if session.get_bind().dialect.name != "postgresql":
            return None
        size = text("SELECT pg_database_size(current_database())")
        return int(session.connection().execute(size).scalar_one())

    def backup(self, to: Path) -> None:
        """Copy a SQLite database as it is now, also while others write.

        Raises:
            UsageError: the target is there, or this is no SQLite file.
            StoreError: it cannot be written.
        """
        if self.database.file is None or self.database.empty:
            raise UsageError(f"{self.database.name} is no SQLite file: use the tools of its server")
        if to.exists():
            raise UsageError(f"{to} is there already; choose another name")
        copy_file(self.database.file, to)

    def merge(self, other: Database) -> tuple[list[str], list[str]]:
        """Bring in the ended runs of another database that are not here, with their bots.

        Return the labels that they have here, and why others were left out.
        """
        added: list[str] = []
        left: list[str] = []
        with other.reading() as theirs, self.writing() as ours:
            for run in theirs.exec(select(LeagueRun).order_by(col(LeagueRun.id))).all():
                reason = _merge_run(theirs, ours, run, added)
                if reason:
                    left.append(f"{run.label}: {reason}")
        return added, left


def _merge_run(theirs: Session, ours: Session, run: LeagueRun, added: list[str]) -> str:
    """Bring in a run; why not, if it cannot be."""
    if run.state == "playing":
        return "it is not finished"
    stages = theirs.exec(select(Stage).where(Stage.run_id == run.id).order_by(col(Stage.number))).all()
    alike = select(Stage).where(Stage.number == 0, Stage.secret_hash == stages[0].secret_hash)
    known = ours.exec(alike.where(Stage.fingerprint == stages[0].fingerprint)).first()
    if known is not None:
        return "it is here already"
    entrants = theirs.exec(select(Entrant).where(Entrant.run_id == run.id)).all()
    bots = {entrant.bot_id: theirs.get_one(Bot, entrant.bot_id) for entrant in entrants}
    for bot in bots.values():
        here = ours.exec(select(Bot.hash).where(Bot.name == bot.name, Bot.version == bot.version)).all()
        if here and bot.hash not in here and bot.version:  # a run names its bots by version, for good
            return f"{bot.label} is another bot here"
    last = ours.exec(select(func.max(LeagueRun.number)).where(LeagueRun.name == run.name)).one()
    taken = ours.exec(
        select(LeagueRun).where(LeagueRun.name == run.name, LeagueRun.number == run.number)
    ).first()
    number = (last or 0) + 1 if taken is not None else run.number
    kept = run.model_dump(exclude={"id", "definition"})
    new = LeagueRun(**{**kept, "definition": run.definition, "number": number})
    ours.add(new)
    ours.flush()
    for entrant in entrants:
        mine = _bot_here(theirs, ours, bots[entrant.bot_id])
        ours.add(Entrant(**{**entrant.model_dump(), "run_id": new.key, "bot_id": mine}))
    for missed in theirs.exec(select(LeftOut).where(LeftOut.run_id == run.id)).all():
        mine = _bot_here(theirs, ours, theirs.get_one(Bot, missed.bot_id))
        ours.add(LeftOut(**{**missed.model_dump(), "run_id": new.key, "bot_id": mine}))
    for table in OF_A_RUN:
        for row in theirs.exec(select(table).where(table.run_id == run.id)):  # type: ignore[attr-defined]
            ours.add(table(**{**row.model_dump(), "run_id": new.key}))
        ours.flush()
    added.append(new.label)
    return ""


def _bot_here(theirs: Session, ours: Session, bot: Bot) -> int | None:
    """Return the id here of a version of a bot, which is brought in with its source if it is not here."""
    there = select(Bot).where(Bot.name == bot.name, Bot.version == bot.version, Bot.hash == bot.hash)
    found = ours.exec(there).first()
    if found is None:
        if ours.get(BotSource, bot.hash) is None:
            ours.add(BotSource(**theirs.get_one(BotSource, bot.hash).model_dump()))
            ours.flush()
        found = Bot(**bot.model_dump(exclude={"id"}))
        ours.add(found)
        ours.flush()
    return found.id
