"""The program as a person runs it: real processes, a real Ray, a real SQLite file."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("ray")  # one Ray at a time

BROKEN = {
    "loops": "def act(view):\n    while True:\n        pass\n",
    "raises": "def act(view):\n    raise ValueError('out of ideas')\n",
    "babbles": "def act(view):\n    return 'what?'\n",
    "crashes": "import ctypes\n\ndef act(view):\n    ctypes.string_at(0)\n",
}


class Arena:
    """`arena` in a folder of its own, with a database of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[str]] = []

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "arena", *words]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=pipe,
            stderr=pipe,
            text=True,
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def run(self, *words: str, code: int = 0, **environment: str) -> tuple[str, str]:
        process = self.start(*words, **environment)
        out, err = process.communicate(timeout=300)
        assert process.returncode == code, (
            f"arena {' '.join(words)}: exit code {process.returncode}\n{out}\n{err}"
        )
        return out, err

    def json(self, *words: str, **environment: str) -> Any:
        return json.loads(self.run(*words, "--format", "json", **environment)[0])

    def write(self, name: str, source: str, games: str = '["flip7"]') -> Path:
        path = self.folder / f"{name}.py"
        path.write_text(f'"""Bot {name}."""\n\nGAMES = {games}\n\n{source}')
        return path


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    arena = Arena(tmp_path)
    yield arena
    for process in arena.started:  # a test that failed may have left some
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def without_clocks(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "cpu_us"} for row in rows]


def test_a_bot_written_from_the_readme_is_checked_submitted_and_rated(arena: Arena) -> None:
    arena.run("bot", "new", "my_bot", "--game", "flip7")
    assert "is fine" in arena.run("bot", "check", "my_bot.py")[0]
    assert "submitted my_bot@1" in arena.run("bot", "submit", "my_bot.py")[0]
    assert "this very source already" in arena.run("bot", "submit", "my_bot.py")[0]
    assert "my_bot@1" in arena.run("bot", "list", "--game", "flip7")[0]
    out, err = arena.run("league", "run", "flip7", "--deals", "2")
    assert "my_bot@1" in out and "flip7#1 finished; secret" in err
    rows = arena.json("ratings", "flip7")
    assert {"bot", "version", "elo", "elo_low", "elo_high", "score", "score_low", "score_high"} <= set(
        rows[0]
    )
    assert {"games", "forfeits", "cpu_us"} <= set(rows[0])
    assert "my_bot" in [row["bot"] for row in rows]
    assert abs(sum(row["elo"] for row in rows) / len(rows) - 1500) < 0.2
    table = list(csv.DictReader(io.StringIO(arena.run("ratings", "flip7", "--format", "csv")[0])))
    assert [row["bot"] for row in table] == [row["bot"] for row in rows]
    assert "flip7#1" in arena.run("league", "list")[0]
    assert "my_bot@1" in arena.run("league", "show", "flip7#1")[0]


def test_one_worker_and_two_give_the_same_table_and_a_known_seed_is_not_played_twice(arena: Arena) -> None:
    tables = []
    for workers in ("1", "2"):
        db = f"{workers}.db"
        arena.run("league", "run", "flip7", "--deals", "12", "--seed", "3", "--workers", workers, "--db", db)
        tables.append(without_clocks(arena.json("ratings", "flip7", "--db", db)))
    assert tables[0] == tables[1]
    out, err = arena.run(
        "league", "run", "flip7", "--deals", "12", "--seed", "3", "--db", "2.db", "--format", "json"
    )
    assert "not played again" in err and without_clocks(json.loads(out)) == tables[0]
    assert len(arena.json("league", "list", "--db", "2.db")) == len(
        arena.json("league", "list", "--db", "1.db")
    )


def test_broken_guests_lose_only_their_own_games_and_say_why(arena: Arena) -> None:
    for name, source in BROKEN.items():
        arena.write(name, source)
    league = arena.folder / "quick.toml"
    league.write_text(
        'game = "flip7"\nentrants = ["random"]\ndeals = 4\n[limits]\ncpu_s_bank = 0.3\ncpu_ms_per_decision = 1\n'
    )
    names = ",".join(["random", *(f"./{name}.py" for name in BROKEN)])
    out, err = arena.run("league", "run", "./quick.toml", "--bots", names, "--format", "json")
    rows = {row["bot"]: row for row in json.loads(out)}
    assert all(rows[name]["guest"] and rows[name]["forfeits"] == rows[name]["games"] > 0 for name in BROKEN)
    assert rows["random"]["forfeits"] == 0 and rows["random"]["rank"] == 1
    for name, kind in {
        "loops": "cpu",
        "raises": "exception",
        "babbles": "illegal",
        "crashes": "crash",
    }.items():
        assert any(
            re.match(rf"{name} \(guest \w+\) forfeited .*{kind}", line) for line in err.splitlines()
        ), err
        assert any(
            re.match(rf"{name} \(guest \w+\) breaks a rule in its first", line) for line in err.splitlines()
        ), err
    assert "out of ideas" in err


