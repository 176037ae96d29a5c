"""Looks at the games of a pool: the rating table, and other tables of the same games, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leagues.ratings import views
from leagues.ratings.nash import NashRow, nash_rows, open_pairs
from leagues.ratings.rows import RatingTable

from ..errors import UsageError
from ..store import Store
from .likeness import AlikeRow, alike_rows
from .pools import RunPool
from .standings import load_pool, pool_table

KINDS: dict[str, type] = {
    "pairs": views.PairRow,
    "nash": NashRow,
    "versions": views.VersionRow,
    "alike": AlikeRow,
}
VIEWS = ("table", *KINDS)
MEANINGS = {  # what the columns of a view are
    "pairs": "difference: points a game that `bot` makes more than `against` at common tables; low .. high: "
    "its 95 % interval; superiority: how likely `bot` is better, for two chosen beforehand; p: of no "
    "difference, adjusted for all pairs; elo: difference of the ratings",
    "nash": "rating: points a game more than the others at a table of a mixture that no bot beats; low .. "
    "high: its 95 % interval; share: of the bot in the mixture. Copies of a bot change no number",
    "versions": "gain: Elo above the version before; low .. high: its 95 % interval",
    "alike": "decisions: of both on the same view, and how often the two acted differently; usual: with "
    "other bots. Of one owner, points a game when both sit there: others: what every other bot makes more, "
    "gain: each of the two, gift: what passes from `against` to `bot`; p, gift_p: of none, adjusted for all "
    "such pairs",
}
OPEN_PAIRS = (
    "too few line-ups: who wins from whom at a table is not known, and is split evenly. So circles do not "
    "show; a league with more bots than seats would tell"
)
NO_INTERVALS = (
    "no intervals: too few deals; where a bot depends on its match, a stretch of deals counts as one"
)
ALL_LOOKS = (
    "intervals are wider, and superiority is nearer to 50 %, than after one finished league, as the table "
    "may be looked at while it grows"
)


@dataclass(frozen=True)
class RatingView:
    """A table: rows of one of `KINDS`, and what must be said about them besides `MEANINGS`."""

    rows: Sequence[Any]
    kind: type
    notes: tuple[str, ...] = ()


def check_view(view: str) -> None:
    """Make sure that there is such a view.

    Raises:
        UsageError: names those that there are.
    """
    if view not in VIEWS:
        raise UsageError(f"--view {view!r}: allowed is {', '.join(VIEWS)}")


def rated(store: Store, pool: RunPool | None) -> RatingTable:
    """Rate the bots of a pool from `pools_of`; None: no games."""
    return RatingTable((), ()) if pool is None else pool_table(store, pool)


def view_of(store: Store, pool: RunPool | None, view: str) -> RatingView:
    """Return another table of the games of a pool.

    Args:
        pool: from `pools_of`; None: no games.
        view: one of `KINDS`.

    Raises:
        UsageError: no such view.
    """
    check_view(view)
    if pool is None:
        return RatingView((), KINDS[view])
    games = load_pool(store, pool.runs, parts=False)
    results, entered = games.results, games.entered
    if view == "pairs":
        pairs, notes = views.pairs_and_notes(results, entered)
        looked = () if results.planned is None else (ALL_LOOKS,)
        return RatingView(pairs, views.PairRow, (*looked, *notes))
    if view == "versions":
        found = views.families(results, entered)
        return RatingView([row for rows in found.values() for row in rows], views.VersionRow)
    if view == "alike":
        return RatingView(alike_rows(store, pool.runs, games), AlikeRow)
    rows = nash_rows(results, entered)
    split = open_pairs(results)
    unsure = bool(rows) and rows[0].low is None and not split
    watched = not unsure and not split and results.planned is not None
    told = ((NO_INTERVALS, unsure), (ALL_LOOKS, watched), (OPEN_PAIRS, split))
    return RatingView(rows, NashRow, tuple(note for note, true in told if true))
