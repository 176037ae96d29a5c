"""Leagues that are stopped and gone on with: processes of the program that are killed while they play."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.python import python

from .program import Arena, Head, until, without_clocks


def stored_matches(path: Path) -> int:
    """Matches in a database that somebody else is writing; 0 as long as there is none."""
    try:
        return rows_of(path, "match")
    except sqlite3.OperationalError:
        return 0


def rows_of(path: Path, table: str) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", timeout=600, uri=True)) as connection:
        return int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])


GATED = """from pathlib import Path
import time

class Bot:
    made = 0

    def __init__(self, seat, seed):
        Bot.made += 1
        while Bot.made == 2 and not ticket() and not Path({gate!r}).exists():
            time.sleep(0.01)

    def act(self, view):
        return view.legal[0]

def ticket():
    for number in range(5):  # the trial before a run takes one
        try:
            Path({gate!r} + str(number)).touch(exist_ok=False)
        except FileExistsError:
            continue
        return True
    return False
"""


class Gate:
    """A league of which four matches are played at once and all others wait for a file, so that a run cannot be
    over before the file is there.

    A match waits before its second game. Only a trusted bot sees files.
    """

    def __init__(self, arena: Arena) -> None:
        self.file = arena.folder / "open"
        arena.write("a_gate", GATED.format(gate=str(self.file)))
        limits = "[limits]\nsleep_s_bank = 1000.0\n[options]\ngoal = 60\n"
        (arena.folder / "gated.toml").write_text(
            f'game = "flip7"\nlevel = "trusted"\ndeals = 130\nseed = 5\n{limits}'
        )
        self.words = ["league", "run", "./gated.toml", "--bots", "./a_gate.py,banker,oddsman,random"]

    def open(self) -> None:
        self.file.touch()


@pytest.mark.parametrize(
    "how, code", [(signal.SIGKILL, -9), pytest.param(signal.SIGINT, 130, marks=pytest.mark.soak)]
)
def test_a_second_driver_is_told_who_plays_and_a_stopped_run_ends_as_if_it_had_not_been(
    arena: Arena, ray_head: Head, how: signal.Signals, code: int
) -> None:
    gate, stopped = Gate(arena), arena.folder / "stopped.db"
    process = arena.start(*gate.words, *ray_head, "--db", "stopped.db")
    until(lambda: stored_matches(stopped) >= 3, process)
    err = arena.run(*gate.words, *ray_head, "--db", "stopped.db", code=1)[1]
    told = f"process {process.pid}; wait for it, or stop that first"
    assert "stopped;" not in err and "gated#1 is being played by" in err and told in err
    assert "stop that first" in arena.run("league", "abort", "gated#1", "--db", "stopped.db", code=1)[1]
    os.kill(process.pid, how)
    err = process.communicate(timeout=600)[1]
    assert process.returncode == code, err
    if how is signal.SIGINT:
        assert "run the same command to go on, or: arena league resume gated#1" in err
    before = stored_matches(stopped)
    gate.open()
    err = arena.run(*gate.words, *ray_head, "--db", "stopped.db")[1]
    assert "gated#1: goes on" in err and 3 <= before < stored_matches(stopped)
    arena.run(*gate.words, *ray_head, "--db", "whole.db")
    cut, whole = (arena.json("league", "show", "gated#1", "--db", f"{db}.db") for db in ("stopped", "whole"))
    assert without_clocks(cut["table"]) == without_clocks(whole["table"])


def test_a_second_ctrl_c_cuts_off_nothing_that_ends_a_run(arena: Arena) -> None:
    gate = Gate(arena)
    process = arena.start(*gate.words, "--workers", "1")
    until(lambda: stored_matches(arena.folder / "results" / "arena.db") >= 1, process)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.02)
    lines = process.communicate(timeout=600)[1].splitlines()
    assert process.returncode == 130 and lines[-1] == "arena: stopped"
    assert not any("Traceback" in line for line in lines), lines


def test_ctrl_c_while_the_program_is_loaded_is_told_in_a_line(arena: Arena) -> None:
    """An import that stops itself stands for Ctrl-C at that moment."""
    (arena.folder / "typer.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    environment = {**os.environ, "PYTHONPATH": f"{arena.folder}{os.pathsep}{os.environ['PYTHONPATH']}"}
    program = python("-m", "arena", "games", env=environment)
    assert (program.returncode, program.stderr) == (-signal.SIGINT, "arena: stopped\n")


def test_ctrl_c_while_ray_is_imported_is_told_in_a_line(arena: Arena) -> None:
    """A Ray stands for the real one that stops the command at its first import, and cannot be had after that."""
    (arena.folder / "ray.py").write_text(
        "import os, pathlib, signal, sys\n"
        f"mark = pathlib.Path({str(arena.folder / 'stopped')!r})\n"
        "if sys.argv[0] != '-c' and not mark.exists():  # the host of a local Ray is not a command\n"
        "    mark.touch()\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "raise AttributeError('half of it is missing')\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{arena.folder}{os.pathsep}{os.environ['PYTHONPATH']}"}
    words = ["league", "run", "flip7", "--deals", "8", "--workers", "1", "--db", str(arena.folder / "x.db")]
    program = python("-m", "arena", *words, env=environment)
    assert (arena.folder / "stopped").exists()
    assert program.returncode == 130 and program.stderr.splitlines()[-1] == "arena: stopped", program.stderr


def test_an_unfinished_run_is_told_resumed_by_name_and_ended(arena: Arena, ray_head: Head) -> None:
    gate, db = Gate(arena), arena.folder / "results" / "arena.db"
    process = arena.start(*gate.words, *ray_head)
    until(lambda: stored_matches(db) >= 1, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=600)
    gate.open()
    words = [*gate.words[:3], "--bots", "banker,random", "--deals", "8"]
    err = arena.run(*words, *ray_head)[1]  # other bots: another run
    assert "gated#1 is unfinished (" in err and "go on with: arena league resume gated#1" in err
    assert "gated#2 finished" in err
    assert arena.json("league", "show", "gated#1")["stages"][0]["secret"] is None
    err = arena.run("league", "resume", "gated#1", *ray_head)[1]
    assert "gated#1: goes on" in err and "gated#1 finished" in err
    assert "only an unfinished run can be aborted" in arena.run("league", "abort", "gated#1", code=2)[1]
    assert "Confirm with --yes" in arena.run("league", "abort", "gated#2", "--delete", code=2)[1]
    assert "say which run" in arena.run("league", "abort", "gated", "--delete", "--yes", code=2)[1]
    assert "is deleted, with 32 games" in arena.run("league", "abort", "gated#2", "--delete", "--yes")[0]
    assert "no run 'gated#2'" in arena.run("league", "show", "gated#2", code=2)[1]


def test_a_command_that_has_ended_leaves_all_results_in_one_file(arena: Arena) -> None:
    arena.process("owner", "invite", "ada", "--db", "one.db")
    assert [file.name for file in arena.folder.glob("one.db*")] == ["one.db"]


def test_a_command_ends_although_a_thread_of_it_waits_for_a_database_for_ever() -> None:
    code = (
        "import sys, threading, time\n"
        "from arena import __main__ as program\n"
        "def serve() -> None:\n"
        "    threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "    sys.exit(3)\n"
        "program.app, program.CUT_S = serve, 0.1\n"
        "program.main()\n"
    )
    assert python("-c", code).returncode == 3


def test_no_process_that_a_command_starts_runs_files_of_the_folder(arena: Arena) -> None:
    for name in ("org", "signal", "struct"):
        arena.write(name, f"open({str(arena.folder / 'was_run')!r}, 'a').write({name!r})\n")
    for words in ("run flip7 --bots random,banker --deals 2", "verify flip7#1 --workers 2"):
        # not `python -m arena`: that itself looks here first
        command = [str(Path(sys.executable).with_name("arena")), "league", *words.split()]
        done = subprocess.run(command, cwd=arena.folder, check=False, capture_output=True, text=True)
        assert done.returncode == 0 and not (arena.folder / "was_run").exists(), done.stderr
