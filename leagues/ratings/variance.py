"""What repeating a deal is worth: how scores depend on deal and seat, and how many blocks a verdict needs.

Not here: error bars of a table (`intervals`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import LeagueError
from .compare import pair_means
from .intervals import ROUNDING, interval, ratio, t_quantile
from .results import Floats, Ints, Results, check_entrants, numbered, numbered_cells, pairings
from .scores import Scores

POWER = 7.849  # (1.960 + 0.842)^2: a two-sided test at 5 % that finds a difference with 80 %
GROUPS = 20  # of blocks that are left out in turn
FEWEST = 10  # blocks of a pair
ENDLESS = 1e9  # worth of a game where blocks do not vary


@dataclass(frozen=True)
class PairVariance:
    """How much the score difference of two entrants varies. Units of the game, per game."""

    one: int
    two: int
    difference: float  # mean over blocks, score of `one` less that of `two`
    blocks: int
    games: float  # games of a block
    sd_game: float  # of one game, with the means of the seats taken out
    sd_block: float  # of a block's mean

    @property
    def worth(self) -> float:
        """Count the games on deals of their own that one game in a block is worth.

        Infinite where blocks do not vary.
        """
        spread = self.games * self.sd_block**2
        return self.sd_game**2 / spread if spread > 0 else float("inf")

    def blocks_for(self, bar: float) -> float:
        """Count the blocks until the 95 % interval of the difference is `bar` a side.

        Infinite where blocks do not vary, so that nothing is known of errors.
        """
        return (1.959964 * self.sd_block / bar) ** 2 if self.sd_block else float("inf")

    @property
    def blocks_to_part(self) -> float:
        """Count the blocks that show the difference with 80 % in a test at 5 %.

        The difference is taken to be as large as it looks. Infinite where there is none, or blocks do not
        vary.
        """
        known = self.difference and self.sd_block
        return POWER * (self.sd_block / self.difference) ** 2 if known else float("inf")


@dataclass(frozen=True)
class Worth:
    """What a game in a block is worth: the median over pairs, with its 95 % interval."""

    median: float
    low: float
    high: float
    pairs: tuple[PairVariance, ...]


def worth_of_a_game(results: Results, entrants: int) -> Worth | None:
    """How many games on deals of their own a game in a block is worth, pair by pair.

    The variance of one game's difference (seat effects taken out) over games per block times the variance of
    a block's mean difference. Above 1: the rotations of a deal cancel luck. The interval is a jackknife over
    20 groups of blocks on the logarithm, with t of 19 degrees of freedom (Miller 1974, Biometrika 61, 1-15).

    Returns:
        None where no pair shares 10 blocks.

    Raises:
        LeagueError: an entrant number out of range.
    """
    check_entrants(results, entrants)
    met, blocks = _blocks_of_pairs(results, entrants)
    games = _games_of_pairs(results, met, entrants)
    found = _spreads(games[0], blocks[0], met)
    if not len(found.pair):
        return None
    median, logs = _median(found), []
    for in_games, in_blocks in zip(games[1:], blocks[1:], strict=True):
        left = _spreads(in_games, in_blocks, met)
        logs.append(np.log(_median(left) if len(left.pair) else median))
    spread = float(np.std(logs)) * np.sqrt(GROUPS - 1)
    half = np.exp(float(t_quantile(0.975, GROUPS - 1)) * spread)
    return Worth(median, median / half, median * half, found.pairs(entrants))


def _left_out(cell: Ints, value: Floats, group: Ints, cells: int) -> Iterator[Floats]:
    """Sum up values without each group in turn.

    Args:
        cell: of each value.
        value: less the mean of its cell, so that sums of squares lose no digits.
        group: of each value, below `GROUPS`.
        cells: how many there are.

    Yields:
        (3, cells) number, sum and sum of squares; first of all, then `GROUPS` times without one group.
    """
    key, size = group * cells + cell, GROUPS * cells
    powers: Floats = np.empty((3, GROUPS, cells))
    for power, row in enumerate(powers):
        row[:] = np.bincount(key, value**power, size).reshape(GROUPS, cells)
    whole = powers.sum(axis=1)
    yield whole
    for one in range(GROUPS):
        yield whole - powers[:, one]


def _games_of_pairs(results: Results, met: Ints, entrants: int) -> Floats:
    """Add up how much the score differences of games vary in every seating of a pair.

    Args:
        results: the games.
        met: (pairs,) one * entrants + two of every pair that met, ascending.
        entrants: number of all entrants.

    Returns:
        (GROUPS + 1, 3, pairs) games of a pair, its seatings, squared deviations from the means of these;
        without each group of blocks in turn, the first without none.
    """
    group = results.stretches % GROUPS
    summed: Floats = np.zeros((GROUPS + 1, 3, len(met)))
    for pairing in pairings(results):  # no other two seats have these seatings
        a, b = (results.score[pairing.games, seat] for seat in pairing.seats)
        seating, cell = numbered_cells(pairing.one * entrants + pairing.two, entrants**2)
        value = a - b
        value -= (np.bincount(cell, value) / np.maximum(np.bincount(cell), 1))[cell]
        low, high = np.sort(np.divmod(seating, entrants), axis=0)
        pair = np.searchsorted(met, low * entrants + high)
        parts = _left_out(cell, value, group[pairing.games], len(seating))
        for into, (count, total, square) in zip(summed, parts, strict=True):
            within = np.maximum(square - np.nan_to_num(ratio(total**2, count)), 0)
            into += [np.bincount(pair, column, len(met)) for column in (count, count > 0, within)]
    return summed


def _blocks_of_pairs(results: Results, entrants: int) -> tuple[Ints, Floats]:
    """Add up how much the mean score differences of blocks vary.

    Returns:
        (pairs,) one * entrants + two of every pair that met, ascending; (GROUPS + 1, 3, pairs) blocks of a
        pair, their mean difference, squared deviations from it; without each group of blocks in turn, the
        first without none.
    """
    row, of_pair, value = pair_means(results, entrants, results.block)
    group = (results.stretches % GROUPS)[row]
    met, pair = numbered_cells(of_pair, entrants**2)
    pairs = len(met)
    mean = ratio(np.bincount(pair, value, pairs), np.bincount(pair, minlength=pairs))
    summed: Floats = np.zeros((GROUPS + 1, 3, pairs))
    parts = _left_out(pair, value - mean[pair], group, pairs)
    for into, (number, total, square) in zip(summed, parts, strict=True):
        shift = ratio(total, number)
        into += [number, mean + shift, np.maximum(square - number * shift**2, 0)]
    return met, summed


def _median(found: _Spreads) -> float:
    return float(np.median(np.minimum(found.worth, ENDLESS)))


@dataclass(frozen=True, eq=False)
class _Spreads:
    """The variances of the pairs that met often enough; arrays have one item for each."""

    pair: Ints  # one * entrants + two
    difference: Floats
    blocks: Floats
    games: Floats  # of a block
    of_game: Floats  # variance
    of_block: Floats

    @property
    def worth(self) -> Floats:
        """As `PairVariance.worth`."""
        return np.nan_to_num(ratio(self.of_game, self.games * self.of_block), nan=np.inf)

    def pairs(self, entrants: int) -> tuple[PairVariance, ...]:
        """Return them one by one."""
        columns = (self.difference, self.blocks.astype(np.int64), self.games)
        spreads = (np.sqrt(self.of_game), np.sqrt(self.of_block))
        rows = zip(*np.divmod(self.pair, entrants), *columns, *spreads, strict=True)
        return tuple(PairVariance(*(value.item() for value in row)) for row in rows)


def _spreads(in_games: Floats, in_blocks: Floats, met: Ints) -> _Spreads:
    """Return the variances of the pairs that met from sums over their games and over their blocks."""
    number, seatings, within = in_games
    played, mean, square = in_blocks
    some = (number > seatings) & (played >= FEWEST)
    number, seatings, within, played, mean, square = (
        column[some] for column in (number, seatings, within, played, mean, square)
    )
    of_game, of_block = within / (number - seatings), square / (played - 1)
    return _Spreads(met[some], mean, played, number / played, of_game, of_block)


def seat_scores(results: Results, entrants: int) -> Scores:
    """Compute the points per game of every entrant in every seat.

    Arrays are (entrants + 1, seats): the last row is for all entrants together.

    The last row is the mean of the seat over all games. Intervals come from blocks, or from stretches where
    games depend on the match.

    Raises:
        LeagueError: an entrant number out of range.
    """
    check_entrants(results, entrants)
    seats = results.entrant.shape[1]
    size = (entrants + 1) * seats
    unit = results.stretches
    parts = [_of_seats(games, unit[rows], size) for rows, games in results.portions(unit)]
    cell, total, count = (np.concatenate(column) for column in zip(*parts, strict=True))
    games = np.bincount(cell, count, size)
    blocks = np.bincount(cell, minlength=size).astype(np.int64)
    mean = ratio(np.bincount(cell, total, size), games)
    square = np.bincount(cell, (total - mean[cell] * count) ** 2, size)
    error = np.sqrt(ratio(blocks * square, (blocks - 1) * games**2))
    low, high = interval(mean, error, blocks - 1, results.planned)
    mean, error, low, high = (column.reshape(entrants + 1, seats) for column in (mean, error, low, high))
    return Scores(mean, error, low, high, blocks.reshape(entrants + 1, seats))


def _of_seats(games: Results, unit: Ints, size: int) -> tuple[Ints, Floats, Ints]:
    """Sum up the points of every entrant in every seat, and of all entrants in it, in every unit.

    Args:
        games: of whole units.
        unit: of each, ascending.
        size: (entrants + 1) * seats.

    Returns:
        Of every such sum: entrant * seats + seat, the points, the games.
    """
    seats = games.entrant.shape[1]
    mine, seat = games.entrant * seats, np.arange(seats)
    rows = numbered(unit)[:, None] * size + seat
    every = [(rows + one)[games.seated] for one in (mine, size - seats)]
    there, item = np.unique(np.concatenate(every), return_inverse=True)
    points = np.bincount(item, np.tile(games.score[games.seated], 2)).astype(np.float64)
    return there % size, points, np.bincount(item).astype(np.int64)


def deal_correlations(results: Results, entrants: int) -> Floats:
    """Compute `deal_correlation` of every entrant over its complete blocks.

    Complete blocks have as many games as most have. NaN: too few.
    """
    check_entrants(results, entrants)
    if not len(results.block):
        return np.full(entrants, np.nan)
    shares, level = results.per_block, results.score[results.seated].mean()  # so that squares lose no digits
    games, total = shares.games(results), shares.total(results, lambda some: some.score - level)
    square = shares.total(results, lambda some: (some.score - level) ** 2)
    sizes = int(games.max()) + 1
    times = np.bincount(shares.entrant * sizes + games, minlength=entrants * sizes)
    most = times.reshape(-1, sizes).argmax(axis=1)
    whole = games == most[shares.entrant]
    entrant, mean = shares.entrant[whole], total[whole] / games[whole]
    spread = square[whole] - games[whole] * mean**2

    def summed(values: Floats) -> Floats:
        return np.asarray(np.bincount(entrant, values, entrants))

    deals = np.bincount(entrant, minlength=entrants)
    middle = ratio(summed(mean), deals)
    between = most * ratio(summed((mean - middle[entrant]) ** 2), deals - 1)
    within = ratio(summed(spread), deals * (most - 1))
    whole_spread = between + (most - 1) * within
    return ratio(between - within, np.where(between + within > ROUNDING**2, whole_spread, 0))


def deal_correlation(scores: Floats) -> float:
    """How much one entrant's scores depend on the deal: the intraclass correlation ICC(1,1) of its rotations.

    Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428: deals are the targets, rotations the ratings of
    a one-way design.

    Args:
        scores: (deals, rotations) final scores in the game's units, at least two of each.

    Returns:
        -1 / (rotations - 1) .. 1, no unit: 1 if the deal alone decides, 0 if a rotation is worth as much as a
        new deal, below 0 if what a deal gives to one seat it takes from another, so that rotating cancels
        luck.

    Raises:
        LeagueError: too few deals or rotations, scores that are not finite or all the same.
    """
    table = np.asarray(scores, np.float64)
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise LeagueError(
            f"scores of shape {table.shape}: a correlation needs 2 deals in 2 rotations, all of them finite "
            f"numbers"
        )
    rotations = table.shape[1]
    between = rotations * float(table.mean(axis=1).var(ddof=1))
    within = float(table.var(axis=1, ddof=1).mean())
    if between + within == 0:
        raise LeagueError("all scores are equal, so deals and rotations cannot be separated: play more deals")
    return (between - within) / (between + (rotations - 1) * within)
