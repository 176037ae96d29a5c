"""Every command that README and pages show is run, in a folder with the files and runs that they speak of.

What needs a cluster goes as far as the cluster, which is not there: all before that is read and prepared.
What cannot be run at all has a mark in the page, `<!-- not run: why -->` before its block, and is counted.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.__main__ import app
from arena.cell import GameZygote
from arena.intake.entering import first_bot
from arena.store import Store
from leagues import definition
from tests.python import python

from . import played
from .program import Head
from .test_docs import BLOCKS, EVERY_PAGE, ROOT

SHELL = ("arena", "export", "make", "pip", "curl", "ray", "python", ".")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- not run: (.+) -->")
NO_CLUSTER = "127.0.0.1:9"  # nobody listens there
TO_THE_CLUSTER = ("league run", "ladder run", "compare", "tune")
EXTRAS = {"tune": ("optuna", "tune")}
SHORTER = {
    "analyse": ["--worlds", "64"],
    "--save": ["--workers", "1"],  # of a run, whose games are judged by processes of their own
    "bot check": ["--deals", "1"],
    "duel": ["--deals", "2", "--level", "trusted"],
    "league verify": ["--workers", "1"],
}


@dataclass(frozen=True)
class Block:
    """Lines of a page that are meant for a shell; `mark` says why they are not run, if they are not."""

    page: Path
    lines: tuple[str, ...]
    mark: str = ""


def blocks(page: Path) -> list[Block]:
    """The indented blocks of a page whose first word is a command."""
    found, mark, lines = [], "", list[str]()
    for line in [*FENCED.sub("", page.read_text(encoding="utf-8")).splitlines(), "end"]:
        if line.startswith("    "):
            lines.append(line.strip())
        elif line:
            if lines and lines[0].split()[0] in SHELL:
                found.append(Block(page, tuple(lines), mark))
            hit = MARK.fullmatch(line)
            mark, lines = hit[1] if hit else "", []
    return found


ALL = [block for page in EVERY_PAGE for block in blocks(page)]
IN_ORDER = ("write-a-game.md",)  # its edits stand between its commands: `test_authoring` plays it


def shown(page: str, begin: str) -> str:
    """The one Python or TOML block of a page with this text."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (found,) = [one for one in re.findall(r"```\w+\n(.*?)```", text, re.DOTALL) if begin in one]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a bot in two versions, drafts, a league file, and finished runs of Taroky and Flip 7."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "pyproject.toml").write_text('name = "card-arena"\n')
    (folder / "results").mkdir()
    store = Store(str(folder / "results" / "arena.db"), create=True)
    (folder / "spring.toml").write_text(shown("guides/leagues.md", 'game = "taroky"'))
    (folder / "autumn.toml").write_text(shown("guides/ladder.md", "[[leagues]]"))
    (folder / "course.toml").write_text(shown("tutorials/course.md", 'game = "flip7"'))
    for name, text in (("draft", "20 and"), ("step", "view.odds")):
        (folder / f"{name}.py").write_text(shown("tutorials/strong-bot.md", text))
    (folder / "hopeful.py").write_text(shown("tutorials/tune.md", "TUNE"))
    for version in (first_bot("my_bot", "taroky"), shown("guides/debugging.md", "view.log")):
        played.submitted(store, folder / "my_bot.py", version)
    with GameZygote("taroky") as zygote:
        play(store, zygote, ["rule", "plain"], deals=1, seed=1)
        play(store, zygote, ["rule", "plain", "steady", "my_bot"], deals=4, seed=2)
    played.finished(store, "taroky", deals=1, seed=3)  # under the league's own options: it can be joined
    played.finished(store, "flip7", deals=12, seed=3)
    Store(str(folder / "results" / "arena.db")).whole.backup(folder / "laptop.db")
    return folder


def play(store: Store, zygote: GameZygote, names: list[str], deals: int, seed: int) -> None:
    """A run of Taroky that these bots have played, a round a game, behind the wall."""
    league = definition.load("taroky", deals=deals, seed=seed)
    league.options.update(rounds=1)
    played.behind_the_wall(store, league, names, zygote)


