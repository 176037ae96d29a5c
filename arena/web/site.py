"""What requests share, and how they are answered: limits, bodies, errors, who asks.

A handler is a function of site, request and body that returns plain data or a response. What it raises for
the person who asked becomes a line of JSON with a status.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import ipaddress
import json
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from engines.errors import GameError
from leagues.errors import LeagueError

from ..errors import ArenaError, Damaged, StoreError, TooMany, Unknown, UsageError
from ..intake.conditions import Conditions
from ..jail.outcomes import HostError
from ..replay.recorded import Recorded, stored
from ..store import Store
from ..store.models import Season
from .advice import Advisers
from .background import Background, Coming, Marks
from .figures import figures_of, subject_of
from .home import home, leaders, season_of
from .lobby import Tables
from .operations import Answers
from .page import pack
from .warming import Compiling

MAX_WORDS = 20_000  # bytes of a request that is no submission
BODY_S = 60.0  # a request that takes longer to arrive is given up
ALL_PER_MINUTE = 1200  # requests of one address; a page that is open asks 15 to 40 times
MOST_ADDRESSES = 10_000
TABLE_THREADS, OTHER_THREADS = 16, 24
HEALTH_S = 3.0  # the health check says so when the database has not answered for so long
AGAIN_S = 10  # until a visitor may ask again who could not be answered for no fault of theirs
HEALTH = ("/healthz", "/readyz")
PER_MINUTE = 120  # costly requests of one address: changes, reports, films
LEVEL = 6  # of compression
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Denied(ArenaError):
    """No token, or a wrong one."""


class Unauthorised(Denied):
    """No token, or one that is not known."""


class TooLarge(UsageError):
    """A request whose body is too large."""


class Compressed(NamedTuple):
    """An answer that many get, compressed once for all of them; `etag` changes with it."""

    gzip: bytes
    etag: str

    @classmethod
    def of(cls, content: bytes) -> Compressed:
        """Compress an answer."""
        return cls(gzip.compress(content, LEVEL, mtime=0), f'"{hashlib.sha256(content).hexdigest()[:16]}"')

    def answer(self, request: Request) -> Response:
        """Return it as JSON: 304 to who has it, plain to who does not take gzip."""
        headers = HEADERS | {"Cache-Control": "no-cache", "ETag": self.etag, "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == self.etag:
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.gzip), headers=headers, media_type="application/json")
        headers |= {"Content-Encoding": "gzip"}
        return Response(self.gzip, headers=headers, media_type="application/json")


CODES: dict[type[Exception], int] = {
    Unknown: 404,
    Compiling: 503,
    TooMany: 429,
    Coming: 202,
    Unauthorised: 401,
    Denied: 403,
    TooLarge: 413,
    Damaged: 500,
    StoreError: 503,
    HostError: 503,
    OSError: 503,
    MemoryError: 503,
}


@dataclass
class Site:
    """What a server shares between requests."""

    store: Store
    tables: Tables
    sent: Callable[[], None] | None = None  # hears of submissions; None: none are taken
    registration: bool = False  # whether anybody may become an owner
    copies: Path | None = None  # folder of backups
    given: Answers = field(default_factory=Answers)
    conditions: Mapping[str, Conditions] = field(default_factory=dict)  # of trials, by game, if given
    organiser: str = ""  # the organiser's token; "": there is no organiser's page
    heard: Collection[str] = ()  # what the server said last
    ready: Callable[[str], None] = lambda game: None  # raises Compiling for a game that cannot be played yet
    tell: Callable[[str, str], None] = lambda cause, line: None  # hears why requests could not be answered
    answers: Background[Compressed] = field(init=False)
    marks: Marks = field(init=False)
    asked: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    leading: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)  # by season
    advisers: Advisers = field(init=False)
    at_tables: CapacityLimiter | None = None  # of threads; made where the server runs
    elsewhere: CapacityLimiter | None = None
    checking: asyncio.Future[Any] | None = None  # the check of its health that is under way
    counting: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.advisers = Advisers(self.store)
        self.marks = Marks(self._mark)
        self.reading = ThreadPoolExecutor(1, thread_name_prefix="sources")  # its fork server ends with it
        self.answers = Background(ThreadPoolExecutor(1, thread_name_prefix="reports"), self._make)

    def played(self, label: str) -> Recorded:
        """Return a game of the store.

        Raises:
            UsageError: there is none, or its run is not finished.
            Compiling: its game is being compiled.
        """
        found = stored(self.store, label)
        self.ready(found.game)
        return found

    def state(self) -> str:
        """Return a mark that changes when games come in, runs or seasons begin or end."""
        return self.marks.of("")

    def _make(self, what: str, state: str) -> Compressed:
        kind, _, name = what.partition(" ")
        if kind == "report":
            figures, games = figures_of(self.store, subject_of(self.store, name), words=False)
            made = {"state": state, "data": pack(dict(figures)), "games": pack(games)}
        else:
            made = (
                season_of(self.store, name)
                if kind == "season"
                else home(self.store, self.sent is not None, self.registration, self._first)
            )
        return Compressed.of(encoded(made))

    def _first(self, season: Season) -> dict[str, Any]:
        """Return the leaders of a season, made anew when an epoch begins or ends, as the season's page is."""
        mark, known = self.store.seasons.mark(season.name), self.leading.get(season.name)
        if known is None or known[0] != mark:
            known = self.leading[season.name] = mark, leaders(self.store, season)
        return known[1]

    def _mark(self, name: str) -> str:
        if name:
            return f"{self.store.seasons.mark(name)} {sorted(self.store.leases.all())}"
        seasons = [(one.name, one.state) for one in self.store.seasons.all()]
        facts = f"{self.store.matches.mark()} {seasons} {sorted(self.store.leases.all())}"
        return hashlib.sha256(facts.encode()).hexdigest()[:16]

    def check_rate(self, request: Request, most: int) -> None:
        """Raise TooMany when an address asks too often.

        An address may ask `most` times a minute.
        """
        now, key = time.monotonic(), (network_of(request), most)
        with self.counting:
            if len(self.asked) > MOST_ADDRESSES:
                self.asked.clear()
            recent = [at for at in self.asked.get(key, ()) if now - at < 60]
            allowed = len(recent) < most
            self.asked[key] = [*recent, now] if allowed else recent
        if not allowed:
            wait_s = math.ceil(recent[0] + 60 - now)
            raise TooMany(
                f"too many requests: an address may send {most} of this kind a minute; go on in {wait_s} s",
                wait_s,
            )


