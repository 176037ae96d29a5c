"""Runs before and after they are played: what is promised of the next one, ending one, removing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leagues import definition
from leagues.definition import League

from ..errors import UsageError
from ..store import Store
from ..store.models import LeagueRun
from .open import closed, enter


@dataclass(frozen=True)
class Promise:
    """What is published before a league's next run."""

    league: str
    secret_hash: str  # blake2b-256 of its secret
    entrants: tuple[str, ...] = ()  # labels of the bots that are in, once nobody else enters
    closed: str = ""  # SHA-256 of definition, code, schedule and entrants; "" while bots may enter


def list_leagues(store: Store) -> list[dict[str, Any]]:
    """List the leagues that ship with the project, then all runs, with their state."""
    rows = [_facts(name, definition.load(name)) | {"state": "ready"} for name in definition.names()]
    counts, driven = store.matches.counts(), store.leases.all()
    for run in store.runs.all():
        count = counts[run.key]
        far = f" ({count.stored} of {count.planned} matches)" if run.state != "finished" else ""
        state = count.word(run.state, run.key in driven) + far
        row = _facts(run.label, run.definition) | {"state": state}
        row |= {"started": run.started.isoformat(timespec="seconds")}
        rows.append(row | {"finished": run.finished.isoformat(timespec="seconds") if run.finished else None})
    return rows


def _facts(label: str, league: League) -> dict[str, Any]:
    return {"league": label, "game": league.game, "players": league.players, "deals": league.deals}


def runs_named(store: Store, name: str) -> list[LeagueRun]:
    """Return all epochs of the season of a name, else the run."""
    return [one.run for one in store.seasons.epochs(name)] or [store.runs.find(name)]


def commit_league(store: Store, league: str, close: bool = False) -> Promise:
    """Draw the secret of a league's next run, unless one waits; return what to publish.

    Args:
        league: name or file.
        close: fix the entrants, too: nobody else enters.

    Raises:
        DefinitionError: no such league, or it is wrong.
        UsageError: it has a known seed, or too few entrants.
    """
    found = definition.load(league)
    if found.seed is not None:
        raise UsageError(f"league {found.name} has a known seed: there is no secret to commit to")
    entrants = enter(store, found) if close else []
    announced = closed(store, found, entrants) if close else ""
    secret_hash = store.runs.commit(found.name, announced)
    return Promise(found.name, secret_hash, tuple(bot.label for bot in entrants), announced)


def abort_run(store: Store, label: str) -> LeagueRun:
    """End an unfinished run for good: its complete blocks keep counting, its secret may be shown.

    Raises:
        UsageError: no such run, or it is not unfinished.
    """
    run = store.runs.find(label)
    if run.state != "playing":
        raise UsageError(
            f"{run.label} is {run.state}: only an unfinished run can be aborted; --delete removes it"
        )
    store.runs.close(run, aborted=True)
    return store.runs.find(run.label)


def delete_run(store: Store, label: str) -> int:
    """Remove a run with all its games; return how many those were. Bots stay.

    Raises:
        UsageError: no such run, or its number is not given.
        RunError: it is being played.
    """
    run = store.runs.find(label)
    if "#" not in label:
        raise UsageError(f"say which run: {run.label} is the latest")
    games = store.matches.counts()[run.key].games
    store.runs.delete(run)
    return games
