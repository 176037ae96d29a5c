"""Compiled functions without Numba's way in.

Numba looks at the type of every argument at every call, which takes half of the time of a call for one row.

Not here: the functions (`core.loops`), and who may call them so (`Position`, whose arrays have one type).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .core import JIT


def direct(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return what calls a compiled function for arguments of the same types as these.

    Nothing is looked at any more: the caller answers for the types. With the JIT off it is the function.
    """
    if not JIT:
        return function
    from numba import typeof

    compiled: Any = function
    call: Callable[..., Any] = compiled.compile(tuple(map(typeof, arguments)))
    return call
