"""The pages over HTTP: reports of the store as it is now, tables for people, a queue for submissions.

Nobody gets sources, logs or last output of another's bots, or secrets and games of unfinished runs. Every
page has a Content-Security-Policy; what changes something asks for a header that no foreign page can send;
only hosts that the server was started for are answered, so that no foreign name leads here.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import StoreError, Unknown
from ..games import lesson, lesson_file, rules_page
from ..intake.entering import first_bot
from ..intake.sent import taken
from ..match.records import line
from ..replay.analysis import saved_costs
from ..replay.film import film_of
from ..replay.listing import same_deal
from ..store.models import Owner, age
from . import account as owners
from . import organise, seats
from .figures import check_subject
from .home import entering, games_in_season, queue_of
from .live_table import house_names
from .operations import AccessLog, metrics, upkeep
from .page import REPORT, asset, page, policy, script
from .site import HEADERS, HEALTH, MAX_WORDS, PER_MINUTE, Act, Site, answering, as_json
from .warming import Compiling

LEAST_FREE = 64 << 20  # bytes of the disk of the database, below which the server is not healthy
LIVE = "acts advice lobby play watch submit seasons organise server"
SCRIPTS = (*REPORT, *(f"{name}.js" for name in LIVE.split()))
WHAT = "Bots compete at five card games: watch them, play against them, send your own."
COMING = '<p class="say" role="status">One moment: this page is being made.</p>'
CHECKS: dict[str, Callable[[Site, str], object]] = {
    "report": lambda site, name: check_subject(site.store, name),
    "season": lambda site, name: site.store.seasons.find(name),
    "play": lambda site, name: site.tables.find(name),
    "learn": lambda site, name: _check_lesson(name),
}
"""What raises Unknown where a page's address names nothing, by the address's first word."""


def make_app(site: Site, hosts: list[str], access_log: Path | None = None, prefix: str = "") -> ASGIApp:
    """Return the application.

    Args:
        hosts: names under which it is asked for, besides every address.
        access_log: file with a line for every request; None: none is written.
        prefix: path before all addresses, where a proxy leaves it there: `/arena`.
    """
    site.store.reconnect_s = 0.0  # whoever asks is told at once, and asks again
    answer, shell = partial(answering, site), _shell(site.sent is not None)

    def lost(request: Request, words: str, code: int, headers: dict[str, str]) -> Response:
        if request.url.path.startswith("/api/"):
            return as_json(request, words, code, headers)
        code = 404 if code == 400 else code
        heading = "Not found" if code == 404 else "Not now"
        home = f'<p><a href="{_root(request)}/">To the first page</a></p>'
        said = f"<h1>{heading}</h1><p>{escape(words[:1].upper() + words[1:])}</p>{home}"
        return shell(request, f'<section id="notfound">{said}</section>', code, headers)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return lost(request, "There is no such page.", error.status_code, HEADERS)

    async def mistaken(request: Request, error: Exception) -> Response:
        return lost(request, "this is a mistake of the server, which its log has", 500, HEADERS)

    def shown(kind: str) -> Act:
        def show(site: Site, request: Request, body: bytes) -> Response:
            for name in request.path_params.values():
                with contextlib.suppress(Compiling):  # the page says so, and asks again
                    CHECKS[kind](site, name)
            return shell(request, COMING, 200, HEADERS)

        return show

    pages = "/ /report/{subject:path} /season/{name} /play /play/{table} /submit /queue /learn/{game}"
    pages += " /organise" if site.organiser else ""
    routes = [
        *(Route(path, answer(shown(path.split("/")[1]), told=lost)) for path in pages.split()),
        Route("/api/season", answer(_season)),
        Route("/api/season/games", answer(_season_games)),
        Route("/api/queue", answer(_queue)),
        Route("/api/entering", answer(_entering)),
        Route("/api/first_bot", answer(_first_bot)),
        Route("/api/game", answer(_game)),
        Route("/livez", answer(_alive)),
        *(Route(path, answer(_health)) for path in HEALTH),
        Route("/metrics", answer(_metrics)),
        Route("/api/home", answer(_home)),
        Route("/api/organise", answer(organise.overview)),
        Route("/api/organise", answer(organise.act, MAX_WORDS), methods=["POST"]),
        Route("/api/report", answer(_report)),
        Route("/api/state", answer(_state)),
        Route("/api/film", answer(_watch)),
        Route("/api/asked", answer(seats.asked, MAX_WORDS), methods=["POST"]),
        Route("/api/lesson", answer(_lesson)),
        Route("/api/rules", answer(_rules)),
        Route("/api/tables", answer(seats.begin, MAX_WORDS), methods=["POST"]),
        Route("/api/onward", answer(seats.onward, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}", answer(seats.look)),
        Route("/api/tables/{table}", answer(seats.act, MAX_WORDS, costly=False), methods=["POST"]),
        Route("/api/tables/{table}/join", answer(seats.join, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}/name", answer(seats.rename, MAX_WORDS, costly=False), methods=["POST"]),
        Route("/api/tables/{table}/watch", answer(seats.watch)),
        Route("/api/tables/{table}/asked", answer(seats.asked, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}/hint", answer(seats.hint, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}/film", answer(seats.film)),
        Route("/api/tables/{table}/onward", answer(seats.onward, MAX_WORDS), methods=["POST"]),
        Route("/api/tables/{table}/rematch", answer(seats.rematch, MAX_WORDS), methods=["POST"]),
        Route("/api/owners", answer(owners.register, MAX_WORDS, 201), methods=["POST"]),
        Route("/api/tokens", answer(owners.tokens)),
        Route("/api/tokens", answer(owners.add_token, MAX_WORDS, 201), methods=["POST"]),
        Route("/api/tokens/{mark}", answer(owners.remove_token), methods=["DELETE"]),
        Route("/api/bots", answer(owners.mine)),
        Route("/api/bots/export", answer(owners.export)),
        Route("/api/bots/{label}/games", answer(owners.games)),
        Route("/api/bots/{label}/logs", answer(owners.printed)),
        Route("/api/bots/{label}", answer(owners.retire, MAX_WORDS), methods=["POST"]),
        Route("/api/bots", answer(owners.submit, owners.room, 202), methods=["POST"]),
    ]
    app: ASGIApp = Starlette(
        routes=routes,
        exception_handlers={HTTPException: refused, Exception: mistaken},
        middleware=[Middleware(KnownHosts, hosts=hosts), Middleware(GZipMiddleware, minimum_size=1000)],
    )
    app = _under(prefix, app) if prefix else app
    return AccessLog(app, site.given, access_log)


def _shell(takes: bool) -> Callable[[Request, str, int, dict[str, str]], Response]:
    """Return what answers with a page of the site: header, content, and the script that draws the rest.

    All addresses in it are relative, so it works wherever a proxy puts it.
    """
    links = [("#to=seasons", "Seasons"), ("#to=runs", "Leagues"), ("play", "Play")]
    links += [("submit", "Submit a bot"), ("queue", "Queue")] if takes else []
    nav = "".join(f'<a href="@root@/{href}">{text}</a>' for href, text in links)
    top = (
        '<header class="site" id="site"><a class="brand" href="@root@/">card-arena</a>'
        f'<p class="motto">{WHAT}</p><nav aria-label="site">{nav}</nav><span id="place"></span></header>'
    )
    html = page("card-arena", {}, *SCRIPTS, connect="'self'", root="@root@", top=top, content="@content@")
    security = policy(script(*SCRIPTS), asset("page.css"), "'self'") + "; frame-ancestors 'none'"

    def shell(request: Request, content: str, code: int, headers: dict[str, str]) -> Response:
        made = html.replace("@root@", _root(request)).replace("@content@", content)
        return HTMLResponse(made, code, headers | {"Content-Security-Policy": security})

    return shell


def _root(request: Request) -> str:
    """Return the way from a page's address to the site's first page: `.`, or `..` and more of them."""
    path: bytes = request.scope.get("raw_path") or request.url.path.encode()
    return "/".join([".."] * (path.count(b"/") - 1)) or "."


def _under(prefix: str, app: ASGIApp) -> ASGIApp:
    """Have an application answer under a path, too; what names the path alone is led to its first page."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope.get("path", "")
        if path == prefix:
            await RedirectResponse(f"{prefix}/", 308)(scope, receive, send)
            return
        if path.startswith(f"{prefix}/"):
            raw: bytes = scope.get("raw_path") or path.encode()
            scope = {**scope, "path": path[len(prefix) :], "raw_path": raw[len(prefix) :]}
        await app(scope, receive, send)

    return handle


