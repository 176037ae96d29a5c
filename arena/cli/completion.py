"""What a shell may offer after Tab: games, leagues, bots, runs. Nothing heavy is imported, nothing written.

A function gets the word so far (and the words before it, by `context`). Where it offers nothing, the shell
offers files.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import typer

BOTS = "SELECT DISTINCT name FROM bot WHERE version > 0 ORDER BY name"
VERSIONS = "SELECT name || '@' || version FROM bot WHERE version > 0 ORDER BY name, version"
RUNS = "SELECT name || '#' || number FROM league_run ORDER BY id"


def game_names(incomplete: str) -> list[str]:
    """Games."""
    import engines

    return _fitting(engines.names(), incomplete)


def league_names(incomplete: str) -> list[str]:
    """Leagues that ship with the project, and definitions in this folder."""
    from engines import registry

    shipped = [Path(item.name) for item in resources.files("leagues").iterdir()]
    shipped += [path for home in registry.packaged() for path in home.files("leagues", ".toml")]
    names = sorted({path.stem for path in shipped if path.suffix == ".toml"})
    return _fitting([*names, *(path.name for path in sorted(Path().glob("*.toml")))], incomplete)


def run_labels(context: typer.Context, incomplete: str) -> list[str]:
    """Return stored runs: taroky#2."""
    return _fitting(_stored(context, RUNS), incomplete)


def games_and_runs(context: typer.Context, incomplete: str) -> list[str]:
    """Games, and stored runs."""
    return [*game_names(incomplete), *run_labels(context, incomplete)]


def stored_bots(context: typer.Context, incomplete: str) -> list[str]:
    """Bots of the store; with their versions once there is an @, or a whole name."""
    names = _stored(context, BOTS)
    exact = "@" in incomplete or incomplete in names
    return _fitting(_stored(context, VERSIONS) if exact else names, incomplete)


def bot_names(context: typer.Context, incomplete: str) -> list[str]:
    """House bots, bots of the store, and files in this folder."""
    from engines import registry

    house = [Path(item.name) for item in resources.files("bots").iterdir()]
    house += [path for home in registry.packaged() for path in home.files("bots", ".py")]
    names = sorted({path.stem for path in house if path.suffix == ".py" and not path.stem.startswith("_")})
    files = [f"./{path.name}" for path in sorted(Path().glob("*.py"))]
    fitting = [*_fitting(names, incomplete), *stored_bots(context, incomplete), *_fitting(files, incomplete)]
    return list(dict.fromkeys(fitting))


def bot_lists(context: typer.Context, incomplete: str) -> list[str]:
    """Bots with commas between them."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + name for name in bot_names(context, last)]


def _fitting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _stored(context: typer.Context, query: str) -> list[str]:
    """Return a column of the result store, if the store is a file.

    Return nothing if the file cannot be read: Tab is no place for errors.
    """
    from arena.places import data_folder

    where = (
        context.find_root().params.get("db") or os.environ.get("ARENA_DB") or str(data_folder() / "arena.db")
    )
    if "://" in where:
        return []
    with contextlib.suppress(sqlite3.Error):
        database = sqlite3.connect(f"{Path(where).resolve().as_uri()}?mode=ro", uri=True, timeout=1)
        with contextlib.closing(database):
            return [name for (name,) in database.execute(query)]
    return []
