"""`arena analyse`: what every decision of played games cost, what was better, and why."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options
from arena.cli.output import Format, clean, count, note, open_store, table
from arena.cli.progress import Progress, watching
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.replay.analysis import Judged, PhaseTotal
    from arena.replay.recorded import Recorded

SHOWN = 5  # decisions, unless --limit says otherwise
WIDE = 110  # characters of a line of a position
COLUMNS = (
    "game", "decision", "seat", "bot", "phase", "played", "best",
    "verdict", "cost", "error", "reason", "worlds",
)  # fmt: skip


def analyse(
    what: Annotated[
        str | None,
        typer.Argument(metavar="LEAGUE#N/GAME|FILE|LEAGUE#N", help="A stored game, a record's file, a run."),
    ] = None,
    bots: options.BotsOption = None,
    seat: Annotated[int | None, typer.Option("--seat", min=0, help="Only this seat of a game.")] = None,
    worlds: Annotated[
        int | None,
        typer.Option("--worlds", min=64, help="Random worlds a decision, at most (default: 512)."),
    ] = None,
    limit: options.LimitOption = None,
    workers: options.WorkersOption = None,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """Judge every decision of a game or a run: what it cost, and why.

    A seat is judged by what it could see: all actions are tried in the same random worlds that agree with its
    view, played on by the game's rollout policy. The cost is the best action's value less the played one's,
    and a decision is costly only if its cost is beyond its standard error. Games that are played for places
    count the share of the other seats that are left behind. With --bots only theirs are judged; without a
    run it is their latest. CSV and JSON have all decisions, text the costliest ones and totals a phase.

    Examples:
        arena analyse taroky#2/4007
        arena analyse game.jsonl --seat 2
        arena analyse taroky#2 --bots my_bot --limit 10
        arena analyse --bots my_bot --format csv
    """
    from arena.replay import analysis
    from arena.replay.listing import latest_run
    from arena.replay.recorded import load_game, stored

    named, people, record = options.names(bots), how.of_text, None
    if limit is not None and not people:
        raise UsageError("--limit is for text: csv and json have all decisions")
    if what is not None and (re.search(r"#\d+/", what) or ("#" not in what and re.search("[./]", what))):
        if named and seat is not None:
            raise UsageError("name a seat with --seat or bots with --bots, not both")
        if workers is not None:
            raise UsageError("--workers is for a run: one game is judged in one process")
        record = load_game(what)
        seats = analysis.seats_in(record, named) if seat is None else [seat]
        found, game = list(analysis.analyse(record, seats, worlds)), record.game
    elif what is None and not named:
        raise UsageError("say what: a game (taroky#2/4007), a record's file, a run, or --bots NAME")
    elif seat is not None:
        raise UsageError("--seat is for one game; of a run, name bots with --bots")
    else:
        store = open_store()
        run = store.runs.find(what) if what else latest_run(store, named[0])
        games, game = analysis.seats_of(store, run, named), run.game
        with watching(Progress.AUTO)(len(games), 0, "games") as add:
            found = list(analysis.analyse_games(store, games, worlds, workers, add))
    shown = analysis.costliest(found)[: limit or SHOWN] if people else found
    if people:
        for one in shown:
            _print_position(one, record or stored(store, one.game))
        if not shown:
            note("no decision was costly beyond its error")
        _print_totals(analysis.totals(found), game, how)
    else:
        table([one.plain() for one in found], COLUMNS, how, {})


def _print_position(one: Judged, record: Recorded) -> None:
    """Print a costly decision of a game as its seat saw it."""
    from arena.replay.text import shown

    print(f"{one.game}, decision {one.decision}, seat {one.seat} ({clean(one.bot)}), {one.phase}")
    for line in shown(record.at(one.decision), record, one.seat).splitlines():
        print(f"    {clean(line)[:WIDE]}")
    print(f"  played {one.played}; {one.best} is better: cost {_in_unit(record.game, one.cost, one.error)}")
    print(f"  {one.reason}\n" if one.reason else "")


def _in_unit(game: str, cost: float, error: float) -> str:
    """Write a cost with its error and unit."""
    from arena.replay.analysis import unit_of

    times, unit = unit_of(game)
    return f"{times * cost:.2f} +- {times * error:.2f} {unit}"


def _print_totals(found: list[PhaseTotal], game: str, how: Format) -> None:
    """Print a row a phase."""
    from arena.replay.analysis import unit_of

    times, unit = unit_of(game)
    rows = [
        {
            "phase": one.phase,
            "decisions": one.decisions,
            "mean cost": f"{times * one.cost:.3f}",
            "95 %": " .. ".join(f"{times * bound:.3f}" for bound in one.interval),
            "costly": f"{one.costly:.0%}",
            "level": f"{one.level:.0%}",
        }
        for one in found
    ]
    table(rows, (), how, {
        "phase": itemgetter("phase"),
        ">decisions": itemgetter("decisions"),
        ">mean cost": itemgetter("mean cost"),
        ">95 %": itemgetter("95 %"),
        ">costly": itemgetter("costly"),
        ">level": itemgetter("level"),
    })  # fmt: skip
    note(f"{count(sum(one.decisions for one in found), 'decision')}; costs in {unit}")
