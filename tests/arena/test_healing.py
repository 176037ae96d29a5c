"""Every file that a season and its server leave behind, damaged: it heals, or a line names it and the next start works."""

import contextlib
import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import JSON, Column, DateTime
from sqlmodel import SQLModel, select
from typer.testing import CliRunner

from arena.__main__ import app
from arena.errors import StoreError
from arena.runs.drive import finish
from arena.runs.standings import keep_run_table
from arena.store import Store, models
from arena.store.database import LOG_BYTES

from .played import play, season_in
from .program import Arena

pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
from .test_ladder import made, opened
from .test_server import ask, post

FLAGS = ("--allow-submissions", "--no-trials", "--access-log", "access.log", "--log", "serve.log")
WORDS = ("serve", "--port", "0", "--db", "arena.db", *FLAGS, "--backup", "copies")


def as_folder(path: Path) -> None:
    path.unlink()
    (path / "full").mkdir(parents=True)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "noise": lambda path: path.write_bytes(bytes(at * 7 % 256 for at in range(4096))),
    "a folder": as_folder,
}


def begun(arena: Arena) -> tuple[subprocess.Popen[str], str]:
    """A server, and its address or the line with which it ended."""
    process = arena.start(*WORDS)
    for line in process.stderr:
        if line.startswith("http") and not ended_at_once(process):
            return process, line.split("/  ")[0]
        if line.startswith("arena: "):
            return process, line
    raise AssertionError("neither an address nor a line")


def ended_at_once(process: subprocess.Popen[str]) -> bool:
    """Whether a server that told its address could not begin."""
    try:
        return process.wait(2) != 0
    except subprocess.TimeoutExpired:
        return False


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """One with a season, an owner and a submission; the same after a server in it was killed; files of that server."""
    before, after = (tmp_path_factory.mktemp(name) for name in ("season", "killed"))
    store = season_in(before)
    epoch = store.seasons.add_epoch(*made(store))
    play(store, epoch.run)
    store.owners.invite("ada", "test")
    store.submissions.add("ada", "late.py", "", b"GAMES = []")
    store.engine.dispose()
    shutil.copytree(before, after, dirs_exist_ok=True)
    there = set(after.rglob("*"))
    process, address = begun(Arena(after))
    assert post(f"{address}/api/tables", {"game": "flip7", "seats": ["person", "banker"]})[0] == 200
    while not list(after.glob("copies/arena-*.db")):
        assert process.poll() is None
    process.kill()
    process.communicate()
    new = sorted(path for path in set(after.rglob("*")) - there if path.is_file())
    return before, after, [str(one.relative_to(after)) for one in new if not one.name.startswith("arena.db")]


@pytest.fixture
def season(arena: Arena, folders: tuple[Path, Path, list[str]]) -> None:
    """A database with a season, an owner and a submission."""
    shutil.copytree(folders[0], arena.folder, dirs_exist_ok=True)


@pytest.fixture
def left(arena: Arena, folders: tuple[Path, Path, list[str]]) -> list[Path]:
    """What is left of a season with a server that was killed: all files but those of the database."""
    shutil.copytree(folders[1], arena.folder, dirs_exist_ok=True)
    return [arena.folder / name for name in folders[2]]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_server_starts_over_damaged_files_or_names_one(arena: Arena, left: list[Path], how: str) -> None:
    names = {path.parent.name for path in left} | {path.name for path in left}
    assert {"access.log", "serve.log", "copies", "open"} <= names
    for path in left:
        DAMAGES[how](path)
    in_the_way = []
    while not (found := begun(arena))[1].startswith("http"):
        found[0].communicate()
        assert found[0].returncode == 2, found[1]
        (path,) = [path for path in left if path.name in found[1] and path not in in_the_way]
        in_the_way.append(path)
        shutil.rmtree(path)
    process, address = found
    assert [path.name for path in in_the_way] == (["serve.log", "access.log"] if how == "a folder" else [])
    for path in ("/readyz", "/metrics", "/api/home", "/api/queue"):
        assert ask(address + path)[0] == 200
    (table,) = [path.stem for path in left if path.parent.name == "open"]
    status, body, _ = ask(f"{address}/api/tables/{table}")
    assert status == (404 if how == "a folder" else 400) and json.loads(body)["error"]
    process.terminate()
    said = process.communicate(timeout=300)[1]
    assert "Traceback" not in said and process.returncode == 143, said


