"""Opening runs: who enters, which run goes on, and adding deals or bots to a run. Nothing is played here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from leagues.definition import League
from leagues.formats import newcomer_round, next_round
from leagues.plan import MatchPlan
from leagues.ratings.results import NO_GAMES, Results
from leagues.secret import Secret

from .. import identity
from ..bots import registry
from ..errors import RunError, RunTaken, UsageError
from ..store import Store
from ..store.models import Bot, LeagueRun, Stage
from ..store.packing import pack_schedule
from ..store.runs import AddedRun, Entry
from .facts import FORMER, Definition, code_of, field_of, fingerprint
from .facts import definition_of as definition_of

RULES = ("engines/", "leagues/")  # what a replay needs: the rules, and how the secret gives deals and seats


def enter(store: Store, league: League, named: Sequence[str] = (), least: int = 2) -> list[Bot]:
    """The entrants, by name and version: those named by hand, else the league's and all that were submitted.

    Raises:
        BotError, UsageError: a bot that does not exist or does not play the game; fewer than `least`.
    """
    names = [*(named or league.entrants), *league.candidates]
    found = [registry.resolve(name, league.game, store) for name in names]
    if league.submitted and not named and league.level != "trusted":  # without a wall, only who is named
        found += [bot for bot in store.bots(league.game) if bot.kind == "submitted"]
    entrants = sorted(
        {bot.id: bot for bot in found}.values(), key=lambda bot: (bot.name, bot.version, bot.hash)
    )
    if len(entrants) < least:
        raise UsageError(
            f"league {league.name} has {len(entrants)} entrant(s); two are needed: name them with --bots a,b"
        )
    return entrants


@dataclass(frozen=True)
class Prepared:
    """A run that can be opened: everything is known but its number and, with a fresh secret, its deals.

    Attributes:
        same: the run to go on with instead: the same in all and unfinished, or finished with a known seed.
    """

    run: LeagueRun
    stage: Stage
    entries: list[Entry]
    same: LeagueRun | None


def prepare(store: Store, league: League, bots: Sequence[Bot], beacon: str = "") -> Prepared:
    """Make a run of a league ready to be opened, and look whether it is there already. Nothing is stored.

    Args:
        store: where it will be.
        league: its definition.
        bots: who enters.
        beacon: a public value that is mixed into the deals.

    Raises:
        UsageError: a limit or a level that does not exist.
        LeagueError: these bots cannot play this kind of tournament.
    """
    labels = tuple(registry.resolve(name, league.game, store).label for name in league.candidates)
    definition = definition_of(replace(league, candidates=labels), beacon)
    entries, code = with_code(store, league.game, bots)
    field = field_of(definition, entries, start=True)
    plans = next_round(definition["tournament"], field, [], NO_GAMES)
    stage = new_stage(store, league.name, 0, "start", definition, entries, code, league.deals, plans)
    run = LeagueRun(name=league.name, number=0, game=league.game, definition=dict(definition))
    return Prepared(run, stage, entries, store.same_run(league.name, stage.fingerprint, league.seed is None))


def open_run(store: Store, prepared: Prepared) -> AddedRun:
    """Store a prepared run, or take the one to go on with."""
    again = prepared.run.definition["seed"] is None
    return store.add_run(prepared.run, prepared.stage, prepared.entries, again)


def extend(store: Store, run: LeagueRun, deals: int) -> None:
    """Add deals for all entrants to a finished run: new blocks under a new secret.

    Raises:
        RunError: the run is not finished, or other code is installed now.
    """
    check_extendable(store, run)
    entries = store.entries(run)
    field = field_of(as_definition(run), entries, deals, start=True)
    form = "gauntlet" if field.candidates else "round-robin"
    _add_stage(store, run, "extend", entries, [], deals, next_round(form, field, [], NO_GAMES))


def check_extendable(store: Store, run: LeagueRun) -> None:
    """Make sure that deals can be added to a run.

    Raises:
        RunError: it is not finished, is a comparison, or other code is installed now.
    """
    if "comparison" in run.definition:
        raise RunError(f"{run.label} is a comparison: it has played what its answer needs")
    check_free(store, run)
    if run.state != "finished":
        raise RunError(f"{run.label} is {run.state}: only a finished run can be extended")
    check_code(store, run)


def check_free(store: Store, run: LeagueRun, hint: str = "stop that first") -> None:
    """Make sure that nobody plays a run.

    Args:
        store: with the run.
        run: to look at.
        hint: what else than waiting can be done.

    Raises:
        RunTaken: says who does.
    """
    players = store.players(run)
    if players:
        raise RunTaken(run.label, players[0], hint)


def newcomers_of(store: Store, run: LeagueRun, league: League, bots: Sequence[Bot]) -> list[Bot]:
    """The bots that are not in a run yet and may join it.

    Raises:
        RunError: the run is being played or was aborted, has another definition than the league now, or other
            code is installed.
    """
    if run.state == "aborted":
        raise RunError(f"{run.label} was aborted: nobody can join it")
    new, old = dict(definition_of(league)), run.definition
    free = ("deals", "seed", "candidates", "until", "same_owner")
    differs = [key for key in new if key not in free and new[key] != old.get(key, FORMER.get(key))]
    if differs:
        raise RunError(
            f"{run.label} was played with other {', '.join(differs)}: nobody can join it; "
            f"arena league run {league.name} begins a new run"
        )
    check_code(store, run)
    check_free(store, run)
    there = {entry.bot.id for entry in store.entries(run)}
    return [bot for bot in bots if bot.id not in there]


def join(
    store: Store,
    run: LeagueRun,
    newcomers: Sequence[Bot],
    games_so_far: Callable[[LeagueRun], Results] = lambda run: NO_GAMES,
) -> None:
    """Add bots to a run; each plays its deals against those before it.

    Args:
        store: where the run is.
        run: which one.
        newcomers: who joins.
        games_so_far: the games of the run, by places of its entrants; a ladder asks for them.

    Raises:
        RunError: other code is installed now.
    """
    for bot in newcomers:
        entries = store.entries(run)
        fresh, _ = with_code(store, run.game, [bot])
        fresh = [replace(entry, stage=len(store.stages(run))) for entry in fresh]
        field = field_of(as_definition(run), [*entries, *fresh])
        plans = newcomer_round(run.definition.get("tournament", ""), field, games_so_far(run))
        _add_stage(store, run, "join", [*entries, *fresh], fresh, run.definition["deals"], plans)


def commit(store: Store, league: str) -> str:
    """Draw the secret of a league's next run, unless one waits; its hash, to publish before bots come in."""
    secret = Secret.fresh()
    waiting = store.commitment(league, secret.key.hex(), secret.hash)
    assert waiting is not None
    return waiting.secret_hash


