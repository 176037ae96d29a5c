"""Numba, until it can load compiled code: what every process that plays does first."""

from __future__ import annotations

import sys
from types import ModuleType

from numba.core.registry import cpu_target

ASKED_FOR = "scipy.linalg.cython_blas"


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
