"""Games as people meet them: the list, a rules page, a lesson; and a game of one's own, written and checked.

    new_game("whist")
    for verdict in check_game("./whist"):
        print(verdict.law, verdict.error)

A lesson is a game with notes, to learn how it is played: the file `lesson.toml` in the game's package.

    players = 3
    seed = 4
    seats = ["you", "ann", "bob"]
    options = {goal = 60}
    actions = ["hit", "stay"]

    [[notes]]
    at = 0
    section = "4.2"
    text = "What is to be seen before decision 0, and why it is played."
"""

from __future__ import annotations

import keyword
import re
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engines
from engines import registry

from .errors import ArenaError, Unknown, UsageError

if TYPE_CHECKING:
    from engines.laws import LawVerdict

EXAMPLE = (
    Path(__file__).parents[1] / "examples" / "hearts",
    Path(sysconfig.get_path("data")) / "share" / "card-arena" / "hearts",
)
"""The package of Hearts in a checkout, or as it is installed: a new game begins as a copy."""
NAMED = re.compile(r'(?<=card.arena.)hearts|(?<=")hearts(?=")|\bhearts(?=_| = ")')
"""Hearts as the name of the game; elsewhere the word is a suit."""


def list_games(game: str | None = None) -> list[dict[str, Any]]:
    """List the games (or one of them) with their sizes of the table and their options.

    Raises:
        GameError: there is no such game.
    """
    rows = []
    for rules in map(engines.load, engines.names() if game is None else [game]):
        options = {
            one.name: {"default": one.default, "allowed": one.allowed, "meaning": one.meaning}
            for one in rules.options.values()
        }
        rows.append(
            {"game": rules.name, "players": [rules.min_players, rules.max_players], "options": options}
        )
    return rows


def rules_page(game: str) -> str:
    """Return the rules page of a game, as Markdown; "": it is not installed.

    Raises:
        GameError: there is no such game.
    """
    engines.check_name(game)
    page = registry.home(game).page
    text = page.read_text(encoding="utf-8") if page is not None else ""
    return re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)  # marks of the tables that are printed


def lesson_file(name: str) -> Path | None:
    """Return the file of a game's lesson; None: it has none.

    Raises:
        GameError: there is no such game.
    """
    engines.check_name(name)
    path = registry.home(name).folder / "lesson.toml"
    return path if path.is_file() else None


def lesson(name: str) -> dict[str, Any]:
    """Return a game's lesson: a film with `notes` by frame.

    Raises:
        UsageError: it has none.
        GameError: no such game, or an action of the lesson is not legal.
    """
    from .replay.film import film

    path = lesson_file(name)
    if path is None:
        raise Unknown(f"{name} has no lesson: read its rules page")
    plain = tomllib.loads(path.read_text(encoding="utf-8"))
    game = engines.load(name)
    position = game.position(plain["seed"], plain["players"], None, False, **plain.get("options", {}))
    moves = [game.action(text, position.options) for text in plain["actions"]]
    made = film(position, moves, plain["seats"], f"Learn {game.title}")
    said = {str(one["at"]): f"{one['text'].strip()}\n(rules {one['section']})" for one in plain["notes"]}
    return {**made, "notes": said}


def new_game(name: str, folder: Path | str = ".") -> Path:
    """Write the package of a new game, Hearts by another name, which keeps all laws; return its folder.

    Args:
        name: of the game: small letters, digits and _.
        folder: where the folder `NAME` goes.

    Raises:
        UsageError: no name for a game, or it is taken; says by what.
        ArenaError: it cannot be written, or Hearts is not installed.
    """
    package, target = f"card_arena_{name}", Path(folder) / name
    if not registry.NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r}: a game's name has small letters, digits and _, a letter first, at most 32"
        )
    if name in engines.names():
        raise UsageError(f"there is a game {name!r}; choose another name")
    if target.exists():
        raise UsageError(f"{target} is there already; choose another name or remove it")
    if find_spec(package) is not None:
        raise UsageError(f"there is a package {package!r}; choose another name")
    example = next((place for place in EXAMPLE if place.is_dir()), None)
    if example is None:
        raise ArenaError(f"the package of Hearts is not installed: {EXAMPLE[1]} is not there")
    try:
        for path in sorted(example.rglob("*.*")):
            if path.is_file() and "__pycache__" not in path.parts:
                copy = target / path.relative_to(example).as_posix().replace("hearts", name)
                copy.parent.mkdir(parents=True, exist_ok=True)
                text = NAMED.sub(name, path.read_text(encoding="utf-8"))
                copy.write_text(text.replace("Hearts", name.capitalize()), encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{target}: cannot be written: {error.strerror}") from None
    return target


def check_game(game: str, examples: int = 30, seed: int = 0, law: str = "") -> Iterator[LawVerdict]:
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
