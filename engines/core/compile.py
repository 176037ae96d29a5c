"""Compilation of the rules: the decorators `jit`, `entry` and the like, and where compiled code is kept.

Not here: what is compiled (`loops` and the games), and rows for running without the JIT (`plain`).

Numba does not notice an edit in another file that a cached function calls, so compiled code lies in a folder
that is named by a hash of the sources: one for `core`, one for every game (core and the compiled rooms of
that game), one for the search in every game (all of these and `search`), one for learning in every game (all
of these and `learn`). An edit of one game compiles that game again and no other, an edit of `search`, `learn`
or of a game's policy, luck or encoding no rules; code of an older source is never played.

There are two ways to compile, and games are the same with both. `linking` is the quick way; it uses private
names of Numba. Where it does not fit the Numba at hand, plain `numba.njit` compiles. Numba's own cache then
keeps all code in one folder, which is named by a hash of all sources.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import numba.extending
import numpy as np
from numba import types

from .. import registry
from ..registry import ENGINES

Row = Any
"""One record: `s.seat`, `s.hand[p]`. Numba's type system has it exactly; Python's has no name for it."""

I64: Any = np.int64
U64: Any = np.uint64
# the types for casts in compiled code; Any, as a type checker would not mix them with int

F = TypeVar("F", bound=Callable[..., Any])

JIT = not numba.config.DISABLE_JIT
if not JIT:  # the random generators wrap around on purpose; compiled code does so silently
    np.seterr(over="ignore")

NOT_COMPILED = ("__init__.py", "text.py", "scene.py")
"""Rooms of a game that hold no compiled code: an edit there compiles nothing again."""
ENCODING = "encoding.py"
APART = ("policy.py", "luck.py", ENCODING)
"""Rooms that no rule calls, only search, replay of luck and learning: an edit there compiles no rules again.
"""
SEARCH, LEARN = "search-", "learn-"
"""`search-flip7` is the search in Flip 7, with the replay of its luck, `learn-flip7` what learners of Flip 7
use, each a part with compiled code of its own.
"""
KEPT = 4
"""Folders of compiled code that are kept a part, so that going back to another commit finds its code."""
TRIED = (0, 63), (0, 69)
"""Versions of Numba that `linking` was tried with: from the first, below the second, as in pyproject.toml."""


def _linking() -> ModuleType | None:
    """Import `linking`; None, with a warning, where it does not fit this Numba.

    ARENA_PLAIN_NJIT=1 asks for None, without a warning. With the JIT off it is not needed.
    """
    if not JIT or os.environ.get("ARENA_PLAIN_NJIT", "0") not in ("", "0"):
        return None
    try:
        if not TRIED[0] <= tuple(numba.version_info.short) < TRIED[1]:
            raise ImportError("a version that was not tried")
        return import_module(".linking", __package__)
    except Exception as error:  # whatever another Numba's inside leads to
        reason = " ".join(str(error).split())
        low, high = (".".join(map(str, version)) for version in TRIED)
        warnings.warn(
            f"games compile with plain numba.njit, which takes longer: engines/core/linking.py does not fit "
            f"Numba {numba.__version__} ({type(error).__name__}: {reason}); install numba>={low},<{high}",
            stacklevel=2,
        )
        return None


LINKING = _linking()
"""The quick way to compile, which uses private names of Numba; None: plain `numba.njit` compiles."""


# --- what compiled code depends on --------------------------------------------------------------------------


def game_of(module: str) -> str:
    """Return the game of a module: `flip7` of `engines.flip7.rules`, `core` of what all games share."""
    home = registry.home_of(module)
    return home.name if home is not None else "core"


def beside_the_rules(module: str) -> str:
    """Return the part beside the rules that a module's code belongs to.

    It is LEARN for `engines.learn` and encodings, SEARCH for `engines.search`, policies and all code about
    luck, and empty for the rules.
    """
    room = f"{module.rpartition('.')[2]}.py"
    if module.startswith("engines.learn.") or room == ENCODING:
        return LEARN
    return SEARCH if module.startswith("engines.search.") or room in APART else ""


def _all_rooms() -> list[tuple[Path, Path]]:
    """Return the files of all games and of what they share, each with the folder that its name starts at."""
    folders = [ENGINES, *(home.folder for home in registry.packaged())]
    return [(folder.parent, path) for folder in folders for path in sorted(folder.rglob("*.py"))]


def _rooms_of(part: str) -> list[tuple[Path, Path]]:
    """Return the files that hold compiled code of a part, as `_all_rooms` does."""
    beside = next((one for one in (SEARCH, LEARN) if part.startswith(one)), "")
    game = part.removeprefix(beside)
    shared = {"": ("core",), SEARCH: ("core", "search"), LEARN: ("core", "search", "learn")}
    rooms = [
        (ENGINES, path) for folder in shared[beside] for path in sorted((ENGINES / folder).rglob("*.py"))
    ]
    if game != "core":
        unused: dict[str, tuple[str, ...]] = {"": APART, SEARCH: (ENCODING,), LEARN: ()}
        left_out, folder = (*NOT_COMPILED, *unused[beside]), registry.home(game).folder
        paths = sorted(path for path in folder.rglob("*.py") if path.name not in left_out)
        rooms += [(folder.parent, path) for path in paths]
    return rooms


@cache
def source_hash(part: str) -> str:
    """Hash the sources of a part's compiled code.

    A part is one of these: `core`; a game, with the core; the search in a game, with both; learning in a
    game, with all three. Without `linking` the hash is of all sources, as Numba's own cache has one
    folder for all.
    """
    rooms = _all_rooms() if JIT and LINKING is None else _rooms_of(part)
    digest = hashlib.blake2b(digest_size=8)
    for root, path in rooms:
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def versions() -> str:
    """Return the name of the folder for this way to compile.

    The name holds the versions of Python, Numba and NumPy, the kind of machine, and the way to compile.
    Others that share a checkout have their own folder.
    """
    python = ".".join(map(str, sys.version_info[:3]))
    way = "" if LINKING or not JIT else "-njit"
    return f"numba-{numba.__version__}-numpy-{np.__version__}-python-{python}-{platform.machine()}{way}"


# --- where it is kept ---------------------------------------------------------------------------------------


def _cache_parents() -> list[Path]:
    """Return the places for compiled code: beside the source, else in the user's cache folder."""
    chosen = os.environ.get("ARENA_CACHE")
    if chosen:
        return [Path(chosen)]
    places = [ENGINES / "__pycache__"]
    with contextlib.suppress(RuntimeError):  # neither HOME nor a home in the list of users: no such folder
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
        places.append(user / "card-arena")
    return places


