"""`arena league games`, `arena bot worst|logs|debug`: why a bot lost."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import completion
from arena.cli.options import (
    BotArgument,
    BotsOption,
    FormatOption,
    LevelOption,
    LimitOption,
    MaybeRunArgument,
    PlayedGameArgument,
    RunArgument,
    names,
)
from arena.cli.output import Format, clean, count, note, open_store, table
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.replay.listing import PlayedGame
    from arena.replay.losses import Worse

COLUMNS = ("game", "deal", "seat", "bot", "score", "margin", "kind", "names", "scores", "others")
ROWS, LINES = 20, 1000  # of a table or a log that is not limited otherwise


def games(
    run: RunArgument,
    bots: BotsOption = None,
    sort: Annotated[
        str | None, typer.Option("--sort", metavar="worst|best", help="By the score of the first of --bots.")
    ] = None,
    forfeits: Annotated[bool, typer.Option("--forfeits", help="Only games that it forfeited.")] = False,
    limit: LimitOption = None,
    how: FormatOption = Format.TABLE,
) -> None:
    """List the games of a run; with --bots those of the first bot, in which the others sat, too.

    Of a bot's game it shows what others made of the same cards in the same seat.

    Examples:
        arena league games taroky#2 --bots my_bot --sort worst --limit 5
        arena league games taroky#2 --bots my_bot,rule --forfeits
    """
    from arena.replay.listing import games_of_run

    store = open_store()
    rows = games_of_run(store, run, names(bots), sort, forfeits)
    most = limit or (len(rows) if how in (Format.JSON, Format.CSV) else ROWS)
    print_rows(rows[:most], how)
    if len(rows) > most and how in (Format.TABLE, Format.WIDE):
        note(f"{most} of {count(len(rows), 'game')}; more with --limit, all with --format csv")
    elif not rows:
        there = store.stored_matches(store.find_run(run))
        note(f"{run}: no such games" if there else f"{run} has no games")


def print_rows(found: list[PlayedGame], how: Format) -> None:
    """Print games as a table."""
    rows: list[dict[str, Any]] = [
        {
            "game": one.game,
            "deal": one.deal,
            "seat": one.seat,
            "bot": one.names[one.seat],
            "score": one.score,
            "margin": None if one.margin is None else round(one.margin, 3),
            "kind": one.kind,
            "names": list(one.names),
            "scores": list(one.scores),
            "others": [[bot, score, game] for bot, score, game in one.others],
        }
        for one in found
    ]
    table(
        rows,
        COLUMNS,
        how,
        {
            "game": lambda r: r["game"],
            ">deal": lambda r: str(r["deal"]),
            ">seat": lambda r: str(r["seat"]),
            "bot": lambda r: r["bot"],
            ">score": lambda r: str(r["score"]),
            "fault": lambda r: r["kind"],
            "at the table": lambda r: ", ".join(
                f"{name} {score:+d}" for name, score in zip(r["names"], r["scores"])
            ),
            "same cards, same seat": lambda r: ", ".join(
                f"{bot} {score:+d}" for bot, score, _ in r["others"]
            ),
        },
    )


def worst(
    bot: BotArgument,
    run: MaybeRunArgument = None,
    limit: LimitOption = 5,
    level: LevelOption = "strict",
    how: FormatOption = Format.TABLE,
) -> None:
    """Show the deals in which others with the same cards did best against a bot, and where they parted.

    The best of the others is asked what it would have played in the bot's game, decision by decision.

    Examples:
        arena bot worst my_bot
        arena bot worst my_bot@2 taroky#3 --limit 3
    """
    from arena.replay.losses import best_other, worst_games

    store = open_store()
    games = worst_games(store, bot, run, limit or 5, note)
    print_rows(games, how)
    if how in (Format.TABLE, Format.WIDE):
        for one in games:
            print(_parted(best_other(store, one, level or "strict")))


def _parted(worse: Worse) -> str:
    """Where the best of the others would have left the bot's game."""
    head = f"{worse.played.game}: {worse.other} made {worse.score:+d} with these cards ({worse.game})"
    choice = worse.choice
    if choice is None:
        return f"{head}; it would have played the same: the others at the table did not"
    look = f"arena replay '{worse.played.game}' --seat {worse.played.seat} --at {choice.decision}"
    instead = f"{choice.other} instead of {choice.played}"
    return f"{head}; it would differ at decision {choice.decision}: {instead}\n    {look}"


def logs(
    bot: BotArgument,
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="LEAGUE[#N][/GAME]",
            help="Only this run, or one game of it (default: its latest run).",
            autocompletion=completion.run_labels,
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Lines to show at most.")] = LINES,
) -> None:
    """Print what a bot printed, by game and decision: its `view.log` and prints.

    Examples:
        arena bot logs my_bot
        arena bot logs my_bot@2 taroky#3/4007
    """
    from arena.replay.losses import logs as printed_by

    lines = list(islice(printed_by(open_store(), bot, where), limit + 1))
    for line in lines[:limit]:
        print(f"{line.game} decision {line.decision}: {clean(line.text)}")
    if len(lines) > limit:
        note(f"more lines follow: --limit {2 * limit}")
    elif not lines:
        note(f"{bot} printed nothing in {where or 'its latest run'}")


def debug(
    path: Annotated[Path, typer.Argument(help="Your bot: a .py file, or a folder with __init__.py.")],
    game: PlayedGameArgument,
    decision: Annotated[
        int | None,
        typer.Option("--decision", min=0, help="Stop there (default: where the seat lost, else its first)."),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option("--seat", min=0, help="Whose decisions (default: where a bot of its name sat)."),
    ] = None,
    pdb: Annotated[
        bool, typer.Option("--pdb/--no-pdb", help="Stop in the debugger at that decision.")
    ] = True,
) -> None:
    """Run a bot in this process on exactly the view of a decision in a played game, under the debugger.

    A bot with memory is asked at its earlier decisions of the game before.

    Examples:
        arena bot debug my_bot.py taroky#2/4007 --decision 31
        arena bot debug my_bot.py game.jsonl --seat 1 --no-pdb
    """
    from arena.replay.debugging import debug_decision, own_seat
    from arena.replay.recorded import load_game

    record = load_game(game)
    where = seat if seat is not None else own_seat(record, path)
    if where >= record.players:
        raise UsageError(f"{record.label} has seats 0 to {record.players - 1}, not {where}")
    stops = pdb and sys.stdin.isatty()
    if pdb and not stops:
        note("no terminal: the debugger is left out")
    for line in debug_decision(record, path, where, decision, stops):
        print(line)
