"""Who is better than whom, and how sure that is: pairs and ranks.

Not here: when a comparison that is still being played may stop (`sequential`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from .between_matches import match_table, observed, planned_for
from .intervals import (
    ROUNDING,
    always_p,
    always_quantile,
    error_of_difference,
    holm,
    interval,
    ratio,
    t_cdf,
    t_quantile,
    tells,
)
from .results import Floats, Ints, Results, Small, check_entrants, pairings
from .scores import from_table_mean

SURE, LIKELY = 0.01, 0.1  # of tables of equal neighbours, in which a word is wrong
FAR = 100.0  # times what was played: nobody plays so much more
PORTION = 1 << 14  # units that are looked at together


class Estimate(Protocol):
    """One number for every entrant that can be ranked: Elo (`Ratings`) or points (`CommonScores`)."""

    @property
    def value(self) -> Floats:
        """(entrants,) the numbers."""

    @property
    def covariance(self) -> Floats:
        """(entrants, entrants) of their errors."""

    @property
    def group(self) -> Ints:
        """(entrants,) different for entrants that cannot be compared."""

    @property
    def blocks(self) -> Ints:
        """(entrants,) observations behind each."""

    @property
    def planned(self) -> Floats | None:
        """(entrants,) as in `Ratings`."""


@dataclass(frozen=True)
class Ahead:
    """How an entrant stands to the row below it: "sure", "likely" or "open".

    `more` is about how much more must be played, as a share of what was played, until it is sure, if the
    difference stays; None: it is sure, or nobody knows.
    """

    word: str
    more: float | None


@dataclass(frozen=True, eq=False)
class PairTable:
    """Hold the scores of every two entrants at common tables.

    Arrays are (entrants, entrants), the row's entrant against the column's.

    Pairs that never met have NaN, an infinite interval, and a likelihood of superiority of 1/2.
    """

    mean: Floats  # score difference per game, in the game's units
    score_low: Floats  # 95 % interval
    score_high: Floats
    # likelihood that the row's entrant is better: t distribution of mean / error; 1/2: one block
    superiority: Floats
    # two-sided p value of no difference, adjusted by Holm over all pairs that met twice; NaN: no test
    p: Floats
    blocks: Ints  # clusters in which both played


def pair_table(results: Results, entrants: int, unknown: Sequence[int] = ()) -> PairTable:
    """Compute the mean score difference of every two entrants.

    It is over the clusters that both played, with t intervals and the likelihood of superiority.

    Where all differences are equal their spread is not known, and the sign test takes the place of t: n
    clusters that all say the same have the two-sided p of 2^(1 - n).

    Every cluster counts the same. The likelihood of superiority is one for two entrants chosen beforehand;
    for neighbours in a sorted table it is too sure. `p` is for the table as a whole: at most 5 % of tables of
    equal bots have a value below 0.05.

    Args:
        unknown: entrants whose error is not known: their pairs say no more than one cluster would.
    """
    check_entrants(results, entrants)
    pair, difference = unit_differences(results, entrants, results.cluster)
    size = entrants * entrants
    blocks = np.bincount(pair, minlength=size).astype(np.int64)
    mean = ratio(np.bincount(pair, difference, minlength=size), blocks)
    square = np.bincount(pair, (difference - mean[pair]) ** 2, minlength=size)
    dark = np.isin(np.arange(entrants), unknown)
    seen = np.minimum.outer(*[observed(results, np.full(entrants, results.cluster.max(initial=0) + 1))] * 2)
    counted = np.where(
        (dark[:, None] | dark).ravel(), np.minimum(blocks, 1), np.minimum(blocks, seen.ravel())
    )
    error = np.sqrt(ratio(square, blocks * (counted - 1)) + _pairs_by_match(results, entrants).ravel())
    planned = planned_for(results, blocks, counted)
    low, high = interval(mean, error, counted - 1, planned)
    t, middle = np.zeros(size), np.nan_to_num(mean)
    np.divide(mean, error, out=t, where=error > ROUNDING)
    by_sign = np.where(middle == 0, 0.5, 0.5 ** np.maximum(counted, 1))  # where all differences are equal
    tail = t_cdf(-np.abs(t), counted - 1) if planned is None else always_p(t, counted - 1, planned) / 2
    tail = np.where(error > ROUNDING, tail, by_sign)
    superiority = np.where(middle > 0, 1 - tail, tail)
    two_sided = np.where(counted > 1, 2 * tail, np.nan).reshape(entrants, entrants)
    above = np.triu_indices(entrants, 1)
    adjusted = np.full((entrants, entrants), np.nan)
    adjusted[above] = adjusted.T[above] = holm(two_sided[above])
    mean, low, high, superiority = (c.reshape(entrants, entrants) for c in (mean, low, high, superiority))
    return PairTable(mean, low, high, superiority, adjusted, blocks.reshape(entrants, entrants))


def _pairs_by_match(results: Results, entrants: int) -> Floats:
    """(entrants, entrants) variance of mean differences by what the matches of some entrants differ by."""
    variance: Floats = np.zeros((entrants, entrants))
    if not results.by_match or results.match is None:
        return variance
    table = match_table(results, entrants)
    shift = table.variance(lambda games: from_table_mean(games, games.score)).shift
    for one in results.by_match:
        shifts = table.directions(one)
        games = np.where(shifts != 0, shifts[:, [one]], 0.0)
        squares = ((games - shifts) ** 2).sum(axis=0) / np.maximum(games.sum(axis=0), 1) ** 2
        squares[one] = 0.0
        variance[one] += shift[one] * squares
        variance[:, one] += shift[one] * squares
    return variance


def unit_differences(results: Results, entrants: int, unit: Ints) -> tuple[Ints, Floats]:
    """Compute the mean score difference of every ordered pair in every unit.

    Returns row * entrants + column, and the difference.

    Each pair is looked up once, the smaller entrant number first, and written in both orders.
    """
    row, pair, mean = pair_means(results, entrants, unit)
    order = np.argsort(unit[row], kind="stable")
    ordered = pair[order].astype(np.int64)
    one, two = np.divmod(ordered, entrants)
    return np.concatenate([ordered, two * entrants + one]), np.concatenate([mean[order], -mean[order]])


def pair_means(results: Results, entrants: int, unit: Ints) -> tuple[Small, Small, Floats]:
    """Compute the mean score difference of every two entrants in every unit in which they met.

    Some units are looked at together, so that little memory is needed.

    Args:
        unit: (games,) equal for the games of one unit, which come one after the other.

    Returns:
        Of every such pair and unit, by unit and pair: the first game of the unit, one * entrants + two of the
        pair, with one below two, and the score of the one less that of the other, per game.
    """
    start = np.flatnonzero(np.diff(unit, prepend=unit[:1] - 1))
    begins = start[::PORTION].tolist() or [0]
    found = [(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))]
    for begin, end in zip(begins, [*begins[1:], len(unit)], strict=True):
        first, pair, mean = _means_of_portion(results.rows(slice(begin, end)), entrants, unit[begin:end])
        found.append((first + np.int32(begin), pair, mean))
    first, pair, mean = (np.concatenate(column) for column in zip(*found, strict=True))
    return first, pair, mean


def _means_of_portion(games: Results, entrants: int, unit: Ints) -> tuple[Small, Small, Floats]:
    """As `pair_means`, of some games at once."""
    new = np.diff(unit, prepend=unit[:1] - 1) != 0
    place = np.cumsum(new) - 1
    keys, differences = [np.zeros(0, np.int64)], [np.zeros(0)]
    for pairing in pairings(games):
        a, b = (games.score[pairing.games, seat] for seat in pairing.seats)
        low, high = np.minimum(pairing.one, pairing.two), np.maximum(pairing.one, pairing.two)
        keys.append((place[pairing.games] * entrants + low) * entrants + high)
        differences.append(np.where(pairing.one == low, a - b, b - a))
    key, item = np.unique(np.concatenate(keys), return_inverse=True)
    at, pair = np.divmod(key, entrants**2)
    mean = np.bincount(item, np.concatenate(differences)) / np.maximum(np.bincount(item), 1)
    return np.flatnonzero(new)[at].astype(np.int32), pair.astype(np.int32), mean


def rank_intervals(estimate: Estimate) -> Ints:
    """Find the best and the worst rank that every entrant may have in its group.

    They are 1 + the number of surely better ones, and n - the number of surely worse ones.

    "Surely" is a t test of the difference at the level 0.05 / (n - 1), for n entrants in the group, with
    (fewer clusters of the two - 1) degrees of freedom. That holds for any one row of the table, whichever it
    is: at most 5 % of true ranks lie outside. Mogstad, Romano, Shaikh & Wilhelm 2023, Review of Economic
    Studies, doi 10.1093/restud/rdad006.
    Entrants that no chain of games connects are ranked apart.

    Where `planned` is given, it holds at all looks.

    Returns:
        (entrants, 2) ranks counted from 1.
    """
    same = estimate.group[:, None] == estimate.group
    size = same.sum(axis=1)
    better = estimate.value[:, None] - estimate.value > sure_margin(estimate, 0.05)
    return np.stack([1 + better.sum(axis=0), size - better.sum(axis=1)], axis=1)


def sure_margin(estimate: Estimate, level: float) -> Floats:
    """(entrants, entrants) difference beyond which the one of a pair is surely better; infinite: never.

    At the two-sided level `level` / (n - 1) for n entrants in the group.
    """
    error, blocks = error_of_difference(estimate.covariance), estimate.blocks
    df = np.minimum.outer(blocks, blocks) - 1
    same = estimate.group[:, None] == estimate.group
    levels = level / np.maximum(same.sum(axis=1, keepdims=True) - 1, 1)
    if estimate.planned is None:
        wide = t_quantile(1 - levels / 2, df)
    else:
        planned = np.where(blocks[:, None] <= blocks, estimate.planned[:, None], estimate.planned)
        wide = always_quantile(levels, df, planned)
    margin = np.full(error.shape, np.inf)
    np.multiply(wide, error, out=margin, where=same & tells(error, df) & np.isfinite(wide))
    return np.maximum(margin, ROUNDING)


def neighbours(estimate: Estimate, order: Sequence[int]) -> list[Ahead | None]:
    """Tell how every entrant stands to the next one of this order; None: to the last, or to another group.

    Two equal neighbours are called apart in at most 1 of 100 tables ("sure") or 1 of 10 ("likely"), like the
    ranks at one planned look or at all: "sure" implies ranks that do not overlap, "open" ranks that do.
    """
    sure, likely = (sure_margin(estimate, level) for level in (SURE, LIKELY))
    found: list[Ahead | None] = []
    for one, two in pairwise(order):
        more = float(estimate.value[one] - estimate.value[two])
        word = "sure" if more > sure[one, two] else "likely" if more > likely[one, two] else "open"
        needed = (float(sure[one, two]) / more) ** 2 - 1 if more > ROUNDING else np.inf
        ahead = Ahead(word, needed if word != "sure" and needed < FAR else None)
        found.append(ahead if estimate.group[one] == estimate.group[two] else None)
    return [*found, None] if order else []