# --- how requests are answered ------------------------------------------------------------------------------

Act = Callable[[Site, Request, bytes], Any]
"""What answers a request with its body: JSON, or a response."""
Most = Callable[[Request], tuple[int, str]]
"""How many bytes a request may have, and what it sends."""
Told = Callable[[Request, str, int, dict[str, str]], Response]
"""What answers with an error: the request, its words, the status and headers."""


def as_json(request: Request, words: str, code: int, headers: dict[str, str]) -> Response:
    """Tell a program what was wrong with its request."""
    return Json({"error": words}, code, headers)


def answering(
    site: Site, act: Act, most: int | Most = 0, status: int = 200, told: Told = as_json, costly: bool = True
) -> Handler:
    """Return what answers requests by a function of site, request and body.

    The body has `most` bytes at most; `status` is that of an answer that is no error; `told` answers with an
    error. Changes that are `costly` have a small budget of their own; moves at a table are not.
    """

    async def handle(request: Request) -> Response:
        try:
            site.check_rate(request, ALL_PER_MINUTE)
            body = await body_of(
                request, *((most, "the request") if isinstance(most, int) else most(request))
            )
            if request.method not in ("GET", "HEAD"):
                if request.headers.get("x-arena") != "1":
                    raise Denied("the header X-Arena: 1 is missing")
                if costly:
                    site.check_rate(request, PER_MINUTE)
            found = await _in_thread(site, request, act, body)
            return found if isinstance(found, Response) else Json(found, status, HEADERS)
        except (ClientDisconnect, asyncio.CancelledError):
            return Response(status_code=503)  # nobody reads it, or the server ends
        except (ArenaError, GameError, LeagueError, HostError, OSError, MemoryError) as error:
            code = next((code for kind, code in CODES.items() if isinstance(error, kind)), 400)
            words = error.text if isinstance(error, ArenaError) else str(error)
            wait_s = error.wait_s if isinstance(error, TooMany) else AGAIN_S
            if isinstance(error, OSError | HostError | MemoryError):  # its text may name a file
                words = f"the server cannot answer now: {getattr(error, 'strerror', '') or 'it lacks means'}"
            if code >= 500 and not isinstance(error, TooMany):
                site.tell(words, f"requests cannot be answered: {str(error) or words}")
            words = words.replace(f"{site.store.name}: ", "").replace(site.store.name, "the database")
            wait = {"Retry-After": str(math.ceil(wait_s))} if code in (429, 503) else {}
            return told(request, words, code, HEADERS | wait)

    return handle


