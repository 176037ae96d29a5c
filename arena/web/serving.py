"""`serve`: the server as a process that runs until it is stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import uvicorn

from ..errors import StoreError, Terminated, UsageError, unstopped
from ..intake.conditions import Conditions
from ..intake.sent import Trials, in_a_process, open_seasons
from ..printable import Say
from ..runs import heap
from ..store import Store
from ..store.leases import Driver
from ..store.models import now
from .connections import Connections, WebServer
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
