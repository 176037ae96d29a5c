"""The matches of a stored run: its schedule as it was when it began, and what a worker needs to play one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from leagues.plan import GamePlan, MatchPlan
from leagues.secret import Secret

from .. import identity
from ..errors import StoreError
from ..match.setup import GameTable, MatchSetup
from ..store import Store
from ..store.models import LeagueRun, Stage
from ..store.packing import GAMES_PER_MATCH, unpack_schedule


@dataclass(frozen=True)
class PlannedMatch:
    """A match of a run: numbers and blocks count on through all stages."""

    plan: MatchPlan
    stage: Stage

    def games(self) -> list[GamePlan]:
        """Who sits where, game by game."""
        return self.plan.games(deal_secret(self.stage))

    def table(self) -> GameTable:
        """The games as they are played."""
        plan, secret = self.plan, deal_secret(self.stage)
        blocks, places = plan.seats(secret)
        seeds = _deal_seeds(secret, plan.first_block, plan.blocks)[blocks - plan.first_block]
        return GameTable(plan.number * GAMES_PER_MATCH, blocks, seeds, places)


def deal_secret(stage: Stage) -> Secret:
    """The secret that all seeds of a stage come from.

    Raises:
        StoreError: it is not as it was written.
    """
    secret = drawn_secret(stage)
    try:
        return secret.mixed(stage.fingerprint) if stage.mixed else secret
    except ValueError:
        raise StoreError("the fingerprint of a run cannot be read: the database was damaged") from None


def drawn_secret(stage: Stage) -> Secret:
    """The secret of a stage as it was drawn, without what is mixed into it.

    Raises:
        StoreError: it is not as it was written.
    """
    try:
        return Secret(bytes.fromhex(stage.secret))
    except ValueError:
        raise StoreError("the secret of a run cannot be read: the database was damaged") from None


def planned_matches(store: Store, run: LeagueRun) -> dict[int, PlannedMatch]:
    """All matches of a run by number, in the order in which they are best played."""
    found: dict[int, PlannedMatch] = {}
    blocks = 0
    for stage in store.stages(run):
        last = blocks
        for rotation, first, count, *line_up in unpack_schedule(stage.schedule).tolist():
            plan = MatchPlan(len(found), tuple(line_up), rotation, blocks + first, count)
            found[plan.number] = PlannedMatch(plan, stage)
            last = max(last, plan.first_block + count)
        blocks = last
    return found


def setup_of(run: LeagueRun, planned: PlannedMatch) -> MatchSetup:
    """What a worker needs to play a match; nothing in it leads to the secret."""
    secret, number = deal_secret(planned.stage), planned.plan.number
    return MatchSetup(
        number=number,
        game=run.game,
        players=run.definition.players,
        options=run.definition.options,
        games=planned.table(),
        bot_seeds=tuple(secret.bot_seed(number, place) for place in range(len(planned.plan.line_up))),
        limits=run.definition.limits,
        level=run.definition.level,
        code=identity.playing(run.game),
    )


@lru_cache(maxsize=64)  # the rotations of a stretch have the same deals
def _deal_seeds(secret: Secret, first: int, blocks: int) -> NDArray[np.uint64]:
    return secret.deal_seeds(range(first, first + blocks))
