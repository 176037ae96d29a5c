"""`arena league`: runs are looked at, verified and ended, in which games a bot lost; and what plays."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli import options
from arena.cli.group import group
from arena.cli.options import FormatOption, RunArgument, WorkersOption, YesOption
from arena.cli.output import Format, ask, count, note, open_store, print_json, put, table
from arena.cli.progress import Progress, watching
from arena.cli.ratings import print_ratings
from arena.errors import RunError, UsageError
from arena.printable import settings

if TYPE_CHECKING:
    from arena.replay.listing import PlayedGame
    from arena.replay.losses import Worse
    from arena.store import Store
    from arena.store.models import Audit, LeagueRun

app = group("Run leagues and look at them.")
SHOWN = 3  # other answers of a bot that was asked again
COLUMNS = ("game", "deal", "seat", "bot", "score", "margin", "kind", "names", "scores", "others", "cost")
ROWS, WORST = 20, 5  # of a table that is not limited otherwise

TournamentOption = Annotated[
    str | None,
    typer.Option(help="Who plays whom: round-robin, gauntlet, swiss, knockout, adaptive."),
]
CandidatesOption = Annotated[
    str | None, typer.Option(metavar="A,B", help="Measure these bots against the field: a gauntlet.")
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="best|separated|ci=15|4h",
        help="Go on where ranks are least sure until the best is known, all ranks are, all Elo bars are "
        "+-15, or this time is up; or whichever comes first: best,4h.",
    ),
]
SameOwnerOption = Annotated[bool, typer.Option("--same-owner", help="Seat bots of one owner together.")]
JoinOption = Annotated[
    bool, typer.Option("--join", help="Add new bots to the latest run: they play against the field.")
]
BeaconOption = Annotated[
    str, typer.Option(metavar="TEXT", help="A public value that nobody knew when entries were closed.")
]


def _list(how: Format) -> None:
    """Print the leagues that ship with the project and all runs so far."""
    from arena.runs.open import list_leagues

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


@app.command()
def show(name: RunArgument = "", how: FormatOption = Format.TABLE) -> None:
    """Show a run: its definition, how far it is, and its table; or list the leagues and all runs so far.

    Examples:
        arena league show
        arena league show taroky
        arena league show taroky#2 --format json
    """
    from arena.runs import heap
    from arena.runs.report import report_of
    from arena.runs.stages import hash_line

    if not name:
        _list(how)
        return
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


@app.command()
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
    times, unit = 1.0, ""
    if how.of_text and any(one.cost is not None for one in rows[:most]):
        from arena.replay.analysis import unit_of

        times, unit = unit_of(store.runs.find(rows[0].game.partition("/")[0]).game)
    print_rows(rows[:most], how, times)
    if unit:
        note(f"cost: {unit}, of all decisions of the seat")
    people = how in (Format.TABLE, Format.WIDE)
    if not rows:
        note("there are no such games")
    elif worst and people:
        for one in rows[:most]:
            put(_parted(best_other(store, one, level or "strict")))
    elif len(rows) > most and people:
        note(f"{most} of {count(len(rows), 'game')}; more with --limit, all with --format csv")


@app.command()
def verify(name: RunArgument, workers: WorkersOption = None) -> None:
    """Replay every stored game of a run, or of all epochs of a season that have ended.

    Deals come from the secret, moves from the store. Exit code 1 on a difference.

    Examples:
        arena league verify taroky#3
        arena league verify spring
    """
    from arena.runs import heap
    from arena.runs.open import runs_named

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


@app.command()
def abort(
    name: RunArgument,
    delete: Annotated[
        bool, typer.Option("--delete", help="Remove any run with all its games instead; bots stay.")
    ] = False,
    yes: YesOption = False,
) -> None:
    """End an unfinished run for good, or delete a run.

    Without --delete its secret is shown, and its complete blocks keep counting.

    Examples:
        arena league abort taroky#3
        arena league abort taroky#3 --delete --yes
    """
    from arena.runs.open import abort_run, delete_run
    from arena.runs.stages import secret_line

    store = open_store(writes=True)
    if not delete:
        note(secret_line(store, abort_run(store, name)))
        return
    current = store.runs.find(name)
    games = store.matches.counts()[current.key].games
    if season := store.seasons.of_runs().get(current.key):
        note(f"it is an epoch of season {season}: its secret and seal go, too")
    ask(f"Remove {current.label} with {count(games, 'game')} for good?", yes or "#" not in name)
    print(f"{current.label} is deleted, with {count(delete_run(store, name), 'game')}")


@app.command()
def run(
    name: options.LeagueArgument,
    bots: options.BotsOption = None,
    deals: options.DealsOption = None,
    seed: options.SeedOption = None,
    players: options.PlayersOption = None,
    option: options.OptionOption = None,
    level: options.LevelOption = None,
    tournament: TournamentOption = None,
    candidates: CandidatesOption = None,
    until: UntilOption = None,
    same_owner: SameOwnerOption = False,
    join: JoinOption = False,
    beacon: BeaconOption = "",
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    progress: options.ProgressOption = Progress.AUTO,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """Play a league to its end and print the rating table.

    Goes on with the unfinished run of the same league, bots and code; else starts the next one (taroky#2),
    with new deals.

    Examples:
        arena league run taroky
        arena league run taroky --join
        arena league run flip7 --bots racer,my_bot@2,./draft.py --deals 100 --option deck=fresh
        arena league run flip7 --until best,30m
        arena league run ./my_league.toml --seed 7 --workers 4 --format json
    """
    from arena.cluster.local import start_early
    from leagues import definition

    if join and (deals is not None or seed is not None or beacon):
        raise UsageError("a newcomer plays the deals of the run: leave out --deals, --seed and --beacon")
    (goal, seconds), named = options.goal_and_time(until), options.names(bots)
    league, rules = definition.load(name), None
    if option:
        from arena.intake.conditions import typed

        rules = {**league.options, **typed(league.game, options.pairs(option))}
    league = league.changed(
        players=players,
        options=rules,
        deals=deals,
        seed=seed,
        level=level,
        tournament=tournament,
        candidates=options.names(candidates) or None,
        until=goal,
        same_owner=same_owner or None,
        beacon=beacon or None,
    )
    start_early(workers, address)  # the arguments are right: Ray starts while the rest is imported
    from arena import api

    store = open_store(create=True)
    driven = api.PlayOptions(workers, address, seconds=seconds, say=note, watch=watching(progress))
    play = api.join_league if join else api.run_league
    print_run(store, play(store, league, named, driven), how)


@app.command()
def resume(
    name: options.RunArgument,
    deals: Annotated[
        int | None,
        typer.Option("--deals", min=1, help="Add deals to a finished run, under a new secret."),
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="4h", help="Begin no round after this time.")] = None,
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    progress: options.ProgressOption = Progress.AUTO,
    how: options.FormatOption = Format.TABLE,
) -> None:
    """Go on with a run that was stopped, as it was begun: its bots, its deals, its limits.

    A comparison goes on until it is known, and ends with the exit code of `arena compare`.

    Examples:
        arena league resume taroky#3
        arena league resume taroky#3 --deals 200
    """
    from arena.cluster.local import start_early

    until_s, store = options.seconds_of(until), open_store(create=True)
    run = store.runs.find(name)
    start_early(workers, address)
    from arena import api
    from arena.cli.compare import print_answer
    from leagues.definition import Comparison

    driven = api.PlayOptions(workers, address, seconds=until_s, say=note, watch=watching(progress))
    if deals is not None:
        print_run(store, api.extend_run(store, name, deals, driven), how)
    elif isinstance(run.definition, Comparison):
        compared, answer = api.resume_comparison(store, name, driven)
        raise typer.Exit(print_answer(compared, answer, how))
    else:
        print_run(store, api.resume_run(store, name, driven), how)


@app.command()
def commit(
    name: options.LeagueArgument,
    close: Annotated[
        bool,
        typer.Option("--close", help="Print the hash of the bots that are in now, too: nobody else enters."),
    ] = False,
) -> None:
    """Draw the secret of a league's next run and print its hash, to be published before bots come in.

    Examples:
        arena league commit taroky
        arena league commit taroky --close
    """
    from arena.runs.open import commit_league

    promise = commit_league(open_store(create=True), name, close)
    print(f"{promise.league}: the secret of the next run has the blake2b-256 {promise.secret_hash}")
    if promise.closed:
        names = ", ".join(promise.entrants)
        print(f"closed with {names}: sha256 {promise.closed}; next, when the beacon is known:")
        print(f"    arena league run {name} --beacon VALUE")


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


def print_rows(found: list[PlayedGame], how: Format, times: float) -> None:
    """Print games as a table; for people costs are multiplied by `times`."""
    rows: list[dict[str, Any]] = [
        {name: getattr(one, name, None) for name in COLUMNS}
        | {
            "bot": one.names[one.seat],
            "others": [list(other) for other in one.others],
            "margin": None if one.margin is None else round(one.margin, 3),
        }
        for one in found
    ]
    costs = {">cost": lambda r: "" if r["cost"] is None else f"{times * r['cost']:z.2f}"}
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
