"""Help texts and usage errors as people read them: one file of snapshots, `data/cli.txt`.

`REWRITE_SNAPSHOTS=1 python -m pytest tests/arena/test_cli_texts.py` writes it anew; read the difference before
you commit it.
"""

import os
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import arena as package
from arena.__main__ import app

FILE = Path(__file__).parent / "data" / "cli.txt"
WIDTH = 100
PINNED = dict(
    line.split("==") for line in (Path(__file__).parents[2] / "constraints.txt").read_text().split()
)["typer"]
GROUPS = [(name,) for name in ("bot", "game", "league", "ladder", "owner", "db")]  # their help is a list
WRONG = [
    ["league", "show", "--db"],
    ["bot", "chekc"],
    ["bot", "check"],
    ["bot", "show", "rule", "--versions"],
    ["bot", "check", "none.py", "--leage", "taroky"],
    ["duel", "racer", "banker"],
    ["duel", "racer", "banker", "--game", "taroky", "--league", "flip7"],
    ["duel", "racer", "banker", "--league", "flip7", "--level", "trusted"],
    ["duel", "racer", "banker", "--game", "flip7", "--option", "goal"],
    ["compare", "racer", "--game", "flip7"],
    ["tune", "none.py", "--game", "flip7"],
    ["tune", "none.py", "--game", "flip7", "--elo0", "20"],
    ["serve", "--no-trials"],
]


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """A command and all below it, by their words."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


def section(words: tuple[str, ...] | list[str], width: int = WIDTH) -> str:
    """What a command line prints, below a head that names it."""
    done = CliRunner().invoke(
        app, [*words], prog_name="arena", terminal_width=width, env={"COLUMNS": str(width)}
    )
    text = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())
    return f"$ arena {' '.join(words)}    (exit code {done.exit_code})\n{text}\n"


def without_known(text: str, seen: set[str]) -> str:
    """A help without the arguments and options that an earlier command has in the same words."""
    head, *blocks = re.split(r"\n\n(?=Arguments:|Options:)", text)
    for block in blocks:
        name, *entries = re.split(r"\n(?=  \S)", block.rstrip())
        fresh = [one for one in entries if " ".join(one.split()) not in seen]
        seen |= {" ".join(one.split()) for one in entries}
        if fresh:
            head += "\n".join(["\n", name, *fresh])
    return head + "\n"


@pytest.mark.skipif(
    version("typer") != PINNED, reason="another version of Typer words its own texts otherwise"
)
def test_help_and_usage_errors_are_those_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_DB", "arena.db")
    seen = set[str]()
    leaves = [path for path in commands(get_command(app)) if path not in GROUPS]
    helps = [without_known(section((*path, "--help")), seen) for path in leaves]
    wrong = [re.sub(r"Usage: .*\n\n", "", section(words), flags=re.DOTALL) for words in WRONG]
    shown = "\n".join([*helps, *wrong])
    if os.environ.get("REWRITE_SNAPSHOTS"):
        FILE.write_text(shown, encoding="utf-8")
    assert shown == FILE.read_text(encoding="utf-8"), "read the difference, then write the file anew"
    assert all("(exit code 2)" in one for one in wrong) and not list(tmp_path.iterdir())


def test_every_command_has_an_example_on_a_line_of_its_own() -> None:
    helps = re.findall(r"\$ arena (\S.*) --help .*\n([^$]*)", FILE.read_text(encoding="utf-8"))
    assert len(helps) > 30
    assert [words for words, text in helps if not re.search(rf"Examples?:\n +arena {words}", text)] == []


def test_every_command_shows_its_help_by_a_short_option() -> None:
    for words in ([], ["league"], ["league", "run"]):  # the others have it from these, as all have its name
        text = section([*words, "-h"])
        assert "(exit code 0)" in text and "-h, --help" in text


@pytest.mark.parametrize(
    "words", [["-q", "league", "show"], ["league", "-q", "show"], ["league", "show", "-vq"]]
)
def test_quiet_leaves_out_what_is_said_beside_the_results(words: list[str], tmp_path: Path) -> None:
    options = ["--db", str(tmp_path / "none.db")]
    loud = CliRunner().invoke(app, ["league", "show", *options])
    quiet = CliRunner().invoke(app, [*words, *options])
    assert "there is none yet" in loud.stderr and quiet.stderr == "" and quiet.stdout == loud.stdout


def test_verbose_shows_an_errors_traceback_and_the_time(tmp_path: Path) -> None:
    options = ["league", "show", "taroky#9", "--db", str(tmp_path / "none.db")]
    plain = CliRunner().invoke(app, options)
    loud = CliRunner().invoke(app, [*options, "-v"])
    assert "Traceback" not in plain.stderr and "Traceback" in loud.stderr
    assert re.search(r"took \d+\.\d s", loud.stderr) and loud.exit_code == plain.exit_code == 2


def test_what_commands_do_can_be_called_from_python() -> None:
    called = {
        "bot check": "check", "bot export": "export_bot", "bot new": "new_bot",
        "bot retire": "retire_bot", "bot show": "find_bot", "bot submit": "submit",
        "analyse": "analyse", "bench": "bench", "compare": "compare_bots", "doctor": "examine", "duel": "play", "exploit": "exploit", "game check": "check_game", "game new": "new_game", "games": "list_games",
        "ladder close": "close_season", "ladder new": "new_season", "ladder pause": "pause_season",
        "ladder run": "run_season", "ladder status": "season_status",
        "league abort": "abort_run", "league commit": "commit_league", "league games": "games_of_run",
        "league resume": "resume_run", "league run": "run_league", "league show": "report",
        "league verify": "verify", "owner try": "try_sent", "play": "seated", "ratings": "rated", "replay": "load_game", "tune": "tune_bot",
        "login": "login", "push": "push", "report": "write_report", "serve": "serve", "trace": "trace",
    }  # fmt: skip
    of_the_store = {"db info", "db backup", "db migrate", "db merge", "db export", "ladder exclude"}
    of_the_store |= {f"owner {verb}" for verb in ("invite", "ban", "list")}
    leaves = {" ".join(path) for path in commands(get_command(app)) if path}
    leaves -= {name for (name,) in GROUPS}
    assert leaves == called.keys() | of_the_store
    assert all(callable(getattr(package, name)) for name in called.values())
