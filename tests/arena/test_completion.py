"""What a shell offers after Tab: asked as bash asks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import engines
from arena.__main__ import app
from arena.intake import template
from arena.intake.registry import as_row, resolve
from arena.intake.source import read
from arena.runs.open import open_run, prepare
from arena.store import Store
from leagues import definition


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot's file, a league's file, and a database with two versions of a bot and a run."""
    monkeypatch.chdir(tmp_path)
    store = Store(str(tmp_path / "arena.db"), create=True)
    path = tmp_path / "mine.py"
    for text in (template.source("mine", "flip7"), template.source("mine", "flip7") + "\n"):
        path.write_text(text)
        source = read(path, own=True)
        store.bots.add(as_row(source, "submitted"), source.packed)
    (tmp_path / "spring.toml").write_text('game = "flip7"\n')
    bots = [resolve(name, "flip7", store) for name in ("banker", "racer", "mine@1", "mine@2")]
    open_run(store, prepare(store, definition.load("flip7", deals=2), bots))
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "arena.db"))
    return tmp_path


def offered(line: str) -> list[str]:
    """What bash is told for a line whose last word is not finished."""
    words = line.split(" ")
    asked = {"_ARENA_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = CliRunner().invoke(app, [], env=asked, prog_name="arena", catch_exceptions=False)
    return done.stdout.split()


def test_games_leagues_bots_and_runs_are_offered(folder: Path) -> None:
    assert offered("arena play ") == engines.names()
    assert offered("arena duel rule --game ta") == ["taroky"]
    assert offered("arena duel ra") == ["racer", "random"]
    assert offered("arena duel ./m") == ["./mine.py"]
    assert offered("arena play flip7 --bots racer,mi") == ["racer,mine"]
    assert offered("arena bot show mi") == ["mine"]
    assert offered("arena bot show mine") == ["mine@1", "mine@2"]
    assert offered("arena bot export mine@2") == ["mine@2"]
    assert offered("arena league run flip7-") == ["flip7-fresh", "flip7-strong"]
    assert offered("arena league run sp") == ["spring.toml"]
    assert offered("arena league show fl") == ["flip7#1"]
    assert offered("arena report fl") == ["flip7", "flip7#1"]
    assert offered("arena bot show ban") == ["banker"], "a house bot that has played"


def test_without_a_database_or_with_a_broken_one_the_rest_is_offered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "broken.db").write_text("no database")
    for name in ("none.db", "broken.db"):
        monkeypatch.setenv("ARENA_DB", str(folder / name))
        assert offered("arena league show fl") == []
        assert offered("arena duel ra") == ["racer", "random"]
    assert not (folder / "none.db").exists()
    assert offered(f"arena league show --db {folder / 'arena.db'} fl") == ["flip7#1"]


def test_nothing_heavy_is_loaded_for_it(folder: Path) -> None:
    script = (
        "import os, sys\n"
        "os.environ |= {'_ARENA_COMPLETE': 'complete_bash', 'COMP_WORDS': 'arena duel --game fl', 'COMP_CWORD': '3'}\n"
        "sys.argv = ['arena']\n"
        "from arena.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'sqlmodel', 'sqlalchemy', 'ray', 'scipy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["flip7", "[]"], done.stderr
