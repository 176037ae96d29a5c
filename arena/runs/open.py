"""Runs before and after they are played: who enters, which run goes on or begins, what is promised of it.

And ending one, removing one. Nothing is played here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from leagues import definition
from leagues.comparison import comparison_schedule
from leagues.definition import Comparison, League
from leagues.formats import next_round
from leagues.plan import MatchPlan
from leagues.ratings.results import NO_GAMES

from ..errors import BotError, RunError, UsageError
from ..intake import registry
from ..intake.conditions import missing
from ..store import Store
from ..store.models import Bot, Entrant, LeagueRun, Stage
from ..store.runs import AddedRun
from .stages import field_of, new_stage, with_code

LEAST = 2  # entrants of a league


def enter(store: Store, league: League, named: Sequence[str] = (), least: int = LEAST) -> list[Bot]:
    """Return the entrants, by name and version.

    Those are the bots named by hand, else the league's and all that were submitted, but for those that need
    what the league does not allow.
    """
    names = [*(named or league.entrants), *league.candidates]
    chosen = [registry.resolve(name, league.game, store) for name in names]
    check_allowed(chosen, league)
    if league.submitted and not named:
        chosen += _within_cap(league, submitted_to(store, league))
    entrants = sorted(
        {bot.id: bot for bot in chosen}.values(), key=lambda bot: (bot.name, bot.version, bot.hash)
    )
    if len(entrants) < least:
        raise UsageError(
            f"league {league.name} has {len(entrants)} entrant(s); two are needed: name them with --bots a,b"
        )
    return entrants


def check_allowed(bots: Iterable[Bot], league: League) -> None:
    """Make sure that a league allows what these bots need. Raises BotError: one needs more; says what."""
    for bot in bots:
        if lacks := _lacks(bot, league):
            raise BotError(f"{bot.label} needs {lacks}, which {league.name} does not allow")


def submitted_to(store: Store, league: League) -> Iterator[tuple[Bot, Bot | None]]:
    """Yield of every submitted name its newest version, and the newest that the league allows.

    None does if there is no such version, and where bots share a process: there only who is named enters.
    Retired versions count for nothing.
    """
    versions: dict[str, list[Bot]] = {}
    for bot in store.bots.all(newest=False):
        if bot.kind == "submitted" and bot.retired is None:
            versions.setdefault(bot.name, []).append(bot)
    for mine in versions.values():
        if league.game in mine[-1].games:
            allowed = (one for one in reversed(mine) if league.game in one.games and not _lacks(one, league))
            yield mine[-1], None if league.level == "trusted" else next(allowed, None)


def _within_cap(league: League, submitted: Iterable[tuple[Bot, Bot | None]]) -> list[Bot]:
    """Return the submitted bots that enter: of every owner the newest, as many as the league lets in."""
    allowed = [bot for _, bot in submitted if bot is not None]
    number: Counter[str] = Counter()
    inside = []
    for bot in sorted(allowed, key=lambda bot: (bot.created, bot.id), reverse=True):
        number[bot.owner] += 1
        if not league.bots_per_owner or not bot.owner or number[bot.owner] <= league.bots_per_owner:
            inside.append(bot)
    return inside


def _lacks(bot: Bot, league: League) -> str:
    """Return what a bot needs and a league does not allow; without a jail everything is allowed."""
    return "" if league.level == "trusted" else ", ".join(missing(bot.conditions, league.limits))


def kept_out(store: Store, league: League) -> Iterator[str]:
    """Say which versions a league does not let in, and why; of what it does not allow, who plays instead."""
    submitted = list(submitted_to(store, league))
    inside = {bot.id for bot in _within_cap(league, submitted)}
    for newest, instead in submitted:
        if lacks := _lacks(newest, league):
            why = f"it needs {lacks}, which {league.name} does not allow"
            yield f"{newest.label} does not enter: {why}" + (f"; {instead.label} does" if instead else "")
    for _, bot in submitted:
        if bot is not None and bot.id not in inside:
            most = f"{league.name} takes {league.bots_per_owner} of each owner, the newest versions first"
            yield f"{bot.label} of {bot.owner} does not enter: {most}"


@dataclass(frozen=True)
class Prepared:
    """A run that can be opened: everything is known but its number and, with a fresh secret, its deals."""

    run: LeagueRun
    stage: Stage
    entries: list[Entrant]
    # the run to go on with instead: the same in all and unfinished, or finished with a known seed
    same: LeagueRun | None


def prepare(store: Store, league: League, bots: Sequence[Bot]) -> Prepared:
    """Make a run of a league ready to be opened, and look whether it is there already. Nothing is stored.

    Args:
        bots: who enters; of a comparison the two, then the field.

    Raises:
        LeagueError: these bots cannot play this kind of tournament.
        RunError: no candidate of a gauntlet is among them.
    """
    named = [registry.resolve(name, league.game, store) for name in league.candidates]
    candidates = [bot.label for bot in named if bot.id in {one.id for one in bots}]
    if named and not candidates:
        raise RunError("no candidate of the gauntlet can be loaded: nothing was played")
    league = league.changed(candidates=candidates, entrants=[bot.label for bot in bots], submitted=False)
    entered = with_code(store, league.game, bots)
    plans = _first_matches(league, entered.entries)
    stage = new_stage(store, league, 0, "start", entered, league.deals, plans)
    run = LeagueRun(name=league.name, number=0, game=league.game, definition=league)
    same = store.runs.same(league.name, stage.fingerprint, league.seed is None)
    return Prepared(run, stage, entered.entries, same)


def _first_matches(league: League, entries: Sequence[Entrant]) -> Sequence[MatchPlan]:
    if isinstance(league, Comparison):
        batches = comparison_schedule(league.players, len(entries) - 2, league.deals)
        return [plan for batch in batches for plan in batch]
    return next_round(league.tournament, field_of(league, entries, start=True), [], NO_GAMES)


def open_run(store: Store, prepared: Prepared) -> AddedRun:
    """Store a prepared run, or take the one to go on with."""
    again = prepared.run.definition.seed is None
    return store.runs.add(prepared.run, prepared.stage, prepared.entries, again)


def closed(store: Store, league: League, bots: Sequence[Bot]) -> str:
    """Return the hash of league, code, schedule and these entrants, to publish when nobody else may enter."""
    return prepare(store, league, bots).stage.fingerprint


# --- runs that there are ------------------------------------------------------------------------------------


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
