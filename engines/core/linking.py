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
        for _ in range(self.rounds):
            super()._optimize_final_module()

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        for variable in self._final_module.global_variables:
            if variable.name in _environments:
                self._codegen.set_env(variable.name, _environments[variable.name])


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


overload = partial(extending.overload, jit_options={"pipeline_class": PartCompiler})
"""Numba's `overload`, with parts."""


def loaded_part(target: Any, kept: tuple[Any, ...]) -> CompileResult:
    """A compiled part from the cache; `kept` as Numba's `CompileResult._reduce` gives it."""
    (name, bitcode), description, env, signature, objectmode, lifted, notes, reload_init, envs = kept
    part = Part(target.codegen(), name)
    part._final_module = part._shared_module = llvm.parse_bitcode(bitcode)
    part._reload_init.update(reload_init)
    part._finalized = True
    for one in (env, *envs):
        part.set_env(one.env_name, one)
    return CompileResult(
        target_context=target,
        typing_context=target.typing_context,
        library=part,
        environment=env,
        entry_point=target.get_executable(part, description, env),
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
