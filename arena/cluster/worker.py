"""What Ray runs in a worker. The first task starts a fork server, and loads meanwhile what matches need.

So heavy imports have no place outside the functions.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

KEPT_BYTES = 64 << 20  # of bots' files in a worker; the rest is fetched from its node again
SOCKETS = Path("/proc/net/unix")  # the names of all sockets here, those of `_playing` too

_files: dict[str, bytes] = {}
_begun = False


def play(number: int, match: bytes) -> bytes:
    """Play a match of this number that comes as bytes, and return bytes.

    Bytes make no work for Ray: it would take every part on its own, and look for the files of every bot at
    every match.
    """
    with _playing(number):
        begin()
        from .task import run_match

        setup, packed = pickle.loads(match)
        files = [_file(digest, one) for (_, digest), one in zip(setup.bots, packed, strict=True)]
        return pickle.dumps(run_match(setup, files), pickle.HIGHEST_PROTOCOL)


def prepare(*needs: Any) -> None:
    """Have all ready for the matches of some needs."""
    begin()
    from .proof import short_match
    from .task import prepare

    prepare(short_match(*needs))


def run(function: Callable[..., Any], *given: Any) -> Any:
    """Run a function in a worker that may have done nothing yet."""
    begin()
    return function(*given)


def plays(number: int | None) -> bool:
    """Tell whether any worker of this user here plays a match of this number, or that cannot be seen.

    None: a match of any number. Of two leagues with matches of one number, it sees both.
    """
    try:
        return _name(number) in SOCKETS.read_bytes()
    except OSError:
        return True


def begin() -> None:
    """Start a fork server's process, once, so that it loads its libraries while this process does.

    A worker ends with its raylet. Ray looks for the raylet's process id, which stays as long as nobody waits
    for the dead raylet, as in a container whose first process reaps no children.
    """
    global _begun
    if _begun:
        return
    _begun = True
    from ..jail import linux

    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    from ..jail.early import keep_server

    keep_server()


@contextlib.contextmanager
def _playing(number: int) -> Iterator[None]:
    """Show to `plays` that a match is played, by the name of a socket that no child has."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mark:
        with contextlib.suppress(OSError):  # then it counts as lost if its result is late
            mark.bind(b"\0" + _name(number)[1:] + str(os.getpid()).encode())
        yield


def _name(number: int | None) -> bytes:
    """How the name of the socket begins for a match, or for any, as `SOCKETS` shows it."""
    return f"@arena-plays-{os.getuid()}-{'' if number is None else f'{number}-'}".encode()


def _file(hash: str, reference: bytes) -> bytes:
    """Return the packed files of a bot, fetched when they are needed first."""
    if hash not in _files:
        import ray

        data: bytes = ray.get(ray.cloudpickle.loads(reference))
        while _files and sum(map(len, _files.values())) + len(data) > KEPT_BYTES:
            del _files[next(iter(_files))]
        _files[hash] = data
    return _files[hash]
