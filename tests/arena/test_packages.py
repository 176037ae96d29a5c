"""A game in a package of its own: Hearts of `examples/`, installed into a folder, as for a person with pip; and packages
of other people with our names.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import engines
from engines import registry
from tests.python import python

ROOT = Path(__file__).parents[2]
HEARTS = ROOT / "examples" / "hearts"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages with Hearts in it."""
    source, target = tmp_path_factory.mktemp("source") / "hearts", tmp_path_factory.mktemp("site")
    shutil.copytree(HEARTS, source)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True, timeout=300)
    return target


def run(site: Path, *words: str, **more: str) -> str:
    """What a Python program prints that finds the packages of a folder; rules run as plain Python."""
    paths = os.pathsep.join([str(site), str(ROOT)])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths, **more}
    done = python(*words, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_package_brings_its_game_leagues_bots_and_rules_page(site: Path) -> None:
    code = (
        "import json, engines; from engines import registry; from leagues import definition\n"
        "from arena.intake.registry import house_bots; from arena.people.terminal import pretty, rules_of\n"
        "bots = [name for name, bot in house_bots().items() if 'hearts' in bot.games]\n"
        "print(json.dumps([engines.names(), engines.load('hearts').title, definition.load('hearts').game, bots,\n"
        "    rules_of('hearts', 'pass').splitlines()[0], pretty('play Qs', 'hearts', True, False)]))"
    )
    names, *told, bots, rule, card = json.loads(run(site, "-c", code))
    assert names == sorted([*engines.names(), "hearts"]) and told == ["Hearts", "hearts"]
    assert bots == ["hearts_ducker", "hearts_lowest", "ismcts", "montecarlo", "random"]
    assert (rule, card) == ("### 4.1 Passing", "play Q♠")
    assert "hearts, julepe" in run(site, "-m", "arena", "--help")


def test_to_name_the_games_imports_none_of_them(site: Path) -> None:
    code = "import sys, engines; engines.names(); print('card_arena_hearts' in sys.modules, 'numba' in sys.modules)"
    assert run(site, "-c", code) == "False False\n"


def test_the_tables_of_the_page_of_hearts_are_those_of_the_code(site: Path) -> None:
    code = (
        "import engines; from engines import pages, registry; page = registry.home('hearts').page.read_text()\n"
        "print(page == pages.filled(page, engines.load('hearts')))"
    )
    assert run(site, "-c", code) == "True\n"


def test_an_edit_changes_compiled_code_and_fingerprint_of_this_game_alone(site: Path, tmp_path: Path) -> None:
    copy = tmp_path / "site"
    shutil.copytree(site, copy, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from engines.core.compile import source_hash; from arena.match import identity\n"
        "for game in ('hearts', 'flip7'):\n"
        "    code = identity.code_of(game)\n"
        "    print(source_hash(game), identity.playing(game), identity.rules_of(code), identity.changes(code))\n"
        "    print('card_arena_hearts/rules.py' in code['files'])"
    )
    before = run(copy, "-c", code).splitlines()
    with (copy / "card_arena_hearts" / "rules.py").open("a") as file:
        file.write("# an edit\n")
    after = run(copy, "-c", code).splitlines()
    assert [before[1], before[3]] == ["True", "False"] and before[0].endswith("[]")
    assert all(a != b for a, b in zip(before[0].split()[:3], after[0].split()[:3], strict=True))
    assert before[2:] == after[2:]


def test_rules_outside_the_registered_package_are_refused(tmp_path: Path) -> None:
    game = engines.load("flip7")
    with pytest.raises(ValueError, match=r'declare the entry point.*"flop" in the group card_arena.games'):
        registry.check("flop", "flop.rules")
    registry.check(game.name, "engines.flip7.rules")
    with pytest.raises(engines.GameError, match=r"there is a game 'flip7' in engines\.flip7"):
        registry.add("flip7", "elsewhere")


def test_two_packages_with_one_name_are_named(tmp_path: Path) -> None:
    for package in ("one", "two"):
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(
            f"[other]\nx = y\n\n[card_arena.games]\nwhist = {package}_whist\n"
        )
    code = (
        "import engines\nprint('whist' in engines.names())\n"
        "try:\n    engines.load('whist')\nexcept engines.GameError as error:\n    print(error)"
    )
    told = run(tmp_path, "-c", code)
    assert re.search(r"True\ntwo packages have a game 'whist': one_whist, two_whist", told)


@pytest.mark.soak
def test_a_league_of_a_packaged_game_is_played_jailed_and_verified(site: Path, tmp_path: Path) -> None:
    spy = tmp_path / "spy.py"
    spy.write_text(
        '"""Reads the rules."""\nfrom card_arena_hearts import state\nGAMES = ["hearts"]\n'
        "def act(view):\n    return view.texts[-1 if state.QUEEN == 36 else 0]\n"
    )
    league = tmp_path / "h.toml"
    league.write_text(
        f'game = "hearts"\ndeals = 1\nentrants = ["hearts_ducker", "hearts_lowest", "random", "{spy}"]\n[options]\nrounds = 1\n'
    )
    more = {"ARENA_DB": str(tmp_path / "a.db"), "NUMBA_DISABLE_JIT": "0"}
    told = run(site, "-m", "arena", "league", "run", str(league), **more)
    assert all(name in told for name in ("ducker@1", "lowest@1", "random@1", "spy"))
    assert "no difference" in run(site, "-m", "arena", "league", "verify", "h#1", **more)
    edited = tmp_path / "edited"
    shutil.copytree(site, edited, ignore=shutil.ignore_patterns("__pycache__"))
    with (edited / "card_arena_hearts" / "rules.py").open("a") as file:
        file.write("# an edit\n")
    with pytest.raises(AssertionError, match=r"h#1 cannot be replayed: card_arena_hearts/rules\.py changed"):
        run(edited, "-m", "arena", "league", "verify", "h#1", **more)


@pytest.mark.parametrize("name", ["bots", "engines", "leagues"])
def test_a_foreign_package_with_our_name_is_refused_with_both_places(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    path = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    ran = partial(python, cwd=tmp_path, env=path)
    told = f"Python finds the package {name!r} in {tmp_path / name}, but that of card-arena is "
    told += f"{ROOT / name}: "
    script = tmp_path / "arena"
    script.write_text("from arena.__main__ import main\nmain()\n")
    for program in (ran("-m", "arena", "games"), ran("-P", str(script), "games")):
        assert program.returncode == 1 and program.stderr.startswith(f"arena: {told}"), program.stderr
        assert len(program.stderr.splitlines()) == 1
    assert ran("-c", "import arena").stderr.splitlines()[-1].startswith(f"ImportError: {told}")
