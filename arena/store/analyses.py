"""Keep what the decisions of stored games cost, a row for each seat of a game.

How a decision is judged is in `arena.replay.analysis`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from sqlalchemy import Text, cast, delete, select
from sqlmodel import col

from ..errors import StoreError
from .database import Family
from .models import Analysis, LeagueRun

KINDS = {"str": str, "int": int, "float": int | float}
"""Types of values, as JSON has them, by that of a field of `Judged`."""


@dataclass(frozen=True)
class Judged:
    """A decision of a played game.

    Attributes:
        game: the game as people name it.
        decision: number of the decision in the game.
        seat, bot: whose.
        phase: what was to be decided, in the words of the view.
        played, best: texts of the actions; the same where the decision is not costly.
        verdict: "costly", "level" or "open" (`engines.search.Verdict`).
        value: what the seat could expect after the played action.
        cost: what the best action is worth more than the played one; `error`: its standard error.
        given: what every seat got by it that the best action was not played; `given_errors`: its errors.
        reason: of a costly one, the event that tells most of the difference, or what both are worth.
        worlds: that were tried.
    """

    game: str
    decision: int
    seat: int
    bot: str
    phase: str
    played: str
    best: str
    verdict: str
    value: float
    cost: float
    error: float
    given: list[float]
    given_errors: list[float]
    reason: str
    worlds: int

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


class Kept(NamedTuple):
    """The analysis of a seat in a game: evaluator and code, the most worlds a decision, and what it found."""

    made_by: str
    worlds: int
    decisions: list[Judged]


class AnalysisTables(Family):
    """Reading and writing saved analyses."""

    def keep(
        self, run: LeagueRun, game: int, seats: Mapping[int, Sequence[Judged]], made_by: str, worlds: int
    ) -> None:
        """Keep the analysis of seats of a game in place of what was kept of them before.

        Args:
            run: of the game.
            game: its number in the run.
            seats: the decisions of each.
            made_by: evaluator and code.
            worlds: the most a decision.
        """
        row = Analysis
        before = delete(row).where(col(row.run_id) == run.id, col(row.game) == game, col(row.seat).in_(seats))
        with self.writing() as session:
            session.exec(before)  # unread, as it may be damaged
            for seat, found in seats.items():
                kept = Analysis(
                    run_id=run.key,
                    game=game,
                    seat=seat,
                    made_by=made_by,
                    worlds=worlds,
                    decisions=[one.plain() for one in found],
                )
                session.add(kept)

    def of_run(
        self, run: LeagueRun, games: Sequence[int] = (), damaged: bool = True
    ) -> dict[int, dict[int, Kept]]:
        """Return what was kept of a run, by game and seat.

        Args:
            run: whose games.
            games: of these only, if any are named.
            damaged: whether a row that cannot be read is an error; else it is as if it was not kept.

        Raises:
            StoreError: names the row, and what makes it again.
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
        for game, seat, made_by, worlds, text in rows:
            label = f"{run.label}/{game}"
            try:
                found.setdefault(game, {})[seat] = _read(label, seat, made_by, worlds, text)
            except (TypeError, ValueError) as error:
                if damaged:
                    raise StoreError(
                        f"{label}: the saved analysis of seat {seat} is damaged ({error}); this makes it "
                        f"again: arena analyse {label} --save"
                    ) from None
        return found


def _read(label: str, seat: int, made_by: object, worlds: object, text: str) -> Kept:
    """Return a row as it was kept.

    Raises:
        TypeError, ValueError: it was not kept so.
    """
    if not isinstance(made_by, str) or not isinstance(worlds, int):
        raise TypeError(f"made_by is {made_by!r}, worlds is {worlds!r}")
    decisions = [Judged(**(one | {"game": label, "seat": seat})) for one in json.loads(text)]
    for one in decisions:
        for field in fields(one):
            if not _fits(value := getattr(one, field.name), str(field.type)):
                raise TypeError(f"{field.name} is {value!r}")
    return Kept(made_by, worlds, decisions)


def _fits(value: object, kind: str) -> bool:
    """Whether a value is of the type of a field."""
    if kind.startswith("list["):
        return isinstance(value, list) and all(_fits(one, kind[5:-1]) for one in value)
    return isinstance(value, KINDS[kind])
