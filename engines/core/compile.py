"""Compilation of the rules: the decorators `jit`, `entry` and the like, and where compiled code is kept.

Not here: what is compiled (`loops` and the games), and rows for running without the JIT (`plain`).

Numba does not notice an edit in another file that a cached function calls, so compiled code lies in a folder
that is named by a hash of the sources: one for `core`, one for every game (core and the compiled rooms of
that game), one for the search in every game (all of these and `search`), one for learning in every game (all
of these and `learn`). An edit of one game compiles that game again and no other, an edit of `search`, `learn`
or of a game's policy, luck or encoding no rules; code of an older source is never played.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from inspect import getfile
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.registry import CPUDispatcher

from .linking import (
    COUNTED,
    UNCOUNTED,
    PartCompiler,
    PolishedCompiler,
    WholeCompiler,
    loaded_part,
    loaded_whole,
)

Row = Any
"""One record: `s.seat`, `s.hand[p]`. Numba's type system has it exactly; Python's has no name for it."""

I64: Any = np.int64
U64: Any = np.uint64
# the types for casts in compiled code; Any, as a type checker would not mix them with int

F = TypeVar("F", bound=Callable[..., Any])

JIT = not numba.config.DISABLE_JIT
if not JIT:  # the random generators wrap around on purpose; compiled code does so silently
    np.seterr(over="ignore")

ENGINES = Path(__file__).parents[1]
NOT_COMPILED = ("__init__.py", "text.py")
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
OPTIONS = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
"""Division by zero does not raise, the GIL is released (but by `brief`), nothing is made for calls from C."""


# --- what compiled code depends on --------------------------------------------------------------------------


def game_of(module: str) -> str:
    """The game that a module's compiled code belongs to: `engines.flip7.rules` to `flip7`; `core` for what
    all share.
    """
    parts = module.split(".")
    is_game = len(parts) > 2 and parts[0] == "engines" and (ENGINES / parts[1] / "rules.py").exists()
    return parts[1] if is_game else "core"


def beside_the_rules(module: str) -> str:
    """The part beside the rules that a module's compiled code belongs to: LEARN for `engines.learn` and
    encodings; SEARCH for `engines.search`, policies and all that is luck's; empty for the rules.
    """
    room = f"{module.rpartition('.')[2]}.py"
    if module.startswith("engines.learn.") or room == ENCODING:
        return LEARN
    return SEARCH if module.startswith("engines.search.") or room in APART else ""


@cache
def source_hash(part: str) -> str:
    """Hash of the sources of a part's compiled code: `core`; a game, with the core; the search in a game,
    with both; learning in a game, with all three.
    """
    beside = next((one for one in (SEARCH, LEARN) if part.startswith(one)), "")
    game = part.removeprefix(beside)
    shared = {"": ("core",), SEARCH: ("core", "search"), LEARN: ("core", "search", "learn")}
    rooms = [path for folder in shared[beside] for path in sorted((ENGINES / folder).rglob("*.py"))]
    if game != "core":
        unused: dict[str, tuple[str, ...]] = {"": APART, SEARCH: (ENCODING,), LEARN: ()}
        left_out = (*NOT_COMPILED, *unused[beside])
        rooms += sorted(path for path in (ENGINES / game).rglob("*.py") if path.name not in left_out)
    digest = hashlib.blake2b(digest_size=8)
    for path in rooms:
        digest.update(path.relative_to(ENGINES).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def versions() -> str:
    """Name of the folder for this Python, Numba, NumPy and kind of machine: others that share a checkout have
    their own.
    """
    python = ".".join(map(str, sys.version_info[:3]))
    return f"numba-{numba.__version__}-numpy-{np.__version__}-python-{python}-{platform.machine()}"


# --- where it is kept ---------------------------------------------------------------------------------------


def _cache_parents() -> list[Path]:
    """Places for compiled code, best first: beside the source (each checkout its own), else the user's cache
    folder.
    """
    chosen = os.environ.get("ARENA_CACHE")
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return [Path(chosen)] if chosen else [ENGINES / "__pycache__", user / "card-arena"]


def _place() -> Path | None:
    """The first place that can be written, or that another user has filled; None, with a warning, if there is
    none.
    """
    for parent in _cache_parents():
        folder = parent / versions()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            if not folder.exists():
                continue
        return parent
    text = "no writable folder for compiled code: every start compiles again (set ARENA_CACHE to a folder)"
    warnings.warn(text, stacklevel=2)
    return None


CACHE_FOLDER: Path | None = _place() if JIT else None
"""Where all compiled code lies; another process finds it there if ARENA_CACHE names it."""


@cache
def cache_folder(part: str) -> Path | None:
    """The folder for compiled code of a part (see `source_hash`), made if need be; None if none is kept."""
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


class _Anywhere(_CacheLocator):  # type: ignore[misc]
    """Numba asks for a locator; `_GameCache` says itself where code is.

    The stamp is the content of the function's file.
    """

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        """The folder is there."""

    def get_cache_path(self) -> str:
        """Not used."""
        return ""

    def get_source_stamp(self) -> str:
        """Hash of the file that the function stands in."""
        try:
            return hashlib.blake2b(Path(self._py_file).read_bytes(), digest_size=8).hexdigest()
        except OSError:
            return "unknown"

    def get_disambiguator(self) -> str:
        """The function's line."""
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Anywhere:
        """Always found."""
        return cls(py_func, py_file)


