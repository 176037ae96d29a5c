"""`arena bot list|show|export|retire`: bots that are stored, and their versions."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import Annotated

import typer

from arena.cli.league_runs import answer_line
from arena.cli.options import BotArgument, FormatOption, GameOption
from arena.cli.output import Format, note, open_store, organiser, print_json, table

TITLE_WIDTH = 80  # of a table for people; other formats have the whole title
COLUMNS = (
    "bot",
    "version",
    "kind",
    "games",
    "title",
    "owner",
    "note",
    "conditions",
    "created",
    "retired",
    "hash",
)


def list_(
    game: GameOption = None,
    versions: Annotated[bool, typer.Option("--versions", help="All versions, not only the newest.")] = False,
    how: FormatOption = Format.TABLE,
) -> None:
    """List the house bots and the submitted ones.

    Examples:
        arena bot list --game taroky
        arena bot list --versions --format json
    """
    from arena.intake.registry import list_bots

    table(
        list_bots(open_store(), game, versions),
        COLUMNS,
        how,
        {
            "bot": lambda r: f"{r['bot']}@{r['version']}" if r["version"] else r["bot"],
            "kind": lambda r: "retired" if r["retired"] else r["kind"],
            "games": lambda r: ", ".join(r["games"]),
            "owner": lambda r: r["owner"],
            "what it does": lambda r: shorten(r["title"], TITLE_WIDTH, placeholder="..."),
        },
    )


def show(name: BotArgument, how: FormatOption = Format.TABLE) -> None:
    """Show a stored bot: whose it is, since when, what it needs, its files, and runs that left it out.

    Example:
        arena bot show my_bot@2
    """
    from arena.intake.registry import facts_of, find_bot
    from arena.intake.source import tuned_values, unpack

    store = open_store()
    bot = find_bot(name, store)
    program = unpack(bot.name, store.bots.source(bot.hash))
    files, tuned = {path: len(data) for path, data in program.files.items()}, tuned_values(program)
    missed = [
        {"run": one.run.label, "kind": one.kind, "text": one.text} for one in store.runs.left_out(bot=bot)
    ]
    otherwise = store.runs.audits_of(bot)
    if how is Format.JSON:
        answers = [{"run": run.label} | one.model_dump(exclude={"run_id"}) for run, one in otherwise]
        print_json(
            facts_of(bot)
            | {"parameters": tuned, "files": files, "left_out": missed, "answered_otherwise": answers}
        )
        return
    needs = ", ".join(f"{key} = {value}" for key, value in bot.conditions.get("limits", {}).items())
    facts = facts_of(bot) | {
        "games": ", ".join(bot.games),
        "conditions": f"{bot.conditions['level']}; {needs}" if bot.conditions else "",
        "parameters": ", ".join(f"{name} = {value}" for name, value in tuned.items()),
        "files": ", ".join(f"{p} ({n} bytes)" for p, n in files.items()),
    }
    rows = [{"what": key, "value": value} for key, value in facts.items() if value not in ("", None)]
    table(rows, ("what", "value"), how, {"what": lambda r: r["what"], "value": lambda r: str(r["value"])})
    for one in missed:
        note(f"left out of {one['run']}, it could not be loaded, {one['kind']}: {one['text']}")
    for run, answer in otherwise:
        note(f"asked again about {answer_line(run, answer)}; it was shown:\n{answer.view}")


def export(
    name: BotArgument,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Write to this folder.")] = Path(),
) -> None:
    """Write the files of a stored bot, as they were submitted.

    Example:
        arena bot export my_bot@2 --out old
    """
    from arena.intake.registry import export_bot

    print(f"wrote {export_bot(open_store(), name, out)}")


def retire(
    name: BotArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Let it enter leagues again.")] = False,
) -> None:
    """Take a submitted bot out of leagues to come; what it played stays.

    A name stands for all its versions. With @N only that version is taken out, and the one before it enters.

    Examples:
        arena bot retire my_bot
        arena bot retire my_bot@1
        arena bot retire my_bot --undo
    """
    from arena.ladder import organising

    print(organising.retire(open_store(writes=True), organiser(), name, undo))
