"""How many connections a server holds: so many in all and for an address that descriptors never run out.

A connection that sends nothing is closed. Uvicorn closes those that are idle after an answer.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

FIRST_S = 10.0  # until the first byte
SAID_S = 60.0  # between two lines that connections are refused


class Connections:
    """What the connections of a server share.

    Args:
        proxies: addresses that ask for many people.

    Attributes:
        most: connections at a time; half of them for one address.
        backlog: those that the kernel keeps, all of which may be accepted at once.
    """

    def __init__(self, proxies: tuple[str, ...] = ()) -> None:
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.most, self.backlog = max(8, descriptors // 2), max(4, min(128, descriptors // 8))
        self._proxies, self._open = proxies, Counter[str]()
        self._said = -SAID_S

    def enter(self, address: str) -> bool:
        """Count a connection; whether it may stay."""
        self._open[address] += 1
        alone = self._open[address] <= self.most // 2 or address in self._proxies
        return alone and self._open.total() <= self.most

    def leave(self, address: str) -> None:
        """Count no more a connection that has ended."""
        self._open[address] -= 1
        self._open += Counter()  # drops those without any

    def tells(self) -> bool:
        """Whether a line about refused connections is due."""
        now = time.monotonic()
        due = now - self._said >= SAID_S
        self._said = now if due else self._said
        return due

    def protocol(self) -> type[asyncio.Protocol]:
        """Return what uvicorn speaks with whoever connects."""
        return type("Counted", (_Counted,), {"shared": self})


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
            if self.shared.tells():
                logging.getLogger("uvicorn.error").warning(
                    "too many connections: new ones are closed; the last is of %s", self.address
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
