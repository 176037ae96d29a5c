"""`arena report`, `arena serve`: the league as web pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.output import DbOption, note, open_store
from arena.errors import UsageError


def report(
    subject: Annotated[
        str, typer.Argument(metavar="GAME|RUN", help="A game (all its leagues), or a run: taroky#2.")
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
        typer.Option(metavar="BOT", help="Show this bot's log in its games; repeat for more."),
    ] = None,
    db: DbOption = None,
) -> None:
    """Write a report as one HTML file that needs no network and no server.

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