def closed(store: Store, league: League, bots: Sequence[Bot]) -> str:
    """The hash of definition, code, schedule and these entrants, to publish when nobody else may enter."""
    return prepare(store, league, bots).stage.fingerprint


def as_definition(run: LeagueRun) -> Definition:
    """The definition of a stored run."""
    return cast(Definition, dict(run.definition))


def check_code(store: Store, run: LeagueRun) -> None:
    """Make sure that a run would be played as it was begun.

    Raises:
        RunError: names what changed and what to do.
    """
    reason = why_not(store, run)
    if reason:
        end = f", or end it: arena league abort {run.label}" if run.state == "playing" else ""
        raise RunError(f"{run.label} cannot go on: {reason}; go on where it was begun{end}")


def why_not(store: Store, run: LeagueRun, only: tuple[str, ...] = ("",)) -> str:
    """Why a run would not be played as it was begun; "" if it would.

    Args:
        store: where it is.
        run: which one.
        only: beginnings of the paths that matter; default: all that the run was begun with.
    """
    for stage in store.stages(run):
        changed = [path for path in identity.changes(code_of(stage)) if path.startswith(only)]
        if changed:
            more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            return f"{', '.join(changed[:3])}{more} changed since it was begun"
    return ""


def check_rules(store: Store, run: LeagueRun) -> None:
    """Make sure that stored games can be replayed.

    Raises:
        RunError: names what changed.
    """
    reason = why_not(store, run, RULES)
    if reason:
        raise RunError(f"{run.label} cannot be replayed: {reason}; use the version that played it")


class Entered(NamedTuple):
    """Entrants with the hashes of their contents, and all code that plays them."""

    entries: list[Entry]
    code: identity.Code


def with_code(store: Store, game: str, bots: Sequence[Bot]) -> Entered:
    """The bots as entrants, and the code."""
    imports = [identity.imports_of(store.source(bot.hash)) for bot in bots]
    entries = [
        Entry(bot, identity.digest_of({**files, "": bot.hash}))
        for bot, files in zip(bots, imports, strict=True)
    ]
    return Entered(entries, identity.code_of(game, imports))


def _add_stage(
    store: Store, run: LeagueRun, kind: str, entries: Sequence[Entry], fresh: Sequence[Entry], deals: int,
    plans: Sequence[MatchPlan],
) -> None:  # fmt: skip
    """Add a stage whose matches and blocks are numbered on from those before it."""
    check_code(store, run)
    before = store.stages(run)
    _, code = with_code(store, run.game, [entry.bot for entry in entries])
    definition = as_definition(run)
    number = len(before)
    drawn = next(stage for stage in reversed(before) if stage.kind != "round")
    stage = new_stage(store, run.name, number, kind, definition, entries, code, deals, plans, drawn)
    store.add_stage(run, stage, fresh)


def add_round(store: Store, run: LeagueRun, plans: Sequence[MatchPlan]) -> None:
    """Add the next round of a run, under the secret that was drawn last: for its start, or since it was
    finished for those who joined or the deals that were added.

    Raises:
        RunError: somebody plays it or has added to it meanwhile, or other code is installed now.
    """
    _add_stage(store, run, "round", store.entries(run), [], run.definition["deals"], plans)


def new_stage(
    store: Store, league: str, number: int, kind: str, definition: Definition, entries: Sequence[Entry],
    code: identity.Code, deals: int, plans: Sequence[MatchPlan], drawn: Stage | None = None,
) -> Stage:  # fmt: skip
    """A stage that is not stored yet, with its secret: the one that waits for the league, or a fresh one; a
    round has that of the stage where it was drawn.
    """
    packed = pack_schedule(schedule_rows(plans))
    mark = fingerprint(kind, number, definition, entries, code, packed)
    waiting = store.commitment(league) if number == 0 else None
    if definition["seed"] is not None:
        secret = Secret.of_seed(definition["seed"])
    elif kind == "round":
        secret = Secret(bytes.fromhex(drawn.secret)) if drawn else Secret.fresh()
    else:
        secret = Secret(bytes.fromhex(waiting.secret)) if waiting else Secret.fresh()
    return Stage(
        run_id=0,
        number=number,
        kind=kind,
        deals=deals,
        fingerprint=mark,
        secret=secret.key.hex(),
        secret_hash=secret.hash,
        commitment=secret.commitment(mark),
        mixed=definition["seed"] is None,
        code=dict(code),
        schedule=packed,
        matches=len(plans),
    )


def schedule_rows(plans: Sequence[MatchPlan]) -> Iterator[list[int]]:
    """A schedule as rows of numbers: rotation, first block, blocks, line-up."""
    for plan in plans:
        yield [plan.rotation, plan.first_block, plan.blocks, *plan.line_up]
