"""What a worker needs to play the matches of a stored run, and the secrets that all of it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

import engines
from leagues.plan import MatchPlan
from leagues.secret import Secret

from ..match import identity
from ..match.played import PlayedMatch
from ..match.setup import MatchSetup
from ..match.steps import Steps
from ..store import Store
from ..store.models import Bot, LeagueRun, Stage
from ..store.packing import whole


def deal_secret(stage: Stage) -> Secret:
    """Return the secret that all seeds of a stage come from."""
    secret = drawn_secret(stage)
    with whole("the fingerprint of a run"):
        return secret.mixed(stage.fingerprint) if stage.mixed else secret


def secret_of(store: Store, run: LeagueRun, match: PlayedMatch) -> Secret:
    """Return the secret of the stage of a stored match."""
    with whole(f"match {match.number} of {run.label}"):
        return deal_secret(store.runs.stages(run)[match.stage])


def drawn_secret(stage: Stage) -> Secret:
    """Return the secret of a stage as it was drawn, without what is mixed into it."""
    with whole("the secret of a run"):
        return Secret(bytes.fromhex(stage.secret))


def with_bots(setup: MatchSetup, bots: Sequence[Bot]) -> MatchSetup:
    """Return a match with its bots, by place."""
    named = tuple((bot.name, bot.hash) for bot in bots)
    return replace(setup, bots=named, strangers=any(bot.kind != "house" for bot in bots))


def setups(store: Store, run: LeagueRun, plans: Iterable[MatchPlan] | None = None) -> Iterator[MatchSetup]:
    """Set up matches of a run; all of them by default."""
    secrets = [deal_secret(stage) for stage in store.runs.stages(run)]
    bots = [entry.bot for entry in store.runs.entries(run)]
    league, code = run.definition, identity.playing(run.game)
    for plan in store.runs.plans(run) if plans is None else plans:
        seated = [bots[at] for at in plan.line_up if at < len(bots)]  # rows may have been deleted
        conditions = league.options, league.limits, league.level, code
        yield with_bots(MatchSetup.of_plan(plan, secrets[plan.stage], run.game, *conditions), seated)


def steps_of(store: Store, run: LeagueRun, matches: Sequence[PlayedMatch]) -> Steps:
    """Return all games of some matches of a run, to be played again."""
    league, secrets = run.definition, [deal_secret(stage) for stage in store.runs.stages(run)]
    seeds = np.concatenate([secrets[one.stage].deal_seeds(one.blocks) for one in matches])
    return Steps(engines.load(run.game), league.players, league.options, seeds, matches)