def stored_matches(path: Path) -> int:
    """Matches in a database that somebody else is writing."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM match").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def until(done: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for something that a process brings about."""
    deadline = time.monotonic() + 240
    while not done() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert done(), process.communicate() if process.poll() is not None else "not in time"


GATED = """from pathlib import Path
import time

class Bot:
    made = 0

    def __init__(self, seat, seed):
        Bot.made += 1
        while seat == 3 and Bot.made > 1 and not Path({gate!r}).exists():
            time.sleep(0.01)

    def act(self, view):
        return view.legal[0]
"""


class Gate:
    """A league whose last rotations wait for a file, so that a run cannot be over before the file is there.

    The first bot of a line-up sits in seat 3 in all games of rotation 3, and nowhere else. Only a trusted
    bot sees files.
    """

    def __init__(self, arena: Arena) -> None:
        self.file = arena.folder / "open"
        arena.write("a_gate", GATED.format(gate=str(self.file)))
        limits = "[limits]\nsleep_s_bank = 1000.0\n"
        (arena.folder / "gated.toml").write_text(
            f'game = "flip7"\nlevel = "trusted"\ndeals = 130\nseed = 5\n{limits}'
        )
        self.words = [
            "league",
            "run",
            "./gated.toml",
            "--bots",
            "./a_gate.py,banker,oddsman,random",
            "--workers",
            "2",
        ]

    def open(self) -> None:
        self.file.touch()


