"""What the games of a league say about its entrants: ratings, mean scores, comparisons, all with honest error bars.

Pure functions on arrays. Everything starts from `Results`, which checks its arrays once and puts the games into one order of its
own, so that every number here is the same, byte for byte, in whatever order the games arrived.

The unit of chance is the **block**: one deal, one circular order of one line-up, all its rotations. Games of a block share their
cards, so they are not independent of each other; blocks are. Every error bar below therefore comes from how much blocks differ,
never from the number of games, and uses Student's t with (an entrant's blocks - 1) degrees of freedom. If one deal is given to
several line-ups, all its games must carry the same block number, else the error bars are too short.

What is what, in the order of this file:

    Results                    the games
    bradley_terry, same_seat   Elo from who finished before whom, and from who did better with the same cards
    least_squares_scores       points per game, corrected for the company an entrant kept
    mean_scores, robust_scores points per game as they fell, and without the extreme blocks
    pair_table, rank_intervals who is better than whom, and how sure that is
    gsprt, deal_correlation    when a comparison may stop, and what repeating a deal is worth

How each number is computed, and what it is not, is told for readers of the tables in `docs/numbers.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import LeagueError
from .student import t_cdf, t_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = TypeVar("Number", bound=np.generic)

CENTRE = 1500.0  # the mean Elo of all entrants
ELO = 400 / np.log(10)  # Elo per unit of strength: 400 Elo are odds of 10 to 1
PRIOR_ELO = 700.0  # sd of the prior: with little data it is the value that neither shrinks nor stretches ratings
CONFIDENCE = 0.95
ESTABLISHED = 30  # blocks; an entrant with fewer is provisional
TRIM = 20  # robust scores leave out one block in 20 at each end
ROUNDING = 1e-6  # Elo; differences below are rounding
CHUNK = 4_000_000  # numbers in the work array of the error bars

NEWTON_STEPS = 200  # Newton steps before the fit is given up
NEWTON_SMALL = 1e-9  # a step in units of strength below which the fit stands still


# --- the games --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Results:
    """All games of one or several leagues of one game; tables may differ in size.

    Creating it checks the arrays and sorts the games (by block, then by content): rows come out in another order than they went
    in, and blank seats hold zeros.

    Args:
        entrant: (games, seats) integers, entrant in every seat, counted from 0; -1 where the table has no such seat.
        score: (games, seats) final scores in the game's units.
        block: (games,) integers, equal for the games of one block. The numbers must come from the schedule, not from the order
            of arrival.
        rank_score: (games, seats) what decides who finished before whom, if not `score`: a forfeited seat has -infinity, so that
            it loses to every seat that did not forfeit and ties with one that did.

    Raises:
        LeagueError: shapes that do not fit, scores that are not finite, a game with an empty table.
    """

    entrant: Ints
    score: Floats
    block: Ints
    rank_score: Floats | None = None

    def __post_init__(self) -> None:
        entrant, block = _integers("entrant", self.entrant, 2), _integers("block", self.block, 1)
        seated = entrant >= 0
        score = _scores("score", self.score, seated)
        if not np.isfinite(score).all():
            raise LeagueError(f"scores must be finite, {_where(~np.isfinite(score))} is not: give forfeits as rank_score = -inf")
        if block.shape != entrant.shape[:1]:
            raise LeagueError(f"block has shape {block.shape}, entrant {entrant.shape}: one block number for every game")
        if (entrant < -1).any() or not seated.any(axis=1).all():
            raise LeagueError("entrants are counted from 0, -1 is an empty seat, and no table is empty")
        rank = score if self.rank_score is None else _scores("rank_score", self.rank_score, seated)
        if np.isnan(rank).any():
            raise LeagueError(f"rank_score is NaN at {_where(np.isnan(rank))}: use -inf for a forfeit")
        keys = [*entrant.T, *score.T] if self.rank_score is None else [*entrant.T, *score.T, *rank.T]
        order = np.lexsort([*keys, block])
        for name, array in (("entrant", entrant), ("score", score), ("block", block), ("rank_score", rank)):
            object.__setattr__(self, name, np.ascontiguousarray(array[order]))

    @property
    def ranking(self) -> Floats:
        """(games, seats) what decides who finished before whom."""
        return self.score if self.rank_score is None else self.rank_score

    @property
    def cluster(self) -> Ints:
        """(games,) the blocks numbered 0, 1, 2, ... without gaps, ascending."""
        return np.cumsum(np.diff(self.block, prepend=self.block[:1]) != 0, dtype=np.int64)


def _integers(name: str, values: NDArray[np.integer], dimensions: int) -> Ints:
    """The array as 64-bit integers."""
    array = np.asarray(values)
    if array.ndim != dimensions or not (np.issubdtype(array.dtype, np.integer) or array.size == 0):
        raise LeagueError(f"{name} has {array.ndim} dimensions of {array.dtype}: give {dimensions} of integers")
    return array.astype(np.int64)


def _scores(name: str, values: Floats, seated: NDArray[np.bool_]) -> Floats:
    """The array as floats, 0 in blank seats."""
    array = np.asarray(values, np.float64)
    if array.shape != seated.shape:
        raise LeagueError(f"{name} has shape {array.shape}, entrant {seated.shape}: one number for every seat")
    return np.where(seated, array, 0.0)


def _where(bad: NDArray[np.bool_]) -> str:
    """The first place that is true, in words."""
    game, seat = np.argwhere(bad)[0]
    return f"game {game}, seat {seat}"


def _check_entrants(results: Results, entrants: int) -> None:
    """Refuse a number of entrants that does not fit the games."""
    most = int(results.entrant.max(initial=-1))
    if entrants < 1 or most >= entrants:
        raise LeagueError(f"{entrants} entrants, but the games have an entrant {most}: give the number of all entrants")


# --- pairs of seats, and error bars by block --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Pairing:
    """All games in which two given seats are taken by different entrants; arrays have one item per such game."""

    games: Ints  # rows of the results
    seats: tuple[int, int]
    one: Ints  # entrants
    two: Ints
    weight: Floats  # 1 / (players - 1), so that a game counts the same at every table size


def _pairings(results: Results) -> Iterator[_Pairing]:
    """Every two seats of a table in turn."""
    players = (results.entrant >= 0).sum(axis=1)
    for a, b in combinations(range(results.entrant.shape[1]), 2):
        one, two = results.entrant[:, a], results.entrant[:, b]
        games = np.flatnonzero((one >= 0) & (two >= 0) & (one != two))
        yield _Pairing(games, (a, b), one[games], two[games], 1 / (players[games] - 1))


def _outcome(results: Results, pairing: _Pairing) -> Floats:
    """1, 1/2 or 0 for the first of the two seats; two forfeits (both -inf) tie."""
    a, b = (results.ranking[pairing.games, seat] for seat in pairing.seats)
    return (1.0 + (a > b) - (a < b)) / 2


def _blocks_of(results: Results, rated: NDArray[np.bool_], entrants: int) -> Ints:
    """In how many blocks every entrant has a seat that is rated."""
    key = (results.cluster[:, None] * entrants + results.entrant)[rated]
    return np.bincount(np.unique(key) % entrants, minlength=entrants).astype(np.int64)


def _scatter(results: Results, residual: Floats, entrants: int) -> Floats:
    """(entrants, entrants) scatter over blocks of the residuals summed per block and entrant."""
    cluster, seated = results.cluster, results.entrant >= 0
    blocks, step = int(cluster.max(initial=-1)) + 1, max(1, CHUNK // entrants)
    total, square = np.zeros(entrants), np.zeros((entrants, entrants))
    for first in range(0, blocks, step):
        size = min(step, blocks - first)
        rows = slice(*np.searchsorted(cluster, [first, first + size]))
        key = (cluster[rows, None] - first) * entrants + results.entrant[rows]
        sums = np.bincount(key[seated[rows]], residual[rows][seated[rows]], minlength=size * entrants).reshape(size, entrants)
        total += sums.sum(axis=0)
        square += sums.T @ sums
    return square - np.outer(total, total) / max(blocks, 1)


def _sandwich(bread: Floats, scatter: Floats, blocks: Ints) -> Floats:
    """Covariance of estimates whose errors are `bread` times the residuals: the cluster sandwich of Liang & Zeger 1986.

    An entrant with b blocks of its own has the small-sample factor b / (b - 1); where all play in every block that is the usual
    G / (G - 1), see Cameron & Miller 2015, Journal of Human Resources 50, 317-372.
    """
    factor: Floats = np.sqrt(blocks / np.maximum(blocks - 1, 1))
    return factor[:, None] * (bread @ scatter @ bread) * factor


def _relative_to(reference: NDArray[np.bool_], group: Ints, covariance: Floats) -> Floats:
    """Covariance of the estimates less the mean of the reference entrants in their own group (of all, if it has none there)."""
    same = group[:, None] == group
    weight = (same & (reference | ~(same & reference).any(axis=1, keepdims=True))).astype(np.float64)
    centre = np.eye(len(group)) - weight / weight.sum(axis=1, keepdims=True)
    centred = centre @ covariance @ centre.T
    return (centred + centred.T) / 2


def _inverse(matrix: Floats) -> Floats:
    """Inverse of a symmetric positive definite matrix."""
    return np.asarray(np.linalg.inv(matrix), np.float64)


def _error(covariance: Floats) -> Floats:
    """Standard errors."""
    return np.sqrt(np.maximum(np.diagonal(covariance), 0))


def _interval(estimate: Floats, error: Floats, df: Ints) -> tuple[Floats, Floats]:
    """The 95 % interval; without a degree of freedom it is the whole line."""
    half = np.full(np.shape(estimate), np.inf)
    np.multiply(t_quantile((1 + CONFIDENCE) / 2, df), error, out=half, where=(df > 0) & ~np.isnan(estimate))
    middle = np.nan_to_num(estimate)
    return middle - half, middle + half


# --- who is connected with whom ---------------------------------------------------------------------------------------------


def _components(beats: NDArray[np.bool_]) -> Ints:
    """Number entrants so that two have the same number if each can be reached from the other along `beats`."""
    reach = beats | np.eye(len(beats), dtype=bool)
    while True:
        steps = reach.astype(np.float32)
        further = steps @ steps > 0
        if (further == reach).all():
            return np.unique((reach & reach.T).argmax(axis=1), return_inverse=True)[1].astype(np.int64)
        reach = further


def _members(component: Ints) -> Floats:
    """(entrants, components) 1 where the entrant belongs to the component."""
    return (component[:, None] == np.arange(component.max() + 1)).astype(np.float64)


# --- Elo --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ratings:
    """Elo ratings; arrays have one item per entrant, ordered by entrant number.

    Only differences mean something: the mean of all entrants is set to 1500, and so is the mean of every group that no chain of
    games connects with the others. A difference of 400 says odds of 10 to 1 for finishing before the other.
    """

    elo: Floats
    elo_low: Floats  # 95 % interval of the rating relative to the mean of the entrants without a perfect score;
    elo_high: Floats  # infinite with fewer than two blocks
    covariance: Floats  # (entrants, entrants), Elo^2; within a group the variance of i - j is c[i, i] + c[j, j] - 2 c[i, j]
    perfect: NDArray[np.int8]  # 1: won every pairing, -1: lost every one; the rating is then a bound that the prior set
    group: Ints  # entrants with different numbers are not connected by games and cannot be compared
    blocks: Ints  # blocks in which the entrant was rated
    clusters: int  # blocks in all
    provisional: NDArray[np.bool_]  # fewer than 30 blocks


def bradley_terry(results: Results, entrants: int) -> Ratings:
    """Elo by maximum likelihood from who finished before whom, over all pairs of seats at every table.

    Bradley & Terry 1952, Biometrika 39, 324-345, a tie counting half a win for both; a pair at a table of k has the weight
    1 / (k - 1); seats of one entrant are not compared with each other. A Gaussian prior with a sd of 700 Elo keeps perfect
    scores finite. Errors are the cluster sandwich over blocks (`_sandwich`).

    Where one entrant or set always beat the rest, blocks agree and the sandwich would say that the difference is known exactly,
    while it is only known to be large: there the errors also hold the curvature of likelihood and prior.

    Args:
        results: the games.
        entrants: number of all entrants, also of those without a game.

    Returns:
        One rating for every entrant. One entrant, or one without a game: 1500 with an infinite interval. All ties: 1500 with an
        error of 0, since the blocks agree. Groups that never met are rated each around 1500, and told apart by `group`.

    Raises:
        LeagueError: an entrant number out of range; no convergence.
    """
    _check_entrants(results, entrants)
    wins, rated = _wins(results, entrants)
    strength, curvature = _strengths(wins)
    blocks = _blocks_of(results, rated, entrants)
    won, lost = wins.sum(axis=1) > 0, wins.sum(axis=0) > 0
    perfect, group = won.astype(np.int8) - lost.astype(np.int8), _components((wins + wins.T) > 0)
    scatter = _scatter(results, _surprise(results, strength), entrants)
    covariance = _sandwich(_inverse(curvature), scatter, blocks) + _open_sides(wins, curvature)
    covariance = ELO**2 * _relative_to(perfect == 0, group, covariance)
    elo = CENTRE + ELO * strength
    low, high = _interval(elo, _error(covariance), blocks - 1)
    clusters = len(np.unique(results.block))
    return Ratings(elo, low, high, covariance, perfect, group, blocks, clusters, blocks < ESTABLISHED)


def _open_sides(wins: Floats, curvature: Floats) -> Floats:
    """Covariance of shifts of the sets of entrants between which all wins went one way; a set is held together by its games.

    Without a prior such a shift would have no greatest likelihood (Ford 1957, American Mathematical Monthly 64, 28-33).
    """
    side = _members(_components(wins > 0))
    return side @ _inverse(side.T @ curvature @ side) @ side.T


def same_seat(results: Results, entrants: int) -> Ratings:
    """Elo from who did better in the same seat of the same deal: the luck of the cards is out of each single comparison.

    The rotations of a block put several entrants into the same seat with the same cards; their scores there are compared as if
    they had met at a table (the idea of match points in duplicate bridge), then rated as `bradley_terry` does. The scale is not
    the same: with less luck in a comparison the better entrant wins it more often, so differences are larger.

    Raises:
        LeagueError: a block with more than one line-up; no convergence.
    """
    _check_entrants(results, entrants)
    return bradley_terry(_seat_tables(results), entrants)


def _seat_tables(results: Results) -> Results:
    """The results turned around: a "table" is one seat of one block, its "seats" are the block's rotations."""
    cluster, lineup = results.cluster, np.sort(results.entrant, axis=1)
    start = np.flatnonzero(np.diff(cluster, prepend=-1))
    strange = (lineup != lineup[start][cluster]).any(axis=1)
    if strange.any():
        block = results.block[np.flatnonzero(strange)[0]]
        raise LeagueError(
            f"block {block} has games of different line-ups: same seats are compared within one line-up's rotations"
        )
    rotation = np.arange(len(cluster)) - start[cluster]
    seats, blocks, rotations = results.entrant.shape[1], len(start), int(rotation.max(initial=0)) + 1

    def turned(values: NDArray[Number], blank: int) -> NDArray[Number]:
        table = np.full((blocks, seats, rotations), blank, values.dtype)
        table[cluster, :, rotation] = values
        return table.reshape(-1, rotations)

    entrant = turned(results.entrant, -1)
    used = (entrant >= 0).any(axis=1)
    score, ranking = turned(results.score, 0), turned(results.ranking, 0)
    return Results(entrant[used], score[used], np.repeat(results.block[start], seats)[used], ranking[used])


