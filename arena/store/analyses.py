"""Keep what the decisions of stored games cost, a row for each seat of a game.

How a decision is judged is in `arena.replay.analysis`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import col, select

from .database import Family
from .models import Analysis, LeagueRun

Decisions = list[dict[str, Any]]


class AnalysisTables(Family):
    """Reading and writing saved analyses."""

    def keep(self, run: LeagueRun, game: int, seats: Mapping[int, Decisions], made_by: str) -> None:
        """Keep the analysis of seats of a game in place of what was kept of them before.

        Args:
            run: of the game.
            game: its number in the run.
            seats: the decisions of each.
            made_by: evaluator, code and accuracy.
        """
        with self.writing() as session:
            for seat, decisions in seats.items():
                row = Analysis(run_id=run.key, game=game, seat=seat, made_by=made_by, decisions=decisions)
                session.merge(row)

    def of_run(self, run: LeagueRun, games: Sequence[int] = ()) -> dict[int, dict[int, Analysis]]:
        """Return what was kept of a run, by game and seat; of these games only, if any are named."""
        query = select(Analysis).where(Analysis.run_id == run.id)
        query = query.where(col(Analysis.game).in_(games)) if games else query
        found: dict[int, dict[int, Analysis]] = {}
        with self.reading() as session:
            for row in session.exec(query.order_by(col(Analysis.game), col(Analysis.seat))).all():
                found.setdefault(row.game, {})[row.seat] = row
        return found
