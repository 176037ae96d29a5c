"""`arena bot list|show|export|diff|retire|restore`: bots that are stored, and their versions."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import completion
from arena.cli.output import DbOption, Format, FormatOption, note, open_store, print_json, table
from arena.errors import ArenaError, UsageError

if TYPE_CHECKING:
    from arena.store.models import Bot

BotArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOT[@N]",
        help="A stored bot: my_bot@2; without @N the newest.",
        autocompletion=completion.stored_bots,
    ),
]
TITLE_WIDTH = 80  # of a table for people; other formats have the whole title


def list_(
    game: Annotated[
        str | None, typer.Option(help="Only bots of this game.", autocompletion=completion.game_names)
    ] = None,
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

    if game is not None:
        engines.check_name(game)
    rows = [_facts(bot) for bot in open_store(db).bots(game, newest=not versions)]
    known = {row["hash"] for row in rows}
    for source in house_bots().values():
        if source.hash not in known and (game is None or game in source.games):
            house = {"bot": source.name, "version": None, "kind": "house", "games": list(source.games)}
            rows.append(
                house | {"title": source.title, "hash": source.hash, "owner": "", "note": "", "retired": None}
            )
    rows.sort(key=lambda row: (row["kind"], row["bot"], row["version"] or 0))
    table(
        rows,
        ("bot", "version", "kind", "games", "title", "owner", "note", "created", "retired", "hash"),
        how,
        {
            "bot": lambda r: f"{r['bot']}@{r['version']}" if r["version"] else r["bot"],
            "kind": lambda r: "retired" if r["retired"] else r["kind"],
            "games": lambda r: ", ".join(r["games"]),
            "owner": lambda r: r["owner"],
            "what it does": lambda r: shorten(r["title"], TITLE_WIDTH, placeholder="..."),
        },
    )


def show(name: BotArgument, how: FormatOption = Format.TABLE, db: DbOption = None) -> None:
    """Show a stored bot: whose it is, since when, and its files.

    Example:
        arena bot show my_bot@2
    """
    from arena.bots.registry import find
    from arena.bots.source import unpack

    store = open_store(db)
    bot = find(name, store)
    files = {path: len(data) for path, data in unpack(bot.name, store.source(bot.hash)).files.items()}
    if how is Format.JSON:
        print_json(_facts(bot) | {"files": files})
        return
    facts = _facts(bot) | {
        "games": ", ".join(bot.games),
        "files": ", ".join(f"{p} ({n} bytes)" for p, n in files.items()),
    }
    rows = [{"what": key, "value": value} for key, value in facts.items() if value not in ("", None)]
    table(rows, ("what", "value"), how, {"what": lambda r: r["what"], "value": lambda r: str(r["value"])})


def export(
    name: BotArgument,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write it.")] = Path(),
    db: DbOption = None,
) -> None:
    """Write the files of a stored bot, as they were submitted.

    Example:
        arena bot export my_bot@2 --to old
    """
    from arena.bots.registry import find
    from arena.bots.source import unpack, write

    store = open_store(db)
    bot = find(name, store)
    target = [to / bot.name, to / f"{bot.name}.py"]
    there = next((path for path in target if path.exists()), None)
    if there is not None:
        raise UsageError(f"{there} is there already; choose another folder with --to")
    try:
        print(f"wrote {write(unpack(bot.name, store.source(bot.hash)), to)}")
    except OSError as error:
        raise ArenaError(f"{to}: cannot be written: {error.strerror}") from None


def diff(
    one: BotArgument,
    other: Annotated[
        str,
        typer.Argument(
            metavar="BOT[@N]", help="Another one, or a path.", autocompletion=completion.bot_names
        ),
    ],
    db: DbOption = None,
) -> None:
    """Show what differs between two versions of a bot, line by line. Exit code 0 also if something does.

    Examples:
        arena bot diff my_bot@1 my_bot@2
        arena bot diff my_bot ./my_bot.py
    """
    import difflib

    from arena.bots.registry import find
    from arena.bots.source import read, unpack

    store = open_store(db)
    sides = []
    for text in (one, other):
        packed = (
            read(Path(text)).packed
            if text.endswith(".py") or "/" in text
            else store.source(find(text, store).hash)
        )
        sides.append(
            {path: data.decode("utf-8", "replace") for path, data in unpack(one, packed).files.items()}
        )
    if len(sides[0]) == len(sides[1]) == 1:  # a bot of one file, whatever that is called
        sides[1] = {next(iter(sides[0])): next(iter(sides[1].values()))}
    for path in sorted(sides[0].keys() | sides[1].keys()):
        before, after = (side.get(path, "").splitlines(keepends=True) for side in sides)
        sys.stdout.writelines(difflib.unified_diff(before, after, f"{one}/{path}", f"{other}/{path}"))


def retire(name: BotArgument, db: DbOption = None) -> None:
    """Take a submitted bot out of leagues to come; what it played stays; `restore` brings it back.

    Examples:
        arena bot retire my_bot
        arena bot retire my_bot@1
    """
    from arena.bots.registry import find

    store = open_store(db, writes=True)
    bot = find(name, store)
    if bot.kind != "submitted":
        raise UsageError(f"{bot.label} is a {bot.kind} bot: only submitted ones can be retired")
    if bot.retired is not None:
        note(f"{bot.label} was retired before")
    else:
        store.retire(bot)
    print(f"{bot.label} is retired")


def restore(name: BotArgument, db: DbOption = None) -> None:
    """Let a bot that was retired enter leagues again.

    Examples:
        arena bot restore my_bot
        arena bot restore my_bot@2
    """
    from arena.bots.registry import find

    store = open_store(db, writes=True)
    version = name.partition("@")[2]
    bot = find(name, store)
    if not version and bot.retired is None:
        raise UsageError(f"{bot.label} is not retired; name the version: {bot.name}@1")
    if bot.retired is None:
        note(f"{bot.label} was not retired")
    else:
        store.restore(bot)
    print(f"{bot.label} may enter again")


def _facts(bot: Bot) -> dict[str, Any]:
    return {
        "bot": bot.name,
        "version": bot.version,
        "kind": bot.kind,
        "games": bot.games,
        "title": bot.title,
        "owner": bot.owner,
        "note": bot.note,
        "created": bot.created.isoformat(timespec="seconds"),
        "retired": bot.retired.isoformat(timespec="seconds") if bot.retired else None,
        "hash": bot.hash,
    }
