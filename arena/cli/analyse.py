"""`arena analyse`: what every decision of played games cost, what was better, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import options
from arena.cli.output import Format, clean, count, note, open_store, put, table
from arena.cli.progress import Progress, watching
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.replay.analysis import PhaseTotal
    from arena.replay.recorded import Recorded
    from arena.store import Store
    from arena.store.analyses import Judged
    from arena.store.models import LeagueRun

SHOWN = 5  # decisions, unless --limit says otherwise
COLUMNS = (
    "game", "decision", "seat", "bot", "phase", "played", "best",
    "verdict", "value", "cost", "error", "given", "given_errors", "reason", "worlds", "told",
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
        typer.Option("--worlds", min=64, max=1_000_000, help="Most worlds a decision (default: 512)."),
    ] = None,
    save: Annotated[bool, typer.Option("--save", help="Keep the costs; pages show them.")] = False,
    limit: options.LimitOption = None,
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """Judge every decision of a game or a run: what it cost, and why.

    A seat is judged by what it could see: all actions are tried in the same random worlds that agree with its
    view, played on by the game's rollout policy. The cost is the best action's value less the played one's,
    and a decision is costly only if its cost is beyond its standard error. Games that are played for places
    count the share of the other seats that are left behind. With --bots only theirs are judged; without a
    run it is their latest. CSV and JSON have all decisions, text the costliest ones and totals a phase.
    What --save has kept is not judged again: so a run that was stopped goes on, and replays show costs.

    Examples:
        arena analyse taroky#2/4007
        arena analyse game.jsonl --seat 2
        arena analyse taroky#2 --bots my_bot --limit 10 --save
        arena analyse --bots my_bot --format csv
        arena analyse taroky#2 --save --address 10.0.0.5:6379
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
        if workers is not None or address is not None:
            raise UsageError("--workers and --address are for a run: one game is judged in one process")
        record = load_game(what)
        seats = analysis.seats_in(record, named) if seat is None else [seat]
        found, game = _of_record(record, seats or range(record.players), worlds, save), record.game
    elif what is None and not named:
        raise UsageError("say what: a game (taroky#2/4007), a record's file, a run, or --bots NAME")
    elif seat is not None:
        raise UsageError("--seat is for one game; of a run, name bots with --bots")
    else:
        store = open_store(writes=save)
        run = store.runs.find(what) if what else latest_run(store, named[0])
        games, game = analysis.seats_of(store, run, named), run.game
        with watching(Progress.AUTO)(len(games), 0, "games") as add:
            found = list(analysis.analyse_games(store, games, worlds, workers, address, add, save, note))
    shown = analysis.costliest(found)[: limit or SHOWN] if people else found
    if people:
        for one in shown:
            _print_position(one, record or stored(store, one.game))
        if not shown:
            note("no decision was costly beyond its error")
        _print_totals(analysis.totals(found), game, how)
        if told := [one.told for one in found if one.told > 0]:
            mean, uniform = f"{sum(told) / len(told):.1f} exchanges of cards each", len(found) - len(told)
            note(f"{len(told)} in worlds that fit what the others did ({mean}), {uniform} in uniform worlds")
        if record is not None and not named and seat is None:
            _print_account(record, found, how)
        elif record is None and not named:
            _print_bots(store, run, found, how)
    else:
        table([one.plain() for one in found], COLUMNS, how, {})


def _of_record(record: Recorded, seats: Sequence[int], worlds: int | None, save: bool) -> list[Judged]:
    """Analyse a game, unless that of a stored one was kept."""
    from arena.replay.analysis import analyse, analyse_games

    if record.seed is not None:
        store = open_store(writes=save)
        return list(analyse_games(store, {record.label: seats}, worlds, 1, save=save, say=note))
    if save:
        raise UsageError("--save is for stored games: a record's file has no place in the database")
    return list(analyse(record, seats, worlds))


def _print_position(one: Judged, record: Recorded) -> None:
    """Print a costly decision of a game as its seat saw it."""
    from arena.replay.analysis import cost_line
    from arena.replay.text import shown

    put(f"{one.game}, decision {one.decision}, seat {one.seat} ({clean(one.bot)}), {one.phase}")
    for line in shown(record.at(one.decision), record, one.seat).splitlines():
        put(f"    {clean(line)}")
    put(f"  {cost_line(record.game, one)}")
    put(f"  {one.reason}\n" if one.reason else "")


def _print_account(record: Recorded, found: list[Judged], how: Format) -> None:
    """Print what the result of each seat came from, where the game measures luck."""
    from arena.replay.analysis import unit_of
    from arena.replay.explaining import account

    times, unit = unit_of(record.game)
    rows = [vars(one) | {"rest": one.rest} for one in account(record, found)]

    def part(name: str, at: int) -> Callable[[dict[str, Any]], str]:
        return lambda r: f"{times * r[name]:+.1f} +- {times * r['errors'][at]:.1f}"

    if rows:
        print()
        table(rows, (), how, {
            "seat": lambda r: f"{r['seat']} {clean(r['bot'])}",
            ">result": lambda r: f"{times * r['result']:+.1f}",
            ">the cards gave": part("cards", 0),
            ">own decisions": part("own", 1),
            ">others' decisions": part("others", 2),
            ">rest": lambda r: f"{times * r['rest']:+.1f}",
        })  # fmt: skip
        note(f"in {unit}; the result is that beyond the mean of the seats")


def _print_bots(store: Store, run: LeagueRun, found: list[Judged], how: Format) -> None:
    """Print the result of each bot beside what decisions gave it."""
    from arena.replay.analysis import unit_of
    from arena.replay.explaining import by_bot, slope
    from arena.replay.listing import games_of

    times, unit = unit_of(run.game)
    totals = by_bot(run, games_of(store, run), found)
    print()
    table([vars(one) for one in totals], (), how, {
        "bot": lambda r: clean(r["bot"]),
        ">games": lambda r: str(r["games"]),
        ">result": lambda r: f"{times * r['result']:+.2f} +- {times * r['error']:.2f}",
        ">own decisions": lambda r: f"{times * r['own']:+.2f}",
        ">others' decisions": lambda r: f"{times * r['others']:+.2f}",
    })  # fmt: skip
    steep, error, correlation = slope(totals)
    explained = f"slope {steep:.2f} +- {error:.2f}, correlation {correlation:.2f}"
    note(f"{unit} a game; how far decisions explain results: {explained}")


def _print_totals(found: list[PhaseTotal], game: str, how: Format) -> None:
    """Print a row a phase."""
    from arena.replay.analysis import unit_of

    times, unit = unit_of(game)
    table([vars(one) | {"interval": one.interval} for one in found], (), how, {
        "phase": itemgetter("phase"),
        ">decisions": itemgetter("decisions"),
        ">mean cost": lambda r: f"{times * r['cost']:z.3f}",
        ">95 %": lambda r: " .. ".join(f"{times * x:z.3f}" for x in r["interval"]) if r["error"] > 0 else "",
        ">costly": lambda r: f"{r['costly']:.0%}",
        ">level": lambda r: f"{r['level']:.0%}",
    })  # fmt: skip
    note(f"{count(sum(one.decisions for one in found), 'decision')}; costs in {unit}; below 0: by chance")