def _place() -> Path | None:
    """Return the first place that can be written or has all games; else, with a warning, a temporary one."""
    for parent in _cache_parents():
        folder = parent / versions()
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return parent
        learned = (folder / f"{LEARN}{name}-{source_hash(LEARN + name)}" for name in registry.homes())
        if all(os.access(one, os.R_OK | os.X_OK) for one in learned):
            return parent
    kept = _temporary()
    now = f"it is kept in {kept}" if kept else "every start compiles again"
    text = f"no writable folder for compiled code: {now} (set ARENA_CACHE to a folder)"
    warnings.warn_explicit(text, UserWarning, __name__, 0)  # one line
    if kept:
        os.environ["ARENA_CACHE"] = str(kept)
    return kept


def _temporary() -> Path | None:
    """Return this user's own folder for compiled code among the temporary files; None if there cannot be one.

    Nobody else may write to it: code that is found there is run.
    """
    with contextlib.suppress(OSError):
        folder = Path(tempfile.gettempdir()) / f"card-arena-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        there = folder.lstat()
        if (there.st_uid, there.st_mode) == (os.getuid(), stat.S_IFDIR | 0o700):
            (folder / versions()).mkdir(exist_ok=True)
            return folder
    return None


CACHE_FOLDER: Path | None = _place() if JIT else None
"""Where all compiled code lies; another process finds it there if ARENA_CACHE names it."""


@cache
def cache_folder(part: str) -> Path | None:
    """Return the folder, made if need be, for code of a part (`source_hash`); None if none is kept."""
    if CACHE_FOLDER is None:
        return None
    folder = CACHE_FOLDER / versions() / f"{part}-{source_hash(part)}"
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
        os.utime(folder)
        _drop_old(folder.parent, part)
    return folder


def _drop_old(parent: Path, part: str) -> None:
    """Drop code of old sources of a part, all but the `KEPT` folders that were used last."""
    used = {}
    for folder in parent.glob(f"{part}-*"):
        with contextlib.suppress(OSError):  # another process has just dropped it
            used[folder] = folder.stat().st_mtime
    for folder in sorted(used, key=lambda folder: used[folder], reverse=True)[KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)


GAMES: dict[Any, str] = {}
"""Name of the game by Numba's type of its record; `dispatch.bind` fills it."""


