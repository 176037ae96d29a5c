"""`serve`: the server as a process that runs until it is stopped, and how many connections it holds.

They are so many in all and for an address that descriptors never run out. A connection that sends nothing is
closed. Uvicorn closes those that are idle after an answer. If descriptors run out all the same, new
connections wait in the kernel until there are some again.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import StoreError, Terminated, UsageError, unstopped
from ..intake.conditions import Conditions
from ..intake.sent import Trials, in_a_process, open_seasons
from ..printable import Say
from ..runs import heap
from ..store import Store
from ..store.leases import Driver
from ..store.models import now
from .lobby import Tables
from .operations import Backups
from .organise import token_in
from .server import make_app
from .site import Site
from .warming import Warming

KEPT_LINES = 20  # of what the server says, for the organiser's page
LOOK_S = 3.0  # from one look whether the database is the file that was opened to the next
GRACE_S = 3
"""Ctrl-C waits so long for requests that are under way; an upload that never ends is cut off."""
LEAST = 64  # descriptors: for a start, files of the database for all threads, and some connections
FIRST_S = 10.0  # until the first byte
SAID_S = 60.0  # between two lines about one cause
SCARCE = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)  # why a connection cannot be taken


def serve(
    store: Store,
    host: str = "127.0.0.1",
    port: int = 8237,
    *,
    names: Sequence[str] = (),
    submissions: bool = False,
    trials: bool = True,
    registration: bool = False,
    leagues: Sequence[str] = (),
    out: Path = Path("played"),
    proxy: Sequence[str] = (),
    prefix: str = "",
    organiser: Path | None = None,
    access_log: Path | None = None,
    backup: Path | None = None,
    say: Say = print,
) -> None:
    """Serve reports live, seat people at tables, take submissions, until it is stopped.

    Args:
        store: what is shown.
        host: address to listen at.
        port: to listen at; 0: a free one.
        names: of hosts under which it is asked for.
        submissions: whether it takes bots from owners.
        registration: whether anybody may become an owner, within limits.
        trials: whether it tries them; else `arena owner try` has to run somewhere.
        leagues: under whose conditions bots are tried, by name or file; default: each game's usual ones.
        out: folder for the games at its tables.
        proxy: addresses of proxies that say for whom they ask (X-Forwarded-For).
        prefix: path before all addresses, where a proxy leaves it there: `/arena`.
        organiser: file with the token of the organiser's page, made if need be; None: there is no such page.
        access_log: file with a JSON line for every request, rotated.
        backup: folder for daily copies of the database.
        say: hears where it listens.

    Raises:
        UsageError: the address cannot be had.
        DefinitionError: a league's file is wrong.
        StoreError: the database's file was removed or replaced meanwhile.
    """
    heap.steady()
    heard, tell = deque[str](maxlen=KEPT_LINES), say
    ruler = token_in(organiser) if organiser is not None else ""

    def keep(line: str) -> None:
        heard.append(f"{now():%Y-%m-%d %H:%M} UTC: {line}")
        tell(line)

    say = keep
    connections = Connections(tuple(proxy), say)
    conditions = {one.game: one for one in map(Conditions.of_league, leagues)}  # a mistake is said now
    if submissions:
        store.check_writable()
    if registration and not submissions:
        raise UsageError("--registration: without --allow-submissions there is nothing to register for")
    if submissions and not registration and not store.owners.all():
        say("nobody may submit yet: arena owner invite NAME prints a token")
    listening = _listen(host, port)
    place = listening.getsockname()[1]
    if host not in ("127.0.0.1", "localhost", "::1"):
        say(f"everybody who reaches {host} sees it: there is no encryption; put a proxy with TLS before it")
    hosts = ["localhost", host, socket.gethostname(), *names]
    prefix = "/" + prefix.strip("/") if prefix.strip("/") else ""
    shown = _own_address() if host == "0.0.0.0" else "::1" if host == "::" else host
    say(f"http://{f'[{shown}]' if ':' in shown else shown}:{place}{prefix}/  (Ctrl-C ends it)")
    if organiser is not None:
        say(f"the organiser's page is {prefix}/organise; its token is in {organiser}")
    heard.clear()
    if backup is not None:
        Backups(store, backup, say)
    seasons = [league.game for file in open_seasons(store) for league in file.leagues]
    warming = Warming(tell, say, {*conditions, *seasons})
    tried = Trials(store, partial(_try, warming, store, leagues), say) if submissions and trials else None
    wake = tried.wake if tried else lambda: None
    site = Site(
        store,
        Tables(out, warming.check, connections.tell),
        wake if submissions else None,
        registration,
        copies=backup,
        conditions=conditions,
        organiser=ruler,
        heard=heard,
        ready=warming.check,
        tell=connections.tell,
    )
    config = uvicorn.Config(
        make_app(site, hosts, access_log, prefix),
        http=connections.protocol(),
        backlog=1,
        proxy_headers=bool(proxy),
        forwarded_allow_ips=list(proxy),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        lifespan="off",  # there is nothing to do, and its end would print a traceback at a second Ctrl-C
    )
    signal.signal(signal.SIGTERM, Terminated.by_signal)  # uvicorn raises the signal again when it has ended
    server = WebServer(config)
    server.connections = connections
    gone = list[StoreError]()
    threading.Thread(target=_watch, args=(store, server, gone), name="watch", daemon=True).start()
    try:
        server.run(sockets=[listening])
    finally:
        with unstopped():
            warming.close()
            if tried is not None:
                tried.close()
    if gone:
        raise gone[0]


def _try(
    warming: Warming, store: Store, leagues: Sequence[str], driver: Driver, over: threading.Event
) -> bool:
    """Try what waits once the games that are due are compiled: a trial would compile its own beside."""
    warming.wait(over)
    return in_a_process(store, leagues, driver, over)


def _watch(store: Store, server: uvicorn.Server, gone: list[StoreError]) -> None:
    """End the server when its database was removed or replaced: started again, it opens the new one."""
    while not gone:
        time.sleep(LOOK_S)
        try:
            store.check_same_file()
        except StoreError as error:
            gone.append(error)
            server.should_exit = True


def _own_address() -> str:
    """Return the address of this machine on its route to others; without one that of the machine alone."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.connect(("192.0.2.1", 9))  # sends nothing
        return str(one.getsockname()[0])
    return "127.0.0.1"


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        UsageError: the address cannot be had.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, TypeError) as error:  # the latter for a host's name that cannot be one
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise UsageError(f"cannot listen at {host}, port {port}: {reason}") from None


# --- its connections ----------------------------------------------------------------------------------------


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
