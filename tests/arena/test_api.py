"""The calls from Python: they do what the commands do, print nothing, and say what was wrong as errors."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
import typer

import arena
from arena.__main__ import app
from arena.errors import RunError, UsageError
from arena.store.models import Bot
from tests.python import python

from .program import Head

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


def test_the_example_of_the_page_plays_and_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = [
        one for one in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "run_league" in one
    ]
    space: dict[str, Any] = {}
    exec(block, space)
    table = space["evening"](str(tmp_path / "arena.db"))
    out, err = capsys.readouterr()
    assert [line.split()[1] for line in out.splitlines()] == [row.bot for row in table.rows]
    assert {row.bot for row in table.rows} == {"racer", "banker"} and err == ""
    store = arena.open_store(str(tmp_path / "arena.db"))
    said: list[str] = []
    league = arena.load_league("flip7", deals=2, seed=1)
    run = arena.run_league(store, league, ["banker", "racer"], arena.PlayOptions(say=said.append))
    assert run.label == "flip7#1"
    assert said == ["flip7#1 is finished; a run with a known seed is not played again"]
    assert arena.verify(store, run, workers=1).differences == []
    assert arena.resume_run(store, "flip7#1").state == "finished"
    with pytest.raises(UsageError, match="no pool 'zzzzzz'; pools: "):
        arena.ratings(store, "flip7", "zzzzzz")
    with pytest.raises(UsageError, match="no run 'flip7#9'"):
        arena.extend_run(store, "flip7#9", 1)


def test_a_league_is_played_verified_and_rated_in_postgres(postgres_url: str, ray_head: Head) -> None:
    store = arena.open_store(postgres_url)
    said: list[str] = []
    options = arena.PlayOptions(address=ray_head[1], say=said.append)
    run = arena.run_league(store, arena.load_league("flip7", deals=1), ["banker", "racer"], options)
    assert run.state == "finished" and not any("s3cret" in line for line in said)
    assert arena.verify(store, run, workers=1).differences == []
    assert {row.bot for row in arena.ratings(store, "flip7").rows} == {"banker", "racer"}
    assert arena.report(store, run)["matches"] == arena.report(store, run)["matches_planned"] > 0
    store.engine.dispose()


def test_an_aborted_run_can_neither_go_on_nor_grow(tmp_path: Path) -> None:
    from .test_league import flip7, opened

    store = arena.open_store(str(tmp_path / "arena.db"))
    store.bots.add(Bot(name="x", version=0, kind="submitted", games=["taroky"], title="", hash="x"), b"")
    run = opened(store, flip7())
    with pytest.raises(RunError, match="only a finished run can be extended"):
        arena.extend_run(store, run.label, 1)
    with pytest.raises(RunError, match="its deals are shown when nobody can learn from them"):
        arena.verify(store, run)
    store.runs.close(run, aborted=True)
    with pytest.raises(RunError, match="its secret is known, so it cannot go on"):
        arena.resume_run(store, run.label)


def test_every_call_is_there_and_importing_the_package_is_cheap() -> None:
    assert all(callable(getattr(arena, name)) and getattr(arena, name).__doc__ for name in arena.__all__)
    with pytest.raises(AttributeError, match="no attribute 'run_leagues'"):
        arena.run_leagues  # noqa: B018
    code = "import sys, arena; print([m for m in ('ray', 'numba', 'numpy', 'sqlmodel', 'pydantic') if m in sys.modules])"
    assert python("-c", code, check=True).stdout.strip() == "[]"


COMMANDS = {
    "bot check": arena.check, "bot new": arena.new_bot, "bot submit": arena.submit,
    "compare": arena.comparison_from, "db export": arena.export_decisions, "duel": arena.play,
    "league commit": arena.commit_league,
    "league games": arena.games_of_run, "league resume": arena.PlayOptions, "league run": arena.PlayOptions,
    "ratings": arena.view_of, "report": arena.write_report, "serve": arena.serve,
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_the_defaults_of_the_function_that_it_calls(name: str) -> None:
    command: Any = typer.main.get_command(app)
    for word in name.split():
        command = command.commands[word]
    function = inspect.signature(COMMANDS[name]).parameters
    given = [one for one in command.params if one.name in function]
    both = [(one.default, _typed(function[one.name].default)) for one in given]
    assert both, "no name in common"
    # None: left to the function
    assert not [two for two in both if two[0] not in (None, two[1]) and two[1] is not inspect.Parameter.empty]


def _typed(default: Any) -> Any:
    """A default as a person would type it: names with commas."""
    return ",".join(default) if isinstance(default, tuple) and default else default