def _game_of_types(arguments: tuple[Any, ...]) -> str | None:
    """Return the game of the first record or vocabulary among the types of the arguments; None: no game."""
    for kind in arguments:
        kind = kind.dtype if isinstance(kind, types.Array) else kind  # noqa: PLW2901
        if isinstance(kind, types.EnumMember):
            return game_of(kind.instance_class.__module__)
        if kind in GAMES:
            return GAMES[kind]
    return None


# --- the decorators -----------------------------------------------------------------------------------------


def _folder_of(module: str, arguments: tuple[Any, ...]) -> Path | None:
    """Return the folder for compiled code of a module's function, by the types of its arguments."""
    return cache_folder(beside_the_rules(module) + (_game_of_types(arguments) or game_of(module)))


def jit(function: F) -> F:
    """Compile a function that compiled code calls. Array bounds are not checked unless NUMBA_BOUNDSCHECK=1.

    It counts no references to the arrays that it is given (their owner outlives the call), which would take
    10 ns an array and call. So it may neither make arrays on the heap (`frame` has others), nor get one back
    from a function that does, nor raise an error with a value in it: `jit_with_heap` is for those.

    With NUMBA_DISABLE_JIT=1 the function stays plain Python.
    """
    return _part(function, counted=False)


def jit_with_heap(function: F) -> F:
    """Apply `jit` to a function that needs the heap.

    Such a function makes arrays with NumPy, gets one back from such a function, or raises an error with a
    value in it.
    """
    return _part(function, counted=True)


def _part(function: F, counted: bool) -> F:
    if not JIT:
        return function
    compiled: Any = (
        LINKING.part(function, _folder_of, counted) if LINKING else _njit(function, counted=counted)
    )
    return cast("F", compiled)


def entry(function: F) -> F:
    """Compile a function that Python calls: as `jit`, with a quick way in."""
    return _entry(function)


def kernel(function: F) -> F:
    """Compile an `entry` in which programs spend their time: optimised twice, playouts a tenth faster."""
    return _entry(function, polished=True)


def brief(function: F) -> F:
    """Compile an `entry` of less than a microsecond: it keeps the GIL, as to give it up costs 45 ns."""
    return _entry(function, nogil=False)


def _entry(function: F, nogil: bool = True, polished: bool = False) -> F:
    if not JIT:
        return function
    compiled: Any = (
        LINKING.whole(function, _folder_of, nogil, polished) if LINKING else _njit(function, nogil)
    )
    return cast("F", compiled)


def _uncounted() -> dict[str, Any]:
    """Return Numba's option for functions that count no references to arrays; nothing where it has none."""
    try:
        numba.njit(_nrt=False)(_uncounted)
    except (KeyError, TypeError):
        return {}
    return {"_nrt": False}


UNCOUNTED = {} if LINKING or not JIT else _uncounted()


def _njit(function: F, nogil: bool = True, counted: bool = True) -> Any:
    """Compile a function with Numba's public decorator; Numba keeps its code in the folder for all code."""
    options = {"error_model": "numpy", "nogil": nogil, **({} if counted else UNCOUNTED)}
    folder = cache_folder("all")
    if folder is not None:
        # without a file, or in a folder that can only be read, Numba refuses to keep it
        with _numba_keeps_in(folder), contextlib.suppress(RuntimeError, OSError):
            compiled = numba.njit(cache=True, **options)(function)
            if folder in Path(compiled.stats.cache_path).parents:  # else old rules could be found there
                return compiled
    return numba.njit(**options)(function)


@contextlib.contextmanager
def _numba_keeps_in(folder: Path) -> Iterator[None]:
    """Set NUMBA_CACHE_DIR for functions that are decorated here."""
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


_overload = numba.extending.overload
overload: Any = LINKING.overload if LINKING else partial(_overload, jit_options=UNCOUNTED)
"""Numba's `overload`, whose functions count no references to arrays, as those of `jit`."""
overload_with_heap: Any = (
    LINKING.overload_with_heap if LINKING else partial(_overload, jit_options=dict.fromkeys(UNCOUNTED, True))
)
"""`overload` for functions that make arrays."""


def direct(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return what calls a compiled function for arguments of the same types as these.

    Numba looks at the type of every argument at every call, half of the time of a call for one row; here
    nothing is looked at any more: the caller answers for the types. With the JIT off it is the function.
    """
    if not JIT:
        return function
    compiled: Any = function
    call: Callable[..., Any] = compiled.compile(tuple(map(numba.typeof, arguments)))
    return call
