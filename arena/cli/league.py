"""`arena league run|resume|commit`: what plays. Looking at runs and ending them is in `league_runs`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli import league_runs as runs
from arena.cli import options, why
from arena.cli.group import group
from arena.cli.output import Format, note, open_store
from arena.cli.progress import Progress, watching
from arena.errors import UsageError

app = group("Run leagues and look at them.")
app.command("list")(runs.list_)
app.command()(runs.show)
app.command()(why.games)
app.command()(runs.verify)
app.command()(runs.abort)
app.command()(runs.delete)


TournamentOption = Annotated[
    str | None,
    typer.Option(help="Who plays whom: round-robin, gauntlet, swiss, ladder, knockout, adaptive."),
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
    runs.print_run(store, play(store, league, named, driven), how)


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
        runs.print_run(store, api.extend_run(store, name, deals, driven), how)
    elif isinstance(run.definition, Comparison):
        compared, answer = api.resume_comparison(store, name, driven)
        raise typer.Exit(print_answer(compared, answer, how))
    else:
        runs.print_run(store, api.resume_run(store, name, driven), how)


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
    from arena.runs.manage import commit_league

    promise = commit_league(open_store(create=True), name, close)
    print(f"{promise.league}: the secret of the next run has the blake2b-256 {promise.secret_hash}")
    if promise.closed:
        names = ", ".join(promise.entrants)
        print(f"closed with {names}: sha256 {promise.closed}; next, when the beacon is known:")
        print(f"    arena league run {name} --beacon VALUE")
