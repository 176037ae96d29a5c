"""Run Numba in a process that can write nowhere.

`cache=True` uses what is there, compiles the rest, and stores nothing.

Without this, decorating a function with `cache=True` fails, as Numba looks for a folder that it can write to.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numba
from numba.core import caching


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
    """Make every cache of this process one that only reads.

    For functions that are decorated later, and for stores of all.
    """
    numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{ReadOnlyLocator.__name__}"
    load = caching.Cache.load_overload

    def load_if_readable(self: Any, signature: Any, target_context: Any) -> Any:
        with contextlib.suppress(OSError):
            return load(self, signature, target_context)
        return None

    caching.Cache.load_overload = load_if_readable
    caching.Cache.save_overload = lambda self, signature, data: None
