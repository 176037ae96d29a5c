"""The database behind the store: where it is, how it is opened, migrated and locked, errors in plain words.

SQLite by default, PostgreSQL by URL. There are two kinds of transaction: `reading`, which never waits, and
`writing`, of which there is one at a time in the whole database, so that "look, then write" has no race.
SQLite says BEGIN IMMEDIATE for it, PostgreSQL takes an advisory lock. Whatever was committed survives a power
cut (synchronous=FULL).

A database of an older schema is migrated when it is opened to be written to, after a copy of the file was
made beside it. It is never migrated to be read.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlmodel import Session, SQLModel, create_engine

from ..errors import Damaged, StoreError, UsageError, needs_extra
from ..places import DATABASE, data_folder
from . import migrations, models  # models registers the tables

ALLOWED = "results are kept in SQLite (a file name) or PostgreSQL (postgresql://user@host/name)"
PATIENCE_S = 120.0  # how long a writer waits for another one
AGAIN_S = 0.5  # from one try to reach a server that is away to the next
LOG_BYTES = 1 << 24  # SQLite's log is cut to so many when a new one begins in it
EACH_THREAD = -1  # may have a connection: no thread of a server waits for another one's
ANSWERS = {  # a PostgreSQL whose machine is gone is noticed after half a minute, not after hours
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
AWAY = (
    *("connection failed", "connection is bad", "connection timeout", "server closed the connection"),
    "terminating connection",
)
LOG_GONE = (
    "{0}: its log {0}-wal was removed, and with it what was stored last: stop what uses the file, then put "
    "the log back, or restore a backup; to go on without it, remove {0}-shm"
)
WRITERS_LOCK = 0x6172656E61  # PostgreSQL's advisory lock of a writing transaction

__all__ = ["Database", "Family", "models", "url_of"]


def url_of(db: str | None) -> URL:
    """Return the database's URL.

    It is `--db`, else ARENA_DB, else arena.db where results go (`places.data_folder`). A plain path means a
    SQLite file.

    Raises:
        StoreError: not a URL, or one of another kind of database.
        UsageError: nothing is named, and the user has no home folder.
    """
    where = db or os.environ.get("ARENA_DB") or str(data_folder() / DATABASE)
    if "://" not in where:
        return URL.create("sqlite", database=where)
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        raise StoreError(f"--db: not a database URL; {ALLOWED}") from None
    kind = url.drivername.partition("+")[0]
    if kind not in ("sqlite", "postgres", "postgresql"):
        raise StoreError(f"--db: {kind} cannot be used; {ALLOWED}")
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgres", "postgresql") else url


class Database:
    """An open database.

    Args:
        db: URL or path (see `url_of`).
        create: make the file and the tables if they are not there.
        patience_s: seconds that a writer waits for another one.
        writes: what is there may be changed (`create` says so, too).
        copied: there is a copy of it: on a server, only the user can make one.

    Attributes:
        name: the file, or the URL without its password.
        empty: there is no such file, and it was not to be made.
        made: the file was made by this.
        read_only: nothing can be stored here.
        migrated: what was done to an older database when it was opened, a line each.

    Raises:
        StoreError: no such file, read-only, locked, not a database, of another schema.
    """

    def __init__(
        self,
        db: str | None = None,
        create: bool = False,
        patience_s: float = PATIENCE_S,
        writes: bool = False,
        copied: bool = False,
    ) -> None:
        self.reconnect_s = patience_s  # so long a PostgreSQL is waited for that could be reached before
        self._open(url_of(db), create, patience_s, writes, copied)

    def _open(self, url: URL, create: bool, patience_s: float, writes: bool, copied: bool) -> None:
        self._url, self._patience_s = url, patience_s
        self.file = Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None
        shown = url.set(query={key: "***" if "password" in key else url.query[key] for key in url.query})
        self.name = str(self.file) if self.file else shown.render_as_string(hide_password=True)
        self._password = str(url.password or url.query.get("password", ""))
        self.migrated: list[str] = []
        _check_whole(self.file)
        missing = self.file is not None and not self.file.exists()
        if missing and create and self.file is not None:
            _make_folder(self.file)
        # reading: an empty database in memory stands for the missing file
        self.empty = missing and not create
        self.made = missing and create
        self.read_only = self.file is not None and self.file.exists() and not _may_write(self.file)
        self._opened, self._logged = None, False
        with self._errors():
            self.engine = _engine(url, self.file, self.empty)
            # the last connection to close puts SQLite's journal into the file; commands end without that
            atexit.register(weakref.finalize(self, self.engine.dispose))
            # a weak reference: a strong one would keep this open for ever
            _prepare(self.engine, patience_s, create or writes, weakref.ref(self))
            self._check_schema(create or self.empty, create or writes, copied)
        self._opened = None if self.empty else _file_of(self.file)
        self._logged = Path(f"{self.file}-wal").exists()

    def check_writable(self) -> None:
        """Say now that nothing can be stored here, before work is done that would be lost.

        Raises:
            StoreError: it may only be read, or not be made.
        """
        if self.empty and self.file is not None:
            _check_folder(next(place for place in self.file.absolute().parents if place.exists()))
        if self.read_only:
            raise StoreError(f"{self.name}: {_meaning('readonly database')[0]}")

    @property
    def url(self) -> str:
        """The URL or path that opens it again. It may hold a password."""
        return str(self.file.absolute()) if self.file else self._url.render_as_string(hide_password=False)

    def check_same_file(self, inside: bool = False) -> None:
        """Raise StoreError if the file or, at the latest `inside` a transaction, its log was taken away."""
        if self._opened is not None and _file_of(self.file) != self._opened:
            raise StoreError(
                f"{self.name}: the file was removed, replaced or mounted over while it was in use; nothing "
                "more is stored: put the file back and start this again; a service starts by itself"
            )
        lost = inside and self._logged and not Path(f"{self.file}-wal").exists()
        if self._opened is not None and (lost or _log_gone(self.file)):
            raise StoreError(LOG_GONE.format(self.name))

    def make(self) -> None:
        """Make the file and the tables, if there was no file when this was opened."""
        if self.empty:
            self.engine.dispose()
            self._open(self._url, True, self._patience_s, True, False)

    # --- transactions -------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session that only reads; its objects stay readable after it."""
        self.check_same_file()
        with self._errors(), Session(self.engine, expire_on_commit=False) as session:
            yield session

    @contextlib.contextmanager
    def writing(self, migrates: bool = False) -> Iterator[Session]:
        """Yield a session in which nobody else writes.

        It is committed at its end, or not at all.

        Args:
            migrates: tables may be made anew under rows that refer to them. SQLite would delete those rows.
        """
        self.check_same_file()
        alone = self.engine.execution_options(writes=True, migrates=migrates)
        with self._errors(), Session(alone, expire_on_commit=False) as session, session.begin():
            yield session
            self.check_same_file(inside=True)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Database errors in words that a person can act on, without the password."""
        try:
            yield
        except ValueError as error:  # of a column: JSON, a time or a league that is none
            what = f"a row cannot be read, as the database was damaged or changed by hand: {error}"
            raise Damaged(f"{self.name}: {what}") from error
        except DBAPIError as error:
            if "cannot contain NUL" in str(error.orig):  # PostgreSQL's; SQLite stores it
                raise UsageError("a name or text may have no NUL character (\\x00)") from None
            plain, line = _meaning(self._clean(str(error.orig)))
            raise StoreError(f"{self.name}: {plain}", line) from None
        except (ModuleNotFoundError, SQLAlchemyError) as error:
            lacks = getattr(error, "name", "") == "psycopg"
            words = needs_extra("PostgreSQL", "postgres") if lacks else self._clean(str(error))
            raise StoreError(f"{self.name}: {words}") from None

    def _clean(self, words: str) -> str:
        return words.replace(self._password, "***") if self._password else words

    # --- schema -------------------------------------------------------------------------------------------

    def _check_schema(self, create: bool, writes: bool, copied: bool) -> None:
        """Make the tables, migrate them, or say why neither can be."""
        with self.reading() as session:
            found = _schema_of(session.connection())
        *older, newest = migrations.revisions()
        if found == newest:
            self._check_columns(newest)
            return
        if found == "" and not (create or writes):
            raise StoreError(f"{self.name} holds no results; a league or a submitted bot makes its tables")
        if found.isdecimal() and found < migrations.revisions()[0]:
            with self.reading() as session:
                commit = migrations.reader(found, session.connection())
            old = f"has schema {found}, of before 0.1.0, which commit {commit} of this project reads"
            raise StoreError(f"{self.name} {old}; choose another database")
        if found and found not in older:
            newer = f"has schema {found}, newer than this arena's {newest}"
            what = newer if found.isdecimal() else "is not a result store"
            raise StoreError(f"{self.name} {what}; choose another with --db, or update the project")
        if found and not (writes and (self.file or copied)):
            raise StoreError(f"{self.name} has schema {found}, and this arena needs {newest}: {self._hint()}")
        self.check_writable()
        self._migrate(found, newest)

    def _check_columns(self, schema: str) -> None:
        """Refuse tables of another project's version that has the same number, before a query fails."""
        with self.reading() as session:
            found = inspect(session.connection()).get_multi_columns()
        there = {(table, column["name"]) for (_, table), columns in found.items() for column in columns}
        missing = [
            f"{table.name}.{column.name}"
            for table in SQLModel.metadata.sorted_tables
            for column in table.columns
            if (table.name, column.name) not in there
        ]
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            raise StoreError(
                f"{self.name} has schema {schema} without {', '.join(missing[:3])}{more}: another version of "
                "this project made it, and only that opens it; use that version, or choose another with --db"
            )

    def _hint(self) -> str:
        """How an older database is brought up."""
        if self.file:
            return "arena db migrate brings it up and keeps a copy (so does every command that writes)"
        return "make a copy of it (pg_dump), then run arena db migrate"

    def _migrate(self, found: str, newest: str) -> None:
        """Make the tables, or bring them to the newest schema; nothing is changed if that fails."""
        with self.writing(migrates=True) as session:
            connection = session.connection()
            if _schema_of(connection) != found:  # somebody was quicker
                return
            players = _players(session) if found else []
            if players:
                what = f"{players[0]} plays a run in it: stop that, or wait a minute if it has ended"
                raise StoreError(f"{self.name} cannot be brought from schema {found} to {newest}: {what}")
            copy = self._copy(found) if found and self.file else None
            lines: list[str] = []
            if found:
                lines = migrations.migrate(connection)
            else:
                migrations.make(connection, SQLModel.metadata)
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all() if self.file else ()
            if broken:
                raise StoreError(
                    f"{self.name}: {len(broken)} rows would refer to nothing after the migration"
                )
        if not self.empty:
            self.engine.dispose()  # its connections do not check foreign keys
        if found:
            kept = f"; {copy} is as it was" if copy else ""
            self.migrated = [f"{self.name} was brought from schema {found} to {newest}{kept}", *lines]

    def _copy(self, schema: str) -> Path:
        """Copy the file to one beside it, named by its schema."""
        assert self.file is not None
        place, end = self.file.with_suffix(""), self.file.suffix
        names = (
            Path(f"{place}.schema-{schema}{more}{end}") for more in ("", *(f"-{n}" for n in range(2, 100)))
        )
        to = next(path for path in names if not path.exists())
        copy_file(self.file, to)
        return to


