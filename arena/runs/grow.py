"""Stages that are added to a run: bots that join, more deals, the next round."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leagues.definition import Comparison, EpochLeague, League
from leagues.formats import newcomer_round, next_round
from leagues.plan import MatchPlan
from leagues.ratings.results import NO_GAMES, Results

from ..errors import RunError
from ..store import Store
from ..store.models import Bot, Entrant, LeagueRun
from .guard import check_code, check_free
from .stages import Entered, field_of, new_stage, with_code

FREE = (
    "deals",
    "seed",
    "beacon",
    "entrants",
    "submitted",
    "candidates",
    "until",
    "equal",
    "aim",
    "same_owner",
    "bots_per_owner",
)
"""What a league may say otherwise than a run that its bots join."""


def newcomers_of(store: Store, run: LeagueRun, league: League, bots: Sequence[Bot]) -> list[Bot]:
    """Return the bots that are not in a run yet and may join it.

    Raises:
        RunError: the run is being played or was aborted, has another definition than the league now, or other
            code is installed.
    """
    if run.state == "aborted":
        raise RunError(f"{run.label} was aborted: nobody can join it")
    old = dict(run.definition)
    differs = [key for key, value in league if key not in FREE and value != old[key]]
    if differs:
        raise RunError(
            f"{run.label} was played with other {', '.join(differs)}: nobody can join it; "
            f"arena league run {league.name} begins a new run"
        )
    check_code(store, run)
    check_free(store, run)
    there = {entry.bot.id for entry in store.runs.entries(run)}
    return [bot for bot in bots if bot.id not in there]


def join(
    store: Store,
    run: LeagueRun,
    newcomers: Sequence[Bot],
    games_so_far: Callable[[LeagueRun], Results] = lambda run: NO_GAMES,
) -> None:
    """Add bots to a run; each plays its deals against those before it. A ladder asks for the games so far."""
    for bot in newcomers:
        entries = store.runs.entries(run)
        fresh, _ = with_code(store, run.game, [bot])
        for entrant in fresh:
            entrant.stage = len(store.runs.stages(run))
        field = field_of(run.definition, [*entries, *fresh])
        plans = newcomer_round(run.definition.tournament, field, games_so_far(run))
        _add_stage(store, run, "join", [*entries, *fresh], fresh, run.definition.deals, plans)


def check_extendable(store: Store, run: LeagueRun) -> None:
    """Make sure that deals can be added to a run.

    Raises:
        RunError: it is not finished, is a comparison, or other code is installed now.
    """
    if isinstance(run.definition, Comparison):
        raise RunError(f"{run.label} is a comparison: it has played what its answer needs")
    if isinstance(run.definition, EpochLeague):
        raise RunError(f"{run.label} is an epoch of a season: the next epoch plays more")
    check_free(store, run)
    if run.state != "finished":
        raise RunError(f"{run.label} is {run.state}: only a finished run can be extended")
    check_code(store, run)


def extend(store: Store, run: LeagueRun, deals: int) -> None:
    """Add deals for all entrants to a finished run: new blocks under a new secret."""
    check_extendable(store, run)
    entries = store.runs.entries(run)
    field = field_of(run.definition, entries, deals, start=True)
    form = "gauntlet" if field.candidates else "round-robin"
    _add_stage(store, run, "extend", entries, [], deals, next_round(form, field, [], NO_GAMES))


def add_round(store: Store, run: LeagueRun, plans: Sequence[MatchPlan]) -> None:
    """Add the next round of a run, under the secret that was drawn last.

    It was drawn for the run's start, or since the run was finished for those who joined or the deals that
    were added.
    """
    _add_stage(store, run, "round", store.runs.entries(run), [], run.definition.deals, plans)


def _add_stage(
    store: Store, run: LeagueRun, kind: str, entries: Sequence[Entrant], fresh: Sequence[Entrant], deals: int,
    plans: Sequence[MatchPlan],
) -> None:  # fmt: skip
    """Add a stage whose matches and blocks are numbered on from those before it."""
    check_code(store, run)
    before = store.runs.stages(run)
    _, code = with_code(store, run.game, [entry.bot for entry in entries])
    drawn = next(stage for stage in reversed(before) if stage.kind != "round")
    entered = Entered(list(entries), code)
    stage = new_stage(store, run.definition, len(before), kind, entered, deals, plans, drawn)
    store.runs.add_stage(run, stage, fresh)
