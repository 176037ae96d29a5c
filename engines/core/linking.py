"""Where a function's code is optimised and becomes machine code: once, in what Python calls.

All that uses private names of Numba is here. Without this module games are the same and compile more slowly:
`compile` takes plain `numba.njit` where this module cannot be imported or was not tried with this Numba.

Numba by itself does both for every function, with all that it calls, again in every caller: a rule ten calls
deep goes through the optimiser ten times. Here a function that only compiled code calls is a `Part`: its code
is linked into its callers as it is. Not here: the decorators, and which folder code is kept in (`compile`).
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from inspect import getfile
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from numba import extending, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.registry import CPUDispatcher

FolderOf = Callable[[str, tuple[Any, ...]], Path | None]
"""The folder for code of a function, by its module and the types of its arguments; None: it is not kept."""

OPTIONS = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
"""Division by zero does not raise, the GIL is released (but by `brief`), nothing is made for calls from C."""
PART = {**OPTIONS, "nopython": True, "no_cpython_wrapper": True, "boundscheck": None}

_environments: dict[str, Any] = {}
"""Python objects of parts (for what they print or raise) by the name of their variable; set when
the code that a part is linked into is loaded.
"""


class Part(JITCodeLibrary):  # type: ignore[misc]
    """Code of a function that only compiled code calls: not optimised, no machine code, for linking."""

    def finalize(self) -> None:
        """Link in what it calls."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Asked only to set an environment."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Keep it for those that this part is linked into."""
        _environments[name] = env

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """For the cache: there is no object code, what callers link is all."""
        return self.name, self._get_module_for_linking().as_bitcode()


class Whole(JITCodeLibrary):  # type: ignore[misc]
    """Code of a function that Python calls: all parts are linked into it, optimised, made machine code."""

    rounds = 1

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == llvm.Linkage.linkonce_odr and not function.is_declaration:
                # nobody else calls it: joined to a caller that is the only one. It has no symbol then: the
                # linker would take it for the same function in a program's own code, though arguments that
                # nobody uses are left out in it
                function.linkage = "private"
        for _ in range(self.rounds):
            super()._optimize_final_module()

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name in _environments:
                self._codegen.set_env(variable.name, _environments[variable.name])

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes, list[str]]]:
        """For the cache, with the names that it defines."""
        name, kind, kept = super().serialize_using_object_code()
        module = self._get_module_for_linking()
        defined = [one for ones in (module.functions, module.global_variables) for one in ones]
        hidden = llvm.Linkage.internal, llvm.Linkage.private
        names = [one.name for one in defined if not one.is_declaration and one.linkage not in hidden]
        return name, kind, (*kept, names)


class Loaded(JITCodeLibrary):  # type: ignore[misc]
    """A `Whole` from the cache: machine code.

    What others would link is read only when they link it, which few ever do. Read at once, it takes 20 MB a
    process in a game.
    """

    def __init__(self, codegen: Any, kept: tuple[str, str, tuple[bytes, bytes, list[str]]]) -> None:
        name, _, (machine_code, self._bitcode, defined) = kept
        super().__init__(codegen, name)
        self._linkable: Any = None
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(defined)

    def _get_module_for_linking(self) -> Any:
        if self._linkable is None:
            self._linkable = llvm.parse_bitcode(self._bitcode)
        return self._linkable


class Polished(Whole):
    """Optimised twice: what the first round has joined and simplified the second sees as one."""

    rounds = 2


class _Compiler(Compiler):  # type: ignore[misc]
    library: type[JITCodeLibrary]

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library or self.library(target.codegen(), "rules"), *rest)
        self.state.library.enable_object_caching()


class PartCompiler(_Compiler):
    """Numba's compiler, for a `Part`."""

    library = Part


class WholeCompiler(_Compiler):
    """Numba's compiler, for a `Whole`."""

    library = Whole


class PolishedCompiler(_Compiler):
    """Numba's compiler, for a `Polished`."""

    library = Polished


COUNTED, UNCOUNTED = {"_nrt": True}, {"_nrt": False}
"""Numba's option for code that counts references to arrays, or does not; left out, a caller's would hold."""
overload = partial(extending.overload, jit_options={"pipeline_class": PartCompiler, **UNCOUNTED})
"""Numba's `overload`, with parts that count no references to arrays."""
overload_with_heap = partial(extending.overload, jit_options={"pipeline_class": PartCompiler, **COUNTED})
"""The same for parts that make arrays."""


def loaded_part(target: Any, kept: tuple[Any, ...]) -> CompileResult:
    """Return a compiled part from the cache; `kept` as Numba's `CompileResult._reduce` gives it."""
    (name, bitcode), *rest = kept
    part = Part(target.codegen(), name)
    part._final_module = part._shared_module = llvm.parse_bitcode(bitcode)
    part._finalized = True
    return _loaded(target, part, *rest)


