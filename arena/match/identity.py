"""Which code plays: hashes of our source files, found by following imports without running them.

A game is decided by the rules, by the harness that asks bots and judges their answers, and by the bots with
everything of ours that they import. All these files are hashed, so that a run can say years later whether it
would still be played the same. Files are hashed as they are: a comment that changes is a change, since
nobody can tell which ones matter.
"""

from __future__ import annotations

import hashlib
import io
import platform
import re
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

from typing_extensions import TypedDict

from engines import registry

from ..version import __version__

ROOT = Path(__file__).parents[2]
OURS = ("arena", "bots", "engines", "leagues")
LIBRARIES = ("numpy", "numba", "ray")
HARNESS = ("arena.match.batch", "arena.cluster.task", "leagues.plan")
BEHIND_A_WALL = ("arena/jail", "arena/cell")  # run in processes of their own, so no import leads to them
IMPORT = re.compile(
    r"^[ \t;]*(?:from[ \t]+([\w.]+)[ \t]+import\b[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]*))",
    re.MULTILINE,
)
NEVER_RUN = re.compile(  # texts between triple quotes, and what is below `if TYPE_CHECKING`
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|^([ \t]*)if TYPE_CHECKING:\n(?:\1[ \t]+[^\n]*\n|\n)+',
    re.MULTILINE | re.DOTALL,
)
GIT_S = 10.0  # for git to say where the checkout is
NOT_PLAYING = ("bench", "doctor", "probe", "suite")


class Code(TypedDict):
    """Hold what played: the hashes of our files, and versions.

    The hashes are by path and may not change. The versions of this project and of libraries may, and so may
    the commit, which a run notes beside them.
    """

    files: dict[str, str]
    versions: dict[str, str]


def code_of(game: str, imports: Iterable[Mapping[str, str]] = ()) -> Code:
    """Return the code that plays a game now; `imports`: files that the entrants import (`imports_of`)."""
    files = dict(_playing(game))
    for more in imports:
        files.update(more)
    return {"files": dict(sorted(files.items())), "versions": dict(_versions())}


@cache  # `metadata` keeps a list of every folder of the path for each state that it ever saw it in
def _versions() -> dict[str, str]:
    libraries = {name: metadata.version(name) for name in LIBRARIES}
    return {"card-arena": __version__, "python": platform.python_version(), **libraries}


@cache
def commit() -> str:
    """Return the commit of this checkout, with `-dirty` if files were changed; "" outside one."""
    if not (ROOT / ".git").exists():
        return ""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=GIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def changes(code: Code) -> list[str]:
    """Return the files that are not what they were; empty if all are."""
    return [path for path, digest in code["files"].items() if _digest(path) != digest]


def rules_of(code: Code) -> str:
    """Return a hash of the rules alone, for telling whether games can be rated together."""
    others = ("arena/", "bots/", "leagues/")
    return digest_of({path: digest for path, digest in code["files"].items() if not path.startswith(others)})


@cache
def playing(game: str) -> str:
    """Return a hash of the rules and the harness as they are here, which a worker compares with its own."""
    return digest_of(_playing(game))


@cache
def rating() -> str:
    """Return a hash of the code that rates, so that tables are made anew when it changes."""
    return digest_of(_closure({"leagues.ratings.rows", "arena.runs.standings"}))


def imports_of(packed: bytes) -> dict[str, str]:
    """Return the files of ours that a packed bot imports, with all that those import.

    A stranger's source can make a parser take all memory, so it is searched for import statements; what only
    looks like one, in a comment, is taken for one.
    """
    modules: set[str] = set()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                modules |= _told_imports(archive.read(name).decode("utf-8", "replace"))
    return _closure(modules)


def digest_of(files: Mapping[str, str]) -> str:
    """One hash of many."""
    return hashlib.sha256(
        "\n".join(f"{path} {digest}" for path, digest in sorted(files.items())).encode()
    ).hexdigest()


@cache
def _playing(game: str) -> dict[str, str]:
    behind = [_name(path) for folder in BEHIND_A_WALL for path in sorted((ROOT / folder).rglob("*.py"))]
    home = registry.home(game)
    rules = [_name(path, home.root) for path in sorted(home.folder.rglob("*.py"))]
    names = [name for name in behind if name.rpartition(".")[2] not in NOT_PLAYING]
    return _closure({home.package, *rules, *HARNESS, *names})


def _closure(modules: Iterable[str]) -> dict[str, str]:
    """Return the files of these modules and of everything of ours that they import, with their hashes."""
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
    """Return the modules of ours that a file of ours imports when it runs.

    A test compares them with those that Python's parser finds. To parse takes a quarter of a second, in every
    worker and every command.
    """
    module = _name(_place(path), _root(path))
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    source = _place(path).read_text(encoding="utf-8")
    return frozenset(_told_imports(NEVER_RUN.sub("", source), package))


def _told_imports(source: str, package: str = "") -> set[str]:
    """Modules of ours in the import statements of a source; names that are no modules do no harm."""
    found, above = set[str](), package.split(".")
    for base, names, plain in IMPORT.findall(source):
        words = re.findall(r"[\w.]+", names or plain)
        if not base:
            found.update(words)
            continue
        module = base.lstrip(".")
        dots = len(base) - len(module)
        if dots and package:
            module = ".".join(filter(None, [*above[: len(above) - dots + 1], module]))
        found |= {module, *(f"{module}.{word}" for word in words)}
    return {name for name in found if name.partition(".")[0] in _roots()}


def _file(module: str) -> str:
    """Return the path of a module of ours, from the root; "" if there is none."""
    return _modules().get(module, "")


@cache
def _modules() -> dict[str, str]:
    """All modules of ours that are installed, by name: their paths from the root."""
    found = [(ROOT, path) for name in OURS for path in (ROOT / name).rglob("*.py")]
    found += [(home.root, path) for home in registry.packaged() for path in home.folder.rglob("*.py")]
    return {_name(path, root): path.relative_to(root).as_posix() for root, path in found}


@cache
def _roots() -> dict[str, Path]:
    """Return the packages whose files are hashed, ours and those of games, and the folders they are in."""
    games = {home.package.partition(".")[0]: home.root for home in registry.packaged()}
    return games | dict.fromkeys(OURS, ROOT)


def _root(path: str) -> Path:
    return _roots().get(path.partition("/")[0], ROOT)


def _place(path: str) -> Path:
    return _root(path) / path


def _name(path: Path, root: Path = ROOT) -> str:
    inside = path.relative_to(root).with_suffix("").as_posix().replace("/", ".")
    return inside.removesuffix(".__init__")


@cache
def _digest(path: str) -> str:
    """Hash of a file, line ends made equal; "" if it is gone."""
    try:
        return hashlib.sha256(_place(path).read_bytes().replace(b"\r\n", b"\n")).hexdigest()[:16]
    except OSError:
        return ""