def said(words: list[str], code: int = 0) -> str:
    """What a command prints; its exit code must be this one."""
    done = CliRunner().invoke(app, words, prog_name="arena", catch_exceptions=False)
    assert done.exit_code == code, f"arena {' '.join(words)}: exit code {done.exit_code}\n{done.output}"
    return done.stdout if code == 0 else done.stderr


def run_line(line: str, folder: Path) -> None:
    """Run a line of a block as a person would type it."""
    text, _, file = line.partition(" > ")
    first, *words = shlex.split(text)
    if first == "make":
        subprocess.run(["make", "--dry-run", *words], cwd=ROOT, check=True, capture_output=True)
        return
    if first == ".":
        assert words == [".venv/bin/activate"] and "VENV := .venv\n" in (ROOT / "Makefile").read_text()
        return
    if first == "pip":
        (extra,) = re.findall(r"install -e '\.\[(\w+)\]'", line)
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        assert extra in project["optional-dependencies"]
        return
    if first == "python":  # a program of the project, for minutes: that it has these options is asked
        program = words[: 2 if words[0] == "-m" else 1]
        told = python(*program, "--help", cwd=ROOT, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert all(word in told.stdout for word in words if word.startswith("--"))
        return
    assert first == "arena", f"{line}: mark the block, or have the test run it"
    name = " ".join(words[:2]) if words[0] in ("league", "ladder", "bot", "db") else words[0]
    if name == "bot new":
        (folder / f"{words[2]}.py").unlink(missing_ok=True)
    extra = next((EXTRAS[word] for word in words if word in EXTRAS), None)
    if extra is not None and find_spec(extra[0]) is None:
        assert f"pip install -e '.[{extra[1]}]'" in said(words, code=2)
        return
    if name in TO_THE_CLUSTER:
        assert f"no Ray cluster at {NO_CLUSTER}" in said([*words, "--address", NO_CLUSTER], code=1)
        return
    printed = said([*words, *SHORTER.get(name, []), *SHORTER.get(words[-1], [])])
    if file:
        (folder / file.strip()).write_text(printed, encoding="utf-8")


def bare(line: str) -> str:
    """A line without its comment."""
    return re.split(r" +# ", line)[0]


def lines_of(page: Path) -> list[str]:
    """What is run of a page: lines without their comments, but those that an earlier page has, too."""
    if page.name in IN_ORDER:
        return []
    text = {one: [bare(line) for b in blocks(one) if not b.mark for line in b.lines] for one in EVERY_PAGE}
    before = {line for one in EVERY_PAGE[: EVERY_PAGE.index(page)] for line in text[one]}
    return [line for line in dict.fromkeys(text[page]) if line not in before]


@pytest.mark.parametrize("page", [page for page in EVERY_PAGE if lines_of(page)], ids=lambda page: page.name)
def test_every_command_shown_runs(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("ARENA_DB", raising=False)
    for line in lines_of(page):
        run_line(line, folder)


def test_blocks_that_are_not_run_say_why() -> None:
    marked = {block.lines: block.mark for block in ALL if block.mark}
    assert all(re.search(r"[a-z]{4}", mark) for mark in marked.values())
    assert len(ALL) > 20 and len(BLOCKS) > 10


NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"
EXECUTE = """
import sys, nbclient, nbformat
book = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(book, timeout=1200, resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(book, sys.argv[3])
"""


@pytest.mark.parametrize("name", ["first_bot", "reading_a_league"])
def test_the_cells_of_a_notebook_run_in_their_order(
    name: str, ray_head: Head, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # a notebook makes a folder there, and goes to it
    book, space = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")), dict[str, object]()
    for at, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}, cell {at}", "exec"), space)
    assert "run" in space  # of a league


@pytest.mark.soak
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs_to_its_end(path: Path, tmp_path: Path) -> None:
    words = ["-c", EXECUTE, str(path), str(NOTEBOOKS), str(tmp_path / path.name)]
    with tempfile.TemporaryDirectory() as short:  # Ray's sockets need a short name
        environment = os.environ | {"IPYTHONDIR": str(tmp_path), "TMPDIR": short}
        done = python(*words, env=environment, timeout=2400)
    assert done.returncode == 0, done.stderr[-3000:]
