"""Other looks at the same games than the rating table: pairs, seats, versions of one bot, variance.

Typed rows, pure.

Not here: the estimates themselves, and how rows are printed (`arena/cli/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import LeagueError
from .collusion import collusion
from .compare import pair_table
from .elo import Ratings, bradley_terry
from .intervals import error_of_difference, quantile, tells
from .likelihood import superiority
from .results import Floats, Results
from .scores import least_squares_scores
from .table import RatedBot, label, rounded, settled, without_errors
from .variance import ENDLESS, deal_correlations, seat_scores, worth_of_a_game


@dataclass(frozen=True)
class PairRow:
    """Two bots at common tables, the better one first. Intervals are 95 %."""

    bot: str
    against: str
    difference: float  # points per game
    low: float | None
    high: float | None
    superiority: float  # likelihood that `bot` scores more, for two bots chosen beforehand
    p: float | None  # of no difference, adjusted by Holm over all pairs of the table
    elo: float | None  # difference of the ratings
    blocks: int


def pair_rows(results: Results, entered: Sequence[RatedBot]) -> list[PairRow]:
    """Every two bots that met, by Elo of the first and the second."""
    games, who, count, unknown = settled(results, entered)
    if not count:
        return []
    pairs, elo = pair_table(games, count, unknown), bradley_terry(games, count)
    order = sorted(range(count), key=lambda i: (-elo.elo[i], label(who[i])))
    rows = []
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if not pairs.blocks[i, j]:
                continue
            a, b = (i, j) if pairs.mean[i, j] >= 0 else (j, i)
            rows.append(
                PairRow(
                    label(who[a]),
                    label(who[b]),
                    round(float(pairs.mean[a, b]), 3),
                    rounded(pairs.score_low[a, b], 3),
                    rounded(pairs.score_high[a, b], 3),
                    round(float(pairs.superiority[a, b]), 4),
                    _significant(pairs.p[a, b]),
                    rounded(elo.elo[a] - elo.elo[b], 1),
                    int(pairs.blocks[a, b]),
                )
            )
    return rows


@dataclass(frozen=True)
class SeatRow:
    """A bot (or all bots together) in one seat: points per game with a 95 % interval."""

    bot: str
    seat: int
    score: float
    low: float | None
    high: float | None
    blocks: int


def seat_rows(results: Results, entered: Sequence[RatedBot]) -> list[SeatRow]:
    """Every bot in every seat, best bot first; the last rows are all bots together."""
    games, who, count, unknown = settled(results, entered)
    if not count:
        return []
    table, mean = seat_scores(games, count), np.nan_to_num(least_squares_scores(games, count).mean)
    order = [*sorted(range(count), key=lambda i: (-mean[i], label(who[i]))), count]
    return [
        SeatRow(
            "all" if i == count else label(who[i]),
            seat,
            round(float(table.mean[i, seat]), 3),
            None if i in unknown else rounded(table.score_low[i, seat], 3),
            None if i in unknown else rounded(table.score_high[i, seat], 3),
            int(table.blocks[i, seat]),
        )
        for i in order
        for seat in range(table.mean.shape[1])
        if table.blocks[i, seat]
    ]


@dataclass(frozen=True)
class VersionRow:
    """One version of a bot against the version before it that played. The interval is 95 %."""

    bot: str
    version: int
    elo: float | None
    gain: float | None  # Elo above the version before; None for the first one, or if they cannot be compared
    low: float | None
    high: float | None
    superiority: float | None  # likelihood to be better than the version before
    games: int


def family_rows(results: Results, entered: Sequence[RatedBot], name: str) -> list[VersionRow]:
    """Return the versions of one bot in their order; empty if none has a game."""
    return families(results, entered).get(name, [])


def families(results: Results, entered: Sequence[RatedBot]) -> dict[str, list[VersionRow]]:
    """Return the versions of every bot that has a game, in their order."""
    games, who, count, unknown = settled(results, entered)
    if not count:
        return {}
    elo = without_errors(bradley_terry(games, count), unknown)
    error, better = error_of_difference(elo.covariance), superiority(elo)
    played = np.bincount(games.entrant[games.seated], minlength=count)
    found: dict[str, list[VersionRow]] = {}
    last: dict[str, int] = {}
    for i in sorted(range(count), key=lambda i: (who[i].bot, who[i].version)):
        before = last.get(who[i].bot)
        last[who[i].bot] = i
        row = _version_row(elo, error, better, who[i], i, before, int(played[i]))
        found.setdefault(row.bot, []).append(row)
    return found


def _version_row(
    elo: Ratings, error: Floats, better: Floats, one: RatedBot, i: int, last: int | None, games: int
) -> VersionRow:
    """Return entrant `i`, a version of a bot, beside the version before it: entrant `last`."""
    gain = half = los = None
    if last is not None and elo.group[last] == elo.group[i]:
        gain, los = float(elo.elo[i] - elo.elo[last]), rounded(better[i, last], 4)
        df = min(elo.blocks[i], elo.blocks[last]) - 1
        half = float(quantile(df, elo.planned) * error[i, last]) if tells(error[i, last], df) else np.inf
    low, high = (None, None) if gain is None or half is None else (gain - half, gain + half)
    level, gain, low, high = (rounded(number, 1) for number in (elo.elo[i], gain, low, high))
    return VersionRow(one.bot, one.version, level, gain, low, high, los, games)


@dataclass(frozen=True)
class OwnerRow:
    """Two bots of one owner at common tables, against the same two without the other."""

    owner: str
    bot: str
    against: str
    others: float  # points per game that every other bot makes more when both are there
    gain: float  # points per game that each of the two makes more
    p: float | None  # of no gain, one-sided, adjusted by Holm over all such pairs
    gift: float  # points per game that pass from `against` to `bot`
    gift_p: float | None  # of no larger gift than between bots of different owners, adjusted too
    blocks: int  # together


def owner_rows(results: Results, entered: Sequence[RatedBot]) -> list[OwnerRow]:
    """Every two bots of one owner that sat together in some blocks, but not in all."""
    games, who, count, _ = settled(results, entered)
    if not count:
        return []
    return [
        OwnerRow(
            who[one.one].owner,
            label(who[one.one]),
            label(who[one.two]),
            round(one.others, 3),
            round(one.gain, 3),
            _significant(one.p),
            round(one.gift, 3),
            _significant(one.gift_p),
            one.blocks,
        )
        for one in collusion(games, [entrant.owner for entrant in who])
    ]


@dataclass(frozen=True)
class VarianceRow:
    """How much the score difference of two bots varies, and what a verdict on it costs."""

    bot: str
    against: str
    difference: float  # points per game
    sd_game: float  # of one game, seat effects taken out
    sd_block: float  # of a block's mean
    worth: float | None  # games on deals of their own that a game in a block is worth
    blocks: int
    blocks_for_bar: int | None  # blocks until the 95 % interval is that short
    # games of the pair for 80 % power in a test at 5 %, if the difference is as it looks
    games_to_part: int | None


@dataclass(frozen=True)
class Variance:
    """The rows, and what holds for all: the worth of a game with its interval, the deal correlation."""

    rows: tuple[VarianceRow, ...]
    worth: tuple[float, float, float] | None  # median over pairs, 95 % interval; None: not known
    correlation: float | None  # mean over bots


def variance_rows(results: Results, entered: Sequence[RatedBot], bar: float | None = None) -> Variance:
    """Return what repeating deals is worth, pair by pair.

    Args:
        results: the games.
        entered: who the entrants are.
        bar: half-width of the interval that is wanted, in points per game; default a tenth of the sd of one
            game.

    Raises:
        LeagueError: a bar that is not above 0.
    """
    if bar is not None and not bar > 0:
        raise LeagueError(f"error bar of {bar} points: give a number above 0")
    games, who, count, _ = settled(results, entered)
    worth = worth_of_a_game(games, count) if count else None
    if worth is None:
        return Variance((), None, None)
    correlations = deal_correlations(games, count)
    rows = [
        VarianceRow(
            label(who[pair.one]),
            label(who[pair.two]),
            round(pair.difference, 3),
            round(pair.sd_game, 3),
            round(pair.sd_block, 3),
            rounded(pair.worth, 3),
            pair.blocks,
            _whole(pair.blocks_for(bar if bar is not None else pair.sd_game / 10)),
            _whole(pair.blocks_to_part * pair.games),
        )
        for pair in worth.pairs
    ]
    known = correlations[~np.isnan(correlations)]
    correlation = round(float(known.mean()), 3) if len(known) else None
    known_worth = (worth.median, worth.low, worth.high) if worth.median < ENDLESS else None
    return Variance(tuple(rows), known_worth, correlation)


def _significant(p: float) -> float | None:
    """Return a p value to three digits, so that none becomes 0; None where there is none."""
    return float(f"{p:.3g}") if np.isfinite(p) else None


def _whole(number: float) -> int | None:
    return int(np.ceil(number)) if np.isfinite(number) else None
