"""`arena league list|show|verify|abort|delete`: look at stored runs and end them. Nothing is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.cli.options import FormatOption, RunArgument, WorkersOption, YesOption
from arena.cli.output import Format, ask, count, note, open_store, print_json, put, table
from arena.cli.progress import Progress, watching
from arena.cli.ratings import print_ratings
from arena.errors import RunError
from arena.printable import settings

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.models import Audit, LeagueRun

SHOWN = 3  # other answers of a bot that was asked again


def list_(how: FormatOption = Format.TABLE) -> None:
    """List the leagues that ship with the project and all runs so far.

    Example:
        arena league list --format json
    """
    from arena.runs.manage import list_leagues

    table(
        list_leagues(open_store()),
        ("league", "game", "players", "deals", "state", "started", "finished"),
        how,
        {
            "league": lambda r: r["league"],
            "game": lambda r: r["game"],
            ">players": lambda r: str(r["players"]),
            ">deals": lambda r: str(r["deals"]),
            "state": lambda r: r["state"],
            "started (UTC)": lambda r: r.get("started", "")[:16].replace("T", " "),
        },
        drop=(">deals", ">players"),
    )


def show(name: RunArgument, how: FormatOption = Format.TABLE) -> None:
    """Show a run: its definition, how far it is, and its table.

    Examples:
        arena league show taroky
        arena league show taroky#2 --format json
    """
    from arena.runs import heap
    from arena.runs.report import report_of
    from arena.runs.stages import hash_line

    heap.give_back_columns()
    store = open_store()
    current = store.runs.find(name)
    if epochs := store.seasons.epochs(name):
        note(f"of {count(len(epochs), 'epoch')} of season {name} this is the newest, {current.label}")
    if how is Format.JSON:
        print_json(report_of(store, current))
        return
    facts = current.definition
    table_of = f"{current.game}, {facts.players} players, {count(facts.deals, 'deal')}"
    note(f"{current.label}: {table_of}, level {facts.level}")
    note(f"options: {settings(facts.options)}")
    stages = store.runs.stages(current)
    versions = dict.fromkeys(stage.code["versions"]["card-arena"] for stage in stages)
    note(f"played with card-arena {', '.join(versions)}")
    note(hash_line(store, current))
    if current.state == "playing":
        far = store.matches.counts()[current.key]
        note(f"unfinished: {far.stored} of {count(far.planned, 'match')}; the table has complete blocks only")
    if digest := store.matches.games_digest(current):
        note(f"digest of all games: {digest} (the same on any machine, if the bots are)")
    print_run(store, current, how)


def verify(name: RunArgument, workers: WorkersOption = None) -> None:
    """Replay every stored game of a run, or of all epochs of a season that have ended.

    Deals come from the secret, moves from the store. Exit code 1 on a difference.

    Examples:
        arena league verify taroky#3
        arena league verify spring
    """
    from arena.runs import heap
    from arena.runs.manage import runs_named

    heap.give_back_columns()
    store = open_store()
    found = runs_named(store, name)
    for current in [run for run in found if run.state != "playing"] or found[-1:]:
        _verify(store, current, workers)


def _verify(store: Store, current: LeagueRun, workers: int | None) -> None:
    """Verify one run.

    Raises:
        RunError: there is a difference.
    """
    from arena.runs.verify import verify as verified

    games = store.matches.counts()[current.key].games
    note(f"{current.label}: replaying {count(games, 'game')}, then its table is made again")
    with watching(Progress.AUTO)(games, 0, "games") as add:
        verdict = verified(store, current, workers, add)
    for difference in verdict.differences[:20]:
        note(difference)
    replayed = count(verdict.games, "game")
    if verdict.differences:
        raise RunError(f"{current.label}: {count(len(verdict.differences), 'difference')} in {replayed}")
    sealed = f"; seal {current.seal}" if current.seal else ""
    put(f"{current.label}: {replayed}, no difference{sealed}")


def abort(name: RunArgument) -> None:
    """End an unfinished run for good: its secret is shown, and its complete blocks keep counting.

    Example:
        arena league abort taroky#3
    """
    from arena.runs.manage import abort_run
    from arena.runs.stages import secret_line

    store = open_store(writes=True)
    note(secret_line(store, abort_run(store, name)))


def delete(name: RunArgument, yes: YesOption = False) -> None:
    """Remove a run with all its games. Bots stay.

    Example:
        arena league delete taroky#3 --yes
    """
    from arena.runs.manage import delete_run

    store = open_store(writes=True)
    current = store.runs.find(name)
    games = store.matches.counts()[current.key].games
    if season := store.seasons.of_runs().get(current.key):
        note(f"it is an epoch of season {season}: its secret and seal go, too")
    ask(f"Remove {current.label} with {count(games, 'game')} for good?", yes or "#" not in name)
    print(f"{current.label} is deleted, with {count(delete_run(store, name), 'game')}")


def print_run(store: Store, current: LeagueRun, how: Format) -> None:
    """Print the table of a run, and what must be said about it."""
    from arena.printable import first_line
    from arena.runs.stages import secret_line
    from arena.runs.standings import run_table

    print_ratings(run_table(store, current), how)
    labels = [entry.bot.label for entry in store.runs.entries(current)]
    for lost in store.matches.forfeits(current):
        last = f": {words}" if (words := first_line(lost.text)) else ""
        note(f"{labels[lost.entrant]} forfeited {lost.seats} seat(s), {lost.kind}{last}")
    for cause, times in store.matches.repeated(current).most_common():
        note(f"{times} time(s) a match was called off and played again with the same deals: {cause}")
    _note_rechecked(store, current)
    other: dict[int, list[Audit]] = {}
    for one in store.runs.audits(current):
        if one.now:
            other.setdefault(one.entrant, []).append(one)
    for entrant, answers in other.items():
        for one in answers[:SHOWN]:
            note(f"{labels[entrant]}, asked again about {answer_line(current, one)}")
        if len(answers) > SHOWN:
            more = len(answers) - SHOWN
            note(f"{labels[entrant]} answered otherwise {more} more time(s), which --format json shows")
    if current.state != "playing":
        note(secret_line(store, current))
        if current.seal:
            note(f"{current.label} has the seal {current.seal} (SHA-256 of all matches; verify compares it)")
    if current.definition.level == "trusted":
        note("trusted: bots were not separated from the harness, so this run is not rated")


def answer_line(run: LeagueRun, one: Audit) -> str:
    """Where a bot that was asked again answered otherwise, and what."""
    from arena.printable import first_line
    from arena.store.packing import GAMES_PER_MATCH

    game = one.match * GAMES_PER_MATCH + one.game
    where = f"game {run.label}/{game}, decision {one.decision}" if one.game >= 0 else f"match {one.match}"
    now = first_line(one.now)
    return f"{where}: {f'then {one.then}, now {now}' if one.then else now}"


def _note_rechecked(store: Store, current: LeagueRun) -> None:
    """Print what came of matches that were played on a second node too."""
    compared = store.matches.rechecked(current)
    if compared:
        same = sum(one.same for one in compared.values())
        note(f"{len(compared)} match(es) were played on a second node too: {same} had the same games")
    for match, one in compared.items():
        if not one.same:
            note(f"match {match} of {current.label} had {one}")
