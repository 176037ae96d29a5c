"""Where each game is: the folders here, and the packages that name a game in the group `card_arena.games`.

The one place that knows; to ask imports no game. A package names its game in its pyproject.toml:

    [project.entry-points."card_arena.games"]
    hearts = "card_arena_hearts"

The package has the rooms of a game and `GAME` in its `__init__`. It may have `rules.md` (the rules page),
`facts.py` (what the laws must know), `scene.py` (the picture of its table), `words.toml`, `lesson.toml`, and
the folders `leagues` and `bots`.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import GameError, nearest

ENGINES = Path(__file__).parent
GROUP = "card_arena.games"
INSTALLED = (".dist-info", ".egg-info")  # folders that say what an installed package declares
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


@dataclass(frozen=True)
class Home:
    """The package of a game. Nothing of it is imported before it is asked for."""

    name: str
    package: str

    @property
    def shipped(self) -> bool:
        """Whether the game is one of this project."""
        return self.package == f"{__package__}.{self.name}"

    @cached_property
    def folder(self) -> Path:
        """The folder of the package.

        Raises:
            GameError: there is no such package.
        """
        if self.shipped:
            return ENGINES / self.name
        try:
            spec = find_spec(self.package)
        except ImportError:
            spec = None
        if spec is None or not spec.submodule_search_locations:
            raise GameError(
                f"the game {self.name} is to be in the package {self.package}, which is not there"
            )
        return Path(spec.submodule_search_locations[0])

    @property
    def root(self) -> Path:
        """The folder to import the package from."""
        return self.folder.parents[self.package.count(".")]

    @cached_property
    def words(self) -> dict[str, Any]:
        """What people see and hear of the game, from `words.toml`; all of it is optional.

        `levels` (house bots as opponents, from easy to the strongest), `unit` (of the score), `secret` (verbs
        whose card others may not know), `bot` (the first one that a person writes), `goal` (of the game, in
        two lines), `terms` (words on the screen, and what they mean), `last` (what gives up, and what is free
        instead, as `fold` and `check`), `doubted` (kinds of phases: why their values are), `until` (to whose
        end they look), and for pages: the `pack`, names of cards, `looks`, what is `told` and `asked`.
        """
        path = self.folder / "words.toml"
        return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    @property
    def page(self) -> Path | None:
        """The rules page; None if it is not installed."""
        if not self.shipped:
            places = [self.folder / "rules.md"]
        else:
            import sysconfig

            shared = Path(sysconfig.get_path("data")) / "share" / "card-arena" / "rules"
            places = [folder / f"{self.name}.md" for folder in (ENGINES.parent / "docs" / "rules", shared)]
        return next((place for place in places if place.is_file()), None)

    def files(self, folder: str, ending: str) -> list[Path]:
        """Return what the package has in `leagues` or `bots`; nothing for a game of this project."""
        return [] if self.shipped else sorted((self.folder / folder).glob(f"*{ending}"))

    def room(self, name: str) -> ModuleType | None:
        """Import a module of the package; None if it has none of this name."""
        place = f"{self.package}.{name}"
        return import_module(place) if find_spec(place) is not None else None


def homes() -> dict[str, Home]:
    """Return the games that exist, in alphabetical order."""
    return dict(sorted({**{name: homes[0] for name, homes in _found().items()}, **_added}.items()))


def packaged() -> list[Home]:
    """Return the games that are not part of this project."""
    return [home for home in homes().values() if not home.shipped]


def home(name: str) -> Home:
    """Return where a game is."""
    known = homes()
    if name not in known:
        hint = nearest(str(name), known, f"games: {', '.join(known)}")
        raise GameError(f"no game {name!r}; {hint}")
    several = [] if name in _added else _found()[name]
    if len(several) > 1:
        raise GameError(
            f"two packages have a game {name!r}: {', '.join(one.package for one in several)}; "
            "uninstall all but one"
        )
    return known[name]


def load(name: str) -> Any:
    """Import a game; errors as `engines.load`."""
    there = home(name)
    if there.shipped:
        return import_module(there.package).GAME
    try:
        game = import_module(there.package).GAME
    except (ImportError, AttributeError, ValueError) as error:
        raise GameError(f"the game {name} does not load from the package {there.package}: {error}") from error
    if game.name != name:
        raise GameError(f"the package {there.package} names its game {name}, and GAME is {game.name!r}")
    return game


def home_of(module: str) -> Home | None:
    """Return the game that a module is a part of; None if it is of no game."""
    packages = {one.package: one for one in homes().values()}
    parts = module.split(".")
    ends = range(len(parts), 0, -1)
    return next((packages[at] for end in ends if (at := ".".join(parts[:end])) in packages), None)


def add(name: str, package: str) -> None:
    """Make a game known to this process alone: for a notebook or a test, before the game is imported.

    Commands, leagues and sandboxes know only the games of installed packages.

    Raises:
        GameError: a package has a game of this name.
    """
    there = homes().get(name)
    if there is not None and there.package != package:
        raise GameError(f"there is a game {name!r} in {there.package}")
    _added[name] = Home(name, package)


def check(name: str, module: str) -> None:
    """Make sure that the rules of a game are in the package that is registered for it.

    The cache of compiled code, the fingerprint of a run and the sandbox know the files of that package alone.
    """
    there = home_of(module)
    if there is None or there.name != name:
        raise ValueError(
            f"{name}: its rules are in {module}, and no package is registered for them: declare the entry "
            f'point {name} = "{module.rpartition(".")[0]}" in the group {GROUP} and install the package, or '
            "call engines.registry.add first"
        )


_added: dict[str, Home] = {}


@cache
def _found() -> dict[str, list[Home]]:
    """All games by name: those with rules here, and those of installed packages."""
    found = {path.parent.name: [Home(path.parent.name, f"{__package__}.{path.parent.name}")]
             for path in sorted(ENGINES.glob("*/rules.py"))}  # fmt: skip
    for name, package in _declared():
        one = Home(name, package)
        if one not in found.setdefault(name, []):
            found[name].append(one)
    return found


def _declared() -> Iterator[tuple[str, str]]:
    """Yield the names and packages that installed packages declare.

    `importlib.metadata` tells them, too. To import it and ask takes 70 ms, in every command; this takes 3.
    """
    for folder in dict.fromkeys(sys.path):
        try:
            entries = [one for one in os.scandir(folder or ".") if one.name.endswith(INSTALLED)]
        except OSError:  # not there, or no folder
            continue
        for entry in sorted(entries, key=lambda one: one.name):
            yield from _declared_in(Path(entry.path) / "entry_points.txt")


def _declared_in(path: Path) -> Iterator[tuple[str, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    _, mark, section = text.partition(f"[{GROUP}]")
    for line in section.partition("\n[")[0].splitlines() if mark else ():
        name, equals, package = (part.strip() for part in line.partition("="))
        if equals and NAME.fullmatch(name):
            yield name, package.partition(":")[0].strip()