class Family:
    """A family of tables of an open database: what is read and written there is its methods."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.reading, self.writing = database.reading, database.writing


def copy_file(file: Path, to: Path) -> None:
    """Copy a SQLite database as it is now, also while others write; but no secret of a run to come.

    Raises:
        StoreError: it cannot be written, or the copy is damaged as the database is.
    """
    place = _as_it_lies(file)
    try:
        with (
            contextlib.closing(sqlite3.connect(place or file, uri=bool(place))) as source,
            contextlib.closing(sqlite3.connect(to)) as target,
        ):
            source.backup(target)
            # who goes on from the copy may not use them: they may have been published since
            target.executescript("DELETE FROM commitment; DELETE FROM season_driver")
            if (found := target.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(
                    f"{file} was damaged ({' '.join(found.split())}): restore a backup"
                )
    except sqlite3.Error as error:
        to.unlink(missing_ok=True)
        raise StoreError(f"{to}: cannot be written: {error}") from None


def _check_whole(file: Path | None) -> None:
    """Refuse a log without its file: SQLite would make a new one, and drop what is in the log.

    Raises:
        StoreError: the file was moved away or cut.
    """
    if _log_gone(file):
        raise StoreError(LOG_GONE.format(file))
    log = file and Path(f"{file}-wal")
    gone = file and not (file.exists() and file.stat().st_size)
    if gone and log and log.exists() and log.stat().st_size:
        raise StoreError(
            f"{file}: the file is empty or gone, and its log {log.name} is not: put the file back, or a copy "
            "without that log"
        )


def _log_gone(file: Path | None) -> bool:
    """Whether somebody removed the log: SQLite makes it before its index and removes it after that."""
    log, index = Path(f"{file}-wal"), Path(f"{file}-shm")
    return file is not None and not log.exists() and index.exists() and not log.exists()


def _schema_of(connection: Connection) -> str:
    """Return the schema's revision; "" for an empty database, "other" for one of something else."""
    tables = set(inspect(connection).get_table_names())
    if {"alembic_version", "league_run"} <= tables:
        return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none())
    return "other" if tables else ""


