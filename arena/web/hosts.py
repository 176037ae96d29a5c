"""Under which names a server answers: an address always, a name only if it was given.

A foreign page can make a name of its own lead to this machine and then reads our answers as its own (DNS
rebinding); it cannot do so with an address. What may be asked for is `server`'s business.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send


class KnownHosts:
    """Middleware that refuses requests for other hosts.

    Args:
        app: what answers.
        hosts: names that are answered besides every address.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self.app = app
        self.hosts = {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan" or self.knows(Headers(scope=scope).get("host", "")):
            await self.app(scope, receive, send)
            return
        refusal = "not a host of this server; `arena serve --name HOST` makes it one\n"
        await PlainTextResponse(refusal, 400)(scope, receive, send)

    def knows(self, host: str) -> bool:
        """Whether a Host header names this server: `arena.example:8237`, `[::1]:8237`."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            return name in self.hosts or bool(ipaddress.ip_address(name))
        except ValueError:  # neither a name nor an address
            return False