@pytest.mark.usefixtures("season")
@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_database_is_named_in_a_line_whoever_opens_it(arena: Arena, how: str) -> None:
    path = arena.folder / "arena.db"
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    DAMAGES[how](path)
    left = path.is_file() and path.read_bytes()
    for words in (("db", "info"), ("ladder", "status", "spring"), ("league", "show")):
        said = arena.run(*words, "--db", "arena.db", code=1)[1].splitlines()
        assert said[-1].startswith("arena: arena.db") and not any("Traceback" in line for line in said)
    assert left == (path.is_file() and path.read_bytes())


@pytest.mark.usefixtures("season")
def test_of_a_database_that_was_damaged_in_the_middle_no_copy_is_made(arena: Arena) -> None:
    path, copy = arena.folder / "arena.db", arena.folder / "copy.db"
    with contextlib.closing(sqlite3.connect(path)) as whole:
        whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    half = path.stat().st_size // 8192 * 4096
    path.write_bytes(path.read_bytes()[:half] + b"\x77" * 8192 + path.read_bytes()[half + 8192 :])
    said = arena.run("db", "backup", "copy.db", "--db", "arena.db", code=1)[1]
    assert "restore a backup" in said and not copy.exists()


@pytest.mark.usefixtures("season")
@pytest.mark.parametrize("how", [DAMAGES["empty"], Path.unlink])
def test_a_database_that_went_without_its_log_is_not_begun_anew_and_all_is_there_when_it_is_back(
    arena: Arena, how: Callable[[Path], object]
) -> None:
    path, away, log = (arena.folder / name for name in ("arena.db", "away.db", "arena.db-wal"))
    with contextlib.closing(sqlite3.connect(path)) as reader:  # the last to close would empty the log
        reader.execute("SELECT * FROM season").fetchall()
        Store("arena.db", writes=True).owners.invite("bob", "test")
        kept = log.read_bytes()
        shutil.copy(path, away)
        how(path)
        db = "--db", "arena.db"
        for words in (WORDS, ("ladder", "status", "spring", *db), ("owner", "invite", "eve", *db)):
            said = arena.run(*words, code=1)[1].splitlines()
            assert "gone, and its log arena.db-wal is not" in said[-1], said
        assert log.read_bytes() == kept
    log.write_bytes(kept)  # which the end of the reader has taken away
    away.replace(path)
    assert {one.owner for one in Store("arena.db").owners.all()} == {"ada", "bob"}


@pytest.mark.usefixtures("season")
@pytest.mark.parametrize("gone", [["-wal"], ["-wal", "-shm"]])
def test_a_log_that_is_removed_in_use_is_named_and_nothing_more_is_taken(gone: list[str]) -> None:
    store = Store("arena.db", writes=True)
    store.owners.invite("bob", "test")
    for end in gone:
        Path(f"arena.db{end}").unlink()
    with pytest.raises(StoreError, match=r"arena.db: its log arena.db-wal was removed, and with it what was"):
        (store if len(gone) == 2 else Store("arena.db")).owners.invite("eve", "test")


@pytest.mark.usefixtures("season")
@pytest.mark.parametrize("share", [0.0, 0.5])
def test_what_is_packed_in_the_database_is_named_when_it_is_cut(arena: Arena, share: float) -> None:
    store = Store("arena.db")
    run = store.runs.find("spring#1")
    assert finish(store, run)
    columns = [("match", one) for one in ("blocks", "places", "scores", "moves")]
    for table, column in [*columns, ("stage", "schedule"), ("source", "packed")]:
        with sqlite3.connect("arena.db") as there:
            kept = there.execute(f"SELECT rowid, {column} FROM {table} WHERE length({column}) > 0").fetchall()
            cut = [(data[: int(share * len(data))], row) for row, data in kept]
            there.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", cut)
        if table != "source":
            words = ("replay", "spring#1/0") if table == "match" else ("report", "spring#1")
            what = "match 0 of spring#1" if table == "match" else "the schedule of a run"
            said = arena.run("--db", "arena.db", *words, code=1)[1]
            assert said.endswith(f"arena: {what} cannot be read: the database was damaged\n")
        else:
            for entry in store.runs.entries(run):
                with pytest.raises(StoreError, match=r"were deleted|: the database was damaged$"):
                    store.bots.source(entry.bot.hash)
        with sqlite3.connect("arena.db") as there:
            there.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [one[::-1] for one in kept])
    arena.run("--db", "arena.db", "replay", "spring#1/0")


