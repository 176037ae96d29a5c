"""`arena bot new|check|submit|list`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import DbOption, Format, FormatOption, note, table
from arena.errors import ArenaError, BotError, UsageError

if TYPE_CHECKING:
    from arena.bots.source import Source

app = typer.Typer(no_args_is_help=True, help="Write, check and submit bots.", rich_markup_mode=None)

TEMPLATE = '''"""Plays at random among the cards and calls that are legal."""

GAMES = ["{game}"]


def act(view):
    """Answer with one of view.legal (numbers) or view.texts (their text)."""
    # str(view) shows all that you see; view.log("...") writes to the bot's log
    return view.rng.choice(view.legal)
'''


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The bot's name: small letters, digits and _.")],
    game: Annotated[str, typer.Option(help="The game that it plays.")],
) -> None:
    """Write a first bot, NAME.py, into this folder.

    Example:
        arena bot new my_bot --game taroky
    """
    import engines
    from arena.bots.registry import reserved
    from arena.bots.source import NAME

    engines.check_name(game)
    path = Path(f"{name}.py")
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r}: a bot's name has small letters, digits and _, a letter first, at most 32")
    if reserved(name):
        raise UsageError(f"{name!r} is the name of a house bot; choose another")
    if path.exists():
        raise UsageError(f"{path} is there already; choose another name or remove it")
    try:
        path.write_text(TEMPLATE.format(game=game), encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{path}: cannot be written: {error.strerror}") from None
    print(f"wrote {path}; next: arena bot check {path}")


@app.command()
def check(
    path: Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py.")],
    deals: Annotated[int, typer.Option(min=1, help="Deals to play, each from every seat.")] = 4,
) -> None:
    """Check a bot: read it, then play some games under a league's limits. Exit code 1 if it breaks a rule.

    Example:
        arena bot check my_bot.py
    """
    from arena.bots.source import read

    source = read(path)
    _try_out(source, deals)
    print(f"{path} is fine; next: arena bot submit {path}")


@app.command()
def submit(
    path: Annotated[Path, typer.Argument(help="A .py file, or a folder with __init__.py.")],
    deals: Annotated[int, typer.Option(min=1, help="Deals to play before it is accepted.")] = 4,
    db: DbOption = None,
) -> None:
    """Check a bot and store it; it enters the next league of its game. The same name again is a new version.

    Example:
        arena bot submit my_bot.py
    """
    from arena.bots.registry import as_row, reserved
    from arena.bots.source import read
    from arena.store import Store

    source = read(path)
    if reserved(source.name):
        raise BotError(f"{path}: {source.name!r} is the name of a house bot; choose another")
    store = Store(db, create=True)
    _try_out(source, deals)
    bot, is_new = store.add_bot(as_row(source, "submitted"))
    if is_new:
        print(f"submitted {bot.label}; it enters the next league of {', '.join(bot.games)}")
    else:
        print(f"{bot.label} is this very source already; nothing to do")


def _try_out(source: Source, deals: int) -> None:
    """Play the trial of every game of the bot; print what it showed.

    Raises:
        BotError: it broke a rule.
    """
    from arena.bots import trial
    from arena.match import warm

    failed = False
    for game in source.games:
        warm.warm_up(game, note)
        shown = trial.run(source, game, deals)
        cost = f"{shown.decisions} decisions of {shown.cpu_us:.0f} us CPU"
        print(f"{game}: {shown.games} games, {cost}, {len(shown.faults)} faults")
        for kind, where, words in shown.faults[:3]:
            note(f"{kind} ({where})")
            for line in words.strip().splitlines():
                note(f"    {line}")
        if len(shown.faults) > 3:
            note(f"... and {len(shown.faults) - 3} more")
        failed |= bool(shown.faults)
    if failed:
        raise BotError(f"{source.name} broke a rule: in a league it would lose these games")


@app.command("list")
def list_(
    game: Annotated[str | None, typer.Option(help="Only bots of this game.")] = None,
    versions: Annotated[bool, typer.Option("--versions", help="All versions, not only the newest.")] = False,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """List the house bots and the submitted ones.

    Examples:
        arena bot list --game taroky
        arena bot list --versions --format json
    """
    import engines
    from arena.bots.registry import house_bots
    from arena.store import Store

    if game is not None:
        engines.check_name(game)
    stored = Store(db).bots(game, newest=not versions)
    rows: list[dict[str, Any]] = [
        {"bot": bot.name, "version": bot.version, "kind": bot.kind, "games": bot.games, "title": bot.title, "hash": bot.hash}
        for bot in stored
    ]
    known = {row["hash"] for row in rows}
    for source in house_bots().values():
        if source.hash not in known and (game is None or game in source.games):
            house = {"bot": source.name, "version": None, "kind": "house", "games": list(source.games)}
            rows.append(house | {"title": source.title, "hash": source.hash})
    rows.sort(key=lambda row: (row["kind"], row["bot"], row["version"] or 0))
    table(
        rows,
        ("bot", "version", "kind", "games", "title", "hash"),
        how,
        {
            "bot": lambda r: f"{r['bot']}@{r['version']}" if r["version"] else r["bot"],
            "kind": lambda r: r["kind"],
            "games": lambda r: ", ".join(r["games"]),
            "what it does": lambda r: r["title"],
        },
    )
