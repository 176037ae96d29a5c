"""`arena ladder new|run|pause|close|status`: seasons, which stay open for months."""

from __future__ import annotations

import signal
import sys
import time
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli import options
from arena.cli.group import group
from arena.cli.output import Format, ask, count, note, noting, open_store, organiser, print_json, put, table
from arena.cli.progress import Progress, watching
from arena.errors import Terminated

if TYPE_CHECKING:
    from arena.ladder.status import LeagueStatus
    from arena.printable import Say
    from arena.store import Store
    from arena.store.models import Season

SHOWN = 8  # newcomers of the queue
COUNTED = ("newcomer", "regular")  # roles of which there are several
THEN = {"paused": "arena ladder pause {} --undo goes on", "closed": "there is nothing to play"}
WAITS = tuple(THEN)  # states of a season that is not played
LOOK_S = 2.0  # from one look at a season that waits to the next

BotArgument = Annotated[str, typer.Argument(metavar="NAME@VERSION", help="A version of a bot.")]

app = group("Run seasons, which stay open for months.")
SeasonArgument = Annotated[str, typer.Argument(metavar="SEASON", help="A season's name.")]


@app.command()
def new(file: Annotated[Path, typer.Argument(metavar="FILE", help="A season file (.toml).")]) -> None:
    """Open a season and print the hash of the secret of its first epoch.

    For the edited file of a season that goes on, it moves the season's last day, `ends`.

    Example:
        arena ladder new spring.toml
    """
    from arena.ladder.service import edit_season, new_season

    store = open_store(writes=True)
    if edited := edit_season(store, file, organiser()):
        put(edited)
        return
    season, hashes = new_season(store, file)
    put(f"season {season.name} is open; next: arena ladder run {season.name}")
    for name, secret_hash in hashes.items():
        put(f"{name}: the secret of the first epoch has the blake2b-256 {secret_hash}")


@app.command()
def run(
    season: SeasonArgument,
    epochs: Annotated[int | None, typer.Option(min=1, help="End after so many epochs.")] = None,
    workers: options.WorkersOption = None,
    address: options.AddressOption = None,
    progress: options.ProgressOption = Progress.AUTO,
    log: options.LogOption = None,
    stay: Annotated[
        bool, typer.Option("--stay", help="Wait while the season is paused, and when it is closed.")
    ] = False,
) -> None:
    """Play a season, epoch after epoch, until it is paused, closed or over.

    Stop it with Ctrl-C or SIGTERM. The same command goes on where it stopped, also after a crash. It finds
    new bots between epochs. It takes a paused season up again; with --stay it waits until somebody does.

    Examples:
        arena ladder run spring
        arena ladder run spring --epochs 1
        arena ladder run spring --log spring.log
    """
    say = noting(log, short=True)
    store = open_store(create=True)
    found = store.seasons.find(season)
    if found.state in WAITS and stay:
        await_order(store, season, say)
    from arena.cluster.local import start_early
    from arena.runs import heap

    heap.steady()
    start_early(workers, address, log)
    from arena import api
    from arena.ladder.organising import state_of
    from arena.ladder.service import run_season, unread

    for line in unread(found):
        say(line)
    driven = api.PlayOptions(workers, address, say=say, watch=watching(progress))
    ends = WAITS if epochs else (*WAITS, "open")  # open again: its pause was taken back at once
    while (ended := run_season(store, season, driven, epochs, not stay)).state in ends and stay:
        await_order(store, season, say)
    put(state_of(ended))


def await_order(store: Store, name: str, say: Say) -> None:
    """Wait until a season is to be played: one that was closed never is.

    Nothing else is loaded or started meanwhile.
    """
    signal.signal(signal.SIGTERM, Terminated.by_signal)
    with store.leases.driving(name) as tell:
        while (state := store.seasons.find(name).state) in WAITS:
            if tell(waits := f"season {name} is {state}; {THEN[state].format(name)}"):
                say(waits)
            time.sleep(LOOK_S)


@app.command()
def pause(
    season: SeasonArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Let whoever waits for it go on.")] = False,
) -> None:
    """Stop playing a season; `arena ladder run` goes on with it.

    Examples:
        arena ladder pause spring
        arena ladder pause spring --undo
    """
    from arena.ladder import organising

    put(organising.pause(open_store(writes=True), organiser(), season, undo))


