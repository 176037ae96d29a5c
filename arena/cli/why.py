"""`arena league games`: in which games a bot lost."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import options
from arena.cli.output import Format, count, note, open_store, put, table

if TYPE_CHECKING:
    from arena.replay.listing import PlayedGame
    from arena.replay.losses import Worse

COLUMNS = ("game", "deal", "seat", "bot", "score", "margin", "kind", "names", "scores", "others", "cost")
ROWS, WORST = 20, 5  # of a table that is not limited otherwise


def games(
    run: options.MaybeRunArgument = None,
    bots: options.BotsOption = None,
    worst: Annotated[
        bool,
        typer.Option("--worst", help="Where others did best with the same cards, and what they would play."),
    ] = False,
    forfeits: Annotated[bool, typer.Option("--forfeits", help="Only games that it forfeited.")] = False,
    level: options.LevelOption = None,
    limit: options.LimitOption = None,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """List the games of a run; with --bots those of the first bot, in which the others sat, too.

    Of a bot's game it shows what others made of the same cards in the same seat. With --worst the best of
    the others is asked what it would have played in the bot's game, decision by decision. The cost of all
    decisions of the seat is shown where `arena analyse --save` has judged them.

    Examples:
        arena league games --bots my_bot --worst
        arena league games taroky#2 --bots my_bot@2 --worst --limit 3
        arena league games taroky#2 --bots my_bot,rule --forfeits
    """
    from arena.replay.listing import games_of_run
    from arena.replay.losses import best_other

    store = open_store()
    rows = games_of_run(store, run, options.names(bots), worst, forfeits)
    most = limit or (WORST if worst else len(rows) if not how.of_text else ROWS)
    print_rows(rows[:most], how)
    people = how in (Format.TABLE, Format.WIDE)
    if not rows:
        note("there are no such games")
    elif worst and people:
        for one in rows[:most]:
            put(_parted(best_other(store, one, level or "strict")))
    elif len(rows) > most and people:
        note(f"{most} of {count(len(rows), 'game')}; more with --limit, all with --format csv")


def print_rows(found: list[PlayedGame], how: Format) -> None:
    """Print games as a table."""
    rows: list[dict[str, Any]] = [
        {name: getattr(one, name, None) for name in COLUMNS}
        | {
            "bot": one.names[one.seat],
            "others": [list(other) for other in one.others],
            "margin": None if one.margin is None else round(one.margin, 3),
        }
        for one in found
    ]
    costs = {">cost": lambda r: "" if r["cost"] is None else f"{r['cost']:z.2f}"}
    table(rows, COLUMNS, how, {
        "game": itemgetter("game"),
        ">deal": itemgetter("deal"),
        ">seat": itemgetter("seat"),
        "bot": itemgetter("bot"),
        ">score": itemgetter("score"),
        **(costs if any(one.cost is not None for one in found) else {}),
        "fault": itemgetter("kind"),
        "at the table": lambda r: _scores(zip(r["names"], r["scores"])),
        "same cards, same seat": lambda r: _scores((bot, score) for bot, score, _ in r["others"]),
    }, drop=("at the table",))  # fmt: skip


def _scores(made: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {score:+d}" for name, score in made)


def _parted(worse: Worse) -> str:
    """Where the best of the others would have left the bot's game."""
    head = f"{worse.played.game}: {worse.other} made {worse.score:+d} with these cards ({worse.game})"
    choice = worse.choice
    if choice is None:
        return f"{head}; it would have played the same: the others at the table did not"
    look = f"arena replay '{worse.played.game}' --seat {worse.played.seat} --at {choice.decision}"
    instead = f"{choice.other} instead of {choice.played}"
    return f"{head}; it would differ at decision {choice.decision}: {instead}\n    {look}"
