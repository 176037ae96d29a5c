"""The package as others get it: a wheel is built and installed into an empty environment, and used from another
folder. What it depends on comes from this environment, by a `.pth` file, to save time and the network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from engines import core

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "bots", "engines", "leagues")
HEARTS = ROOT / "examples" / "hearts"
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE")
HEAVY = ("ray", "sqlmodel", "sqlalchemy", "typer", "rich", "arena", "leagues")
BLOCKS = [
    block
    for block in re.findall(
        r"```python\n(.*?)```",
        (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    if "import engines" in block
]
USES = """
import arena, engines, sys
from arena import person
from arena.bots.registry import house_bots
from arena.web import page
from leagues import definition
assert engines.__file__.startswith(sys.prefix) and arena.__file__.startswith(sys.prefix)
print(person.rules_of("taroky", "cut").splitlines()[0])
print(len(house_bots()), definition.load("flip7").game, len(page.asset("main.js")) > 0)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if int(metadata.version("setuptools").partition(".")[0]) < 77:
        pytest.skip("a wheel is built by setuptools 77 or newer: pip install -e '.[dev]'")
    source = tmp_path_factory.mktemp("source")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("docs/rules", "examples/hearts"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in BUILT_FROM:
        shutil.copy(ROOT / name, source / name)
    to = tmp_path_factory.mktemp("wheel")
    pip(to, sys.executable, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(to), str(source))
    (built,) = to.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An environment's folder for programs."""
    home = tmp_path_factory.mktemp("env")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True, timeout=600)
    (packages,) = home.glob("lib/python*/site-packages")
    pip(home, str(home / "bin" / "python"), "install", "--no-deps", "--no-index", str(wheel))
    # only now: pip would find this environment's own installation of the project there
    (packages / "dependencies.pth").write_text(f"{metadata.distribution('numpy').locate_file('.')}\n")
    yield home / "bin"
    shutil.rmtree(home, ignore_errors=True)


def pip(folder: Path, python: str, *command: str) -> None:
    """Run away from the checkout, whose own installation pip would take for the one that is asked for."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    quiet = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python]
    done = subprocess.run(
        [*quiet, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run(command: list[str], folder: Path) -> str:
    """What a program says that is run in another folder; compiled code is shared with this environment."""
    environment = {"PATH": os.defpath, "HOME": str(folder)}
    if core.CACHE_FOLDER is not None:
        environment["ARENA_CACHE"] = str(core.CACHE_FOLDER)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_file_of_the_packages_and_the_rules_pages_are_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {re.sub(r"^card_arena-[^/]*\.data/data/", "", name) for name in archive.namelist()}
    files = {
        path.relative_to(ROOT).as_posix()
        for name in PACKAGES
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files - inside == set()
    assert {f"share/card-arena/rules/{path.name}" for path in (ROOT / "docs" / "rules").iterdir()} <= inside
    hearts = {path.relative_to(ROOT / "examples") for path in HEARTS.rglob("*.*") if path.is_file()}
    assert {f"share/card-arena/{path}" for path in hearts if "__pycache__" not in path.parts} <= inside
    assert {f"{name}/py.typed" for name in PACKAGES} <= inside


def test_the_examples_of_the_readme_run_where_only_the_wheel_is_installed(
    installed: Path, tmp_path: Path
) -> None:
    assert BLOCKS
    said = run([str(installed / "python"), "-c", "\n".join(BLOCKS)], tmp_path)
    assert "taroky, 4 players" in said
    rules, counts = run([str(installed / "python"), "-c", USES], tmp_path).splitlines()
    assert rules.startswith("### 4.1 ")
    assert counts == f"{len(list((ROOT / 'bots').glob('[a-z]*.py')))} flip7 True"
    assert "taroky" in run([str(installed / "arena"), "games"], tmp_path)
    assert "wrote whist" in run([str(installed / "arena"), "game", "new", "whist"], tmp_path)
    assert (tmp_path / "whist" / "card_arena_whist" / "rules.py").is_file()


def test_the_engines_need_nothing_of_the_harness(tmp_path: Path) -> None:
    code = f"import sys, engines; engines.load('flip7'); print([m for m in {HEAVY} if m in sys.modules])"
    assert (
        run([sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"], tmp_path)
        == "[]\n"
    )
