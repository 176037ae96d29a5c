"""Older databases: a real one of schema 1 is brought to the present schema with all its games."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlmodel import SQLModel

from arena.errors import RunError, StoreError
from arena.league.open import check_code
from arena.league.table import run_table
from arena.league.verify import verify
from arena.store import Store

DUMP = Path(__file__).parent / "data" / "schema1.sql"
"""A run of three bots that was finished (quick#1) and one that lacks its last match (stopped#1), as schema 1
had them."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(DUMP.read_text())
    return path


def test_all_games_of_an_older_database_are_there_and_replay(old: Path) -> None:
    store = Store(str(old), create=True)
    assert store.migrated_from == "0001"
    run = store.find_run("quick#1")
    assert run.state == "finished"
    found = verify(store, run, workers=1)
    assert (found.matches, found.games, found.differences) == (3, 6, [])
    rows = {row.bot: row for row in run_table(store, run).rows}
    # as the program of that time printed them
    assert {name: (row.mean, row.games, row.forfeits) for name, row in rows.items()} == {
        "banker": (38.667, 6, 0),
        "random": (22.833, 6, 0),
        "raises": (7.333, 6, 6),
    }
    assert store.forfeits(run)[0].kind == "exception" and "out of ideas" in store.forfeits(run)[0].text
    assert store.source(store.versions("banker")[0].hash)


def test_an_unfinished_run_of_schema_1_is_aborted_since_it_did_not_keep_what_to_play(old: Path) -> None:
    store = Store(str(old), create=True)
    run = store.find_run("stopped#1")
    assert run.state == "aborted" and store.counts()[run.key].stored == 2
    with pytest.raises(RunError, match="does not say which code"):
        check_code(store, run)


def test_a_migrated_database_has_exactly_the_tables_of_a_new_one(old: Path, tmp_path: Path) -> None:
    for path in (old, tmp_path / "new.db"):
        store = Store(str(path), create=True)
        with store.reading() as session:
            assert compare_metadata(MigrationContext.configure(session.connection()), SQLModel.metadata) == []
    names = [
        {
            row[0]
            for row in sqlite3.connect(path).execute(
                "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite%'"
            )
        }
        for path in (old, tmp_path / "new.db")
    ]
    assert names[0] == names[1]


def test_it_is_migrated_once_and_a_second_opening_finds_it_done(old: Path) -> None:
    assert Store(str(old)).migrated_from == "0001"
    assert Store(str(old)).migrated_from is None


def test_a_migration_that_fails_changes_nothing(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE league_run SET definition = 'no json'")
    before = list(sqlite3.connect(old).iterdump())
    with pytest.raises((StoreError, ValueError)):
        Store(str(old), create=True)
    assert list(sqlite3.connect(old).iterdump()) == before
