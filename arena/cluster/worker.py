"""A worker's start: the first task loads what matches need, and starts a fork server beside that.

Heavy imports have no place outside the functions.
"""

from __future__ import annotations

import ctypes
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..jail.zygote import Server

PDEATHSIG = 1  # prctl: the signal that comes when the parent has ended

_servers: list[Server] = []
_begun = False


def begin() -> None:
    """Start a fork server's process, once, so that it loads its libraries while this process does.

    A worker ends with its raylet. Ray looks for the raylet's process id, which stays as long as nobody waits
    for the dead raylet, as in a container whose first process reaps no children.
    """
    global _begun
    if _begun:
        return
    _begun = True
    ctypes.CDLL(None).prctl(PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    from ..jail.early import early_server
    from ..jail.outcomes import HostError

    try:
        server = early_server()
    except HostError:  # it will be told when one is wanted
        return
    if server is not None:
        _servers.append(server)


def early() -> Server | None:
    """Return the fork server's process that was started, for whom asks first."""
    return _servers.pop() if _servers else None
