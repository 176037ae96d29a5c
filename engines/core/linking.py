"""Where a function's code is optimised and becomes machine code: once, in what Python calls.

Numba by itself does both for every function, with all that it calls, again in every caller: a rule ten calls
deep goes through the optimiser ten times. Here a function that only compiled code calls is a `Part`: its code
is linked into its callers as it is. Not here: the decorators, and where code is kept (`compile`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import llvmlite.binding as llvm
from numba import extending
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult

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
    """A `Whole` from the cache: machine code. What others would link is read when they do, which few ever
    do: read at once, it takes 20 MB a process in a game.
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
    """A compiled part from the cache; `kept` as Numba's `CompileResult._reduce` gives it."""
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
