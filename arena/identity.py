"""Which code plays: hashes of our source files, found by following imports without running them.

A game is decided by the rules, by the harness that asks bots and judges their answers, and by the bots with
everything of ours that they import. All these files are hashed, so that a run can say years later whether it
would still be played the same. Files are hashed as they are: a comment that changes is a change, since
nobody can tell which ones matter.
"""

from __future__ import annotations

import ast
import hashlib
import io
import platform
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TypedDict

from .version import __version__

ROOT = Path(__file__).parents[1]
OURS = ("arena", "bots", "engines", "leagues")
LIBRARIES = ("numpy", "numba", "ray")
HARNESS = ("arena.match.play", "arena.cluster.task", "leagues.plan")
BEHIND_A_WALL = ("arena/jail", "arena/player")  # run in processes of their own, so no import leads to them
IMPORT = re.compile(
    r"^[ \t;]*(?:from[ \t]+([\w.]+)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]*))",
    re.MULTILINE,
)
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # of statements: where others are in them
NOT_PLAYING = ("bench", "doctor", "probe", "suite")


class Code(TypedDict):
    """What played: hashes of our files by path, which may not change, and versions of this project and of
    libraries, which may.
    """

    files: dict[str, str]
    versions: dict[str, str]


def code_of(game: str, imports: Iterable[Mapping[str, str]] = ()) -> Code:
    """The code that plays a game now.

    Args:
        game: its name.
        imports: files that the entrants import (see `imports_of`).
    """
    files = dict(_playing(game))
    for more in imports:
        files.update(more)
    libraries = {name: metadata.version(name) for name in LIBRARIES}
    versions = {"card-arena": __version__, "python": platform.python_version(), **libraries}
    return {"files": dict(sorted(files.items())), "versions": versions}


def changes(code: Code) -> list[str]:
    """The files that are not what they were; empty if all are."""
    return [path for path, digest in code["files"].items() if _digest(path) != digest]


def rules_of(code: Code) -> str:
    """A hash of the rules alone, for telling whether games can be rated together."""
    return digest_of({path: digest for path, digest in code["files"].items() if path.startswith("engines/")})


@cache
def playing(game: str) -> str:
    """A hash of the rules and the harness as they are here, which a worker compares with its own."""
    return digest_of(_playing(game))


@cache
def rating() -> str:
    """A hash of the code that rates, so that tables are made anew when it changes."""
    return digest_of(_closure({"leagues.ratings.table", "arena.league.table"}))


def imports_of(packed: bytes) -> dict[str, str]:
    """The files of ours that a packed bot imports, with all that those import.

    A stranger's source can make a parser take all memory, so it is searched for import statements; what only
    looks like one, in a comment, is taken for one.
    """
    found: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                found |= _told_imports(archive.read(name).decode("utf-8", "replace"))
    return _closure(found)


def digest_of(files: Mapping[str, str]) -> str:
    """One hash of many."""
    return hashlib.sha256(
        "\n".join(f"{path} {digest}" for path, digest in sorted(files.items())).encode()
    ).hexdigest()


@cache
def _playing(game: str) -> dict[str, str]:
    behind = [_name(path) for folder in BEHIND_A_WALL for path in sorted((ROOT / folder).rglob("*.py"))]
    rules = [_name(path) for path in sorted((ROOT / "engines" / game).rglob("*.py"))]
    names = [name for name in behind if name.rpartition(".")[2] not in NOT_PLAYING]
    return _closure({f"engines.{game}", *rules, *HARNESS, *names})


def _closure(modules: Iterable[str]) -> dict[str, str]:
    """The files of these modules and of everything of ours that they import, with their hashes."""
    todo, files = list(modules), dict[str, str]()
    while todo:
        name = todo.pop()
        parents = name.split(".")
        for end in range(1, len(parents) + 1):
            path = _file(".".join(parents[:end]))
            if path and path not in files:
                files[path] = _digest(path)
                todo += _imports_of_file(path)
    return files


@cache
def _imports_of_file(path: str) -> frozenset[str]:
    module = _name(ROOT / path)
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    return frozenset(_imported((ROOT / path).read_bytes(), package))


def _told_imports(source: str) -> set[str]:
    """Modules of ours in the import statements of a source."""
    found = set()
    for base, names, plain in IMPORT.findall(source):
        words = re.findall(r"[\w.]+", names or plain)
        found |= {base, *(f"{base}.{word}" for word in words)} if base else set(words)
    return {name for name in found if name.partition(".")[0] in OURS}


def _imported(source: bytes, package: str) -> set[str]:
    """Modules of ours that a source imports; names that turn out to be no modules do no harm."""
    found = set()
    for node in _running(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *filter(None, [node.module])])
            found |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.partition(".")[0] in OURS}


def _running(block: ast.AST) -> Iterator[ast.AST]:
    """All statements in a block and in those inside, but those below `if TYPE_CHECKING`, which never run."""
    for name in BLOCKS:
        for node in getattr(block, name, ()):
            yield node
            test = node.test if isinstance(node, ast.If) else None
            if not (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"):
                yield from _running(node)


def _file(module: str) -> str:
    """The path of a module below the root; "" if there is none."""
    path = ROOT.joinpath(*module.split("."))
    found = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return found.relative_to(ROOT).as_posix() if found.is_file() else ""


def _name(path: Path) -> str:
    inside = path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
    return inside.removesuffix(".__init__")


@cache
def _digest(path: str) -> str:
    """Hash of a file, line ends made equal; "" if it is gone."""
    try:
        return hashlib.sha256((ROOT / path).read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
    except OSError:
        return ""