def _wins(results: Results, entrants: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Weighted wins of the row's entrant over the column's, a tie being half a win for both; and which seats are compared."""
    wins, rated = np.zeros(entrants * entrants), np.zeros(results.entrant.shape, bool)
    for pairing in _pairings(results):
        outcome = _outcome(results, pairing)
        for one, two, share in ((pairing.one, pairing.two, outcome), (pairing.two, pairing.one, 1 - outcome)):
            wins += np.bincount(one * entrants + two, pairing.weight * share, minlength=len(wins))
        for seat in pairing.seats:
            rated[pairing.games, seat] = True
    return wins.reshape(entrants, entrants), rated


def _strengths(wins: Floats) -> tuple[Floats, Floats]:
    """Strengths (400 Elo = ln 10, mean 0) of greatest posterior density, and the curvature there: Newton's method."""
    games, prior = wins + wins.T, (ELO / PRIOR_ELO) ** 2
    strength = np.zeros(len(wins))
    for _ in range(NEWTON_STEPS):
        expected = _expected(strength)
        slope = (wins - games * expected).sum(axis=1) - prior * strength
        weight = games * expected * (1 - expected)
        curvature = np.diag(weight.sum(axis=1) + prior) - weight
        step = np.linalg.solve(curvature, slope)
        now = _loss(strength, wins, prior)
        while _loss(strength + step, wins, prior) > now * (1 + 1e-12):
            step /= 2
        strength = strength + step
        if np.abs(step).max() < NEWTON_SMALL:
            return strength - strength.mean(), curvature
    raise LeagueError(f"ratings of {len(wins)} entrants do not converge in {NEWTON_STEPS} steps: check the results")


def _expected(strength: Floats) -> Floats:
    """Chance of the row's entrant to finish before the column's."""
    return 1 / (1 + np.exp(strength - strength[:, None]))


def _loss(strength: Floats, wins: Floats, prior: float) -> float:
    """Negative log posterior density."""
    return float((wins * np.logaddexp(0, strength - strength[:, None])).sum() + prior * (strength**2).sum() / 2)


def _surprise(results: Results, strength: Floats) -> Floats:
    """(games, seats) weighted outcomes less what the strengths expect, summed over a seat's pairs."""
    expected, surprise = _expected(strength), np.zeros(results.entrant.shape)
    for pairing in _pairings(results):
        more = pairing.weight * (_outcome(results, pairing) - expected[pairing.one, pairing.two])
        surprise[pairing.games, pairing.seats[0]] += more
        surprise[pairing.games, pairing.seats[1]] -= more
    return surprise


# --- points per game --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scores:
    """Points per game in the game's units, with 95 % intervals by block; arrays have one item per entrant.

    An entrant without a game has NaN with an infinite interval; in one block only, an infinite interval.
    """

    mean: Floats
    error: Floats  # standard error
    score_low: Floats
    score_high: Floats
    blocks: Ints


def mean_scores(results: Results, entrants: int) -> Scores:
    """Mean final score per game as it fell, with a t interval over the entrant's blocks.

    It depends on the company: compare entrants by it only where all have met the same opponents equally often, else by
    `least_squares_scores`. In blocks of unequal size every game counts the same (a ratio of block sums).

    Raises:
        LeagueError: an entrant number out of range.
    """
    _check_entrants(results, entrants)
    entrant, total, games = _block_scores(results, entrants)
    blocks = np.bincount(entrant, minlength=entrants).astype(np.int64)
    all_games = np.bincount(entrant, games, minlength=entrants)
    mean = _ratio(np.bincount(entrant, total, minlength=entrants), all_games)
    square = np.bincount(entrant, (total - mean[entrant] * games) ** 2, minlength=entrants)
    error = np.sqrt(_ratio(blocks * square, (blocks - 1) * all_games**2))
    return Scores(mean, error, *_interval(mean, error, blocks - 1), blocks)


def robust_scores(results: Results, entrants: int) -> Scores:
    """Mean block score without the 5 % highest and 5 % lowest blocks of every entrant, so that one freak block decides nothing.

    The trimmed mean with the standard error of its winsorised deviations and B - 2 cut - 1 degrees of freedom: Tukey &
    McLaughlin 1963, Sankhya A 25, 331-352. At least one block is cut at each end, none below 5 blocks.

    It answers another question than `mean_scores`: what an entrant scores in an ordinary block. Rare large wins and losses are
    part of playing well or badly, so it stands beside the mean and never in its place; it does not add up to 0 over a table.

    Raises:
        LeagueError: an entrant number out of range.
    """
    _check_entrants(results, entrants)
    entrant, total, games = _block_scores(results, entrants)
    order = np.lexsort([total / games, entrant])
    score, ends = (total / games)[order], np.searchsorted(entrant[order], np.arange(entrants + 1))
    trimmed = [_trimmed(score[start:end]) for start, end in pairwise(ends)]
    mean, error = np.array([line[:2] for line in trimmed]).T
    df = np.array([line[2] for line in trimmed])
    return Scores(mean, error, *_interval(mean, error, df), np.diff(ends).astype(np.int64))


def _trimmed(ascending: Floats) -> tuple[float, float, int]:
    """Trimmed mean, its standard error and degrees of freedom."""
    size = len(ascending)
    cut = -(-size // TRIM) if size >= 5 else 0
    kept = ascending[cut : size - cut]
    if len(kept) < 2:
        return (float(kept.mean()) if size else np.nan), np.nan, 0
    spread = np.clip(ascending, kept[0], kept[-1]).std(ddof=1)
    return float(kept.mean()), float(spread * np.sqrt(size) / len(kept)), len(kept) - 1


def least_squares_scores(results: Results, entrants: int) -> Scores:
    """Points per game corrected for the company: score = entrant + table, fitted by least squares over all games.

    The difference of two entrants is how much more the one scores per game at a common table. The mean of all entrants that are
    connected by games is 0; of two groups that never met (`Ratings.group`) each is centred by itself, and they cannot be
    compared. An entrant that met nobody has NaN. Errors are the cluster sandwich over blocks, t with (own blocks - 1).

    Raises:
        LeagueError: an entrant number out of range.
    """
    _check_entrants(results, entrants)
    meetings, rated = _meetings(results, entrants)
    deviation = _from_table_mean(results, results.score)
    group = _members(_components(meetings > 0))
    inverse = _inverse(np.diag(meetings.sum(axis=1)) - meetings + (group / group.sum(axis=0)) @ group.T)
    seated = results.entrant >= 0
    mean = inverse @ np.bincount(results.entrant[seated], deviation[seated], minlength=entrants)
    residual = deviation - _from_table_mean(results, np.where(seated, mean[results.entrant], 0))
    blocks = _blocks_of(results, rated, entrants)
    error = _error(_sandwich(inverse, _scatter(results, residual, entrants), blocks))
    mean[blocks == 0], error[blocks < 2] = np.nan, np.nan
    return Scores(mean, error, *_interval(mean, error, blocks - 1), blocks)


def _meetings(results: Results, entrants: int) -> tuple[Floats, NDArray[np.bool_]]:
    """How much of a game every two entrants shared (a pair at a table of k counts 1 / k); and which seats met another's."""
    meetings, rated = np.zeros(entrants * entrants), np.zeros(results.entrant.shape, bool)
    for pairing in _pairings(results):
        share = pairing.weight / (1 + pairing.weight)
        meetings += np.bincount(pairing.one * entrants + pairing.two, share, minlength=len(meetings))
        for seat in pairing.seats:
            rated[pairing.games, seat] = True
    square = meetings.reshape(entrants, entrants)
    return square + square.T, rated


def _from_table_mean(results: Results, values: Floats) -> Floats:
    """(games, seats) values less their mean over the seats that are taken; 0 in blank seats."""
    seated = results.entrant >= 0
    return np.where(seated, values - (values.sum(axis=1) / seated.sum(axis=1))[:, None], 0)


def _block_scores(results: Results, entrants: int) -> tuple[Ints, Floats, Floats]:
    """For every entrant in every one of its blocks: the entrant, its summed score, its number of games (seats)."""
    seated = results.entrant >= 0
    key, item = np.unique((results.cluster[:, None] * entrants + results.entrant)[seated], return_inverse=True)
    total: Floats = np.bincount(item, results.score[seated]).astype(np.float64, copy=False)
    return key % entrants, total, np.bincount(item).astype(np.float64)


def _ratio(above: NDArray[Any], below: NDArray[Any]) -> Floats:
    """Quotient; NaN where the divisor is not positive."""
    quotient = np.full(above.shape, np.nan)
    np.divide(above, below, out=quotient, where=below > 0)
    return quotient


# --- comparisons ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PairTable:
    """Every two entrants at common tables; arrays are (entrants, entrants), the row's entrant against the column's.

    Pairs that never met have NaN, an infinite interval, and a likelihood of superiority of 1/2.
    """

    mean: Floats  # score difference per game, in the game's units
    score_low: Floats  # 95 % interval
    score_high: Floats
    superiority: Floats  # likelihood that the row's entrant is better: t distribution of mean / error; 1/2 for a single block
    blocks: Ints


def pair_table(results: Results, entrants: int) -> PairTable:
    """Mean score difference of every two entrants over the blocks that both played, with t intervals and LOS.

    Every block counts the same. The likelihood of superiority is one for two entrants chosen beforehand; for neighbours in a
    sorted table it is too sure.

    Raises:
        LeagueError: an entrant number out of range.
    """
    _check_entrants(results, entrants)
    pair, difference = _block_differences(results, entrants)
    size = entrants * entrants
    blocks = np.bincount(pair, minlength=size).astype(np.int64)
    mean = _ratio(np.bincount(pair, difference, minlength=size), blocks)
    square = np.bincount(pair, (difference - mean[pair]) ** 2, minlength=size)
    error = np.sqrt(_ratio(square, blocks * (blocks - 1)))
    low, high = _interval(mean, error, blocks - 1)
    t = np.copysign(np.where(np.nan_to_num(mean) == 0, 0.0, np.inf), mean)  # where all differences are equal
    np.divide(mean, error, out=t, where=error > 0)
    superiority = t_cdf(t, blocks - 1)
    mean, low, high, superiority = (column.reshape(entrants, entrants) for column in (mean, low, high, superiority))
    return PairTable(mean, low, high, superiority, blocks.reshape(entrants, entrants))


def block_differences(results: Results, one: int, two: int) -> Floats:
    """Score of one entrant less that of another, per game, in every block that both played; ascending block number.

    What `gsprt` wants. Only tables at which both sit count.

    Raises:
        LeagueError: not two entrants.
    """
    if one == two or min(one, two) < 0:
        raise LeagueError(f"differences of entrants {one} and {two}: give two different entrants, counted from 0")
    entrants = max(int(results.entrant.max(initial=0)), one, two) + 1
    pair, difference = _block_differences(results, entrants)
    return difference[pair == one * entrants + two]


def _block_differences(results: Results, entrants: int) -> tuple[Ints, Floats]:
    """For every block and ordered pair in it: row * entrants + column, and the mean difference of their scores."""
    keys, differences = [np.zeros(0, np.int64)], [np.zeros(0)]
    for pairing in _pairings(results):
        a, b = (results.score[pairing.games, seat] for seat in pairing.seats)
        block = results.cluster[pairing.games] * entrants**2
        keys += [block + pairing.one * entrants + pairing.two, block + pairing.two * entrants + pairing.one]
        differences += [a - b, b - a]
    key, item = np.unique(np.concatenate(keys), return_inverse=True)
    return key % entrants**2, np.bincount(item, np.concatenate(differences)) / np.maximum(np.bincount(item), 1)


def rank_intervals(ratings: Ratings, level: float = 1 - CONFIDENCE) -> Ints:
    """Best and worst rank that every entrant may have: 1 + number of surely better ones, entrants - number of surely worse.

    "Surely" is a t test of the difference at the given level with (fewer blocks of the two - 1) degrees of freedom. The default
    holds for one entrant at a time; for all ranks at once give 0.05 / (entrants - 1). Mogstad, Romano, Shaikh & Wilhelm 2023,
    Review of Economic Studies, doi 10.1093/restud/rdad006. Entrants that no chain of games connects are never surely better.

    Returns:
        (entrants, 2) ranks counted from 1.

    Raises:
        LeagueError: a level outside 0 .. 1.
    """
    if not 0 < level < 1:
        raise LeagueError(f"level {level} of the rank intervals: give a number between 0 and 1, such as 0.05")
    variance = np.diagonal(ratings.covariance)
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2 * ratings.covariance, 0))
    df = np.minimum.outer(ratings.blocks, ratings.blocks) - 1
    comparable = (ratings.group[:, None] == ratings.group) & (df > 0)
    margin = np.full(error.shape, np.inf)
    np.multiply(t_quantile(1 - level / 2, df), error, out=margin, where=comparable)
    better = ratings.elo[:, None] - ratings.elo > np.maximum(margin, ROUNDING)
    return np.stack([1 + better.sum(axis=0), len(variance) - better.sum(axis=1)], axis=1)


