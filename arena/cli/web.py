"""`arena report`, `arena serve`: the league as web pages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import LogOption, OutOption, TrialsOption
from arena.cli.output import note, note_page, noting, open_store
from arena.cli.progress import Progress, watching
from arena.errors import UsageError, needs_extra


def report(
    subject: Annotated[
        str, typer.Argument(metavar="GAME|RUN", help="A game (all its leagues), or a run: taroky#2.")
    ],
    out: OutOption = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, max=2000, metavar="N", help="Games that can be watched in it.")
    ] = 60,
    logs: Annotated[
        list[str] | None,
        typer.Option("--logs", metavar="BOT", help="Show this bot's log in its games; repeat for more."),
    ] = None,
) -> None:
    """Write a report as one HTML file. It needs no network and no server.

    It goes to NAME.html here unless --out says where. It has standings, pairs, history, scores, CPU,
    forfeits, a page per bot, and games to watch: the best and the worst of every bot first.

    Examples:
        arena report taroky
        arena report taroky#2 --out taroky.html
    """
    from arena.runs import heap
    from arena.web.page import write_report

    heap.give_back_columns()
    path = write_report(
        open_store(), subject, out, films=limit, logs=logs or (), say=note, watch=watching(Progress.AUTO)
    )
    note_page(path)


def login(url: Annotated[str, typer.Argument(metavar="URL", help="Of a server's first page.")]) -> None:
    """Keep your token of a server, for `arena push`. It asks for the token, or reads it from a pipe.

    The token goes to a file that you alone can read.

    Example:
        arena login https://arena.example/
    """
    from arena.web.client import login as keep

    if sys.stdin.isatty():
        token = str(typer.prompt(f"token of {url}", hide_input=True, err=True))
    else:
        token = sys.stdin.readline()
    print(f"{url} knows you as {keep(url, token.strip())}; next: arena push my_bot.py")


def push(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A .py file, or a folder with a bot.")],
    to: Annotated[str, typer.Option("--to", metavar="URL", help="The server (default: the only one).")] = "",
    about: Annotated[str, typer.Option("--note", help="What is new in this version.")] = "",
) -> None:
    """Send a bot to a server, wait for its trial and print the outcome. Exit code 1 if it is refused.

    Examples:
        arena push my_bot.py
        arena push my_bot.py --to https://arena.example/ --note "counts trumps"
    """
    from arena.web.client import push as send

    for line in send(path, to, about):
        print(line)


def serve(
    host: Annotated[str, typer.Option("--host", help="Address to listen at; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0: a free one.")] = 8237,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="HOST", help="A name under which it is asked for; repeat for more."),
    ] = None,
    allow_submissions: Annotated[
        bool, typer.Option("--allow-submissions", help="Take bots from owners; see `arena owner`.")
    ] = False,
    no_trials: Annotated[
        bool, typer.Option("--no-trials", help="Only store what is sent; `arena owner try` runs elsewhere.")
    ] = False,
    registration: Annotated[
        bool, typer.Option("--registration", help="Let anybody become an owner, a few a day.")
    ] = False,
    league: TrialsOption = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Write games at its tables to this folder.")
    ] = Path("played"),
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy", metavar="ADDRESS", help="Believe this proxy for whom it asks; repeat for more."
        ),
    ] = None,
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="PATH", help="Answer under this path, too: /arena.")
    ] = "",
    organiser: Annotated[
        Path | None,
        typer.Option("--organiser", metavar="FILE", help="Open /organise to whoever has this file's token."),
    ] = None,
    access_log: Annotated[
        Path | None,
        typer.Option("--access-log", metavar="FILE", help="Write a JSON line a request; 60 MB at most."),
    ] = None,
    log: LogOption = None,
    backup: Annotated[
        Path | None,
        typer.Option("--backup", metavar="FOLDER", help="Copy the database there; 14 copies are kept."),
    ] = None,
) -> None:
    """Serve reports live, seat people at tables, take submissions.

    Needs the extra `web`: in the checkout, pip install -e '.[web]'.

    Examples:
        arena serve
        arena serve --host 0.0.0.0 --name arena.example --allow-submissions
        arena serve --allow-submissions --league taroky --league ./flip7_with_torch.toml
    """
    say = noting(log)
    try:
        from arena.web.serving import serve as serving
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise UsageError(needs_extra("a server", "web")) from None
    if not allow_submissions and (no_trials or league):
        raise UsageError(f"{'--league' if league else '--no-trials'} is for --allow-submissions")
    if no_trials and league:
        raise UsageError("--league is for trials: give it to `arena owner try`, or leave out --no-trials")
    serving(
        open_store(create=True),
        host,
        port,
        names=name or (),
        submissions=allow_submissions,
        registration=registration,
        trials=not no_trials,
        leagues=league or (),
        out=out,
        proxy=proxy or (),
        prefix=prefix,
        organiser=organiser,
        access_log=access_log,
        backup=backup,
        say=say,
    )
