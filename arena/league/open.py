"""Opening a run: who enters, whether a run of this definition goes on, and what each of its matches needs. Plays nothing."""

from __future__ import annotations

from collections.abc import Sequence

from leagues.definition import League, fingerprint
from leagues.definition import check_limits as check_values
from leagues.schedule import MatchPlan, Secret, schedule

from ..bots import registry
from ..errors import UsageError
from ..match.setup import GameSetup, MatchSetup
from ..store import GAMES_PER_MATCH, Bot, LeagueRun, Store


def check_limits(league: League) -> None:
    """Check what a definition says of limits and level.

    Raises:
        DefinitionError, UsageError: an unknown key, a wrong type or value.
    """
    from ..jail import Level, Limits

    check_values(league.limits, Limits)
    if league.level not in list(Level):
        raise UsageError(f"league {league.name}: level {league.level!r}: allowed is {', '.join(Level)}")


def enter(store: Store, league: League, named: Sequence[str] = ()) -> list[Bot]:
    """The entrants: those named by hand, else the league's house bots and the newest of every submitted bot of the game.

    Raises:
        BotError, UsageError: a bot that does not exist or does not play the game; fewer than two.
    """
    found = [registry.resolve(name, league.game, store) for name in (named or league.entrants)]
    if league.submitted and not named and league.level != "trusted":  # without a wall, only who is named
        found += [bot for bot in store.bots(league.game) if bot.kind == "submitted"]
    entrants = list({bot.id: bot for bot in found}.values())
    if len(entrants) < 2:
        raise UsageError(f"league {league.name} has {len(entrants)} entrant(s); two are needed: name them with --bots a,b")
    return entrants


def open_run(store: Store, league: League, entrants: Sequence[Bot]) -> tuple[LeagueRun, bool]:
    """The run to go on with: the latest one of this definition if it is unfinished (or has a known seed), else a new one.

    Returns:
        The run, and whether it is new.
    """
    check_limits(league)
    definition = league.resolved(
        [{"name": bot.name, "version": bot.version, "kind": bot.kind, "hash": bot.hash} for bot in entrants]
    )
    mark = fingerprint(definition)
    same = [run for run in store.runs(name=league.name) if run.fingerprint == mark]
    if same and (same[-1].finished is None or league.seed is not None):
        return same[-1], False
    secret = Secret.fresh() if league.seed is None else Secret.of_seed(league.seed)
    run = LeagueRun(
        name=league.name,
        number=0,
        game=league.game,
        definition=definition,
        fingerprint=mark,
        secret=secret.key.hex(),
        secret_hash=secret.hash,
        matches=len(schedule(len(entrants), league.players, league.deals)),
    )
    return store.add_run(run, entrants), True


def secret_of(run: LeagueRun) -> Secret:
    """The secret of a run."""
    return Secret(bytes.fromhex(run.secret))


def plans(run: LeagueRun) -> Sequence[MatchPlan]:
    """The schedule of a run, from its definition alone."""
    definition = run.definition
    return schedule(len(definition["entrants"]), definition["players"], definition["deals"])


def setup_of(run: LeagueRun, plan: MatchPlan) -> MatchSetup:
    """What a worker needs to play a match; nothing in it leads to the secret."""
    secret, definition = secret_of(run), run.definition
    games = [
        GameSetup(plan.number * GAMES_PER_MATCH + i, game.block, secret.deal_seed(game.block), game.places)
        for i, game in enumerate(plan.games(secret))
    ]
    return MatchSetup(
        number=plan.number,
        game=run.game,
        players=definition["players"],
        options=definition["options"],
        games=tuple(games),
        bot_seeds=tuple(secret.bot_seed(plan.number, place) for place in range(len(plan.line_up))),
        limits=definition["limits"],
        level=definition["level"],
    )
