"""Files and folders that a command may not write: it ends in a line that names one, or goes on and says how."""

import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.__main__ import app
from arena.store import Store

from .played import BOT, finished
from .program import Arena, Head, cli, small_disk

pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
from .test_server import ask, post

# root may write everywhere: here it may not
AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
PR_GET_SECUREBITS, PR_SET_SECUREBITS, NO_SETUID_FIXUP = 27, 28, 1 << 2
pytestmark = pytest.mark.skipif(
    bool(AS_OTHERS) and shutil.which("setpriv") is None, reason="root may write everywhere, without setpriv"
)
LEAGUE = ("league", "run", "flip7", "--deals", "2", "--bots", "racer,banker")
SERVE = ("serve", "--port", "0", "--allow-submissions", "--no-trials")
WRITE = {"league": LEAGUE, "owner try": ("owner", "try"), "bot submit": ("bot", "submit", "late.py")}
WRITE |= {"owner invite": ("owner", "invite", "bob"), "serve": SERVE}


@pytest.fixture
def results(arena: Arena) -> Iterator[Path]:
    """The folder of a store with a finished run, an owner, and a bot that waits for its trial."""
    path = arena.folder / "results"
    store = Store(str(path / "arena.db"), create=True)
    finished(store, "flip7")
    store.owners.invite("ada", "test")
    store.submissions.add("ada", "waits.py", "", BOT)
    store.engine.dispose()
    (arena.folder / "late.py").write_bytes(BOT)
    yield path
    for folder in (path, *(one for one in path.parent.iterdir() if one.is_dir())):
        folder.chmod(0o755)


def shut(path: Path) -> None:
    """Let nobody write to a folder, or to the files in it."""
    for file in path.iterdir():
        file.chmod(0o444)
    path.chmod(0o555)


def unmade(path: Path) -> None:
    """Let nobody write to a folder that has no store."""
    shutil.rmtree(path)
    path.mkdir(mode=0o555)


def begun(*words: str) -> subprocess.Popen[str]:
    """A process of the program that may write no more than others."""
    command = [*AS_OTHERS, sys.executable, "-m", "arena", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextlib.contextmanager
def as_others() -> Iterator[None]:
    """This thread may write no more than others: without the capabilities 1 and 2 for a while."""
    libc, version3 = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522, 0)
    kept, secure = (ctypes.c_uint32 * 6)(), libc.prctl(PR_GET_SECUREBITS)
    assert libc.capget(version3, kept) == 0
    if AS_OTHERS:  # access(2) then asks for what the thread has, though the user is root
        assert libc.prctl(PR_SET_SECUREBITS, secure | NO_SETUID_FIXUP) == 0
    assert libc.capset(version3, (ctypes.c_uint32 * 6)(kept[0] & ~0b110, *kept[1:])) == 0
    try:
        yield
    finally:
        assert libc.capset(version3, kept) == 0
        libc.prctl(PR_SET_SECUREBITS, secure)


def ended(*words: str) -> tuple[int, list[str]]:
    """Exit code and lines of a command that may write no more than others, here."""
    with as_others():
        done = CliRunner().invoke(app, words, catch_exceptions=False)
    return done.exit_code, done.stderr.splitlines()


@pytest.mark.parametrize("what", WRITE)
@pytest.mark.parametrize("how", [shut, unmade])
def test_what_would_store_something_ends_in_a_line_and_loses_nothing(
    results: Path, ray_head: Head, what: str, how: Callable[[Path], None]
) -> None:
    how(results)
    there = {file.name: file.read_bytes() for file in results.iterdir()}
    code, lines = ended(*WRITE[what], *ray_head * (what == "league"))
    assert code == 1 and lines[-1].startswith("arena: "), lines
    assert "results" in lines[-1] and "read-only" in lines[-1], lines
    assert {file.name: file.read_bytes() for file in results.iterdir()} == there


def test_a_store_that_may_only_be_read_is_shown_served_and_copied(results: Path) -> None:
    shut(results)
    assert ended("league", "show")[0] == ended("report", "flip7#1", "--out", "r.html")[0] == 0
    assert ended("db", "backup", "copy.db") == (0, [])
    assert Store("copy.db").runs.find("flip7#1").state == "finished"
    process = begun("serve", "--port", "0")
    address = next(line.split("/  ")[0] for line in process.stderr if line.startswith("http"))
    assert [ask(f"{address}/{path}")[0] for path in ("", "readyz", "metrics", "api/home")] == [200] * 4
    process.terminate()
    assert "Traceback" not in process.stderr.read() and process.wait(300) == 143