class _Impl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Anywhere,)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return loaded_whole(target_context, payload)


class _PartImpl(_Impl):
    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return loaded_part(target_context, payload)


class _GameCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, in the folder of the game whose records it is compiled for.

    A place that cannot be read or written is no error: the function is compiled and not kept.
    """

    def __init__(self, function: Any, suffix: str) -> None:
        self._impl_class = _Impl if suffix else _PartImpl
        super().__init__(function)
        self._home = game_of(function.__module__)
        self._part = beside_the_rules(function.__module__)
        self._file_name = f"{function.__module__}.{self._impl.filename_base}{suffix}"
        self._stamp = self._impl.locator.get_source_stamp()

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        return super()._load_overload(sig, target_context) if self._open(sig) else None

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._open(sig):
            super()._save_overload(sig, data)

    def _open(self, sig: Any) -> bool:
        """Turn to the folder for code of this signature; whether there is one."""
        folder = cache_folder(self._part + (_game_of_types(getattr(sig, "args", sig)) or self._home))
        if folder is not None:
            self._cache_file = IndexDataCacheFile(str(folder), self._file_name, self._stamp)
        return folder is not None

    @contextlib.contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        with contextlib.suppress(OSError):
            yield


GAMES: dict[Any, str] = {}
"""Name of the game by Numba's type of its record; `dispatch.bind` fills it."""


def _game_of_types(arguments: tuple[Any, ...]) -> str | None:
    """The game of the first record, array of records or member of a game's vocabulary among the types of a
    call.
    """
    for kind in arguments:
        kind = kind.dtype if isinstance(kind, types.Array) else kind  # noqa: PLW2901
        if isinstance(kind, types.EnumMember):
            return game_of(kind.instance_class.__module__)
        if kind in GAMES:
            return GAMES[kind]
    return None


# --- the decorators -----------------------------------------------------------------------------------------


class _Inner(CPUDispatcher):  # type: ignore[misc]
    """A compiled function without an entry from Python and without machine code of its own (see `linking`).

    It has one form for all signed integers: constants, members and small numbers come as int64, and the
    optimiser sees what they are when the function has become a part of its caller. The first call from
    Python makes the entry, so that every function can still be called from anywhere.
    """

    _entry: Any = None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What compiled code that calls it needs; asked once for each call in it."""
        _, args = self._compiler.fold_argument_types(args, kws)
        return super().get_call_template(tuple(map(_as_int64, args)), {})

    def __call__(self, *args: Any) -> Any:
        if self._entry is None:
            self._entry = entry(self.py_func)
        return self._entry(*args)


def _as_int64(kind: Any) -> Any:
    """The type in which an argument of this type is given."""
    plain = kind.dtype if isinstance(kind, types.IntEnumMember) else types.unliteral(kind)
    return types.int64 if isinstance(plain, types.Integer) and plain.signed else kind


PART = {**OPTIONS, "nopython": True, "no_cpython_wrapper": True, "boundscheck": None}


def jit(function: F) -> F:
    """Compile a function that compiled code calls. Array bounds are not checked unless NUMBA_BOUNDSCHECK=1.

    It counts no references to the arrays that it is given (their owner outlives the call), which would take
    10 ns an array and call. So it may neither make arrays on the heap (`frame` has others), nor get one back
    from a function that does, nor raise an error with a value in it: `jit_with_heap` is for those.

    With NUMBA_DISABLE_JIT=1 the function stays plain Python.
    """
    return _part(function, UNCOUNTED)


def jit_with_heap(function: F) -> F:
    """`jit` for a function that makes arrays with NumPy, gets one back from such a function, or raises an
    error with a value in it.
    """
    return _part(function, COUNTED)


def _part(function: F, arrays: dict[str, bool]) -> F:
    if not JIT:
        return function
    options = {**PART, **arrays}
    return _cached(_Inner(py_func=function, targetoptions=options, pipeline_class=PartCompiler), "")


def entry(function: F) -> F:
    """Compile a function that Python calls: as `jit`, with a quick way in."""
    return _entry(function, WholeCompiler)


def kernel(function: F) -> F:
    """Compile an `entry` in which programs spend their time: optimised twice, which takes twice as long.

    Playouts are a tenth faster for it.
    """
    return _entry(function, PolishedCompiler)


def brief(function: F) -> F:
    """Compile an `entry` for calls of less than a microsecond: it keeps the GIL, since to give it up and take
    it again costs as much as one row (45 ns).
    """
    return _entry(function, WholeCompiler, nogil=False)


def _entry(function: F, pipeline: Any, nogil: bool = True) -> F:
    if not JIT:
        return function
    options = OPTIONS | {"nogil": nogil}
    return _cached(numba.njit(pipeline_class=pipeline, **options)(function), ".entry")


def _cached(compiled: Any, suffix: str) -> Any:
    # made up at a prompt, without a file: compiled and not kept
    with contextlib.suppress(OSError, TypeError):
        getfile(compiled.py_func)
        compiled._cache = _GameCache(compiled.py_func, suffix)
    return compiled
