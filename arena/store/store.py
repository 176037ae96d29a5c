"""Reading and writing the result store, by default one SQLite file. Only the driver writes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event, func, insert, inspect
from sqlalchemy import select as sa_select
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlmodel import Session, SQLModel, col, create_engine, select

from ..errors import StoreError
from .models import SCHEMA, Bot, Entrant, Forfeit, GameRow, LeagueRun, Match, Schema, Standing, now

DEFAULT = Path("results/arena.db")


def url_of(db: str | None) -> str:
    """The database's URL: `--db`, else ARENA_DB, else results/arena.db. A plain path means a SQLite file."""
    text = db or os.environ.get("ARENA_DB") or str(DEFAULT)
    return text if "://" in text else f"sqlite:///{text}"


class Store:
    """An open database.

    Args:
        db: URL or path (see `url_of`).
        create: make the file and the tables if they are not there.

    Raises:
        StoreError: no such file, read-only, locked, not a database, of another schema.
    """

    def __init__(self, db: str | None = None, create: bool = False) -> None:
        self.url = url_of(db)
        self.file = Path(self.url.removeprefix("sqlite:///")) if self.url.startswith("sqlite:///") else None
        self.empty = False
        if self.file is not None and not self.file.exists():
            if create:
                self._make_folder(self.file)
            else:
                self.empty = True  # reading: an empty database in memory stands for the missing file
        with self._errors():
            self.engine = create_engine("sqlite://" if self.empty else self.url)
            _tune_sqlite(self.engine)
            self._check_schema(create or self.empty)

    def _make_folder(self, file: Path) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{file.parent}: cannot be made: {error.strerror}; choose another place with --db") from None
        if not os.access(file.parent, os.W_OK):
            raise StoreError(f"{file.parent} is read-only: results cannot be stored; choose another place with --db")

    def _check_schema(self, create: bool) -> None:
        tables = inspect(self.engine).get_table_names()
        if not tables:
            if not create:
                raise StoreError(f"{self.url} holds no results")
            SQLModel.metadata.create_all(self.engine)
            with self.session() as session:
                session.add(Schema(version=SCHEMA))
                session.commit()
        elif Schema.__tablename__ not in tables:
            raise StoreError(
                f"{self.url} is a database of something else (no table {Schema.__tablename__}); choose another with --db"
            )
        else:
            with self.session() as session:
                version = session.exec(select(Schema.version)).first()
            if version != SCHEMA:
                raise StoreError(f"{self.url} has schema version {version}, this arena needs {SCHEMA}; choose another with --db")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Database errors in words that a person can act on."""
        try:
            yield
        except DBAPIError as error:
            raise StoreError(f"{self.url}: {_meaning(str(error.orig))}") from None
        except (SQLAlchemyError, ImportError) as error:
            raise StoreError(f"{self.url}: {error}") from None

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """A session whose database errors are `StoreError`s. Objects stay readable after it."""
        with self._errors(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    # --- bots ------------------------------------------------------------------------------------------------------------

    def bots(self, game: str | None = None, newest: bool = True) -> list[Bot]:
        """Bots (of one game), by name and version; only the newest version of each unless `newest` is false. No guests."""
        with self.session() as session:
            found = session.exec(select(Bot).where(Bot.kind != "guest").order_by(col(Bot.name), col(Bot.version))).all()
        if newest:
            found = list({bot.name: bot for bot in found}.values())
        return [bot for bot in found if game is None or game in bot.games]

    def add_bot(self, bot: Bot) -> tuple[Bot, bool]:
        """Store a bot under the next version of its name (a guest: version 0).

        Returns:
            The stored bot, and whether it is new: the same source as the newest version is not stored again.
        """
        with self.session() as session:
            mine = select(Bot).where(Bot.name == bot.name, (Bot.kind == "guest") == (bot.kind == "guest"))
            versions = session.exec(mine.order_by(col(Bot.version))).all()
            for old in versions if bot.kind == "guest" else versions[-1:]:
                if old.hash == bot.hash:
                    return old, False
            bot.version = 0 if bot.kind == "guest" else 1 + max((old.version for old in versions), default=0)
            session.add(bot)
            session.commit()
            return bot, True

    # --- runs ------------------------------------------------------------------------------------------------------------

    def runs(self, name: str | None = None, game: str | None = None) -> list[LeagueRun]:
        """Runs, oldest first."""
        query = select(LeagueRun).order_by(col(LeagueRun.id))
        if name is not None:
            query = query.where(LeagueRun.name == name)
        if game is not None:
            query = query.where(LeagueRun.game == game)
        with self.session() as session:
            return list(session.exec(query).all())

    def add_run(self, run: LeagueRun, bots: Iterable[Bot]) -> LeagueRun:
        """Store a new run under the next number of its name."""
        with self.session() as session:
            last = session.exec(select(func.max(LeagueRun.number)).where(LeagueRun.name == run.name)).one()
            run.number = (last or 0) + 1
            session.add(run)
            session.flush()
            assert run.id is not None
            for place, bot in enumerate(bots):
                assert bot.id is not None
                session.add(Entrant(run_id=run.id, place=place, bot_id=bot.id))
            session.commit()
            return run

    def entrants(self, run: LeagueRun) -> list[Bot]:
        """The bots of a run, by place."""
        query = select(Bot).join(Entrant, col(Entrant.bot_id) == col(Bot.id)).where(Entrant.run_id == run.id)
        with self.session() as session:
            return list(session.exec(query.order_by(col(Entrant.place))).all())

    def finished_matches(self, run: LeagueRun) -> set[int]:
        """Numbers of the matches that are stored."""
        with self.session() as session:
            return set(session.exec(select(Match.number).where(Match.run_id == run.id)).all())

    def add_match(self, match: Match, games: list[dict[str, Any]], forfeits: list[dict[str, Any]]) -> bool:
        """Store a match with its games, all or nothing; False if it was there already."""
        with self.session() as session:
            try:
                session.add(match)
                session.flush()
            except IntegrityError:
                session.rollback()
                return False
            if games:
                session.execute(insert(GameRow), games)
            if forfeits:
                session.execute(insert(Forfeit), forfeits)
            session.commit()
            return True

    def finish_run(self, run: LeagueRun, table: dict[str, Any]) -> None:
        """Mark a run as finished and keep its table."""
        assert run.id is not None
        with self.session() as session:
            run.finished = now()
            session.add(session.merge(run))
            session.add(Standing(run_id=run.id, table=table))
            session.commit()

    def standing(self, run: LeagueRun) -> dict[str, Any] | None:
        """The table that was stored when the run was finished."""
        query = select(Standing).where(Standing.run_id == run.id).order_by(col(Standing.id).desc())
        with self.session() as session:
            found = session.exec(query).first()
        return found.table if found else None

    def matches(self, run: LeagueRun) -> list[Match]:
        """The stored matches of a run, by number."""
        with self.session() as session:
            return list(session.exec(select(Match).where(Match.run_id == run.id).order_by(col(Match.number))).all())

    def results(self, run: LeagueRun) -> list[tuple[int, int, int, list[int], list[int]]]:
        """(number, match, block, entrants, scores) of every stored game of a run, by number."""
        columns = sa_select(GameRow.number, GameRow.match, GameRow.block, GameRow.entrants, GameRow.scores)  # type: ignore[call-overload]
        with self.session() as session:
            found = session.connection().execute(columns.where(col(GameRow.run_id) == run.id).order_by(col(GameRow.number)))
            return [tuple(row) for row in found.all()]

    def game(self, run: LeagueRun, number: int) -> GameRow | None:
        """One stored game."""
        with self.session() as session:
            return session.get(GameRow, (run.id, number))

    def forfeits(self, run: LeagueRun) -> list[Forfeit]:
        """The forfeits of a run, by game and seat."""
        query = select(Forfeit).where(Forfeit.run_id == run.id).order_by(col(Forfeit.game), col(Forfeit.seat))
        with self.session() as session:
            return list(session.exec(query).all())


def _tune_sqlite(engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        return

    @event.listens_for(engine, "connect")
    def pragmas(connection: Any, record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA busy_timeout=5000")
        with contextlib.suppress(Exception):  # a read-only file cannot change its journal; reading works all the same
            cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()


def _meaning(text: str) -> str:
    meanings = {
        "database is locked": "the database is locked by another program; wait for it or choose another with --db",
        "file is not a database": "this file is not a database; choose another with --db",
        "unable to open database file": "the file cannot be opened: is it a folder, or may you not read it?",
        "attempt to write a readonly database": "the database is read-only; choose another place with --db",
        "readonly database": "the database is read-only; choose another place with --db",
    }
    return next((words for key, words in meanings.items() if key in text), text)