async def _in_thread(site: Site, request: Request, act: Act, body: bytes) -> Any:
    """Answer in a thread.

    Tables have threads of their own, so that no viewer of a league keeps a person waiting. Who asks for the
    health while it is checked gets the answer of that check, so a database that hangs holds one thread.
    """
    if site.at_tables is None:
        site.at_tables, site.elsewhere = CapacityLimiter(TABLE_THREADS), CapacityLimiter(OTHER_THREADS)
    path = request.url.path
    if path not in HEALTH:  # a locked database may hold all threads of the others for a minute
        limiter = site.at_tables if path.startswith("/api/tables") else site.elsewhere
        return await run_sync(act, site, request, body, limiter=None if path == "/livez" else limiter)
    if (check := site.checking) is None or check.done():
        check = site.checking = asyncio.ensure_future(run_sync(act, site, request, body))
        check.add_done_callback(lambda one: one.cancelled() or one.exception())  # perhaps nobody waits
    await asyncio.wait([check], timeout=HEALTH_S)
    if not check.done():
        raise StoreError(f"the database has not answered for {HEALTH_S:.0f} s")
    return check.result()


async def body_of(request: Request, most: int, what: str = "the request") -> bytes:
    """Return the body, as long as it is not too large and comes in time."""
    parts, size = [], 0
    stream: AsyncIterator[bytes] = request.stream()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in stream:
                size += len(part)
                if size > most:
                    raise TooLarge(f"{what} is too large: {most} bytes at most")
                parts.append(part)
    except TimeoutError:
        raise UsageError(f"the request took longer than {BODY_S:.0f} s to arrive: send it again") from None
    return b"".join(parts)


# --- what they send, and what they get ----------------------------------------------------------------------


def network_of(request: Request) -> str:
    """Who asks: an IPv4 address, or the /48 network of an IPv6 one, as a home may have."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    address = getattr(address, "ipv4_mapped", None) or address
    return str(ipaddress.ip_network((address, 48), strict=False) if address.version == 6 else address)


def fields_of(body: bytes) -> dict[str, Any]:
    """Return the JSON object that a request sends.

    Raises:
        UsageError: it is none.
    """
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UsageError("send a JSON object")
    return fields


def whole(value: Any) -> int:
    """Return a whole number that a request sends, within reason.

    Raises:
        UsageError: it is none.
    """
    try:
        return min(max(int(value), -1), 1 << 30)
    except (TypeError, ValueError, OverflowError):
        raise UsageError("a whole number is missing") from None


class Json(JSONResponse):
    """JSON in ASCII: a stranger's text may hold what UTF-8 cannot say (half a surrogate pair)."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return encoded(content)


def encoded(content: Any) -> bytes:
    """Return content as JSON."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=_as_text).encode()


def _as_text(value: Any) -> str:
    """Return a time as text."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    raise TypeError(f"{type(value).__name__} cannot be sent")
