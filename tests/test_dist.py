"""Wheel and sdist as others get them: built, installed with their dependencies into an empty environment, used there."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "bots", "engines", "leagues")
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"
pytestmark = pytest.mark.dist


def run(folder: Path, *words: str, **environment: str) -> str:
    """What a program prints that is run in a folder, without this checkout in its path."""
    given = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "ARENA_DB")}
    done = subprocess.run(
        words, cwd=folder, env=given | environment, capture_output=True, text=True, check=False, timeout=1800
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the last commit, changed as they are in this folder; what git does not know is left out."""
    to = tmp_path_factory.mktemp("checkout")
    for name in run(ROOT, "git", "ls-files").splitlines():
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_bytes((ROOT / name).read_bytes())
    return to


@pytest.fixture(scope="module")
def sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("sdist")
    return to / run(checkout, sys.executable, "-c", BUILD, str(to)).splitlines()[-1]


@pytest.fixture(scope="module")
def program(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment into which the wheel was installed that the sdist gives."""
    home = tmp_path_factory.mktemp("fresh")
    run(home, sys.executable, "-m", "venv", str(home))
    pip = [str(home / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run(home, *pip, "wheel", "--no-deps", "--wheel-dir", str(sdist.parent), str(sdist))
    (wheel,) = sdist.parent.glob("*.whl")
    run(home, *pip, "install", "--constraint", str(ROOT / "constraints.txt"), str(wheel))
    return home / "bin"


def test_no_file_of_the_packages_is_missing_from_the_sdist_or_from_the_wheel_that_it_gives(
    sdist: Path, program: Path, checkout: Path
) -> None:
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    files = {
        path.relative_to(checkout).as_posix()
        for name in (*PACKAGES, "docs/rules")
        for path in (checkout / name).rglob("*")
        if path.is_file()
    }
    assert files - inside == set()
    assert {"pyproject.toml", "README.md", "LICENSE"} <= inside
    (wheel,) = sdist.parent.glob("*.whl")
    with zipfile.ZipFile(wheel) as built:
        names = {name.rpartition(".data/data/share/card-arena/")[2] for name in built.namelist()}
    hearts = {path.relative_to(checkout / "examples") for path in (checkout / "examples/hearts").rglob("*.*")}
    assert {name.removeprefix("docs/") for name in files} | {str(path) for path in hearts} <= names
    assert {f"{name}/py.typed" for name in PACKAGES} <= names


def test_what_a_newcomer_does_works_in_an_empty_folder(program: Path, tmp_path: Path) -> None:
    def arena(*words: str) -> str:
        return run(tmp_path, str(program / "arena"), *words, "--db", "arena.db")

    arena("league", "run", "flip7", "--deals", "4", "--seed", "1")
    assert "banker" in arena("league", "show", "flip7#1")
    arena("report", "flip7#1", "--out", "page.html")
    run(tmp_path, str(program / "arena"), "bot", "new", "my_bot", "--game", "flip7")
    (bot,) = tmp_path.rglob("my_bot.py")
    run(tmp_path, str(program / "arena"), "bot", "check", str(bot))
    assert "my_bot@1" in arena("bot", "submit", str(bot))
    rules = "from arena.people import terminal; print(terminal.rules_of('flip7', 'stay').splitlines()[0])"
    assert run(tmp_path, str(program / "python"), "-c", rules).strip()
    assert "taroky" in run(tmp_path, str(program / "arena"), "games")
    assert "wrote whist" in run(tmp_path, str(program / "arena"), "game", "new", "whist")
    assert (tmp_path / "whist" / "card_arena_whist" / "rules.py").is_file()
    page = "from arena.web import page; print(len(page.asset('main.js')))"
    assert int(run(tmp_path, str(program / "python"), "-c", page)) > 0
