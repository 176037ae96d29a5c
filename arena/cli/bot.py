"""`arena bot new|check|submit`: writing bots and sending them in. Those that are stored are in `versions`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import versions, why
from arena.cli.output import DbOption, note, open_store
from arena.errors import ArenaError, BotError, UsageError

if TYPE_CHECKING:
    from arena.bots.source import Source
    from arena.bots.trial import Conditions

app = typer.Typer(no_args_is_help=True, help="Write, check and submit bots.", rich_markup_mode=None)
app.command("list")(versions.list_)
app.command()(versions.show)
app.command()(versions.export)
app.command()(versions.diff)
app.command()(versions.retire)
app.command()(versions.restore)
app.command()(why.worst)
app.command()(why.logs)
app.command()(why.debug)


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The bot's name: small letters, digits and _.")],
    game: Annotated[str, typer.Option(help="The game that it plays.")],
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


LeagueOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE", help="Try it as this league plays: its options, table, limits, match length."
    ),
]


@app.command()
def check(
    path: Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py.")],
    league: LeagueOption = None,
    deals: Annotated[
        int | None,
        typer.Option(min=1, help="Deals from every seat (default 4; with --league those of a match)."),
    ] = None,
) -> None:
    """Check a bot: read it, then play some games under a league's limits. Exit code 1 if it breaks a rule.

    Examples:
        arena bot check my_bot.py
        arena bot check my_bot.py --league taroky
    """
    from arena.bots.source import read

    source = read(path)
    _try_out(source, league, deals)
    print(f"{path} is fine; next: arena bot submit {path}")


@app.command()
def submit(
    path: Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py.")],
    owner: Annotated[
        str, typer.Option(envvar="ARENA_OWNER", help="Whose bot it is (default: your login name).")
    ] = "",
    about: Annotated[str, typer.Option("--note", help="What is new in this version.")] = "",
    deals: Annotated[int, typer.Option(min=1, help="Deals to play before it is accepted.")] = 4,
    db: DbOption = None,
) -> None:
    """Check a bot and store it; it enters the next league of its game. The same name again is a new version.

    A name belongs to the owner of its newest version: nobody else can submit under it.

    Examples:
        arena bot submit my_bot.py
        arena bot submit my_bot.py --owner ada --note "counts trumps"
    """
    from arena.bots.registry import as_row, check_owner, reserved, user_name
    from arena.bots.source import read

    source = read(path)
    store = open_store(db, create=True)
    owner = owner or user_name()
    check_owner(source.name, owner, store)
    if reserved(source.name) and not any(bot.kind == "submitted" for bot in store.versions(source.name)):
        raise BotError(f"{path}: {source.name!r} is the name of a house bot; choose another")
    _try_out(source, None, deals)
    bot, is_new = store.add_bot(as_row(source, "submitted", owner, about), source.packed)
    if is_new:
        print(f"submitted {bot.label}; it enters the next league of {', '.join(bot.games)}")
    else:
        print(f"{bot.label} is this very source already; nothing to do")
    for waiting in store.commitments():
        note(f"the next run of {waiting.league} has a secret with the blake2b-256 {waiting.secret_hash}")


def _try_out(source: Source, league: str | None, deals: int | None) -> None:
    """Play the trial of every game of the bot, or of a league's; print what it showed.

    Raises:
        BotError: it broke a rule.
    """
    from arena.bots import trial
    from arena.match import warm

    failed = False
    for conditions in _conditions(source, league):
        warm.warm_up(conditions.game, note)
        shown = trial.run(source, conditions, deals if league or deals else 4)
        cost = f"{shown.decisions} decisions of {shown.cpu_us:.0f} us CPU (of {shown.allowed_us:.0f})"
        print(f"{shown.game}: {shown.games} games, {cost}, {len(shown.faults)} faults")
        for fault in shown.faults[:3]:
            note(f"{fault.kind} ({fault.where})")
            for line in fault.text.strip().splitlines():
                note(f"    {line}")
        if len(shown.faults) > 3:
            note(f"... and {len(shown.faults) - 3} more")
        for warning in shown.warnings:
            note(f"{shown.game}: {warning}")
        failed |= bool(shown.faults)
    if failed:
        raise BotError(f"{source.name} broke a rule: in a league it would lose these games")


def _conditions(source: Source, league: str | None) -> list[Conditions]:
    """What the bot is tried under: the usual conditions of each of its games, or those of a league.

    Raises:
        BotError: it does not play the league's game.
    """
    from arena.bots.trial import Conditions
    from arena.league.facts import definition_of
    from leagues import definition
    from leagues.schedule import schedule

    if league is None:
        return [Conditions.usual(game) for game in source.games]
    defined = definition.load(league)
    if defined.game not in source.games:
        raise BotError(f"{source.name} plays {', '.join(source.games)}, not {defined.game}")
    facts = definition_of(defined)
    most = max(match.blocks for match in schedule(defined.players, defined.players, defined.deals))
    return [
        Conditions(facts["game"], facts["players"], facts["options"], facts["limits"], facts["level"], most)
    ]
