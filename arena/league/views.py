"""Looks at the games of a pool: the rating table, and other tables of the same games, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leagues.formats.coverage import adaptive_games
from leagues.ratings import bradley_terry, views
from leagues.ratings.nash import NashRow, nash_rows, open_pairs
from leagues.ratings.needed import NeededRow, needed_rows
from leagues.ratings.table import RatingTable, rating_table, settled

from ..errors import UsageError
from ..store import Store
from .history import HistoryRow, history_rows
from .likeness import AlikeRow, alike_rows
from .luck import weights_of
from .pools import RunPool, choose
from .table import Pool, aim_of, load_pool, pool_table

RATED = ("table", "same-seat")  # views that are rating tables
VIEWS = (*RATED, "pairs", "nash", "seats", "history", "versions", "owners", "alike", "needed", "variance")
KINDS: dict[str, type] = {
    "nash": NashRow,
    "pairs": views.PairRow,
    "seats": views.SeatRow,
    "history": HistoryRow,
    "versions": views.VersionRow,
    "owners": views.OwnerRow,
    "alike": AlikeRow,
    "needed": NeededRow,
    "variance": views.VarianceRow,
}
MEANINGS = {  # what the columns of a view are
    "pairs": "difference: points a game that `bot` makes more than `against` at common tables; low .. high: "
    "its 95 % interval; superiority: how likely `bot` is better, for two chosen beforehand; p: of no "
    "difference, adjusted for all pairs; elo: difference of the ratings",
    "nash": "rating: points a game more than the others at a table of a mixture that no bot beats; low .. "
    "high: its 95 % interval; share: of the bot in the mixture. Copies of a bot change no number",
    "seats": "score: points a game in that seat; low .. high: its 95 % interval; blocks: stretches of deals "
    "where a bot depends on its match",
    "history": "after each run, over all games until then: the rank in the table, Elo, its 95 % interval",
    "versions": "gain: Elo above the version before; low .. high: its 95 % interval; superiority: how "
    "likely it is better than the version before",
    "owners": "points a game when both sit there: others: what every other bot makes more, gain: each of "
    "the two, gift: what passes from `against` to `bot`; p, gift_p: of none, adjusted for all such pairs",
    "alike": "decisions on the same view, and how often the two acted differently; usual: with other bots",
    "needed": "games until a test at 5 % finds the difference (points a game) with 80 %; low .. high: 95 %",
    "variance": "sd_game, sd_block: of the difference of two bots in a game, and of its mean in a block; "
    "worth: of a game in a block, in games on deals of their own; games_to_part: until a test at 5 % finds "
    "the difference with 80 %",
}
OPEN_PAIRS = (
    "too few line-ups: who wins from whom at a table is not known, and is split evenly. So circles do not "
    "show; a league with more bots than seats would tell"
)
NO_INTERVALS = (
    "no intervals: too few deals; where a bot depends on its match, a stretch of deals counts as one"
)
ALL_LOOKS = (
    "more games may come after a look at these: the intervals hold at every look, and are wider for that"
)
FITS = {  # what an argument belongs to: elsewhere it would do nothing
    "anchor": RATED,
    "all_ranks": RATED,
    "luck": (*RATED, "needed"),
    "bar": ("variance",),
    "bot": ("versions",),
}


@dataclass(frozen=True)
class RatingView:
    """A table: rows of one of `KINDS`, and what must be said about them besides `MEANINGS`."""

    rows: Sequence[Any]
    kind: type
    notes: tuple[str, ...] = ()


def pools_of(
    store: Store,
    game: str,
    runs: Sequence[str] = (),
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    pool: str | None = None,
) -> tuple[RunPool | None, list[RunPool]]:
    """Return the pool that is asked for, and all pools.

    Args:
        store: where the games are.
        game: its name.
        runs: only these; default: all.
        players: only tables of this size.
        options: only games with these options.
        pool: the mark of a pool; default: the main one. None if there are no games.

    Raises:
        UsageError: no such run or pool.
        GameError: no such game or option.
    """
    pools = list(choose(store, game, runs, players, dict(options or {})))
    if pool is None:
        return (pools[0] if pools else None), pools
    chosen = next((one for one in pools if one.mark == pool), None)
    if chosen is None:
        raise UsageError(f"no pool {pool!r}; pools: {', '.join(one.mark for one in pools) or 'none yet'}")
    return chosen, pools


def check_view(view: str, **given: Any) -> None:
    """Make sure that there is such a view, and that what is given changes it.

    Args:
        view: one of `VIEWS`.
        given: `anchor`, `all_ranks`, `luck`, `bar`, `bot`; those that are not wanted are None or False.

    Raises:
        UsageError: names what does nothing there, and where it belongs.
    """
    if view not in VIEWS:
        raise UsageError(f"--view {view!r}: allowed is {', '.join(VIEWS)}")
    for name, value in given.items():
        if value not in (None, False) and view not in FITS[name]:
            option = "--bots" if name == "bot" else f"--{name.replace('_', '-')}"
            raise UsageError(
                f"{option} does nothing with --view {view}: it is for --view {' or '.join(FITS[name])}"
            )
    if view == "versions" and given.get("bot") is None:
        raise UsageError("--view versions: say whose, with --bots NAME")


def rated(
    store: Store,
    pool: RunPool | None,
    view: str = "table",
    anchor: str | None = None,
    all_ranks: bool = False,
    luck: bool = False,
) -> RatingTable:
    """Rate the bots of a pool.

    Args:
        store: where the games are.
        pool: from `pools_of`; None: no games.
        view: "table", or "same-seat": by who did better with the same cards.
        anchor: a bot whose Elo is 1500.
        all_ranks: rank intervals that hold for all rows at once.
        luck: replay games whose luck is not known yet, and take it out.

    Raises:
        UsageError: no such bot, or arguments that do nothing.
    """
    check_view(view, anchor=anchor, all_ranks=all_ranks, luck=luck)
    if pool is None:
        return RatingTable((), ())
    if view == "table" and not anchor and not all_ranks:
        return pool_table(store, pool, luck)
    games = load_pool(store, pool.runs, luck=luck, parts=False)
    return rating_table(
        games.results,
        games.entered,
        anchor=games.number(anchor) if anchor else None,
        by_seat=view == "same-seat",
        aim=aim_of(pool.runs),
        weights=weights_of(pool.runs[0]) if games.results.luck is not None else None,
        all_ranks=all_ranks,
    )


def view_of(
    store: Store, pool: RunPool | None, view: str, bot: str | None = None, bar: float | None = None
) -> RatingView:
    """Return another table of the games of a pool.

    Args:
        store: where the games are.
        pool: from `pools_of`; None: no games.
        view: one of `KINDS`.
        bot: whose versions.
        bar: of "variance": the error bar that is wanted, in points.

    Raises:
        UsageError: no such view or bot, or arguments that do nothing.
    """
    check_view(view, bot=bot, bar=bar)
    if pool is None:
        return RatingView((), KINDS[view])
    if view == "history":
        return RatingView(history_rows(store, pool.runs), HistoryRow)
    if view == "alike":
        return RatingView(alike_rows(store, pool.runs), AlikeRow)
    games = load_pool(store, pool.runs, luck=view == "needed", parts=False)
    if view == "needed":
        return _needed(games, pool)
    if view == "variance":
        return _variance(games, bar)
    results, entered = games.results, games.entered
    if view == "nash":
        rows = nash_rows(results, entered)
        unsure = bool(rows) and rows[0].low is None
        watched = not unsure and results.planned is not None
        told = ((NO_INTERVALS, unsure), (ALL_LOOKS, watched), (OPEN_PAIRS, open_pairs(results)))
        return RatingView(rows, NashRow, tuple(note for note, true in told if true))
    if view == "pairs":
        return RatingView(views.pair_rows(results, entered), views.PairRow)
    if view == "seats":
        return RatingView(views.seat_rows(results, entered), views.SeatRow)
    if view == "owners":
        pairs = views.owner_rows(results, entered)
        nobody = "no two bots of one owner sat together in some blocks and apart in others"
        return RatingView(pairs, views.OwnerRow, () if pairs else (nobody,))
    versions = views.family_rows(results, entered, bot or "")
    if not versions:
        known = sorted({one.bot for one in entered})
        raise UsageError(f"no bot {bot!r} in these games; bots: {', '.join(known) or 'none yet'}")
    return RatingView(versions, views.VersionRow)


def _variance(games: Pool, bar: float | None) -> RatingView:
    """Return what a game in a block is worth."""
    variance = views.variance_rows(games.results, games.entered, bar)
    if variance.worth is None:
        alike = "blocks of most pairs are all alike: what a game in a block is worth is not known"
        note = alike if variance.rows else "too few blocks: a pair needs 10 in common"
        return RatingView(variance.rows, views.VarianceRow, (note,))
    middle, low, high = variance.worth
    notes = [
        f"a game in a block is worth {middle:.2f} games on deals of their own (median over pairs; 95 %: "
        f"{low:.2f} .. {high:.2f})"
    ]
    if variance.correlation is not None:
        correlation = f"deal correlation {variance.correlation:.2f}"
        notes.append(f"{correlation}: 1 = the deal decides, below 0 = rotating cancels luck")
    wanted = "a tenth of the sd of one game" if bar is None else f"{bar:g} points per game"
    notes.append(f"blocks_for_bar: until the 95 % interval of the difference is +- {wanted}")
    return RatingView(variance.rows, views.VarianceRow, tuple(notes))


def _needed(games: Pool, pool: RunPool) -> RatingView:
    """Games to part the two best, and those of an adaptive league until its best is sure."""
    rows = needed_rows(games.results, games.entered, weights_of(pool.runs[0]))
    if not rows:
        few = "the two best have fewer than 10 blocks in common: play more deals"
        return RatingView(rows, NeededRow, (few,))
    results, _, count, _ = settled(games.results, games.entered)
    needed = adaptive_games(bradley_terry(results, count).elo, results.entrant.shape[1])
    said = "more than 1000 deals a bot" if needed is None else f"{needed:.0f} games in all (median)"
    note = f"a league of these {count} bots with --until best, simulated from their Elo: {said}"
    return RatingView(rows, NeededRow, (note,))
