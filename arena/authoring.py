"""A game in a package of its own: write a first one, and try the laws on it.

from arena.authoring import check_game, new_game
new_game("whist", "tricks")
for verdict in check_game("whist"):
    print(verdict.law, verdict.error)
"""

from __future__ import annotations

import keyword
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import engines
from engines import registry

from .errors import ArenaError, UsageError

if TYPE_CHECKING:
    from engines.laws import Verdict

SKELETONS = Path(__file__).with_name("skeletons")
LIKE = ("tricks", "betting")
"""What a new game can begin as."""
PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{dist}"
version = "0.1.0"
description = "{title} for card-arena"
requires-python = ">=3.11"
dependencies = ["card-arena"]

[project.entry-points."{group}"]
{name} = "{package}"

[tool.setuptools]
packages = ["{package}"]

[tool.setuptools.package-data]
{package} = ["rules.md", "leagues/*.toml", "bots/*.py"]
"""
TEST = '''\
"""Every law holds for {title}."""

import engines
import pytest
from engines.laws import LAWS, hold_law

from {package} import facts


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a_law_holds(law):
    hold_law(law, engines.load("{name}"), facts)
'''


def new_game(name: str, like: str, folder: Path | str = ".") -> Path:
    """Write the package of a new game, which keeps all laws; return its folder.

    Args:
        name: of the game: small letters, digits and _.
        like: one of `LIKE`.
        folder: where the folder `NAME` goes.

    Raises:
        UsageError: no name for a game, or it is taken; says by what.
        ArenaError: it cannot be written.
    """
    package, target = f"card_arena_{name}", Path(folder) / name
    if like not in LIKE:
        raise UsageError(f"--like {like!r}: a new game is like {' or '.join(LIKE)}")
    if not registry.NAME.fullmatch(name) or keyword.iskeyword(name) or name == "skeleton":
        raise UsageError(
            f"{name!r}: a game's name has small letters, digits and _, a letter first, at most 32"
        )
    if name in engines.names():
        raise UsageError(f"there is a game {name!r}; choose another name")
    if target.exists():
        raise UsageError(f"{target} is there already; choose another name or remove it")
    if find_spec(package) is not None:
        raise UsageError(f"there is a package {package!r}; choose another name")
    words = {"name": name, "package": package, "title": name.capitalize(), "group": registry.GROUP}
    words["dist"] = package.replace("_", "-")
    try:
        for path in sorted((SKELETONS / like).rglob("*.*")):
            copy = target / package / path.relative_to(SKELETONS / like).as_posix().replace("skeleton", name)
            if "__pycache__" not in path.parts and path.is_file():
                text = path.read_text(encoding="utf-8").replace("skeleton", name)
                _write(copy, text.replace("Skeleton", words["title"]))
        _write(target / "pyproject.toml", PROJECT.format(**words))
        _write(target / "tests" / f"test_{name}.py", TEST.format(**words))
    except OSError as error:
        raise ArenaError(f"{target}: cannot be written: {error.strerror}") from None
    return target


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def check_game(game: str, examples: int = 30, seed: int = 0, law: str = "") -> Iterator[Verdict]:
    """Try the laws on a game, and yield what became of each.

    Args:
        game: the name of an installed game, or the folder of its package, which need not be installed.
        examples: random games for each law.
        seed: other games with another seed.
        law: a part of its words; default: every law.

    Raises:
        UsageError: the game has no module `facts`, or there is no such law.
        GameError: there is no such game, or it does not load.
    """
    from engines import laws

    home = registry.home(_at_hand(Path(game)) if (Path(game) / "pyproject.toml").is_file() else game)
    loaded, facts = engines.load(home.name), home.room("facts")
    if facts is None:
        where = "tests/engines/test_laws.py of a checkout tries" if home.shipped else "facts.py has what"
        more = "them" if home.shipped else "they must know; arena game new writes one"
        raise UsageError(f"{home.package} has no module facts for the laws: {where} {more}")
    chosen = [one for one in laws.LAWS if law.lower() in laws.law_words(one).lower()]
    if not chosen:
        raise UsageError(f"no law has the words {law!r}")
    yield from laws.check(loaded, facts, examples, seed, chosen)


def _at_hand(folder: Path) -> str:
    """Make the game of a package in a folder known to this process; return its name.

    Raises:
        UsageError: its pyproject.toml names no game.
    """
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    try:
        ((name, package),) = tomllib.loads(text)["project"]["entry-points"][registry.GROUP].items()
    except (tomllib.TOMLDecodeError, KeyError, ValueError):
        raise UsageError(f'{folder}/pyproject.toml names no game in the group "{registry.GROUP}"') from None
    if name not in registry.homes():
        sys.path.insert(0, str(folder.resolve()))
        registry.add(name, package)
    return str(name)
