"""Schemas: a new database is the baseline, and one of an older step is brought up by a command that writes."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlmodel import SQLModel

from arena.errors import StoreError
from arena.store import Store, migrations, models
from arena.store.leases import Driver
from arena.store.runs import seal_of

from .program import cli
from .test_store import bot, match, opened

NOW = migrations.revisions()[-1]
NEXT = f"{int(NOW) + 1:04}"
NEWER = f'''
"""The next schema: matches have a title; runs of bots that were retired are lost."""
import sqlalchemy as sa
from alembic import op
from arena.store.migrations import tell

revision, down_revision = "{NEXT}", "{NOW}"

def upgrade():
    runs = op.get_bind().execute(sa.text("SELECT name, number FROM league_run")).all()
    for name, number in runs:
        tell(f"{{name}}#{{number}} has matches without a title")
    anew = "always" if op.get_bind().dialect.name == "sqlite" else "never"
    with op.batch_alter_table("match", recreate=anew) as batch:
        batch.add_column(sa.Column("title", sa.String(), nullable=False, server_default="none"))
'''
FAILS = NEWER + '    op.execute("DELETE FROM forfeit")\n    raise RuntimeError("out of ideas")\n'
ORPHANS = NEWER + '    op.execute("DELETE FROM match")\n'


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Path]:
    """A database of this schema with a match that has a forfeit."""
    path = tmp_path / "arena.db"
    store = Store(str(path), create=True)
    store.matches.add(opened(store), [match(0)])
    store.engine.dispose()
    yield path


def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str = NEWER) -> None:
    """From now on there is one more revision."""
    folder = tmp_path / "migrations"
    shutil.copytree(migrations.FOLDER, folder, dirs_exist_ok=True)
    (folder / "versions" / f"s{NEXT}_titles.py").write_text(step)
    monkeypatch.setattr(migrations, "FOLDER", folder)


def arena(*words: str, db: Path, code: int = 0) -> tuple[str, str]:
    done = cli(*words, "--db", str(db), code=code)
    return done.stdout, done.stderr


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        return connection.execute(query).fetchall()


def test_a_new_database_has_exactly_the_tables_of_the_models(url: str) -> None:
    store = Store(url, create=True)
    with store.reading() as session:
        assert compare_metadata(MigrationContext.configure(session.connection()), SQLModel.metadata) == []
    store.engine.dispose()


@pytest.mark.parametrize("seen", ["0001 c3c3c403", "0005 c3c3c403", "0005 5f3dd01b", "0100 603af327"])
def test_a_database_from_before_the_baseline_is_told_which_commit_reads_it(old: Path, seen: str) -> None:
    number, commit = seen.split()
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [number])
        if commit == "5f3dd01b":  # the number was used a second time, with more tables
            connection.execute("DROP TABLE left_out")
    for words in (["db", "migrate"], ["league", "show"], ["bot", "retire", "mine"]):
        _, said = arena(*words, db=old, code=1)
        assert f"has schema {number}, of before 0.1.0, which commit {commit} of this project reads" in said
        assert len(said.splitlines()) == 1


def test_tables_of_another_version_under_the_same_number_are_refused_by_name(old: Path) -> None:
    with sqlite3.connect(old) as connection:
        connection.execute("ALTER TABLE bot RENAME COLUMN conditions TO demands")
    before = old.read_bytes()
    for words in (["db", "migrate"], ["league", "show"], ["bot", "retire", "mine"]):
        _, said = arena(*words, db=old, code=1)
        assert f"has schema {NOW} without bot.conditions: another version of this project made it" in said
        assert len(said.splitlines()) == 1
    assert rows(old, "SELECT count(*) FROM forfeit") == [(1,)] and old.read_bytes() == before


def test_reading_an_older_database_says_what_brings_it_up_and_changes_nothing(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = old.read_bytes()
    newer(tmp_path, monkeypatch)
    for line in ("league show", "ratings flip7", "db info", "bot show --game flip7"):
        _, said = arena(*line.split(), db=old, code=1)
        assert f"has schema {NOW}, and this arena needs {NEXT}: arena db migrate brings it up" in said
    assert old.read_bytes() == before and not list(tmp_path.glob(f"*schema-{NOW}*"))


@pytest.mark.parametrize("words", [["db", "migrate"], ["bot", "retire", "mine"]])
def test_the_first_command_that_writes_migrates_after_a_copy_and_says_what_it_ends(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    newer(tmp_path, monkeypatch)
    (tmp_path / f"arena.schema-{NOW}.db").write_text("mine")  # of a migration before
    _, said = arena(*words, db=old)
    copy = tmp_path / f"arena.schema-{NOW}-2.db"
    assert f"was brought from schema {NOW} to {NEXT}; {copy} is as it was" in said
    assert "flip7#1 has matches without a title" in said
    assert rows(old, "SELECT title FROM match") == [("none",)]
    # not deleted with the table that was made anew
    assert rows(old, "SELECT count(*) FROM forfeit") == [(1,)]
    assert rows(copy, "SELECT version_num FROM alembic_version") == [(NOW,)]
    assert rows(copy, "SELECT count(*) FROM match") == [(1,)]
    assert (tmp_path / f"arena.schema-{NOW}.db").read_text() == "mine"
    assert "has the schema of this version" in arena("db", "migrate", db=old)[0]


def test_a_migration_keeps_foreign_keys(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer(tmp_path, monkeypatch)
    store = Store(str(old), writes=True)
    assert len(store.migrated) == 2 and Store(str(old)).migrated == []
    with store.reading() as session:
        assert session.connection().exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


@pytest.mark.parametrize("step, error", [(FAILS, RuntimeError), (ORPHANS, StoreError)])
def test_a_migration_that_fails_or_leaves_rows_without_their_match_changes_nothing(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: type[Exception]
) -> None:
    newer(tmp_path, monkeypatch, step)
    with sqlite3.connect(old) as connection:
        before = list(connection.iterdump())
    with pytest.raises(error):
        Store(str(old), writes=True)
    with sqlite3.connect(old) as connection:
        assert list(connection.iterdump()) == before


def test_a_used_database_is_not_migrated(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(str(old))
    driver = Driver.this_process()
    assert store.leases.take(store.runs.find("flip7"), driver) is None
    newer(tmp_path, monkeypatch)
    _, said = arena("db", "migrate", db=old, code=1)
    assert f"from schema {NOW} to {NEXT}: {driver.who} plays a run in it" in said
    assert rows(old, "SELECT version_num FROM alembic_version") == [(NOW,)]


def test_a_server_is_migrated_by_its_own_command_alone_since_only_its_user_can_copy_it(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(postgres_url, create=True)
    store.matches.add(opened(store), [match(0)])
    store.bots.add(bot("other"), b"")
    store.engine.dispose()
    newer(tmp_path, monkeypatch)
    told = rf"needs {NEXT}: make a copy of it \(pg_dump\), then run arena db migrate"
    with pytest.raises(StoreError, match=told):
        Store(postgres_url, writes=True)
    driver, run = Driver.this_process(), store.runs.find("flip7")
    assert store.leases.take(run, driver) is None
    with monkeypatch.context() as wrong, pytest.raises(StoreError, match=f"{driver.who} plays a run in it"):
        late = datetime.now(UTC) + timedelta(hours=1)  # this machine's clock, not the server's
        wrong.setattr(models, "now", lambda: late)
        Store(postgres_url, writes=True, copied=True)
    store.leases.release(run, driver)
    store.engine.dispose()
    store = Store(postgres_url, writes=True, copied=True)
    assert store.migrated[0].endswith(f"was brought from schema {NOW} to {NEXT}") and store.runs.find("flip7")
    store.engine.dispose()


def test_a_store_of_the_one_baseline_is_opened_with_all_that_is_in_it(tmp_path: Path) -> None:
    """After the first tag, whoever changes `models` has to write a step that brings this store up."""
    path = tmp_path / "arena.db"
    with contextlib.closing(sqlite3.connect(path)) as made:
        made.executescript((Path(__file__).parent / "data" / "store_0101.sql").read_text())
    assert rows(path, "SELECT version_num FROM alembic_version") == [(one,) for one in migrations.revisions()]
    arena("db", "migrate", db=path)
    store = Store(str(path))
    run = store.runs.find("flip7#1")
    matches = list(store.matches.all(run))
    assert len(matches) == 12 and all(one.digest_now() == one.digest for one in matches)
    assert seal_of(store.matches.digests(run)) == run.seal and store.matches.forfeits(run)
    assert "flip7#1" in arena("league", "show", db=path)[0]
    told = arena("league", "show", "flip7#1", db=path)
    assert all(name in told[0] for name in ("racer", "oddsman", "banker")), told
    assert store.seasons.find("spring").state == "open" and "ada" in arena("owner", "list", db=path)[0]
    assert [one.file for one in store.submissions.queue()] == ["late.py"]
    ((decision,),) = [one.decisions for one in store.analyses.of_run(run)[0].values()]
    assert (decision.decision, decision.seat, decision.cost) == (7, 2, 0.25)
