"""Move the moves of old epochs out of the database: into Parquet files, from which they can be brought back.

Scores, seatings and forfeits stay, so ratings do not change. Without its moves a game cannot be watched, nor
its epoch be verified.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import ModuleType

from ..errors import ArenaError, StoreError, UsageError, needs_extra
from ..printable import Say, count
from ..store import Store
from ..store.models import LeagueRun, now

DAY_S = 86_400


@dataclass(frozen=True)
class Retention:
    """How long the moves of an epoch stay in the database.

    Attributes:
        days: after the epoch's end.
        folder: where they go then; None: nowhere.
    """

    days: float
    folder: Path | None = None


class Trimmer:
    """Trims a season once a day. What fails is said, and tried again a day later.

    Args:
        store: where the season is.
        name: of the season.
        kept: how long moves stay; None: for ever.
        say: hears what was moved where.

    Raises:
        UsageError: files are wanted, and what writes them is not installed.
    """

    def __init__(self, store: Store, name: str, kept: Retention | None, say: Say) -> None:
        if kept is not None and kept.folder is not None:
            _pyarrow()  # what is missing is said now
        self._store, self._name, self._kept, self._say = store, name, kept, say
        self._due = 0.0

    def look(self) -> None:
        """Trim, if that is due."""
        if self._kept is None or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + DAY_S
        try:
            trim(self._store, self._name, self._kept.days, self._kept.folder, self._say, "driver")
        except ArenaError as error:
            self._say(f"moves stay in the database: {error}; again in a day")


def trim(store: Store, name: str, days: float, folder: Path | None, say: Say, by: str) -> list[LeagueRun]:
    """Take the moves of a season's old epochs out of the database; return these epochs' runs.

    A file is written whole before the moves are dropped. The room is used again by the database.

    Args:
        store: where the season is.
        name: of the season.
        days: since an epoch has ended.
        folder: for the files; None: the moves are thrown away.
        say: hears what was moved where.
        by: who wants it, for the log of acts.

    Raises:
        UsageError: no such season.
        StoreError: a file cannot be written; its epoch stays as it was.
    """
    store.season(name)
    before, moved = now() - timedelta(days=days), list[LeagueRun]()
    for one in store.epochs(name):
        ended = one.run.finished or one.run.aborted
        if ended is None or ended > before:
            continue
        rows = store.packed_moves(one.run)
        if not rows:
            continue
        where = "nowhere"
        if folder is not None:
            where = str(_write(store, one.run, rows, folder))
        store.drop_moves(one.run)
        store.add_act(by, "trim", f"{one.run.label} to {where}")
        moved.append(one.run)
        say(f"{one.run.label}: moves of {count(len(rows), 'match')} went to {where}")
    return moved


def bring_back(store: Store, path: Path) -> LeagueRun:
    """Put the moves of an epoch back into the database; return its run.

    Raises:
        UsageError: no such file, or no file of such moves.
        StoreError: they are not those of the games that are stored.
    """
    _, parquet = _pyarrow()
    try:
        found = parquet.read_table(path)
        label = found.schema.metadata[b"arena.run"].decode()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: no file of an epoch's moves: {error}") from None
    run = store.find_run(label)
    if found.schema.metadata[b"arena.secret_hash"].decode() != store.stages(run)[0].secret_hash:
        raise UsageError(f"{path}: {label} is another run in this database")
    rows = zip(found["match"].to_pylist(), found["moves"].to_pylist(), strict=True)
    store.put_moves(run, dict(rows))
    return run


def _write(store: Store, run: LeagueRun, rows: dict[int, bytes], folder: Path) -> Path:
    """Write the moves of a run to a file, whole or not at all."""
    pyarrow, parquet = _pyarrow()
    path = folder / f"{run.label.replace('#', '-')}.moves.parquet"
    part = path.with_suffix(".part")
    facts = {"arena.run": run.label, "arena.secret_hash": store.stages(run)[0].secret_hash}
    kinds = [("match", pyarrow.int64()), ("moves", pyarrow.binary())]
    table = pyarrow.table(
        {"match": list(rows), "moves": list(rows.values())}, schema=pyarrow.schema(kinds, metadata=facts)
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            parquet.write_table(table, file, compression="none")  # they are compressed already
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
    return path


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise UsageError(needs_extra("a Parquet file", "parquet")) from None
    return pyarrow, parquet