@pytest.mark.parametrize(
    "words, code",
    [
        (("db", "backup", "shut/copy.db"), 1),
        (("report", "flip7#1", "--out", "shut/r.html"), 2),
        (("replay", "flip7#1/0", "--out", "shut/game.jsonl"), 2),
        *(((*SERVE, f"--{what}", "shut/new"), 2) for what in ("log", "access-log", "organiser", "backup")),
        *(((*SERVE, f"--{what}", "shut"), 2) for what in ("log", "access-log", "organiser")),
    ],
)
def test_a_folder_that_may_not_be_written_is_named(results: Path, words: tuple[str, ...], code: int) -> None:
    (results.parent / "shut").mkdir(mode=0o555)
    found, (*_, told) = ended(*words)
    assert found == code and told.startswith("arena: ") and "shut" in told and ": cannot be " in told, told


def test_a_folder_that_may_not_be_entered_is_told_and_left(results: Path) -> None:
    words = ["sh", "-c", 'chmod 0 . && exec "$@"', "sh", *AS_OTHERS, sys.executable, "-m", "arena"]
    words += ["league", "verify", "flip7#1", "--db", str(results / "arena.db")]
    (shut := results.parent / "shut").mkdir()
    done = subprocess.run(words, cwd=shut, capture_output=True, text=True, check=False)
    assert done.stderr.startswith(f"{shut} cannot be entered: ") and "12 of 12 games" in done.stderr
    words = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc; exec "$@"', "sh", sys.executable]
    if AS_OTHERS:  # root may try: what only reads needs no /proc
        assert subprocess.run([*words, "-m", "arena", "games"], capture_output=True, check=True).stderr == b""


def test_a_server_that_cannot_keep_tables_or_copies_plays_on_and_says_so(results: Path) -> None:
    for name in ("played", "copies"):
        (results.parent / name).mkdir(mode=0o555)
    process = begun("serve", "--port", "0", "--backup", "copies")
    address = next(line.split("/  ")[0] for line in process.stderr if line.startswith("http"))
    for _ in range(2):
        status, table = post(f"{address}/api/tables", {"game": "flip7", "seats": ["person", "banker"]})
        assert status == 200
    seen = json.loads(ask(f"{address}/api/tables/{table['table']}", X_Arena_Key=table["keys"][0])[1])
    assert seen["unkept"] == "Permission denied"
    process.terminate()
    lines = process.stderr.read().splitlines()
    told = "tables cannot be kept in played: Permission denied"
    assert lines.count(told) == 1 and process.wait(300) == 143, lines
    assert any(line.startswith("--backup: copies/arena-") for line in lines), lines


def test_a_full_disk_ends_what_stores_in_a_line_and_the_rest_goes_on(results: Path, ray_head: Head) -> None:
    with small_disk(results.parent, "4m") as disk:
        file = str(shutil.copy(results / "arena.db", disk))
        with (disk / "ballast").open("wb", buffering=0) as ballast, pytest.raises(OSError, match="No space"):
            while True:
                ballast.write(bytes(4096))
        for words in (WRITE["owner invite"], (*LEAGUE, *ray_head), ("db", "backup", str(disk / "copy.db"))):
            code, lines = ended(*words, "--db", file)
            assert code == 1 and lines[-1].startswith(f"arena: {disk}"), lines
            assert "full" in lines[-1], lines
        (disk / "ballast").unlink()
        assert not (disk / "copy.db").exists()
        code, lines = ended("owner", "invite", "eve", "--db", file)
        assert code == 0 and {one.owner for one in Store(file).owners.all()} == {"ada", "eve"}


@pytest.mark.parametrize("words", [("report", "flip7#1", "--out", "/"), (*SERVE, "--host", "x\0y")])
def test_a_name_that_no_file_or_host_can_have_is_refused_in_a_line(results: Path, words: list[str]) -> None:
    done = cli(*words, "--db", str(results / "arena.db"), code=2)
    assert done.stderr.splitlines()[-1].startswith("arena: ")
