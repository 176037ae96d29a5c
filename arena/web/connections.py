"""How many connections a server holds: so many in all and for an address that descriptors never run out.

A connection that sends nothing is closed. Uvicorn closes those that are idle after an answer. If descriptors
run out all the same, new connections wait in the kernel until there are some again.
"""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
import time
from collections import Counter
from math import inf
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import UsageError
from ..printable import Say

LEAST = 64  # descriptors: for a start, files of the database for all threads, and some connections
FIRST_S = 10.0  # until the first byte
SAID_S = 60.0  # between two lines about one cause
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)  # why a connection cannot be taken


class Connections:
    """What the connections of a server share.

    Args:
        proxies: addresses that ask for many people.
        say: hears why some are not answered.

    Attributes:
        most: connections at a time; half of them for one address.
        backlog: those that the kernel keeps.

    Raises:
        UsageError: this process may open too few files.
    """

    def __init__(self, proxies: tuple[str, ...], say: Say) -> None:
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if descriptors < LEAST:
            raise UsageError(f"a server needs {LEAST} descriptors and may have {descriptors}: ulimit -n 1024")
        self.most, self.backlog = descriptors // 2, min(128, descriptors // 8)
        self._proxies, self._open = proxies, Counter[str]()
        self._say, self._said = say, dict[str, float]()

    def enter(self, address: str) -> bool:
        """Count a connection; whether it may stay."""
        self._open[address] += 1
        alone = self._open[address] <= self.most // 2 or address in self._proxies
        return alone and self._open.total() <= self.most

    def leave(self, address: str) -> None:
        """Count no more a connection that has ended."""
        self._open[address] -= 1
        self._open += Counter()  # drops those without any

    def tell(self, cause: str, line: str) -> None:
        """Say why somebody is not answered: a line a minute for each cause."""
        if time.monotonic() - self._said.get(cause, -inf) >= SAID_S:
            self._said[cause] = time.monotonic()
            self._say(line)

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Hear of an error outside of requests: what `loop.set_exception_handler` takes."""
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in SCARCE:
            self.tell("waits", f"new connections wait: {error.strerror}")
        else:
            loop.default_exception_handler(context)

    def protocol(self) -> type[asyncio.Protocol]:
        """Return what uvicorn speaks with whoever connects."""
        return type("Counted", (_Counted,), {"shared": self})


class WebServer(uvicorn.Server):
    """Uvicorn's server.

    asyncio takes as many connections at a time as `backlog` says, and where no descriptor is left it fails as
    often and tries all that again: so it is told one, and the kernel keeps more.
    """

    connections: Connections

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        asyncio.get_running_loop().set_exception_handler(self.connections.failed)
        for one in sockets or ():
            one.listen(self.connections.backlog)


class _Counted(H11Protocol):
    """HTTP/1.1 as of uvicorn, counted."""

    shared: Connections
    address = ""
    silent: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or close it at once."""
        super().connection_made(transport)
        self.address = str((transport.get_extra_info("peername") or ("",))[0])
        if not self.shared.enter(self.address):
            self.shared.tell(
                "closed", f"too many connections: new ones are closed; the last is of {self.address}"
            )
            transport.abort()
            return
        self.silent = asyncio.get_running_loop().call_later(FIRST_S, transport.close)

    def data_received(self, data: bytes) -> None:
        """Handle what was sent: the connection is not silent."""
        if self.silent is not None:
            self.silent.cancel()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no more."""
        if self.silent is not None:
            self.silent.cancel()
        self.shared.leave(self.address)
        super().connection_lost(exc)