def _check_lesson(game: str) -> None:
    if lesson_file(game) is None:
        raise Unknown(f"{game} has no lesson")


def _alive(site: Site, request: Request, body: bytes) -> Any:
    """Answer: the process is there, whatever its database does."""
    return {"state": "ok"}


def _health(site: Site, request: Request, body: bytes) -> Any:
    """Read the database, write to it if bots are taken, and see that its disk has room."""
    store, there = site.store, site.store.leases.season_drivers()
    seen = upkeep(store, site.copies, there)
    free = seen["disk_free_bytes"]
    if free is not None and free < LEAST_FREE:
        raise StoreError(f"the disk of the database has only {int(free) >> 20} MiB left")
    if site.sent is not None:
        store.check_writable()
        with store.submissions.writing() as session:  # a lock alone works on a broken disk, too
            session.add(row := Owner(name=""))
            session.flush()
            session.delete(row)
    drivers = {name: [one.does, age(one.heartbeat)] for name, one in there.items()}
    return {"state": "ok", "submissions": store.submissions.count(), "drivers": drivers, **seen}


def _metrics(site: Site, request: Request, body: bytes) -> Response:
    site.check_rate(request, PER_MINUTE)
    text = metrics(site.store, site.tables.taken(), site.copies, site.given)
    return PlainTextResponse(text, headers=HEADERS, media_type="text/plain; version=0.0.4")


