"""`arena league run|list|show`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.output import DbOption, Format, FormatOption, note, progress, table
from arena.cli.ratings import print_ratings
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.store import LeagueRun, Store

app = typer.Typer(no_args_is_help=True, help="Run leagues and look at them.", rich_markup_mode=None)


@app.command()
def run(
    name: Annotated[str, typer.Argument(metavar="LEAGUE", help="A league's name, or the path of a .toml file.")],
    bots: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Enter these bots: rule, my_bot@2, ./draft.py (a guest).")
    ] = None,
    deals: Annotated[int | None, typer.Option(min=1, help="Deals that every entrant plays, each from every seat.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="A known seed, for a repeatable run (default: a fresh secret).")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Matches at a time (default: one per CPU core).")] = None,
    address: Annotated[str | None, typer.Option(help="Address of a running Ray cluster.")] = None,
    level: Annotated[str | None, typer.Option(help="How bots are separated: strict, strict+ns, trusted.")] = None,
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Play a league to its end and print the rating table.

    Goes on with the latest unfinished run of the same league; else starts the next one (taroky#2), with new deals.

    Examples:
        arena league run taroky
        arena league run flip7 --bots racer,my_bot@2,./draft.py --deals 100
        arena league run ./my_league.toml --seed 7 --workers 4 --format json
    """
    from arena.jail import Limits
    from arena.league import open as opening
    from arena.store import Store
    from leagues import definition

    defined = definition.load(name, Limits).with_changes(deals=deals, seed=seed, level=level)
    opening.check_limits(defined)
    store = Store(db, create=True)
    entrants = opening.enter(store, defined, [bot.strip() for bot in bots.split(",")] if bots else ())
    current, new = opening.open_run(store, defined, entrants)
    if current.finished is None:
        _play(store, current, new, workers or len(os.sched_getaffinity(0)), address)
    else:
        note(f"{current.label} is finished; a run with a known seed is not played again")
    _print_run(store, current, how)


def _play(store: Store, current: LeagueRun, new: bool, workers: int, address: str | None) -> None:
    """Play what is missing, with a progress bar."""
    from arena.league.open import plans, secret_of
    from arena.league.play import play
    from arena.match import warm
    from arena.store import GAMES_PER_MATCH

    done = store.finished_matches(current)
    note(
        f"{current.label}: {'new run' if new else 'goes on'}, {current.matches - len(done)} of {current.matches} matches to play"
    )
    note(f"secret: blake2b-256 is {current.secret_hash}")
    warm.warm_up(current.game, note)
    secret = secret_of(current)
    sizes = {plan.number: len(plan.games(secret)) for plan in plans(current)}
    assert max(sizes.values()) < GAMES_PER_MATCH
    with progress(sum(sizes.values()), sum(sizes[number] for number in done), "games") as add:
        try:
            play(store, current, workers, address, lambda setup, result: add(len(setup.games)))
        except KeyboardInterrupt:
            played = len(store.finished_matches(current))
            note(f"{current.label}: stopped; {played} of {current.matches} matches are stored; run the same command to go on")
            raise


def _print_run(store: Store, current: LeagueRun, how: Format) -> None:
    from arena.league.table import run_table
    from leagues.ratings.table import Table

    stored = store.standing(current)
    print_ratings(Table.of_plain(stored) if stored else run_table(store, current), how)
    _note_faults(store, current)
    if current.finished is not None:
        note(f"{current.label} finished; secret {current.secret} (its blake2b-256: {current.secret_hash})")
    if current.definition["level"] == "trusted":
        note("trusted: bots were not separated from the harness, so this run is not rated")


def _note_faults(store: Store, current: LeagueRun) -> None:
    """One line per bot and kind of forfeit, with the first one's last words."""
    labels = [bot.label for bot in store.entrants(current)]
    seen: dict[tuple[int, str], list[Any]] = {}
    for forfeit in store.forfeits(current):
        seen.setdefault((forfeit.entrant, forfeit.kind), []).append(forfeit)
    for (entrant, kind), found in sorted(seen.items()):
        words = found[0].text.strip().splitlines()
        last = f": {words[0]}" if words else ""
        note(f"{labels[entrant]} forfeited {len(found)} seat(s), {kind}{last}")


@app.command("list")
def list_(how: FormatOption = Format.TABLE, db: DbOption = None) -> None:
    """List the leagues that ship with the project and all runs so far.

    Example:
        arena league list --format json
    """
    from arena.store import Store
    from leagues import definition

    store = Store(db)
    rows: list[dict[str, Any]] = []
    for name in definition.names():
        league = definition.load(name)
        rows.append({"league": name, "game": league.game, "players": league.players, "deals": league.deals, "state": "ready"})
    for current in store.runs():
        done = len(store.finished_matches(current))
        state = "finished" if current.finished else f"{done} of {current.matches} matches"
        facts = current.definition
        rows.append(
            {
                "league": current.label,
                "game": current.game,
                "players": facts["players"],
                "deals": facts["deals"],
                "state": state,
                "started": current.started.isoformat(timespec="seconds"),
                "finished": current.finished.isoformat(timespec="seconds") if current.finished else None,
            }
        )
    table(
        rows,
        ("league", "game", "players", "deals", "state", "started", "finished"),
        how,
        {
            "league": lambda r: r["league"],
            "game": lambda r: r["game"],
            ">players": lambda r: str(r["players"]),
            ">deals": lambda r: str(r["deals"]),
            "state": lambda r: r["state"],
            "started": lambda r: r.get("started", ""),
        },
    )


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="LEAGUE[#N]", help="A run: taroky#2; without #N the latest one.")],
    how: FormatOption = Format.TABLE,
    db: DbOption = None,
) -> None:
    """Show a run: its definition, how far it is, and its table.

    Examples:
        arena league show taroky
        arena league show taroky#2 --format csv
    """
    from arena.store import Store

    store = Store(db)
    current = find_run(store, name)
    facts = current.definition
    changed = ", ".join(f"{key} = {value}" for key, value in facts["options"].items())
    note(f"{current.label}: {current.game}, {facts['players']} players, {facts['deals']} deals, level {facts['level']}")
    note(f"options: {changed}")
    note(f"secret: blake2b-256 is {current.secret_hash}")
    if current.finished is None:
        note(
            f"unfinished: {len(store.finished_matches(current))} of {current.matches} matches; the table has complete blocks only"
        )
    _print_run(store, current, how)


def find_run(store: Store, name: str) -> LeagueRun:
    """The run that a person names.

    Raises:
        UsageError: there is none.
    """
    league, _, number = name.partition("#")
    runs = store.runs(name=league)
    if number:
        runs = [run for run in runs if str(run.number) == number]
    if not runs:
        known = ", ".join(run.label for run in store.runs()[-10:]) or "none yet"
        raise UsageError(f"no run {name!r}; runs: {known}")
    return runs[-1]
