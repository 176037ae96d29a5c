"""What repeating a deal is worth: how scores depend on deal and seat, and how many blocks a verdict needs.

Not here: error bars of a table (`intervals`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import LeagueError
from .intervals import interval, ratio, t_quantile
from .results import Floats, Ints, Results, check_entrants, pairings
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
    games, blocks = _game_sums(results, entrants), _block_sums(results, entrants)
    whole, whole_blocks = games.of(None), blocks.of(None)
    pairs = _pair_variances(games, whole, blocks, whole_blocks, entrants)
    if not pairs:
        return None
    median, logs = _median(pairs), []
    for left_out in range(GROUPS):
        some = whole - games.of(left_out), whole_blocks - blocks.of(left_out)
        left = _pair_variances(games, some[0], blocks, some[1], entrants)
        logs.append(np.log(_median(left)) if left else np.log(median))
    spread = float(np.std(logs)) * np.sqrt(GROUPS - 1)
    half = np.exp(float(t_quantile(0.975, GROUPS - 1)) * spread)
    return Worth(median, median / half, median * half, tuple(pairs))


@dataclass(frozen=True)
class _Sums:
    """Values in cells, less the mean of their cell, so that sums of squares lose no digits.

    Each belongs to a group, and what is left without a group is all less the group.
    """

    cell: Ints
    value: Floats
    group: Ints
    mean: Floats  # of a cell, over all groups
    pair: Ints  # of a cell: row * entrants + column

    @classmethod
    def made(cls, cell: Ints, value: Floats, group: Ints, pair: Ints) -> _Sums:
        mean = ratio(np.bincount(cell, value, len(pair)), np.bincount(cell, minlength=len(pair)))
        return cls(cell, value - mean[cell], group, mean, pair)

    def of(self, group: int | None) -> Floats:
        """Return (3, cells) number, sum and sum of squares of the values of a group; None: of all."""
        one = slice(None) if group is None else self.group == group
        cell, value, size = self.cell[one], self.value[one], len(self.pair)
        powers = np.bincount(cell, minlength=size), np.bincount(cell, value, size)
        return np.stack([*powers, np.bincount(cell, value**2, size)])


def _game_sums(results: Results, entrants: int) -> _Sums:
    """Return score differences of games; the cells are the seatings of a pair."""
    seats, group = results.entrant.shape[1], results.stretches % GROUPS
    keys, values, groups = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0, np.int64)]
    for pairing in pairings(results):
        a, b = (results.score[pairing.games, seat] for seat in pairing.seats)
        first, (one, two) = pairing.one < pairing.two, pairing.seats
        low, high = np.minimum(pairing.one, pairing.two), np.maximum(pairing.one, pairing.two)
        seating = np.where(first, one * seats + two, two * seats + one)
        keys.append((low * entrants + high) * seats**2 + seating)
        values.append(np.where(first, a - b, b - a))
        groups.append(group[pairing.games])
    key, cell = np.unique(np.concatenate(keys), return_inverse=True)
    return _Sums.made(cell, np.concatenate(values), np.concatenate(groups), key // seats**2)


def _block_sums(results: Results, entrants: int) -> _Sums:
    """Return mean score differences of blocks; the cells are the pairs."""
    size = entrants**2
    unit = np.unique(results.block, return_inverse=True)[1].astype(np.int64)
    group = np.zeros(unit.max(initial=-1) + 1, np.int64)
    group[unit] = results.stretches % GROUPS
    keys, values = [np.zeros(0, np.int64)], [np.zeros(0)]
    for pairing in pairings(results):
        a, b = (results.score[pairing.games, seat] for seat in pairing.seats)
        low, high = np.minimum(pairing.one, pairing.two), np.maximum(pairing.one, pairing.two)
        keys.append(unit[pairing.games] * size + low * entrants + high)
        values.append(np.where(pairing.one == low, a - b, b - a))
    key, item = np.unique(np.concatenate(keys), return_inverse=True)
    mean = np.bincount(item, np.concatenate(values)) / np.maximum(np.bincount(item), 1)
    return _Sums.made(key % size, mean, group[key // size], np.arange(size))


def _median(pairs: list[PairVariance]) -> float:
    return float(np.median([min(pair.worth, ENDLESS) for pair in pairs]))


def _pair_variances(
    games: _Sums, in_games: Floats, blocks: _Sums, in_blocks: Floats, entrants: int
) -> list[PairVariance]:
    """Return the variances of all pairs from (3, cells) sums over games and over blocks."""
    size = entrants**2
    count, total, square = in_games
    within = np.maximum(square - np.nan_to_num(ratio(total**2, count)), 0)
    number = np.bincount(games.pair, count, size)
    cells = np.bincount(games.pair, count > 0, size)
    game = ratio(np.bincount(games.pair, within, size), number - cells)
    played, total, square = in_blocks
    shift = ratio(total, played)
    block = ratio(np.maximum(square - played * shift**2, 0), played - 1)
    mean = blocks.mean + shift
    return [
        PairVariance(
            *divmod(i, entrants),
            float(mean[i]),
            int(played[i]),
            float(number[i] / played[i]),
            float(np.sqrt(game[i])),
            float(np.sqrt(block[i])),
        )
        for i in map(int, np.flatnonzero((number > cells) & (played >= FEWEST)))
    ]


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
    seat = np.broadcast_to(np.arange(seats), results.entrant.shape)
    key, value, cluster = [], [], []
    for row in (results.entrant, np.where(results.seated, entrants, -1)):
        key.append((row * seats + seat)[results.seated])
        value.append(results.score[results.seated])
        cluster.append(np.broadcast_to(results.stretches[:, None], row.shape)[results.seated])
    keys, values, clusters = (np.concatenate(column) for column in (key, value, cluster))
    size = (entrants + 1) * seats
    item, place = np.unique(clusters * size + keys, return_inverse=True)
    cell, total, count = item % size, np.bincount(place, values), np.bincount(place)
    games, blocks = (
        np.bincount(cell, count, minlength=size),
        np.bincount(cell, minlength=size).astype(np.int64),
    )
    mean = ratio(np.bincount(cell, total, minlength=size), games)
    square = np.bincount(cell, (total - mean[cell] * count) ** 2, minlength=size)
    error = np.sqrt(ratio(blocks * square, (blocks - 1) * games**2))
    low, high = interval(mean, error, blocks - 1, results.planned)
    mean, error, low, high = (column.reshape(entrants + 1, seats) for column in (mean, error, low, high))
    return Scores(mean, error, low, high, blocks.reshape(entrants + 1, seats))


def deal_correlations(results: Results, entrants: int) -> Floats:
    """Compute `deal_correlation` of every entrant over its complete blocks.

    Complete blocks have as many games as most have. NaN: too few.
    """
    check_entrants(results, entrants)
    correlations = np.full(entrants, np.nan)
    for one in range(entrants):
        row, seat = np.nonzero(results.entrant == one)
        place = np.unique(results.block[row], return_inverse=True)[1]
        count = np.bincount(place)
        if not len(count) or (most := np.bincount(count).argmax()) < 2:
            continue
        order = np.argsort(place, kind="stable")
        whole = (count == most)[place[order]]
        table = results.score[row, seat][order][whole].reshape(-1, most)
        if len(table) > 1 and table.any() and np.ptp(table) > 0:
            correlations[one] = deal_correlation(table)
    return correlations


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
