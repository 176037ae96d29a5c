"""Numba in a process that plays: it loads quickly, and stores nothing where nothing can be written.

Decorating a function with `cache=True` fails where Numba finds no folder that it can write to. After
`install`, it uses what is there, compiles the rest, and stores nothing.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
from numba.core import caching
from numba.core.registry import cpu_target

ASKED_FOR = "scipy.linalg.cython_blas"


class ReadOnlyLocator(caching.UserProvidedCacheLocator):  # type: ignore[misc]  # Numba is untyped
    """The cache is the folder beside the source, whether there is one or not."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(Path(py_file).parent / "__pycache__")

    def get_source_stamp(self) -> Any:
        """As Numba's own; where files cannot be looked at, a stamp that no stored code has."""
        try:
            return super().get_source_stamp()
        except OSError:
            return "unknown"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> ReadOnlyLocator:
        """Return a locator for every function: it is always found."""
        return cls(py_func, py_file)


def install() -> None:
    """Make every cache of this process one that only reads, also for functions that are decorated later."""
    numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{ReadOnlyLocator.__name__}"
    load = caching.Cache.load_overload

    def load_if_readable(self: Any, signature: Any, target_context: Any) -> Any:
        with contextlib.suppress(OSError):
            return load(self, signature, target_context)
        return None

    caching.Cache.load_overload = load_if_readable
    caching.Cache.save_overload = lambda self, signature, data: None


def load_numba() -> None:
    """Load what Numba loads at the first call of a compiled function.

    It imports SciPy's linear algebra only to ask whether it is there, a third of a second; here an empty
    module answers for it. Who compiles linear algebra later gets the real one.
    """
    there = sys.modules.get(ASKED_FOR)
    if there is None:
        sys.modules[ASKED_FOR] = ModuleType(ASKED_FOR)
    cpu_target.target_context.refresh()
    if there is None:
        del sys.modules[ASKED_FOR]
