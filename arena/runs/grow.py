"""Stages that are added to a run: bots that join, more deals, the next round of its format.

The schedule of every round is stored with it. So a run that was stopped goes on, and `round_differences`
finds a round that the format would not have given.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leagues.definition import Comparison, EpochLeague, League
from leagues.formats import newcomer_round, next_round
from leagues.formats.adaptive import reached, unsure
from leagues.formats.rounds import winners
from leagues.plan import MatchPlan
from leagues.ratings.dependence import as_it_depends
from leagues.ratings.elo import bradley_terry
from leagues.ratings.results import NO_GAMES, Results

from ..errors import RunError
from ..printable import count
from ..store import Store
from ..store.models import Bot, Entrant, LeagueRun, Stage
from .guard import check_code, check_free
from .stages import Entered, field_of, new_stage, with_code
from .standings import load_pool

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


def join(store: Store, run: LeagueRun, newcomers: Sequence[Bot]) -> None:
    """Add bots to a run; each plays its deals against those before it."""
    for bot in newcomers:
        entries = store.runs.entries(run)
        fresh, _ = with_code(store, run.game, [bot])
        for entrant in fresh:
            entrant.stage = len(store.runs.stages(run))
        field = field_of(run.definition, [*entries, *fresh])
        plans = newcomer_round(run.definition.tournament, field)
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


NAMED = 3  # pairs of bots that are named where a goal is not reached


def add_next_round(store: Store, run: LeagueRun) -> int:
    """Add the next round of a run whose matches are all stored; returns its matches, 0 at the end.

    It comes under the secret that was drawn last: for the run's start, or since the run was finished for
    those who joined or the deals that were added.
    """
    plans = plans_after(store, run, store.runs.stages(run))
    if plans:
        _add_stage(store, run, "round", store.runs.entries(run), [], run.definition.deals, plans)
    return len(plans)


def games_so_far(store: Store, run: LeagueRun, stages: int | None = None) -> Results:
    """Return the games of complete blocks (of the first stages), with the places of the run's entrants.

    Errors count blocks or, for bots that depend on them, matches, as in the rating table.
    """
    pool = load_pool(store, [run], audited=False)  # which comes when all is played
    place = {entry.bot.id: at for at, entry in enumerate(store.runs.entries(run))}
    to = np.array([*(place[bot.id] for bot in pool.bots), -1])
    loaded = pool.results
    keep = np.ones(len(loaded.block), bool)
    if stages is not None:
        ends = [plan.first_block + plan.blocks for plan in store.runs.plans(run) if plan.stage < stages]
        keep = loaded.block < max(ends, default=0)
    luck = None if loaded.luck is None else loaded.luck[keep]
    columns = (loaded.score[keep], loaded.block[keep], loaded.ranking[keep], loaded.stretch_number[keep])
    match = None if loaded.match is None else loaded.match[keep]
    return as_it_depends(Results(to[loaded.entrant[keep]], *columns, luck, match), len(place))


def plans_after(store: Store, run: LeagueRun, stages: Sequence[Stage]) -> tuple[MatchPlan, ...]:
    """Return the round that the format gives after these stages, the first ones of the run."""
    league, form = run.definition, run.definition.tournament
    if isinstance(league, Comparison | EpochLeague) or form in ("round-robin", "gauntlet"):
        return ()
    last = stages[-1].number
    entries = [entry for entry in store.runs.entries(run) if entry.stage <= last]
    rounds: dict[int, list[MatchPlan]] = {}
    every = form == "adaptive"  # it looks at bots that joined and deals that were added too
    seen = {stage.number for stage in stages if every or stage.kind in ("start", "round")}
    for plan in store.runs.plans(run):
        if plan.stage in seen:
            rounds.setdefault(plan.stage, []).append(plan)
    field = field_of(run.definition, entries)
    return next_round(form, field, list(rounds.values()), games_so_far(store, run, last + 1))


def outcome(store: Store, run: LeagueRun) -> list[str]:
    """Return what to print at the end of a run in rounds: who won the final, whether the goal was reached."""
    form, entries = run.definition.tournament, store.runs.entries(run)
    if form not in ("knockout", "adaptive"):
        return []
    field, results = field_of(run.definition, entries), games_so_far(store, run)
    if form == "knockout":
        last = store.runs.stages(run)[-1]
        plans = [plan for plan in store.runs.plans(run) if plan.stage == last.number]
        if last.kind != "round":
            return []
        first = winners(field, plans[0].line_up, plans, results)[0]
        return [f"{run.label}: {entries[first].bot.label} has won the final"]
    goal = run.definition.until
    if not goal:
        return []
    fit, blocks = bradley_terry(results, field.entrants), count(len(np.unique(results.block)), "block")
    labels = [entry.bot.label for entry in entries]
    if left := unsure(goal, fit, field.equal):
        return [f"{run.label}: {goal} is not reached after {blocks}: {why_open(left, labels, results)}"]
    up_to = "" if reached(goal, fit) else f" up to bots that are equal within {field.equal:g} Elo,"
    return [f"{run.label}: {goal} is reached{up_to} after {blocks}"]


def why_open(left: Sequence[tuple[int, ...]], labels: Sequence[str], results: Results) -> str:
    """Say which bots keep a goal from being reached, and which of them forfeit whatever they play."""
    named = left[:NAMED]
    what = "are not separated" if len(left[0]) > 1 else "has too wide an interval"
    told = [f"{' and '.join(labels[one] for one in ones)} {what}" for ones in named]
    told += [f"{len(left) - NAMED} more"] if len(left) > NAMED else []
    for one in dict.fromkeys(one for ones in named for one in ones):
        theirs = results.ranking[results.entrant == one]
        if len(theirs) and np.isneginf(theirs).all():
            told.append(f"{labels[one]} forfeited every game")
    return "; ".join(told)


def round_differences(store: Store, run: LeagueRun) -> list[str]:
    """Return rounds that the format does not give after the games before them."""
    lines = []
    stages, plans = store.runs.stages(run), store.runs.plans(run)
    stored = store.matches.stored(run)
    for stage in stages[1:]:
        before = [plan.number for plan in plans if plan.stage < stage.number]
        if stage.kind != "round" or not stored.issuperset(before):
            continue
        made = [plan for plan in plans if plan.stage == stage.number]
        if _shape(plans_after(store, run, stages[: stage.number])) != _shape(made):
            lines.append(f"stage {stage.number}: not the round that the games before it give")
    return lines


def _shape(plans: Sequence[MatchPlan]) -> list[tuple[tuple[int, ...], int, int, int]]:
    """Plans whatever their numbers begin with."""
    first = plans[0].first_block if plans else 0
    return [(plan.line_up, plan.rotation, plan.first_block - first, plan.blocks) for plan in plans]