def clock(session: Session) -> datetime:
    """Return the time of day, of the database's server where there is one."""
    if session.get_bind().dialect.name != "postgresql":
        return models.now()
    told: datetime = session.connection().execute(text("SELECT clock_timestamp()")).scalar_one()
    return told


def _players(session: Session) -> list[str]:
    """Who plays a run now, or did within the last minute. Any schema has these columns."""
    leases = text("SELECT who, heartbeat FROM lease").columns(heartbeat=models.Moment)
    times, here = session.connection().execute(leases).all(), clock(session)
    return [who for who, beat in times if abs(here - beat) < timedelta(seconds=models.LEASE_S)]


def _engine(url: URL, file: Path | None, empty: bool) -> Engine:
    """Return the engine for a URL."""
    if empty:
        return create_engine("sqlite://")
    if file is None:  # a connection may have ended with a server that was started again
        heard = url.set(query={**ANSWERS, **url.query})
        return create_engine(heard, pool_pre_ping=True, max_overflow=EACH_THREAD)
    if not (place := _as_it_lies(file)):
        return create_engine(url, max_overflow=EACH_THREAD)
    return create_engine(
        "sqlite://", creator=lambda: sqlite3.connect(place, uri=True, check_same_thread=False)
    )


def _as_it_lies(file: Path) -> str:
    """Return the address of a file that nobody can write to here (see `_may_write`); "" for any other."""
    if not file.exists() or Path(f"{file}-wal").exists() or _may_write(file):
        return ""
    return f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1"


