"""What a match is played from. Plain data: it crosses process and module borders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engines.declaration import Value
from leagues.limits import Level, Limits
from leagues.plan import MatchPlan
from leagues.secret import Secret


@dataclass(frozen=True)
class Again:
    """A match that was played, one of whose bots is asked again."""

    place: int
    moves: Sequence[NDArray[np.int16]]  # all actions of each game, as packed as they are stored
    lost: tuple[tuple[int, int, int, str], ...]  # game, seat, decisions before it and kind of every forfeit
    dead: tuple[int, ...] = ()  # places that could not be loaded
    cpu_s: float = 0.0
    slept_s: float = 0.0

    def fault_at(self, game: int, seat: int, made: int) -> str | None:
        """Return the kind of fault by which a seat forfeited at this decision. None if it did not."""
        return next((kind for *where, kind in self.lost if where == [game, seat, made]), None)


@dataclass(frozen=True, eq=False)
class MatchSetup:
    """Everything that the result of a match depends on; nothing in it leads to the secret."""

    plan: MatchPlan
    game: str
    options: dict[str, Value]
    blocks: NDArray[np.int32]
    seeds: NDArray[np.uint64]  # uint64 [games], of the deals
    places: NDArray[np.uint8]  # uint8 [games, seats], which place of the line-up has which seat
    bot_seeds: tuple[int, ...]  # by place, of the bots' own randomness
    limits: Limits = field(default_factory=Limits)
    level: str = Level.STRICT
    code: str = ""  # hash of rules and harness that the worker must have; "" leaves it open
    # by place, the name and the hash of the files; none where who plays it has them at hand
    bots: tuple[tuple[str, str], ...] = ()
    strangers: bool = False  # whether any of them is no house bot
    again: Again | None = None  # it was played: one bot is asked again, see `again`
    # places that play no more in this run, and why: they forfeit, and their bots are not loaded
    left_out: tuple[tuple[int, str], ...] = ()
    # of a trial, whose games need not be over: seconds of all bots' CPU time, or of wall time, after which
    # nobody is asked more
    ends_s: float | None = None

    @classmethod
    def of_plan(
        cls, plan: MatchPlan, secret: Secret, game: str, options: dict[str, Value], limits: Limits,
        level: str, code: str = "",
    ) -> MatchSetup:  # fmt: skip
        """Draw the games of a planned match: its deals, seatings and the bots' seeds, from a secret."""
        blocks, places = plan.seats(secret)
        seeds = _deal_seeds(secret, plan.first_block, plan.blocks)[blocks - plan.first_block]
        bot_seeds = tuple(secret.bot_seed(plan.number, place) for place in range(len(plan.line_up)))
        drawn = blocks.astype(np.int32), seeds, places, bot_seeds
        return cls(plan, game, options, *drawn, limits, level, code)

    @classmethod
    def of_games(
        cls, game: str, seeds: ArrayLike, places: ArrayLike, options: dict[str, Value], number: int = 0,
        bot_seeds: tuple[int, ...] | None = None, limits: Limits | None = None, level: str = Level.STRICT,
        code: str = "", bots: tuple[tuple[str, str], ...] = (),
    ) -> MatchSetup:  # fmt: skip
        """Make a match of no run.

        Blocks, line-up and, by default, the bots' seeds count up from 0. `places` may be those of one game,
        [seats], for all of them.
        """
        deals, seated = np.array(seeds, np.uint64), np.array(places, np.uint8)
        seated = np.broadcast_to(seated, (len(deals), seated.shape[-1]))
        line_up = tuple(range(seated.shape[1]))
        plan = MatchPlan(number, line_up, 0, 0, len(deals))
        drawn = np.arange(len(deals), dtype=np.int32), deals, seated, bot_seeds or line_up
        return cls(plan, game, options, *drawn, limits or Limits(), level, code, bots)

    @property
    def number(self) -> int:
        """Of the match in its run."""
        return self.plan.number

    @property
    def players(self) -> int:
        """Seats at the table."""
        return self.places.shape[1]


@lru_cache(maxsize=64)  # the rotations of a stretch have the same deals
def _deal_seeds(secret: Secret, first: int, blocks: int) -> NDArray[np.uint64]:
    return secret.deal_seeds(np.arange(first, first + blocks))