# --- when to stop, and what repeated deals are worth ------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Where a sequential test stands. `decision` is "H0", "H1" or "continue".

    `mean` is an estimate after a stop that depends on it: when H1 was accepted at an effect of t1 it is about 1.2-1.3 times too
    large.
    """

    decision: str
    llr: float  # log likelihood ratio of H1 to H0
    lower: float  # H0 is accepted at or below this
    upper: float  # H1 is accepted at or above this
    blocks: int
    mean: float  # of the differences, in their units
    effect: float  # mean / sd of one block; infinite where all differences are equal and not 0


def gsprt(
    differences: Floats,
    t0: float = 0.0,
    t1: float = 0.1,
    alpha: float = 0.05,
    beta: float = 0.05,
    *,
    least: int = 32,
    moved: int = 16,
) -> Verdict:
    """Test block differences one after the other: is their mean t0 or t1 standard deviations of one block.

    The generalised sequential probability ratio test for a t value, llr = n/2 ln((1 + (t - t0)^2) / (1 + (t - t1)^2)), between
    the bounds of Wald. Look at it after whole batches of blocks, as often as you like.

    The ratio falls again where t is more than about 1 away from both hypotheses (a t of 5 fits neither), which would keep the
    clearest cases waiting; there it is held at its greatest value, so that a larger t never speaks less for H1.

    It trusts that losses are not rare and huge: a bot that gains a little in most blocks and loses 23 sds in 2 % of them passes
    in about a quarter of tests at t1 = 0.1.

    Args:
        differences: (blocks,) score differences per block.
        t0: mean / sd under H0.
        t1: mean / sd under H1, above t0.
        alpha: chance to accept H1 when H0 holds.
        beta: chance to accept H0 when H1 holds.
        least: no decision with fewer blocks ...
        moved: ... or with fewer blocks that are not 0 (near twins play most blocks alike).

    Raises:
        LeagueError: t1 <= t0, alpha and beta that are no error rates, differences that are not finite.
    """
    values = np.sort(np.asarray(differences, np.float64))
    if values.ndim != 1 or not np.isfinite(values).all():
        raise LeagueError("a sequential test needs a plain list of finite block differences")
    if not (t0 < t1 and alpha > 0 and beta > 0 and alpha + beta < 1):
        raise LeagueError(f"sequential test with t0 {t0}, t1 {t1}, alpha {alpha}, beta {beta}: needs t0 < t1, alpha + beta < 1")
    mean, effect = _effect(values)
    reach = float(np.hypot(1, (t1 - t0) / 2))  # the ratio is greatest this far from the middle of t0 and t1
    t = min(max(effect, (t0 + t1) / 2 - reach), (t0 + t1) / 2 + reach)
    llr = len(values) / 2 * float(np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2)))
    lower, upper = float(np.log(beta / (1 - alpha))), float(np.log((1 - beta) / alpha))
    early = len(values) < least or np.count_nonzero(values) < moved
    decision = "continue" if early or lower < llr < upper else "H1" if llr >= upper else "H0"
    return Verdict(decision, llr, lower, upper, len(values), mean, effect)


def _effect(values: Floats) -> tuple[float, float]:
    """Mean, and mean / sd with the divisor n; (0, 0) for no values."""
    if not values.any():
        return 0.0, 0.0
    mean, sd = float(values.mean()), float(values.std())
    return mean, mean / sd if sd > 0 else float(np.copysign(np.inf, mean))


def deal_correlation(scores: Floats) -> float:
    """How much one entrant's scores depend on the deal: the intraclass correlation ICC(1,1) of its rotations.

    Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428: deals are the targets, rotations the ratings of a one-way design.

    Args:
        scores: (deals, rotations) final scores in the game's units, at least two of each.

    Returns:
        -1 / (rotations - 1) .. 1, no unit: 1 if the deal alone decides, 0 if a rotation is worth as much as a new deal, below 0
        if what a deal gives to one seat it takes from another, so that rotating cancels luck.

    Raises:
        LeagueError: too few deals or rotations, scores that are not finite or all the same.
    """
    table = np.asarray(scores, np.float64)
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise LeagueError(
            f"scores of shape {table.shape}: a correlation needs 2 deals in 2 rotations, all of them finite numbers"
        )
    rotations = table.shape[1]
    between = rotations * float(table.mean(axis=1).var(ddof=1))
    within = float(table.var(axis=1, ddof=1).mean())
    if between + within == 0:
        raise LeagueError("all scores are equal, so deals and rotations cannot be told apart: play more deals")
    return (between - within) / (between + (rotations - 1) * within)
