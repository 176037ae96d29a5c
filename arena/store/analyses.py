"""Keep what the decisions of stored games cost, a row for each seat of a game.

How a decision is judged is in `arena.replay.analysis`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from pydantic import Json, TypeAdapter, ValidationError
from sqlalchemy import Text, cast, delete, select
from sqlmodel import col

from ..errors import Damaged
from .database import Family
from .models import Analysis, LeagueRun


@dataclass(frozen=True)
class Judged:
    """A decision of a played game."""

    game: str  # as people name it
    decision: int  # its number in the game
    seat: int
    bot: str
    phase: str  # what was to be decided, in the words of the view
    played: str  # text of the action
    best: str  # that of the best one; the same where the decision is not costly
    verdict: str  # "costly", "level" or "open" (`engines.search.Verdict`)
    value: float  # what the seat could expect after the played action
    cost: float  # what the best action is worth more than the played one
    error: float  # standard error of the cost
    given: list[float]  # what every seat got by it that the best action was not played
    given_errors: list[float]
    reason: str  # of a costly one, the event that tells most of the difference, or what both are worth
    worlds: int  # that were tried
    told: float = 0.0  # exchanges of cards a world by others' actions; 0: uniform worlds (`Judgement.told`)

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


class Kept(NamedTuple):
    """The analysis of a seat in a game: evaluator and code, the most worlds a decision, and what it found."""

    made_by: str
    worlds: int
    decisions: Json[list[Judged]]

    @property
    def by(self) -> str:
        """By what it was made, for people."""
        return f"{self.made_by}, at most {self.worlds} worlds"


KEPT = TypeAdapter(Kept)


class AnalysisTables(Family):
    """Reading and writing saved analyses."""

    def keep(self, run: LeagueRun, game: int, seats: Mapping[int, Kept]) -> None:
        """Keep the analysis of seats of a game of a run in place of what was kept before."""
        before = delete(Analysis).where(
            col(Analysis.run_id) == run.id, col(Analysis.game) == game, col(Analysis.seat).in_(seats)
        )
        with self.writing() as session:
            session.exec(before)  # unread, as it may be damaged
            for seat, (by, worlds, found) in seats.items():
                decisions = [one.plain() for one in found]
                row = Analysis(
                    run_id=run.key, game=game, seat=seat, made_by=by, worlds=worlds, decisions=decisions
                )
                session.add(row)

    def of_run(
        self, run: LeagueRun, games: Sequence[int] = (), damaged: bool = True
    ) -> dict[int, dict[int, Kept]]:
        """Return what was kept of a run, by game and seat.

        Args:
            games: of these only, if any are named.
            damaged: whether a row that cannot be read is an error; else it is as if it was not kept.

        Raises:
            Damaged: names the row, and what makes it again.
        """
        row = Analysis
        query = select(
            col(row.game), col(row.seat), col(row.made_by), col(row.worlds), cast(col(row.decisions), Text)
        )
        query = query.where(col(row.run_id) == run.id).order_by(col(row.game), col(row.seat))
        query = query.where(col(row.game).in_(games)) if games else query
        with self.reading() as session:
            rows = session.connection().execute(query).all()
        found: dict[int, dict[int, Kept]] = {}
        for game, seat, *values in rows:
            label = f"{run.label}/{game}"
            try:
                kept = KEPT.validate_python(tuple(values), strict=True)
            except ValidationError as error:
                if not damaged:
                    continue
                why = f"the saved analysis of seat {seat} is damaged ({error.errors()[0]['msg']})"
                again = f"this makes it again: arena analyse {label} --save"
                raise Damaged(f"{label}: {why}; {again}") from None
            here = [replace(one, game=label) for one in kept.decisions]  # a merged run may have a new number
            found.setdefault(game, {})[seat] = kept._replace(decisions=here)
        return found
