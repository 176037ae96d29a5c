"""`arena report`, `arena serve`: the league as web pages."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import completion
from arena.cli.output import DbOption, note, open_store
from arena.errors import UsageError, needs_extra

GRACE_S = 3
"""Ctrl-C waits so long for requests that are under way; an upload that never ends is cut off."""


def report(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="GAME|RUN",
            help="A game (all its leagues), or a run: taroky#2.",
            autocompletion=completion.games_and_runs,
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it; default: NAME.html here.")
    ] = None,
    games: Annotated[int, typer.Option(min=0, max=2000, help="Games that can be watched in it.")] = 60,
    words: Annotated[
        bool, typer.Option("--words/--no-words", help="With the last words of bots that forfeited.")
    ] = True,
    logs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOT",
            help="Show this bot's log in its games; repeat for more.",
            autocompletion=completion.stored_bots,
        ),
    ] = None,
    db: DbOption = None,
) -> None:
    """Write a report as one HTML file. It needs no network and no server.

    Standings, pairs, history, scores, CPU, forfeits, a page per bot, and games to watch: the best and the
    worst of every bot first.

    Examples:
        arena report taroky
        arena report taroky#2 --out taroky.html
    """
    from arena.web.figures import subject_of
    from arena.web.page import report_page

    store = open_store(db)
    found = subject_of(store, subject)
    for bot in logs or ():
        found.pool.number(bot)  # says so if it is not there
    path = out or Path(subject.replace("#", "-") + ".html")
    write(path, report_page(store, found, games, words, logs or ()))


def write(path: Path, text: str) -> None:
    """Write a page whole or not at all, and say so."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
    note(f"{path}: {path.stat().st_size / 1e6:.2f} MB; open it in a browser")


def serve(
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")] = 8237,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A name under which it is asked for; repeat for more."),
    ] = None,
    allow_submissions: Annotated[
        bool, typer.Option("--allow-submissions", help="Take bots from those who have a token.")
    ] = False,
    tokens: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Lines of an owner and a token; else one is made.")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where games at its tables are kept; default: played/ here."),
    ] = None,
    db: DbOption = None,
) -> None:
    """Serve reports live, seat people at tables, take submissions.

    Needs the extra `web`: in the checkout, pip install '.[web]'.

    Examples:
        arena serve
        arena serve --host 0.0.0.0 --name arena.example --allow-submissions --tokens tokens.txt
    """
    import secrets

    from arena.bots.registry import user_name

    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise UsageError(needs_extra("a server", "web")) from None
    from arena.web.server import make_app
    from arena.web.submissions import read_tokens

    if tokens is not None and not allow_submissions:
        raise UsageError("--tokens is for --allow-submissions")
    known = None
    if allow_submissions:
        known = read_tokens(tokens) if tokens else {user_name(): secrets.token_urlsafe(18)}
        if tokens is None:
            note(f"token for submissions: {next(iter(known.values()))}")
    store = open_store(db, create=True)
    listening = _listen(host, port)
    place = listening.getsockname()[1]
    if host not in ("127.0.0.1", "localhost", "::1"):
        note(f"everybody who reaches {host} sees it: there is no encryption; put a proxy with TLS before it")
    hosts = ["localhost", host, socket.gethostname(), *(name or ())]
    note(f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{place}/  (Ctrl-C ends it)")
    app = make_app(store, hosts, records or Path("played"), known)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        UsageError: the address cannot be had.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(f"cannot listen at {host}, port {port}: {error.strerror or error}") from None
