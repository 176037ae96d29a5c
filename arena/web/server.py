"""The pages over HTTP: reports of the store as it is now, tables for people, a queue for submissions.

What is never served: sources, logs and last output of bots, secrets and games of unfinished runs. Every page
has a Content-Security-Policy; what changes something asks for a header that no foreign page can send; only
hosts that the server was started for are answered, so that no foreign name leads here.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

import engines
from engines.errors import GameError
from leagues.errors import LeagueError

from ..bots.archive import MAX_PACKED
from ..errors import ArenaError, StoreError, TooMany, UsageError
from ..ladder.status import LeagueStatus
from ..league.guard import why_not
from ..records import line
from ..replay.film import film_of
from ..replay.recorded import stored
from ..store import Store
from ..store.events import MESSAGE
from ..store.packing import GAMES_PER_MATCH
from . import owners, played
from .background import Background
from .figures import figures_of, subject_of
from .hosts import KnownHosts
from .operations import AccessLog, metrics
from .page import asset, pack, page, policy, script
from .requests import HEADERS, PER_MINUTE, Denied, Json, cacheable, encoded, fields_of, network_of, whole
from .seasons import SeasonPages, season_policy
from .table import PERSON, Tables, house_names

MAX_WORDS = 20_000  # bytes of a request that is no submission
BODY_S = 60.0  # a request that takes longer to arrive is given up
NEWEST = 8  # games on the first page
ALL_PER_MINUTE = 1200  # requests of one address; a page that is open asks 15 to 40 times
LOOK_S = 1.0  # the store is not asked sooner whether something is new
MOST_ADDRESSES = 10_000
MAX_BYTES = MAX_PACKED
TABLE_THREADS, OTHER_THREADS = 16, 24
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


CODES = {TooMany: 429, Denied: 403, StoreError: 503}


Act = Callable[["Site", Request, bytes], Any]
"""What answers a request with its body: JSON, or a response."""


@dataclass
class Site:
    """What a server shares between requests."""

    store: Store
    tables: Tables
    sent: Callable[[], None] | None = None  # hears of submissions; None: none are taken
    registration: bool = False  # whether anybody may become an owner
    reports: Background[bytes] = field(init=False)
    newest: Background[list[dict[str, Any]]] = field(init=False)
    known: tuple[float, str] = (-1.0, "")
    asked: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    seasons: SeasonPages = field(init=False)
    at_tables: CapacityLimiter | None = None  # of threads; made where the server runs
    elsewhere: CapacityLimiter | None = None
    counting: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.seasons = SeasonPages(self.store)
        worker = ThreadPoolExecutor(1, thread_name_prefix="reports")
        self.reports = Background(worker, self._make_report)
        self.newest = Background(worker, lambda name, state: _newest(self.store))

    def report(self, name: str) -> bytes:
        """Return a report as JSON: as it is now, or as it was until the next one is made."""
        return self.reports.of(name, self.state())

    def newest_games(self) -> list[dict[str, Any]]:
        """Games of finished runs that can be watched, newest first: one of each of the last matches."""
        return self.newest.of("", self.state())

    def _make_report(self, name: str, state: str) -> bytes:
        figures, games = figures_of(self.store, subject_of(self.store, name), words=False)
        return encoded({"state": state, "data": pack(dict(figures)), "games": pack(games)})

    def state(self) -> str:
        """Return a mark that changes when games come in or runs end.

        The store is looked at once a second, whoever asks.
        """
        now, (looked, state) = time.monotonic(), self.known
        if not state or now - looked >= LOOK_S:
            counts = self.store.counts()
            state = json.dumps([[run.id, run.state, counts[run.key].stored] for run in self.store.runs()])
            self.known = now, state
        return state

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
            raise TooMany("too many requests: wait a minute", 60)


def make_app(
    store: Store,
    hosts: list[str],
    records: Path | None,
    sent: Callable[[], None] | None = None,
    access_log: Path | None = None,
    registration: bool = False,
) -> ASGIApp:
    """Return the application.

    Args:
        store: what is shown.
        hosts: names under which it is asked for, besides every address.
        records: where records of games at its tables go; None: nowhere.
        sent: hears that a bot was submitted and stored; None: none are taken.
        access_log: file with a line for every request; None: none is written.
        registration: whether anybody may become an owner.
    """
    site = Site(store, Tables(records), sent, registration)
    html = page("arena", {}, "acts.js", "play.js", "server.js", connect="'self'")
    security = policy(script("acts.js", "play.js", "server.js"), asset("page.css"), "'self'")

    answer = partial(_answering, site)

    async def shell(request: Request) -> Response:
        return HTMLResponse(
            html, headers=HEADERS | {"Content-Security-Policy": f"{security}; frame-ancestors 'none'"}
        )

    routes = [
        *(
            Route(path, shell)
            for path in ("/", "/report/{subject:path}", "/play", "/play/{table}", "/submit")
        ),
        Route("/season/{name}", answer(_season)),
        Route("/season/{name}/feed", answer(_feed)),
        Route("/season/{name}/badge/{bot}.svg", answer(_badge)),
        Route("/season/{name}/bot/{bot}", answer(_bot)),
        Route("/season/{name}/owner/{owner}", answer(_owner)),
        Route("/season/{name}/pair/{one}/{other}", answer(_pair)),
        Route("/season/{name}/deal/{run}/{deal:int}", answer(_deal)),
        Route("/queue", answer(_queue)),
        Route("/api/game", answer(_game)),
        Route("/healthz", answer(_health)),
        Route("/metrics", answer(_metrics)),
        Route("/api/home", answer(_home)),
        Route("/api/report", answer(_report)),
        Route("/api/state", answer(_state)),
        Route("/api/film", answer(_watch)),
        Route("/api/tables", answer(_begin, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}", answer(_look)),
        Route("/api/tables/{table}", answer(_act, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}/hint", answer(_hint, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}/film", answer(_table_film)),
        Route("/api/tables/{table}/rematch", answer(_rematch, MAX_WORDS), methods=["POST"]),
        Route("/api/owners", answer(owners.register, MAX_WORDS, 201), methods=["POST"]),
        Route("/api/bots", answer(owners.mine)),
        Route("/api/bots/export", answer(owners.export)),
        Route("/api/bots/{label}/games", answer(owners.games)),
        Route("/api/bots/{label}/logs", answer(owners.printed)),
        Route("/api/bots/{label}", answer(owners.retire, MAX_WORDS), methods=["POST"]),
        Route("/api/bots", answer(owners.submit, MAX_BYTES, 202), methods=["POST"]),
    ]
    app: ASGIApp = Starlette(
        routes=routes,
        middleware=[Middleware(KnownHosts, hosts=hosts), Middleware(GZipMiddleware, minimum_size=1000)],
    )
    return AccessLog(app, access_log) if access_log is not None else app


def _answering(site: Site, act: Act, most: int = 0, status: int = 200) -> Handler:
    """Return what answers requests by a function of site, request and body.

    The body has `most` bytes at most; `status` is that of an answer that is no error.
    """

    async def handle(request: Request) -> Response:
        try:
            site.check_rate(request, ALL_PER_MINUTE)
            body = await _body(request, most)
            if request.method != "GET":
                if request.headers.get("x-arena") != "1":
                    raise Denied("the header X-Arena: 1 is missing")
                site.check_rate(request, PER_MINUTE)
            found = await _in_thread(site, request, act, body)
            return found if isinstance(found, Response) else Json(found, status, HEADERS)
        except (ClientDisconnect, asyncio.CancelledError):
            return Response(status_code=503)  # nobody reads it, or the server ends
        except (ArenaError, GameError, LeagueError) as error:
            code = next((code for kind, code in CODES.items() if isinstance(error, kind)), 400)
            wait = {"Retry-After": str(math.ceil(error.wait_s))} if isinstance(error, TooMany) else {}
            return Json({"error": str(error)}, code, HEADERS | wait)

    return handle


async def _in_thread(site: Site, request: Request, act: Act, body: bytes) -> Any:
    """Answer in a thread. Tables have threads of their own: no viewer of a league keeps a person waiting."""
    if site.at_tables is None:
        site.at_tables, site.elsewhere = CapacityLimiter(TABLE_THREADS), CapacityLimiter(OTHER_THREADS)
    table = request.url.path.startswith(("/api/tables", "/healthz"))
    limiter = site.at_tables if table else site.elsewhere
    return await run_sync(act, site, request, body, limiter=limiter)


def _health(site: Site, request: Request, body: bytes) -> Any:
    """Read the database: without it nothing works."""
    return {"state": "ok", "submissions": site.store.count_submissions()}


def _metrics(site: Site, request: Request, body: bytes) -> Response:
    site.check_rate(request, PER_MINUTE)
    text = metrics(site.store, len(site.tables.open))
    return PlainTextResponse(text, headers=HEADERS, media_type="text/plain; version=0.0.4")


def _season(site: Site, request: Request, body: bytes) -> Response:
    made = site.seasons.of(request.path_params["name"])
    return cacheable(request, made.html, made.etag, "text/html", season_policy())


def _feed(site: Site, request: Request, body: bytes) -> Response:
    made = site.seasons.of(request.path_params["name"])
    return cacheable(request, made.feed, made.etag, "application/atom+xml")


def _badge(site: Site, request: Request, body: bytes) -> Response:
    name, bot = request.path_params["name"], request.path_params["bot"]
    made, drawn = site.seasons.of(name), site.seasons.badge(name, bot)
    answer = cacheable(request, drawn, made.etag, "image/svg+xml")
    answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # badges are for other pages
    return answer


def _bot(site: Site, request: Request, body: bytes) -> Response:
    name, leagues = _asked(site, request)
    return _made(request, played.bot_page(site.store, name, leagues, request.path_params["bot"]))


def _owner(site: Site, request: Request, body: bytes) -> Response:
    name, leagues = _asked(site, request)
    return _made(request, played.owner_page(site.store, name, leagues, request.path_params["owner"]))


def _pair(site: Site, request: Request, body: bytes) -> Response:
    (name, _), path = _asked(site, request), request.path_params
    return _made(request, played.pair_page(site.store, name, path["one"], path["other"]))


def _deal(site: Site, request: Request, body: bytes) -> Response:
    (name, _), path = _asked(site, request), request.path_params
    run = site.store.find_run(path["run"])
    return _made(request, played.deal_page(site.store, name, run, path["deal"]))


def _queue(site: Site, request: Request, body: bytes) -> Response:
    return _made(request, played.queue_page(site.store))


def _asked(site: Site, request: Request) -> tuple[str, Sequence[LeagueStatus]]:
    """Return the season of a page about games, and how its leagues stand."""
    site.check_rate(request, PER_MINUTE)
    name = request.path_params["name"]
    return name, site.seasons.of(name).leagues


def _made(request: Request, text: str) -> Response:
    etag = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]
    return cacheable(request, text, f'"{etag}"', "text/html", season_policy())


def _game(site: Site, request: Request, body: bytes) -> Response:
    """Return a game as a record that `arena trace --check` replays."""
    site.check_rate(request, PER_MINUTE)
    found = stored(site.store, request.query_params.get("game", ""))
    name = re.sub(r"[^\w.-]+", "-", found.label)
    lines = "".join(f"{line(event)}\n" for event in found.events())
    headers = HEADERS | {"Content-Disposition": f'attachment; filename="{name}.jsonl"'}
    return Response(lines, headers=headers, media_type="application/jsonl")


def _report(site: Site, request: Request, body: bytes) -> Response:
    site.check_rate(request, PER_MINUTE)
    found = site.report(request.query_params.get("subject", "")[:200])
    return Response(found, headers=HEADERS, media_type="application/json")


def _state(site: Site, request: Request, body: bytes) -> Any:
    return {"state": site.state()}


def _watch(site: Site, request: Request, body: bytes) -> Any:
    site.check_rate(request, PER_MINUTE)  # a game is played again for it
    return film_of(stored(site.store, request.query_params.get("game", "")), words=False)


def _begin(site: Site, request: Request, body: bytes) -> Any:
    wish = fields_of(body)
    seats, options = wish.get("seats"), wish.get("options", {})
    if not isinstance(seats, list) or not all(isinstance(one, str) for one in seats):
        raise UsageError('seats: a list of house bots and "person"')
    if not isinstance(options, dict):
        raise UsageError("options: an object")
    number, table = site.tables.begin(str(wish.get("game", "")), seats, options, network_of(request))
    return {"table": number, "keys": table.keys}


def _look(site: Site, request: Request, body: bytes) -> Any:
    table = site.tables.find(request.path_params["table"])
    with table.lock:
        seat = table.seat_of(request.query_params.get("key", ""))
        return table.show(seat, whole(request.query_params.get("since", "0")))


def _act(site: Site, request: Request, body: bytes) -> Any:
    wish, number = fields_of(body), request.path_params["table"]
    table = site.tables.find(number)
    with table.lock:
        seat = table.seat_of(str(wish.get("key", "")))
        table.play(seat, str(wish.get("action", "")), whole(wish.get("at")))
        site.tables.keep(number, table)
        return table.show(seat, whole(wish.get("since", 0)))


def _hint(site: Site, request: Request, body: bytes) -> Any:
    wish = fields_of(body)
    table = site.tables.find(request.path_params["table"])
    with table.lock:
        seat = table.seat_of(str(wish.get("key", "")))
        return {"action": table.hint(seat, str(wish.get("bot", ""))), "at": len(table.moves)}


def _rematch(site: Site, request: Request, body: bytes) -> Any:
    table, key = request.path_params["table"], str(fields_of(body).get("key", ""))
    number, made = site.tables.rematch(table, key, network_of(request))
    return {"table": number, "keys": made.keys}


def _table_film(site: Site, request: Request, body: bytes) -> Any:
    table = site.tables.find(request.path_params["table"])
    with table.lock:
        table.seat_of(request.query_params.get("key", ""))
        site.check_rate(request, PER_MINUTE)
        site.tables.keep(request.path_params["table"], table)  # if there was no room before
        return table.film()


def _home(site: Site, request: Request, body: bytes) -> dict[str, Any]:
    """Return runs, newest first, with their progress; games with their house bots."""
    counts = site.store.counts()
    runs = [
        {
            "label": run.label,
            "game": run.game,
            "state": run.state,
            "games": counts[run.key].games,
            "matches": counts[run.key].stored,
            "planned": counts[run.key].planned,
            "started": run.started.isoformat(timespec="minutes"),
        }
        for run in reversed(site.store.runs()[-200:])
    ]
    games = []
    for name in engines.names():
        game = engines.load(name)
        seats = [game.min_players, game.players, game.max_players]
        options = {
            one.name: {
                "default": str(one.default).lower() if isinstance(one.default, bool) else one.default,
                "allowed": one.allowed,
                "meaning": one.meaning,
            }
            for one in game.options.values()
        }
        played = any(run["game"] == name and run["games"] for run in runs)
        games.append(
            {
                "name": name,
                "title": engines.load(name).title,
                "players": seats,
                "bots": house_names(name),
                "options": options,
                "played": played,
            }
        )
    return {
        "runs": runs,
        "seasons": [{"name": one.name, "state": one.state} for one in reversed(site.store.seasons())],
        "games": games,
        "message": site.store.words(MESSAGE),
        "newest": site.newest_games(),
        "submissions": site.sent is not None,
        "registration": site.registration,
        "person": PERSON,
    }


def _newest(store: Store) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for run in reversed(store.runs()):
        if len(rows) >= NEWEST:
            break
        if run.state == "playing" or why_not(store, run, replayed=True):
            continue
        entries = store.entries(run)
        last = sorted(store.stored_matches(run))[len(rows) - NEWEST :]
        for match in reversed(list(store.matches(run, last))):
            names = [entries[match.line_up[place]].bot.label for place in match.places[0].tolist()]
            seats = list(zip(names, match.scores[0].tolist(), strict=True))
            label = f"{run.label}/{match.number * GAMES_PER_MATCH}"
            rows.append({"run": run.label, "label": label, "game": run.game, "seats": seats})
    return rows


async def _body(request: Request, most: int) -> bytes:
    """Return the body, as long as it is not too large and comes in time."""
    parts, size = [], 0
    stream: AsyncIterator[bytes] = request.stream()
    try:
        async with asyncio.timeout(BODY_S):
            async for part in stream:
                size += len(part)
                if size > most:
                    raise UsageError(f"the request is too large: {most} bytes at most")
                parts.append(part)
    except TimeoutError:
        raise UsageError(f"the request took longer than {BODY_S:.0f} s to arrive: send it again") from None
    return b"".join(parts)
