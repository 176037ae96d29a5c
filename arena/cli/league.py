"""`arena league run|resume|extend|commit`: what plays. Looking at runs and ending them is in `runs`."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli import completion, runs
from arena.cli.group import Group
from arena.cli.output import DbOption, Format, FormatOption, note, open_store
from arena.cli.progress import Progress, ProgressOption, watching
from arena.cli.times import goal_and_time, seconds_of
from arena.errors import UsageError

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Run leagues and look at them.", rich_markup_mode=None
)
app.command("list")(runs.list_)
app.command()(runs.show)
app.command()(runs.verify)
app.command()(runs.abort)
app.command()(runs.delete)

WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, help="Matches at a time (default: one per CPU core, of a cluster all of its)."),
]
RecheckOption = Annotated[
    float,
    typer.Option(
        min=0, max=1, help="Share of the matches that are played on a second node too, and compared."
    ),
]
AddressOption = Annotated[str | None, typer.Option(help="Address of a running Ray cluster.")]
ShareOption = Annotated[
    bool,
    typer.Option(
        "--share", help="Play beside other drivers of this run, which were started with --share too."
    ),
]
LeagueArgument = Annotated[
    str,
    typer.Argument(
        metavar="LEAGUE",
        help="A league's name, or the path of a .toml file.",
        autocompletion=completion.league_names,
    ),
]


@app.command()
def run(
    name: LeagueArgument,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Enter these bots: rule, my_bot@2, ./draft.py (a guest).",
            autocompletion=completion.bot_lists,
        ),
    ] = None,
    deals: Annotated[
        int | None, typer.Option(min=1, help="Deals that every entrant plays, each from every seat.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="A known seed, for a repeatable run (default: a fresh secret).")
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(help="How bots are separated: strict, strict+ns, strict+interpreters, trusted."),
    ] = None,
    tournament: Annotated[
        str | None,
        typer.Option(help="Who plays whom: round-robin, gauntlet, swiss, ladder, knockout, adaptive."),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Measure these bots against the field: a gauntlet.",
            autocompletion=completion.bot_lists,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="best|separated|ci=15|4h",
            help="Go on where ranks are least sure until the best is known, all ranks are, all Elo bars are "
            "+-15, or this time is up; or whichever comes first: best,4h.",
        ),
    ] = None,
    same_owner: Annotated[
        bool, typer.Option("--same-owner", help="Seat bots of one owner together.")
    ] = False,
    join: Annotated[
        bool, typer.Option("--join", help="Add new bots to the latest run: they play against the field.")
    ] = False,
    beacon: Annotated[
        str, typer.Option(metavar="TEXT", help="A public value that nobody knew when entries were closed.")
    ] = "",
    workers: WorkersOption = None,
    address: AddressOption = None,
    share: ShareOption = False,
    recheck: RecheckOption = 0.01,
    progress: ProgressOption = Progress.AUTO,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Play a league to its end and print the rating table.

    Goes on with the unfinished run of the same league, bots and code; else starts the next one (taroky#2),
    with new deals.

    Examples:
        arena league run taroky
        arena league run taroky --join
        arena league run flip7 --bots racer,my_bot@2,./draft.py --deals 100
        arena league run flip7 --until best,30m
        arena league run taroky --candidates ./draft.py
        arena league run ./my_league.toml --seed 7 --workers 4 --format json
    """
    from arena.cluster.local import start_early
    from leagues import definition

    if join and (deals is not None or seed is not None or beacon):
        raise UsageError(
            "a newcomer plays the deals of the run that it joins: leave out --deals, --seed and --beacon"
        )
    goal, seconds = goal_and_time(until) if until is not None else (None, None)
    named = _names(bots)
    league = definition.load(
        name,
        deals=deals,
        seed=seed,
        level=level,
        tournament=tournament,
        candidates=_names(candidates) or None,
        until=goal,
        same_owner=same_owner or None,
        beacon=beacon or None,
    )
    start_early(workers, address)  # the arguments are right: Ray starts while the rest is imported
    from arena import api

    store = open_store(db, create=True)
    options = api.PlayOptions(workers, address, share, recheck, seconds, note, watching(progress))
    play = api.join_league if join else api.run_league
    runs.print_run(store, play(store, league, named, options), how)


def _names(text: str | None) -> list[str]:
    """The names in a list such as `rule,./draft.py`.

    Raises:
        UsageError: there is an empty one.
    """
    if text is None:
        return []
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"{text!r} names nobody at one place; leave the option out for all")
    return names


@app.command()
def resume(
    name: runs.RunArgument,
    until: Annotated[
        str | None, typer.Option(metavar="4h", help="Begin no new round after this time.")
    ] = None,
    workers: WorkersOption = None,
    address: AddressOption = None,
    share: ShareOption = False,
    recheck: RecheckOption = 0.01,
    progress: ProgressOption = Progress.AUTO,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Go on with a run that was stopped, as it was begun: its bots, its deals, its limits.

    A comparison goes on until it is known, and ends with the exit code of `arena compare`.

    Example:
        arena league resume taroky#3
    """
    from arena.cluster.local import start_early

    until_s, store = seconds_of(until), open_store(db, create=True)
    run = store.find_run(name)
    start_early(workers, address)
    from arena import api
    from arena.cli.compare import print_answer
    from arena.league.compare import is_comparison

    options = api.PlayOptions(workers, address, share, recheck, until_s, note, watching(progress))
    if is_comparison(run):
        compared, answer = api.resume_comparison(store, name, options)
        raise typer.Exit(print_answer(compared, answer, how))
    runs.print_run(store, api.resume_run(store, name, options), how)


@app.command()
def extend(
    name: runs.RunArgument,
    deals: Annotated[int, typer.Option(min=1, help="Deals to add for every entrant.")],
    workers: WorkersOption = None,
    address: AddressOption = None,
    recheck: RecheckOption = 0.01,
    progress: ProgressOption = Progress.AUTO,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Add deals to a finished run, under a new secret, and play them.

    Example:
        arena league extend taroky#3 --deals 200
    """
    from arena.cluster.local import start_early

    store = open_store(db, create=True)
    store.find_run(name)
    start_early(workers, address)
    from arena import api

    options = api.PlayOptions(workers, address, recheck=recheck, say=note, watch=watching(progress))
    runs.print_run(store, api.extend_run(store, name, deals, options), how)


@app.command()
def commit(
    name: LeagueArgument,
    close: Annotated[
        bool,
        typer.Option("--close", help="Print the hash of the bots that are in now, too: nobody else enters."),
    ] = False,
    db: DbOption = None,
) -> None:
    """Draw the secret of a league's next run and print its hash, to be published before bots come in.

    Examples:
        arena league commit taroky
        arena league commit taroky --close
    """
    from arena.league.open import closed, commit, enter
    from leagues import definition

    league = definition.load(name)
    if league.seed is not None:
        raise UsageError(f"league {league.name} has a known seed: there is no secret to commit to")
    store = open_store(db, create=True)
    entrants = enter(store, league) if close else []
    print(f"{league.name}: the secret of the next run has the blake2b-256 {commit(store, league.name)}")
    if close:
        names = ", ".join(bot.label for bot in entrants)
        print(
            f"closed with {names}: sha256 {closed(store, league, entrants)}; next, when the beacon is known:"
        )
        print(f"    arena league run {name} --beacon VALUE")