def loaded_whole(target: Any, kept: tuple[Any, ...]) -> CompileResult:
    """As `loaded_part`, of a `Whole`."""
    library, *rest = kept
    return _loaded(target, Loaded(target.codegen(), library), *rest)


def _loaded(
    target: Any,
    library: Any,
    description: Any,
    env: Any,
    signature: Any,
    objectmode: Any,
    lifted: Any,
    notes: Any,
    reload_init: Any,
    envs: Any,
) -> CompileResult:
    library._reload_init.update(reload_init)
    entry_point = target.get_executable(library, description, env)  # sets `env`
    for one in envs:
        library.codegen.set_env(one.env_name, one)
    return CompileResult(
        target_context=target,
        typing_context=target.typing_context,
        library=library,
        environment=env,
        entry_point=entry_point,
        fndesc=description,
        type_annotation=notes,
        signature=signature,
        objectmode=objectmode,
        lifted=lifted,
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=reload_init,
        referenced_envs=envs,
    )


# --- where it is kept ---------------------------------------------------------------------------------------


class _Anywhere(_CacheLocator):  # type: ignore[misc]
    """A locator, for Numba asks for one; the stamp is the content of the function's file."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        """Do nothing: the folder is there."""

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
        """Return the function's line."""
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Anywhere:
        """Return a locator: every function is found."""
        return cls(py_func, py_file)


class _Impl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Anywhere,)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return loaded_whole(target_context, payload)


class _PartImpl(_Impl):
    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return loaded_part(target_context, payload)


class _FolderCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, in the folder that `folder_of` names for the types of its arguments.

    A place that cannot be read or written is no error: the function is compiled and not kept.
    """

    def __init__(self, function: Any, suffix: str, folder_of: FolderOf) -> None:
        self._impl_class = _Impl if suffix else _PartImpl
        super().__init__(function)
        self._folder_of = partial(folder_of, function.__module__)
        self._file_name = f"{function.__module__}.{self._impl.filename_base}{suffix}"
        self._stamp = self._impl.locator.get_source_stamp()

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        if not self._open(sig):
            return None
        try:
            return super()._load_overload(sig, target_context)
        except OSError:
            raise
        except Exception:  # a file was cut or damaged: its code is made and kept anew
            self._cache_file.flush()
            return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._open(sig):
            super()._save_overload(sig, data)

    def _open(self, sig: Any) -> bool:
        """Turn to the folder for code of this signature; whether there is one."""
        folder = self._folder_of(getattr(sig, "args", sig))
        if folder is not None:
            self._cache_file = IndexDataCacheFile(str(folder), self._file_name, self._stamp)
        return folder is not None

    @contextlib.contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        with contextlib.suppress(OSError):
            yield


# --- functions ----------------------------------------------------------------------------------------------


class _Inner(CPUDispatcher):  # type: ignore[misc]
    """A compiled function without an entry from Python and without machine code of its own (see `Part`).

    It has one form for all signed integers: constants, members and small numbers come as int64, and the
    optimiser sees what they are when the function has become a part of its caller. The first call from
    Python makes the entry, so that every function can still be called from anywhere.
    """

    _entry: Any = None
    folder_of: FolderOf

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return what compiled code that calls it needs; asked once for each call in it."""
        _, args = self._compiler.fold_argument_types(args, kws)
        return super().get_call_template(tuple(map(_as_int64, args)), {})

    def __call__(self, *args: Any) -> Any:
        if self._entry is None:
            self._entry = whole(self.py_func, self.folder_of)
        return self._entry(*args)


def _as_int64(kind: Any) -> Any:
    """Return the type in which an argument of this type is given."""
    plain = kind.dtype if isinstance(kind, types.IntEnumMember) else types.unliteral(kind)
    return types.int64 if isinstance(plain, types.Integer) and plain.signed else kind


def part(function: Any, folder_of: FolderOf, counted: bool) -> Any:
    """Compile a function that compiled code calls; `counted`: it counts references to arrays."""
    options = {**PART, **(COUNTED if counted else UNCOUNTED)}
    compiled = _Inner(py_func=function, targetoptions=options, pipeline_class=PartCompiler)
    compiled.folder_of = folder_of
    return _kept(compiled, "", folder_of)


def whole(function: Any, folder_of: FolderOf, nogil: bool = True, polished: bool = False) -> Any:
    """Compile a function that Python calls; `polished`: optimised twice."""
    pipeline = PolishedCompiler if polished else WholeCompiler
    options = OPTIONS | {"nogil": nogil}
    return _kept(numba.njit(pipeline_class=pipeline, **options)(function), ".entry", folder_of)


def _kept(compiled: Any, suffix: str, folder_of: FolderOf) -> Any:
    # made up at a prompt, without a file: compiled and not kept
    with contextlib.suppress(OSError, TypeError):
        getfile(compiled.py_func)
        compiled._cache = _FolderCache(compiled.py_func, suffix, folder_of)
    return compiled
