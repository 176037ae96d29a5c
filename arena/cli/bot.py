"""`arena bot new|check|submit`: writing bots and sending them in. Those that are stored are in `versions`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import completion, versions, why
from arena.cli.group import Group
from arena.cli.output import DbOption, note, open_store
from arena.errors import ArenaError, BotError, UsageError

Interpreters = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=PATH", help="A program that may run it, as node=/usr/bin/node; repeat for more."
    ),
]
app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Write, check and submit bots.", rich_markup_mode=None
)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The bot's name: small letters, digits and _.")],
    game: Annotated[str, typer.Option(help="The game that it plays.", autocompletion=completion.game_names)],
) -> None:
    """Write a first bot, NAME.py, into this folder.

    Example:
        arena bot new my_bot --game taroky
    """
    from arena.bots import template
    from arena.bots.registry import reserved
    from arena.bots.source import NAME

    source = template.source(name, game)
    path = Path(f"{name}.py")
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{name!r}: a bot's name has small letters, digits and _, a letter first, at most 32"
        )
    if reserved(name):
        raise UsageError(f"{name!r} is the name of a house bot; choose another")
    if path.exists():
        raise UsageError(f"{path} is there already; choose another name or remove it")
    try:
        path.write_text(source, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{path}: cannot be written: {error.strerror}") from None
    print(f"wrote {path}; next: arena bot check {path}")


@app.command()
def check(
    path: Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py or bot.toml.")],
    league: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="As this league plays: options, table, limits, match length.",
            autocompletion=completion.league_names,
        ),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(min=1, help="Deals from every seat (default 4; with --league those of a match)."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the deals.")] = 1,
    players: Annotated[int | None, typer.Option(min=1, help="Only this size of the table.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="Only this option; repeat for more.")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="How it is separated: strict (the default), strict+ns, trusted.")
    ] = None,
    opponents: Annotated[
        str,
        typer.Option(
            metavar="A,B,...",
            help="Who sits beside it: house bots, paths.",
            autocompletion=completion.bot_lists,
        ),
    ] = "random",
    interpreter: Interpreters = None,
) -> None:
    """Check a bot: read it, then play some games under a league's limits. Exit code 1 if it breaks a rule.

    Without --league, --players and --option also at every other size of the table and under some other
    options.

    Examples:
        arena bot check my_bot.py
        arena bot check my_bot.py --league taroky
        arena bot check my_bot.py --players 3 --option targeting=any --seed 7 --opponents banker,racer
    """
    from arena.bots.source import read
    from arena.cli.trial import Wanted, try_out

    source = read(path)
    interpreters = tuple(interpreter or ())
    options = tuple(option or ())
    try_out(source, path, Wanted(league, deals, seed, players, options, level, opponents, interpreters))
    print(f"{path} is fine; next: arena bot submit {path}")


@app.command()
def submit(
    path: Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py or bot.toml.")],
    owner: Annotated[
        str, typer.Option(envvar="ARENA_OWNER", help="Whose bot it is (default: your login name).")
    ] = "",
    about: Annotated[str, typer.Option("--note", help="What is new in this version.")] = "",
    deals: Annotated[int, typer.Option(min=1, help="Deals to play before it is accepted.")] = 4,
    interpreter: Interpreters = None,
    db: DbOption = None,
) -> None:
    """Try a bot and store it; it enters the next league of its game. The same name again is a new version.

    The trial is short: some games at the usual table. `arena bot check` tries every table and some options.
    A name belongs to the owner of its newest version: nobody else can submit under it.

    Examples:
        arena bot submit my_bot.py
        arena bot submit my_bot.py --owner ada --note "counts trumps"
    """
    from arena.bots.registry import as_row, check_owner, reserved, user_name
    from arena.bots.source import read
    from arena.cli.trial import Wanted, try_out

    source = read(path)
    store = open_store(db, create=True)
    store.check_writable()
    owner = owner or user_name()
    check_owner(source.name, owner, store)
    if reserved(source.name) and not any(bot.kind == "submitted" for bot in store.versions(source.name)):
        raise BotError(f"{path}: {source.name!r} is the name of a house bot; choose another")
    try_out(source, path, Wanted(deals=deals, short=True, interpreters=tuple(interpreter or ())))
    bot, is_new = store.add_bot(as_row(source, "submitted", owner, about), source.packed)
    if is_new:
        print(f"submitted {bot.label}; it enters the next league of {', '.join(bot.games)}")
    else:
        print(f"{bot.label} is this very source already; nothing to do")
    for waiting in store.commitments():
        note(f"the next run of {waiting.league} has a secret with the blake2b-256 {waiting.secret_hash}")


app.command("list")(versions.list_)
app.command()(versions.show)
app.command()(versions.export)
app.command()(versions.diff)
app.command()(versions.retire)
app.command()(versions.restore)
app.command()(why.worst)
app.command()(why.logs)
app.command()(why.debug)