@app.command()
def close(
    season: SeasonArgument,
    how: options.FormatOption = Format.TABLE,
    delete: Annotated[
        bool, typer.Option("--delete", help="Remove it, as if it was never opened; nothing was played yet.")
    ] = False,
    yes: options.YesOption = False,
) -> None:
    """End a season for good and print its tables; `status` then prints the secret of every epoch.

    An epoch that is being played is played to its end first. One that nobody plays ends at once.

    Examples:
        arena ladder close spring
        arena ladder close spring --yes
        arena ladder close test --delete
    """
    from arena.ladder.service import close_season

    store = open_store(writes=True)
    if delete:
        store.seasons.delete(season, organiser())
        put(f"season {season} is deleted")
        return
    ask(f"Close season {season} for good?", yes or store.seasons.find(season).state == "closed")
    closed = close_season(store, season)
    store.owners.note(organiser(), "close", season)
    _print_status(store, closed, how, short=True)


@app.command()
def status(season: SeasonArgument = "", how: options.FormatOption = Format.TABLE) -> None:
    """Show how a season stands: its epochs, the queue of newcomers, who does not play, and the tables.

    Without a season it lists the seasons.

    Examples:
        arena ladder status spring
        arena ladder status spring --format json
    """
    store = open_store()
    if not season:
        from arena.ladder.status import driver_line

        there = store.leases.season_drivers()
        rows = [
            {"season": one.name, "state": one.state, "ends": str(one.definition.ends or "never")}
            | {"driver": driver_line(there.get(one.name)) or "none"}
            for one in store.seasons.all()
        ]
        if not rows:
            note("no season yet: arena ladder new FILE opens one")
        keys = ("season", "state", "ends", "driver")
        table(rows, keys, how, {key: itemgetter(key) for key in keys})
    else:
        _print_status(store, store.seasons.find(season), how)


@app.command()
def exclude(
    season: SeasonArgument,
    name: BotArgument,
    reason: Annotated[str, typer.Option("--reason", help="Everybody sees it.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Let its games count again.")] = False,
) -> None:
    """Rate a season without a bot: its games do not count, and it plays no more in this season.

    In a terminal it says first how many games that are, and asks.

    The games stay in the database, and runs still verify.

    Examples:
        arena ladder exclude spring cheat@2 --reason "plays for mate@1"
        arena ladder exclude spring cheat@2 --undo
    """
    from arena.ladder import organising

    store = open_store(writes=True)
    if reason.strip() and not undo:
        put(organising.weigh(store, "", season, name))
        if sys.stdin.isatty():
            typer.confirm("Go on?", abort=True)
    put(organising.exclude(store, organiser(), season, name, reason, undo))


def _print_status(store: Store, season: Season, how: Format, short: bool = False) -> None:
    from arena.cli.ratings import print_ratings
    from arena.ladder.organising import state_of
    from arena.ladder.status import driver_line, plain, season_status

    leagues = season_status(store, season)
    driver = driver_line(store.leases.season_drivers().get(season.name))
    if how is Format.JSON:
        print_json(plain(season, leagues) | {"driver": driver})
        return
    if short:
        note(state_of(season))
    else:
        then = f"closed {season.closed:%Y-%m-%d %H:%M} UTC" if season.closed else season.definition.lasts
        note(f"season {season.name}: {season.state}; opened {season.opened:%Y-%m-%d %H:%M} UTC, {then}")
        note(f"driver: {driver or 'none'}")
        for sent in store.submissions.failing():
            note(f"{sent.file} of {sent.owner} waits: {sent.text}")
    for at, one in enumerate(leagues):
        if not short:
            _tell_league(one, season.state == "closed")
        title = f"{season.name}: {one['game']} with {one['players']} players"
        print_ratings(one["table"], how, title, one["owners"], at)


def _tell_league(one: LeagueStatus, closed: bool) -> None:
    """Say how one league of a season stands."""
    epochs = one["epochs"]
    roles = [count(n, role) if role in COUNTED else f"{n} {role}" for role, n in one["roles"].items()]
    far = f"{count(len(epochs), 'epoch')} so far; {', '.join(roles) or 'no bots'}"
    note(f"{one['game']}, {one['players']} players: {far}")
    for epoch in epochs if closed else epochs[-1:]:
        far = f"{epoch['matches']} of {count(epoch['planned'], 'match')}, {count(epoch['blocks'], 'block')}"
        by = f", played by {epoch['player']}" if epoch["player"] else ""
        opened = f"secret {epoch['secret']}, seal {epoch['seal']}" if epoch["secret"] else ""
        hashed = opened or f"secret's blake2b-256 {epoch['secret_hash']}"
        note(f"epoch {epoch['epoch']}: {epoch['run']} {epoch['word']}, {far}{by}; {hashed}")
    if one["next_secret_hash"] and not closed:
        note(f"the next epoch's secret has the blake2b-256 {one['next_secret_hash']}")
    if one["queue"]:
        more = f" and {len(one['queue']) - SHOWN} more" if len(one["queue"]) > SHOWN else ""
        note(f"newcomers, next first: {', '.join(one['queue'][:SHOWN])}{more}")
    for label, why in one["archived"].items():
        note(f"{label} does not play: {why}")
