"""A worker's start: what its first match will want is loaded before that comes.

The workers of a local Ray (`local`) begin with `main`; on other clusters the first task calls `begin`. Heavy
imports have no place outside the functions.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..jail.zygote import Server

NOT_FOR_RAY = ("--language=", "--serialized-runtime-env-context=")

_servers: list[Server] = []
_begun = False


def begin() -> None:
    """Start a fork server's process, once, so that it loads its libraries while this process does."""
    global _begun
    if _begun:
        return
    _begun = True
    from ..jail.limits import HostError
    from ..start import early_server

    try:
        server = early_server()
    except HostError:  # it will be told when one is wanted
        return
    if server is not None:
        _servers.append(server)


def early() -> Server | None:
    """The fork server's process that was started, for whom asks first."""
    return _servers.pop() if _servers else None


def main(words: Sequence[str]) -> None:
    """Load what plays matches, then be Ray's worker.

    Args:
        words: the path of Ray's program for workers and what it is given; two of them are for the program
            that prepares environments of workers, in whose place this one is.
    """
    from ..start import loading

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a worker has one core
    begin()
    with loading():
        from ..player.loading import load_numba
        from . import proof, task  # noqa: F401

        load_numba()
    sys.argv = [word for word in words if not word.startswith(NOT_FOR_RAY)]
    sys.path[0] = os.path.dirname(words[0])  # noqa: PTH120
    runpy.run_path(words[0], run_name="__main__")
