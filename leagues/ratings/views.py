"""Other looks at the same games than the rating table: pairs and versions.

Typed rows, pure.

Not here: the estimates themselves, and how rows are printed (`arena/cli/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .elo import Ratings, bradley_terry
from .intervals import error_of_difference, quantile, tells
from .pairs import pair_table
from .results import Floats, Results
from .rows import RatedBot, label, notes_on_dependence, rounded, settled, without_errors


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
    return pairs_and_notes(results, entered)[0]


def pairs_and_notes(results: Results, entered: Sequence[RatedBot]) -> tuple[list[PairRow], list[str]]:
    """Return `pair_rows`, and notes on bots whose results depend on the match, or may do so."""
    games, who, count, dependence = settled(results, entered)
    if not count:
        return [], []
    notes = notes_on_dependence([label(one) for one in who], dependence, games)
    pairs, elo = pair_table(games, count, dependence.unknown), bradley_terry(games, count)
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
    return rows, notes


@dataclass(frozen=True)
class VersionRow:
    """One version of a bot against the version before it that played. The interval is 95 %."""

    bot: str
    version: int
    elo: float | None
    gain: float | None  # Elo above the version before; None for the first one, or if they cannot be compared
    low: float | None
    high: float | None
    games: int


def families(results: Results, entered: Sequence[RatedBot]) -> dict[str, list[VersionRow]]:
    """Return the versions of every bot that has a game, in their order."""
    games, who, count, dependence = settled(results, entered)
    if not count:
        return {}
    elo = without_errors(bradley_terry(games, count), dependence.unknown)
    error = error_of_difference(elo.covariance)
    played = np.bincount(games.entrant[games.seated], minlength=count)
    found: dict[str, list[VersionRow]] = {}
    last: dict[str, int] = {}
    for i in sorted(range(count), key=lambda i: (who[i].bot, who[i].version)):
        before = last.get(who[i].bot)
        last[who[i].bot] = i
        row = _version_row(elo, error, who[i], i, before, int(played[i]))
        found.setdefault(row.bot, []).append(row)
    return found


def _version_row(
    elo: Ratings, error: Floats, one: RatedBot, i: int, last: int | None, games: int
) -> VersionRow:
    """Return entrant `i`, a version of a bot, beside the version before it: entrant `last`."""
    gain = half = None
    if last is not None and elo.group[last] == elo.group[i]:
        gain = float(elo.elo[i] - elo.elo[last])
        fewer = min(i, last, key=lambda one: int(elo.blocks[one]))
        df, planned = elo.blocks[fewer] - 1, None if elo.planned is None else float(elo.planned[fewer])
        half = float(quantile(df, planned) * error[i, last]) if tells(error[i, last], df) else np.inf
    low, high = (None, None) if gain is None or half is None else (gain - half, gain + half)
    level, gain, low, high = (rounded(number, 1) for number in (elo.elo[i], gain, low, high))
    return VersionRow(one.bot, one.version, level, gain, low, high, games)


def _significant(p: float) -> float | None:
    """Return a p value to three digits, so that none becomes 0; None where there is none."""
    return float(f"{p:.3g}") if np.isfinite(p) else None
