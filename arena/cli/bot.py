"""`arena bot new|check|submit`: writing bots and sending them in. Those that are stored are in `versions`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import options, versions
from arena.cli.group import group
from arena.cli.output import note, open_store, put
from arena.cli.progress import Progress, watching
from arena.errors import ArenaError, BotError, UsageError

BotPath = Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py or bot.toml.")]
app = group("Write, check and submit bots.")


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The bot's name: small letters, digits and _.")],
    game: Annotated[str, typer.Option("--game", help="A game's name.")],
) -> None:
    """Write a first bot, NAME.py, into this folder.

    Example:
        arena bot new my_bot --game taroky
    """
    from arena.intake.entering import new_bot

    path = new_bot(name, game)
    put(f"wrote {path}; next: arena bot check {path}")


@app.command()
def check(
    path: BotPath,
    league: options.LeagueOption = None,
    deals: options.DealsOption = None,
    seed: options.SeedOption = 1,
    players: options.PlayersOption = None,
    option: options.OptionOption = None,
    level: options.LevelOption = None,
    interpreter: options.InterpreterOption = None,
    bots: Annotated[
        str,
        typer.Option("--bots", metavar="A,B,...", help="Who sits beside it: house bots, paths, stored bots."),
    ] = "random",
) -> None:
    """Check a bot: read it, then play some games under a league's limits.

    Exit code 1 if it breaks a rule, or would use more CPU time than a match allows.

    Plays 4 deals from every seat; with --league the deals of a match. Without --league, --players and
    --option also at every other size of the table and under some other options.

    Examples:
        arena bot check my_bot.py
        arena bot check my_bot.py --league taroky
        arena bot check my_bot.py --players 3 --option targeting=any --seed 7 --bots banker,racer
    """
    from arena.cli.check import print_checked
    from arena.intake import entering

    number = 1 if seed is None else seed
    checked = entering.check(
        path,
        league=league,
        deals=deals,
        seed=number,
        players=players,
        options=options.pairs(option),
        level=level,
        interpreters=interpreter or (),
        bots=options.names(bots),
        say=note,
        watch=watching(Progress.AUTO),
    )
    print_checked(checked, number, bots)
    if not checked.fine:
        raise BotError(checked.wrong)
    with_league = f" --league {league}" if league else ""
    but = " but has warnings" if any(game.first.warnings for game in checked.games) else ""
    put(f"{path} is fine{but}; next: arena bot submit {path}{with_league}")


PathsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PATH...", help="A .py file, or a folder with __init__.py or bot.toml."),
]
OwnerOption = Annotated[
    str, typer.Option("--owner", envvar="ARENA_OWNER", help="Whose bot it is (default: your login name).")
]
AboutOption = Annotated[str, typer.Option("--note", help="What is new in this version.")]


@app.command()
def submit(
    paths: PathsArgument,
    owner: OwnerOption = "",
    about: AboutOption = "",
    league: options.LeagueOption = None,
    deals: options.DealsOption = None,
    level: options.LevelOption = None,
    interpreter: options.InterpreterOption = None,
) -> None:
    """Try bots and store them; each enters the next league of its game. The same name again is a new version.

    The trial is short: 4 deals at the usual table. `arena bot check` tries every table and some options.
    What --league allows is kept with the version: the bot enters the leagues that allow it.
    A name belongs to the owner of its newest version: nobody else can submit under it.

    Examples:
        arena bot submit my_bot.py
        arena bot submit my_bot.py other_bot.py --owner ada --note "counts trumps"
        arena bot submit torch_bot.py --league big.toml
    """
    from arena.cli.check import print_checked
    from arena.intake import entering, sent

    store = open_store(writes=True)
    failed = []
    for path in paths:
        try:
            submitted = entering.submit(
                store,
                path,
                owner=owner,
                note=about,
                league=league,
                deals=deals or entering.CHECK_DEALS,
                level=level,
                interpreters=interpreter or (),
                say=note,
                watch=watching(Progress.AUTO),
            )
        except ArenaError as error:
            if isinstance(error, entering.Refused):
                print_checked(error.checked, None, "random")
            if len(paths) == 1 or isinstance(error, UsageError):
                raise
            note(f"{path}: {error}", always=True)
            failed.append(str(path))
            continue
        if submitted.checked is not None:
            print_checked(submitted.checked, None, "random")
        if submitted.new:
            put(f"submitted {submitted.bot.label}; it enters {sent.entered(store, submitted.bot)}")
        else:
            put(f"{submitted.bot.label} is this very source already; nothing to do")
    for waiting in store.runs.commitments():
        note(f"the next run of {waiting.league} has a secret with the blake2b-256 {waiting.secret_hash}")
    if failed:
        raise BotError(f"not submitted: {', '.join(failed)}")


app.command("list")(versions.list_)
app.command()(versions.show)
app.command()(versions.export)
app.command()(versions.retire)