def _season(site: Site, request: Request, body: bytes) -> Response:
    """Return a season as `_report` does a report: anew when an epoch begins or ends, or a bot comes."""
    name = request.query_params.get("name", "")
    return site.answers.of(f"season {name}", site.marks.of(name)).answer(request)


def _season_games(site: Site, request: Request, body: bytes) -> Any:
    site.check_rate(request, PER_MINUTE)
    asked = request.query_params
    return games_in_season(site.store, asked.get("name", ""), asked.get("bot", ""))


def _queue(site: Site, request: Request, body: bytes) -> Any:
    return queue_of(site.store)


def _entering(site: Site, request: Request, body: bytes) -> Any:
    found = entering(site.store, taken(site.store, site.conditions))
    return found | {"submissions": site.sent is not None, "registration": site.registration}


def _first_bot(site: Site, request: Request, body: bytes) -> Response:
    source = first_bot("my_bot", request.query_params.get("game", ""))
    headers = HEADERS | {"Content-Disposition": 'attachment; filename="my_bot.py"'}
    return Response(source, headers=headers, media_type="text/x-python")


def _game(site: Site, request: Request, body: bytes) -> Response:
    """Return a game as a record that `arena trace --check` replays."""
    site.check_rate(request, PER_MINUTE)
    found = site.played(request.query_params.get("game", ""))
    name = re.sub(r"[^\w.-]+", "-", found.label)
    lines = "".join(f"{line(event)}\n" for event in found.events())
    headers = HEADERS | {"Content-Disposition": f'attachment; filename="{name}.jsonl"'}
    return Response(lines, headers=headers, media_type="application/jsonl")


def _report(site: Site, request: Request, body: bytes) -> Response:
    """Return a report as it is now, or as it was until the next one is made."""
    site.check_rate(request, PER_MINUTE)
    name = request.query_params.get("subject", "")[:200]
    return site.answers.of(f"report {name}", site.state()).answer(request)


def _home(site: Site, request: Request, body: bytes) -> Response:
    return site.answers.of("home", site.state()).answer(request)


def _state(site: Site, request: Request, body: bytes) -> Any:
    return {"state": site.state()}


def _watch(site: Site, request: Request, body: bytes) -> Any:
    site.check_rate(request, PER_MINUTE)  # a game is played again for it
    label, owner = request.query_params.get("game", ""), owners.some_owner(site, request)
    mine = [bot.label for bot in site.store.owners.bots_of(owner.name)] if owner else []
    game = site.played(label)
    made = film_of(game, words=False, logs=mine)
    made["same"], made["costs"] = same_deal(site.store, label), saved_costs(site.store, label)
    return made | {"bots": house_names(game.game)}


def _lesson(site: Site, request: Request, body: bytes) -> Any:
    site.check_rate(request, PER_MINUTE)
    game = request.query_params.get("game", "")
    site.ready(game)
    return lesson(game)


def _rules(site: Site, request: Request, body: bytes) -> Any:
    return {"text": rules_page(request.query_params.get("game", ""))}


class KnownHosts:
    """Middleware that refuses requests for other hosts.

    A foreign page can make a name of its own lead to this machine and then reads our answers as its own (DNS
    rebinding); it cannot do so with an address.

    Args:
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