COLUMNS = [
    column for table in SQLModel.metadata.sorted_tables for column in table.columns if not column.primary_key
]
CHECKED = [column for column in COLUMNS if isinstance(column.type, models.OwnColumn)]
SHAPES = ("null", "{}", "[null]", '{"x": null}', "{")
READERS = ("league show spring#1", "ladder status spring", "bot show banker", "replay spring#1/0")


@pytest.fixture(scope="module")
def played(folders: tuple[Path, Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a season of which an epoch is over and rated, and something in every table with `CHECKED`."""
    path = tmp_path_factory.mktemp("played") / "arena.db"
    shutil.copy(folders[0] / "arena.db", path)
    store = Store(str(path), writes=True)
    run = store.runs.find("spring#1")
    assert finish(store, run)
    keep_run_table(store, run)
    with store.writing() as session:
        session.add(models.Lease(run_id=run.key, driver="x/1/1/x", who="x"))
        session.add(models.LeftOut(run_id=run.key, bot_id=1, kind="load", text=""))
        session.add(models.SeasonDriver(season="spring", driver="x/1/1/x", who="x"))
        session.add(models.Analysis(run_id=run.key, game=0, seat=0, made_by="x", worlds=1, decisions=[]))
    store.engine.dispose()
    return path


@pytest.mark.parametrize("column", CHECKED, ids=str)
def test_what_is_not_of_its_columns_shape_is_a_line_that_names_the_column_or_is_made_again(
    arena: Arena, played: Path, column: Column[object]
) -> None:
    assert not any(isinstance(one.type, JSON | DateTime) for one in COLUMNS)
    of = column.type.kind if isinstance(column.type, models.Shaped) else None
    for shape in SHAPES:
        shutil.copy(played, "arena.db")
        with sqlite3.connect("arena.db") as there:
            assert there.execute(f'UPDATE "{column.table.name}" SET {column.name} = ?', [shape]).rowcount
        named = "arena.db: a row cannot be read, as the database was damaged or changed by hand: "
        named += f"{column} is not"
        may_be = shape != "{" and (of is Any or (of == dict[str, Any] and shape[0] == "{"))
        may_be |= (shape, column.name) == ("{}", "conditions")
        refused = contextlib.nullcontext() if may_be else pytest.raises(StoreError, match=named)
        with refused, Store("arena.db").reading() as session:
            session.exec(select(column)).all()
        for words in READERS if of and (may_be or shape == "{") else ():  # the others are refused alike
            done = CliRunner().invoke(app, [*words.split(), "--db", "arena.db"], catch_exceptions=False)
            again = "spring#1/0: the saved analysis of seat 0 is damaged"
            many = "spring#1: some stored matches cannot be read: the database was damaged"
            said = done.stderr.splitlines()[-1] if done.exit_code else f"arena: {named}"
            assert said.removeprefix("arena: ").startswith((named, again, many))


def test_a_log_that_grew_while_somebody_read_is_cut_when_nobody_does(arena: Arena) -> None:
    store = opened(arena)
    path = store.whole.database.file
    store.owners.invite("ada", "test")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM owner").fetchall()
        for number in range(5):
            store.submissions.add("ada", f"bot{number}.py", "", bytes(LOG_BYTES // 4))
    log = Path(f"{path}-wal")
    assert log.stat().st_size > LOG_BYTES
    for number in range(4):
        store.owners.invite(f"bob{number}", "test")
    assert log.stat().st_size <= LOG_BYTES
