"""A worker's start: the first task loads what matches need, and starts a fork server beside that.

Heavy imports have no place outside the functions.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
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


@contextlib.contextmanager
def playing(number: int) -> Iterator[None]:
    """Show to `plays` that a match is played, by a lock that ends with this process and that no child has.

    It is on the byte of the match's number: of two leagues with matches of one number, `plays` sees both.
    """
    file = -1
    try:
        file = _marks()
        fcntl.lockf(file, fcntl.LOCK_SH, 1, number)
    except OSError:  # a full disk: `plays` has the same
        pass
    try:
        yield
    finally:
        if file >= 0:
            os.close(file)


def plays(number: int | None) -> bool:
    """Tell whether any worker of this user here plays a match of this number, or that cannot be seen.

    None: a match of any number.
    """
    try:
        file = _marks()
    except OSError:
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 0 if number is None else 1, number or 0)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _marks() -> int:
    """Open the file that workers lock while they play."""
    place = Path(tempfile.gettempdir(), f"arena-playing.{os.getuid()}")
    return os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