@pytest.mark.parametrize("how, code", [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_a_stopped_run_goes_on_where_it_stopped_and_ends_as_if_it_had_not(
    arena: Arena, how: signal.Signals, code: int
) -> None:
    gate, stopped = Gate(arena), arena.folder / "stopped.db"
    process = arena.start(*gate.words, "--db", "stopped.db")
    until(lambda: stored_matches(stopped) >= 3, process)
    os.kill(process.pid, how)
    err = process.communicate(timeout=240)[1]
    assert process.returncode == code
    if how is signal.SIGINT:
        assert "run the same command to go on, or: arena league resume gated#1" in err
    before = stored_matches(stopped)
    gate.open()
    err = arena.run(*gate.words, "--db", "stopped.db")[1]
    assert "gated#1: goes on" in err and 3 <= before < stored_matches(stopped)
    arena.run(*gate.words, "--db", "whole.db")
    tables = [
        arena.json("league", "show", "gated#1", "--db", db)["table"] for db in ("stopped.db", "whole.db")
    ]
    assert without_clocks(tables[0]) == without_clocks(tables[1])


def test_a_second_driver_is_told_who_plays_and_two_that_share_play_every_match_once(arena: Arena) -> None:
    gate, db = Gate(arena), arena.folder / "results" / "arena.db"
    first = arena.start(*gate.words, "--share")
    until(lambda: stored_matches(db) >= 1, first)
    err = arena.run(*gate.words, code=1)[1]
    assert "gated#1 is being played by" in err and f"process {first.pid}" in err and "--share" in err
    assert "stop that first" in arena.run("league", "abort", "gated#1", code=1)[1]
    second = arena.start(*gate.words, "--share")
    until(lambda: leases(db) == 2, second)
    gate.open()
    ends = [one.communicate(timeout=300) for one in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], ends
    shown = arena.json("league", "show", "gated#1")
    assert shown["state"] == "finished" and shown["matches"] == shown["matches_planned"] > 8
    assert leases(db) == 0


def leases(path: Path) -> int:
    """Drivers of a run now."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM lease").fetchone()[0])


def test_an_unfinished_run_is_told_resumed_by_name_and_ended(arena: Arena) -> None:
    gate, db = Gate(arena), arena.folder / "results" / "arena.db"
    process = arena.start(*gate.words)
    until(lambda: stored_matches(db) >= 1, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    gate.open()
    words = [*gate.words[:3], "--bots", "banker,random"]
    err = arena.run(*words)[1]  # other bots: another run
    assert (
        "gated#1 is unfinished (" in err
        and "go on with: arena league resume gated#1" in err
        and "gated#2 finished" in err
    )
    assert arena.json("league", "show", "gated#1")["stages"][0]["secret"] is None
    err = arena.run("league", "resume", "gated#1")[1]
    assert "gated#1: goes on" in err and "gated#1 finished" in err
    assert "only an unfinished run can be aborted" in arena.run("league", "abort", "gated#1", code=2)[1]
    assert "confirm with --yes" in arena.run("league", "delete", "gated#2", code=2)[1]
    assert "say which run" in arena.run("league", "delete", "gated", "--yes", code=2)[1]
    assert "gated#2 is gone" in arena.run("league", "delete", "gated#2", "--yes")[0]
    assert "no run 'gated#2'" in arena.run("league", "show", "gated#2", code=2)[1]


def test_a_league_grows_by_deals_and_by_bots_and_every_game_replays(arena: Arena) -> None:
    arena.write("low", "def act(view):\n    return view.legal[0]\n")
    arena.run("league", "run", "flip7", "--bots", "random,banker", "--deals", "3")
    assert "flip7#1: goes on" in arena.run("league", "extend", "flip7#1", "--deals", "2")[1]
    err = arena.run("league", "run", "flip7", "--join", "--bots", "random,banker,./low.py")[1]
    assert "other" not in err and "flip7#1 finished" in err
    shown = arena.json("league", "show", "flip7#1")
    assert [stage["kind"] for stage in shown["stages"]] == ["start", "extend", "join"]
    assert {row["bot"]: row["blocks"] for row in shown["table"]}["low"] == 3
    assert (
        "all of these bots are in it"
        in arena.run("league", "run", "flip7", "--join", "--bots", "banker,./low.py")[1]
    )
    assert "no difference" in arena.run("league", "verify", "flip7#1")[0]
    db = arena.folder / "results" / "arena.db"
    with sqlite3.connect(db) as connection:
        (scores,) = connection.execute("SELECT scores FROM match WHERE number = 1").fetchone()
        connection.execute("UPDATE match SET scores = ? WHERE number = 1", (b"\x01" + scores[1:],))
    err = arena.run("league", "verify", "flip7#1", code=1)[1]
    assert "match 1: other scores in 1 games, the first is game 0" in err and "the table that was kept" in err


def test_a_bot_that_cannot_be_loaded_is_told_before_the_first_match_and_nothing_is_stored(
    arena: Arena,
) -> None:
    arena.write("broken", "import no_such_module\n\ndef act(view):\n    return 0\n")
    err = arena.run("league", "run", "flip7", "--bots", "random,./broken.py", "--deals", "2", code=1)[1]
    assert (
        re.search(r"broken \(guest \w+\) cannot be loaded", err)
        and "no_such_module" in err
        and "nothing was played" in err
    )
    assert all(row["state"] == "ready" for row in arena.json("league", "list"))


def test_a_host_that_lacks_what_a_league_needs_is_exit_code_5_and_nothing_is_stored(arena: Arena) -> None:
    limits = '[limits]\npreload = ["no_such_module"]\n'
    (arena.folder / "rich.toml").write_text(
        f'game = "flip7"\nentrants = ["random", "banker"]\ndeals = 2\n{limits}'
    )
    err = arena.run("league", "run", "./rich.toml", code=5)[1]
    assert (
        "this host cannot play at level strict" in err and "no_such_module" in err and "Traceback" not in err
    )
    assert all(row["state"] == "ready" for row in arena.json("league", "list"))


def test_json_and_csv_of_runs_and_bots_say_everything_in_one_form(arena: Arena) -> None:
    arena.run("league", "run", "flip7", "--bots", "random,banker", "--deals", "2")
    shown = arena.json("league", "show", "flip7#1")
    assert (
        shown["state"] == "finished"
        and shown["started"].endswith("+00:00")
        and shown["finished"].endswith("+00:00")
    )
    assert len(shown["stages"][0]["secret"]) == 32 and shown["definition"]["limits"]["memory_mib"] > 0
    assert [bot["bot"] for bot in shown["entrants"]] == ["banker", "random"] and shown["forfeits"] == []
    run = next(row for row in arena.json("league", "list") if row["league"] == "flip7#1")
    assert run["started"].endswith("+00:00")
    rows = list(csv.DictReader(io.StringIO(arena.run("bot", "list", "--format", "csv")[0])))
    assert next(row for row in rows if row["bot"] == "random")["games"].count(";") >= 4


def test_versions_of_a_bot_are_shown_compared_exported_and_retired(arena: Arena) -> None:
    for action in ("legal[0]", "legal[-1]"):
        arena.write("my_bot", f"def act(view):\n    return view.{action}\n")
        arena.run("bot", "submit", "my_bot.py", "--owner", "ada", "--note", f"plays {action}")
    assert "plays legal[0]" in arena.run("bot", "show", "my_bot@1")[0]
    assert arena.json("bot", "show", "my_bot")["owner"] == "ada"
    diff = arena.run("bot", "diff", "my_bot@1", "my_bot")[0]
    assert "-    return view.legal[0]\n+    return view.legal[-1]" in diff
    arena.run("bot", "export", "my_bot@1", "--to", "old")
    assert "legal[0]" in (arena.folder / "old" / "my_bot.py").read_text()
    assert "is there already" in arena.run("bot", "export", "my_bot@1", "--to", "old", code=2)[1]
    arena.run("bot", "retire", "my_bot")
    assert "my_bot" not in [row["bot"] for row in arena.json("bot", "list")]


def test_a_bot_is_checked_as_a_league_plays_it(arena: Arena) -> None:
    arena.write(
        "slow", "def act(view):\n    for _ in range(300_000):\n        pass\n    return view.legal[0]\n"
    )
    limits = "[limits]\ncpu_s_start = 1.0\ncpu_s_bank = 0.1\ncpu_ms_per_decision = 0.01\n"
    (arena.folder / "quick.toml").write_text(
        f'game = "flip7"\nplayers = 3\nentrants = ["random"]\ndeals = 64\n{limits}'
    )
    assert "is fine" in arena.run("bot", "check", "slow.py")[0]
    err = arena.run("bot", "check", "slow.py", "--league", "./quick.toml", code=1)[1]
    assert "cpu" in err and "broke a rule" in err


def test_a_league_runs_on_a_ray_cluster_that_is_there_already(arena: Arena) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [
        str(Path(sys.executable).parent / "ray"),
        "start",
        "--head",
        "--block",
        "--num-cpus",
        "2",
        "--port",
        port,
    ]
    head = subprocess.Popen(
        [*command, "--include-dashboard=false"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 300
        words = ["league", "run", "flip7", "--deals", "2", "--seed", "4", "--format", "json"]
        while time.monotonic() < deadline:  # the head takes a while to answer
            process = arena.start(*words, "--address", f"127.0.0.1:{port}")
            out, err = process.communicate(timeout=120)
            if process.returncode == 0:
                break
            assert "no Ray cluster at" in err
        rows = json.loads(out)
    finally:
        head.terminate()
        head.wait(timeout=60)
    embedded = json.loads(arena.run(*words, "--db", "embedded.db")[0])
    assert without_clocks(rows) == without_clocks(embedded)


def test_a_stored_game_can_be_traced_and_replays_without_a_difference(arena: Arena) -> None:
    arena.run("league", "run", "flip7", "--deals", "2", "--bots", "random,./low.py", "--seed", "1", code=1)
    arena.write("low", "def act(view):\n    return view.legal[0]\n")
    arena.run("league", "run", "flip7", "--deals", "2", "--bots", "random,./low.py", "--seed", "1")
    record = arena.run("trace", "--stored", "flip7#1/0")[0]
    (arena.folder / "game.jsonl").write_text(record)
    assert "no difference" in arena.run("trace", "--check", "game.jsonl")[0]
    assert json.loads(record.splitlines()[0])["players"] == 4
    assert "has no game '99'" in arena.run("trace", "--stored", "flip7#1/99", code=2)[1]


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
    (["league", "run", "flip7", "--bots", "randm,random"], 2, "no bot 'randm'; did you mean random?"),
    (["league", "run", "flip7", "--bots", "random"], 2, "1 entrant(s); two are needed"),
    (["league", "run", "flip7", "--deals", "0"], 2, "--deals"),
    (["league", "run", "flip7", "--deal", "5"], 2, "--deal"),
    (["league", "run", "flip7", "--level", "none"], 2, "level 'none': allowed is strict"),
    (["league", "run", "broken.toml"], 2, "broken.toml: line 1, column"),
    (["league", "run", "limits.toml"], 2, "limits.toml, line 4: unknown key 'cpu'"),
    (["league", "run", "profile.toml"], 2, "profile = 'fast': allowed is numpy or threads"),
    (["league", "run", "words.toml"], 2, "words.toml, line 4: memory_mib = 'lots' must be a whole number"),
    (["doctor", "--level", "none"], 2, "level 'none': allowed is strict"),
    (["league", "run", "flip7", "--db", "text.db"], 1, "text.db: this file is not a database"),
    (["league", "run", "flip7", "--db", "/proc/none/arena.db"], 1, "/proc/none"),
    (["league", "run", "flip7", "--address", "127.0.0.1:9"], 1, "no Ray cluster at 127.0.0.1:9"),
    (["league", "run", "flip7", "--address", "here"], 1, "an address is HOST:PORT"),
    (["league", "show", "taroky#9"], 2, "no run 'taroky#9'"),
    (["ratings", "chess"], 2, "no game 'chess'"),
    (["trace", "flip8"], 2, "no game 'flip8'; did you mean flip7?"),
    (["trace", "flip7", "--option", "goal=0"], 2, "option goal = 0: allowed is 1 to 10000"),
    (["trace", "flip7", "--option", "gaol=5"], 2, "no option 'gaol'; did you mean goal?"),
    (["trace", "flip7", "--option", "goal"], 2, "write it as key=value"),
    (["trace", "flip7", "--players", "11"], 2, "flip7 is for 2 to 10 players, not 11"),
    (["trace", "flip7", "--bots", "random,random"], 2, "names 2 bots, the table has 4 seats"),
    (["trace", "--check", "none.jsonl"], 2, "none.jsonl: cannot be read"),
    (["trace"], 2, "say which game"),
    (["bot", "new", "random", "--game", "flip7"], 2, "name of a house bot"),
    (["bot", "new", "My-Bot", "--game", "flip7"], 2, "small letters"),
    (["bot", "new", "mine", "--game", "flip8"], 2, "did you mean flip7?"),
    (["bot", "check", "syntax.py"], 1, "syntax.py, line 3: syntax error"),
    (["bot", "check", "empty.py"], 1, "empty.py: a bot needs a function `act(view)`"),
    (["bot", "submit", "other.py"], 1, "other.py, line 3: no game 'chess'"),
    (["bot", "submit", "fails.py"], 1, "no_such_module"),
    (["bot", "check", "none.py"], 1, "none.py: no such file"),
    (["frobnicate"], 2, "frobnicate"),
]


@pytest.mark.parametrize("words, code, message", WRONG, ids=[" ".join(words) for words, _, _ in WRONG])
def test_a_wrong_call_is_one_clear_line_and_leaves_nothing_behind(
    arena: Arena, words: list[str], code: int, message: str
) -> None:
    (arena.folder / "broken.toml").write_text("game: flip7\n")
    (arena.folder / "limits.toml").write_text('game = "flip7"\nentrants = ["random"]\n[limits]\ncpu = 5\n')
    (arena.folder / "profile.toml").write_text(
        'game = "flip7"\nentrants = ["random"]\n[limits]\nprofile = "fast"\n'
    )
    (arena.folder / "words.toml").write_text(
        'game = "flip7"\nentrants = ["random"]\n[limits]\nmemory_mib = "lots"\n'
    )
    (arena.folder / "text.db").write_text("no database at all, but long enough to be looked at" * 50)
    (arena.folder / "syntax.py").write_text('GAMES = ["flip7"]\n\ndef act(view)\n    pass\n')
    (arena.folder / "empty.py").write_text('GAMES = ["flip7"]\n')
    arena.write("other", "def act(view):\n    return 0\n", '["chess"]')
    arena.write("fails", "import no_such_module\n\ndef act(view):\n    return 0\n")
    out, err = arena.run(*words, code=code)
    assert message in err
    if "fails.py" not in words:  # a bot's own traceback is shown
        assert "Traceback" not in err and out == ""
    assert not (arena.folder / "results").exists() or words[1] in ("run", "submit")


def test_help_starts_in_a_moment_and_every_command_has_an_example(arena: Arena) -> None:
    assert "bot" in arena.run("--help")[0]
    for words in (
        ["bot", "new"],
        ["bot", "check"],
        ["bot", "submit"],
        ["bot", "list"],
        ["league", "run"],
        ["league", "list"],
    ):
        assert "Example" in arena.run(*words, "--help")[0]
    code = "import sys, arena.__main__; print([m for m in ('ray', 'numba', 'numpy', 'sqlmodel', 'rich') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