def _file_of(file: Path | None) -> tuple[int, int] | None:
    """Which file a path leads to now: device and inode; None: none."""
    try:
        facts = file.stat() if file else None
    except OSError:
        return None
    return (facts.st_dev, facts.st_ino) if facts else None


def _may_write(file: Path) -> bool:
    """May this user change it? SQLite's journals lie beside it."""
    return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def _prepare(engine: Engine, patience_s: float, writes: bool, owner: weakref.ref[Database]) -> None:
    """Set up every connection, and how a transaction begins."""
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect")
        def settings(connection: Any, record: Any) -> None:
            connection.isolation_level = None  # the `begin` below says how, not the driver
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout={int(patience_s * 1000)}")
            # a read-only file cannot change its journal, and who only reads leaves an empty one empty
            with contextlib.suppress(Exception):
                if writes or cursor.execute("PRAGMA page_count").fetchone()[0]:
                    cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute(f"PRAGMA journal_size_limit={LOG_BYTES}")
            cursor.execute("PRAGMA synchronous=FULL")
            cursor.execute("PRAGMA foreign_keys=ON")
            cursor.close()

    reached = False

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, args: Any, given: Any) -> Any:
        """Wait for a server that could be reached before: it may be about to start again."""
        nonlocal reached
        database = owner()
        deadline = time.monotonic() + (database.reconnect_s if reached and database else 0.0)
        while True:
            try:
                connection = dialect.connect(*args, **given)
            except dialect.loaded_dbapi.OperationalError:
                if time.monotonic() >= deadline:
                    reached = False
                    raise
                time.sleep(AGAIN_S)
            else:
                reached = True
                return connection

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        writes = options.get("writes")
        if engine.dialect.name == "sqlite":
            if options.get("migrates"):  # inside a transaction it has no effect
                connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
        elif writes and engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{int(patience_s * 1000)}ms'")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})")


def _make_folder(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{file.parent}: cannot be made: {error.strerror}; choose another place with --db"
        ) from None
    _check_folder(file.parent)


def _check_folder(folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        raise StoreError(f"{folder} is read-only: results cannot be stored; choose another place with --db")


def _meaning(words: str) -> tuple[str, str]:
    """Return what an error means, and its line where that may name a host or says more."""
    meanings = {
        "database is locked": "the database is locked by another program; wait for it or choose another "
        "with --db",
        "lock timeout": "the database is locked by another program; wait for it or choose another with --db",
        "file is not a database": "this file is not a database; choose another with --db",
        "malformed": "the database was damaged (malformed): restore a backup",
        "unable to open database file": "the file cannot be opened: is it a folder, or may you not read it?",
        "database or disk is full": "the disk is full; what was stored before is safe: make room and go on",
        "disk I/O error": "the disk is full or broken; what was stored before is safe",
        "readonly database": "the database is read-only: ls -l, lsattr and mount say why",
    }
    line = words.strip().splitlines()[0]
    if any(one in words for one in AWAY):
        return "the server cannot be reached; what was stored before is safe", line
    known = ((plain, "") for key, plain in meanings.items() if key in words)
    return next(known, ("the database cannot be used", line))
