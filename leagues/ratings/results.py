"""Hold the games that are rated, checked once, in one order of their own.

They come with the groupings that every estimate needs.

Not here: any estimate. What the games say is in the sibling modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import LeagueError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Small = NDArray[np.int32]
Flags = NDArray[np.bool_]


KEPT = ("seated", "per_block", "line_ups")  # what is computed once for games that differ in something else
MATCH_TABLES = "match_tables"  # see `between_matches.match_table`
CHUNK = 1 << 22  # cells that are looked at together, in which an entrant may have a seat or not
PORTION = 1 << 15  # games that are looked at together


@dataclass(frozen=True, eq=False)
class Results:
    """All games of one or several leagues of one game; tables may differ in size.

    Creating it checks the arrays and sorts the games (by stretch, block and content): rows come out in
    another order than they went in, and blank seats hold zeros. So the same games give the same bytes, in
    whatever order they arrived.

    Args:
        entrant: (games, seats) integers, entrant in every seat, counted from 0; -1 where the table has no
            such seat.
        score: (games, seats) final scores in the game's units.
        block: (games,) integers, equal for the games of one block. The numbers must come from the schedule,
            not from the order of arrival.
        rank_score: (games, seats) what decides who finished before whom, if not `score`: a forfeited seat has
            -infinity, so that it loses to every seat that did not forfeit and ties with one that did.
        stretch: (games,) integers, equal for blocks that may depend on each other; whole blocks only. Where
            it is given without `by_match`, errors come from how much stretches differ; else from how much
            blocks differ.
        luck: (games, seats) points that chance gave every seat, whose expectation is 0 whatever the players
            did; see `control`. Without it nothing is adjusted.
        match: (games,) integers, equal for the games that every bot played in one process.
        by_match: entrants whose games of one match depend on each other: the errors of their comparisons then
            hold what their matches differ by (see `between_matches`).
        apart: those of them that do not count in the mean of all, as this is sure enough to be said.
        planned: where people look at the games while they are played, or play more after a look: for how many
            blocks of an entrant the league was planned. Then all intervals hold at all looks.

    Raises:
        LeagueError: shapes that do not fit, scores that are not finite, a game with an empty table, a block
            in two stretches.
    """

    entrant: Ints
    score: Floats
    block: Ints
    rank_score: Floats | None = None
    stretch: Ints | None = None
    luck: Floats | None = None
    match: Ints | None = None
    by_match: tuple[int, ...] = ()
    apart: tuple[int, ...] = ()
    planned: float | None = None

    def __post_init__(self) -> None:
        entrant, block = _integers("entrant", self.entrant, 2), _integers("block", self.block, 1)
        seated = entrant >= 0
        score = _scores("score", self.score, seated)
        if not np.isfinite(score).all():
            bad = _where(~np.isfinite(score))
            raise LeagueError(f"scores must be finite, {bad} is not: give forfeits as rank_score = -inf")
        if block.shape != entrant.shape[:1]:
            raise LeagueError(
                f"block has shape {block.shape}, entrant {entrant.shape}: one block number for every game"
            )
        if entrant.min(initial=0) < -1 or not across(seated).all():
            raise LeagueError("entrants are counted from 0, -1 is an empty seat, and no table is empty")
        rank = score if self.rank_score is None else _scores("rank_score", self.rank_score, seated)
        if np.isnan(rank).any():
            raise LeagueError(f"rank_score is NaN at {_where(np.isnan(rank))}: use -inf for a forfeit")
        stretch = block if self.stretch is None else _per_game("stretch", self.stretch, block)
        order = _order(stretch, block, entrant, score, rank)
        columns: dict[str, Ints | Floats] = {
            "entrant": entrant,
            "score": score,
            "block": block,
            "rank_score": rank,
            "stretch": stretch,
        }
        if self.luck is not None:
            columns["luck"] = _scores("luck", self.luck, seated)
        if self.match is not None:
            columns["match"] = _per_game("match", self.match, block)
        sorted_once: dict[int, Any] = {}  # scores may be the rank scores, and blocks the stretches
        for name, array in columns.items():
            if id(array) not in sorted_once:
                sorted_once[id(array)] = array if order is None else np.ascontiguousarray(array[order])
            object.__setattr__(self, name, sorted_once[id(array)])
        if stretch is not block and _distinct(block) != _steps(self.block, self.stretch_number):
            raise LeagueError("a block lies in two stretches: a stretch is made of whole blocks")

    @property
    def ranking(self) -> Floats:
        """(games, seats) what decides who finished before whom."""
        return self.score if self.rank_score is None else self.rank_score

    @property
    def stretch_number(self) -> Ints:
        """(games,) the stretch; the block where none was given."""
        return self.block if self.stretch is None else self.stretch

    @cached_property
    def seated(self) -> Flags:
        """(games, seats) whether there is such a seat."""
        return self.entrant >= 0

    @cached_property
    def line_ups(self) -> tuple[Ints, Ints]:
        """The line-ups, and which of them every game has: `line_ups_of`."""
        return line_ups_of(self.entrant)

    @cached_property
    def cluster(self) -> Ints:
        """(games,) what counts as one independent observation: the stretch, or the block with `by_match`.

        It is numbered 0, 1, 2, ... without gaps, ascending.
        """
        return numbered(self.block) if self.by_match else self.stretches

    @cached_property
    def stretches(self) -> Ints:
        """(games,) the stretch, numbered likewise: independent, whatever the games of a match do.

        The block, where no entrant surely depends on the match.
        """
        return numbered(self.block if self.by_match and not self.apart else self.stretch_number)

    @cached_property
    def per_cluster(self) -> Shares:
        """Every entrant in every one of its clusters."""
        by_block = bool(self.by_match) or self.stretch is self.block
        return self.per_block if by_block else _shares(self, self.cluster)

    @cached_property
    def per_block(self) -> Shares:
        """Every entrant in every one of its blocks."""
        return _shares(self, numbered(self.block))

    @cached_property
    def points(self) -> tuple[Floats, Ints]:
        """Points and games of every item of `per_cluster`."""
        return self.per_cluster.total(self, points_of), self.per_cluster.games(self)

    def independent(self, stretch: Ints | None) -> Results:
        """Return the same games with other stretches, in the order of these rows (None: each block alone)."""
        if stretch is None:
            return self._with(stretch=self.block)
        columns = (self.entrant, self.score, self.block, self.ranking, stretch, self.luck, self.match)
        return Results(*columns, planned=self.planned)

    def watched(self, planned: float | None) -> Results:
        """Return the same games with intervals that hold at all looks of a league planned for so many blocks.

        None: at one look, at the end.
        """
        return self._with(planned=planned)

    def depending(self, entrants: tuple[int, ...], doubtful: tuple[int, ...] = ()) -> Results:
        """Return the same games, in which matches count for some entrants, and blocks for all others.

        Without `match` nobody knows what the games of one process are: then stretches count for all, if there
        are such entrants.
        """
        if self.match is None and entrants:
            return self
        if self.match is None or not (entrants or doubtful):
            self.__dict__.pop(MATCH_TABLES, None)  # nobody asks for it again
            return self.independent(None)
        return self._with(by_match=tuple(sorted({*entrants, *doubtful})), apart=entrants)

    def renumbered(self, entrants: Ints) -> Results:
        """Return the same games of these entrants (all that play, ascending), counted from 0."""
        if not len(entrants) or entrants[-1] == len(entrants) - 1:
            return self
        return self._with(entrant=np.where(self.seated, np.searchsorted(entrants, self.entrant), -1))

    def of_blocks(self, blocks: Ints) -> Results:
        """Return the games of these blocks."""
        return self.rows(np.isin(self.block, blocks))

    def portions(self) -> Iterator[tuple[slice, Results]]:
        """Yield rows of whole blocks and their games: computed for these alone, values need little memory."""
        ends = np.append(np.flatnonzero(np.diff(self.block)) + 1, len(self.block))
        cuts = ends[np.searchsorted(ends, np.arange(PORTION, len(self.block) + PORTION, PORTION))[:-1]]
        for begin, end in pairwise(np.unique([0, *cuts.tolist(), len(self.block)]).tolist()):
            yield slice(begin, end), self.rows(slice(begin, end))

    def by_entrant(self, values: Values, entrants: int) -> Floats:
        """Sum (games, seats) values of all games for every entrant."""
        total: Floats = np.zeros(entrants)
        for _, games in self.portions():
            total += np.bincount(games.entrant[games.seated], values(games)[games.seated], entrants)
        return total

    def rows(self, keep: Flags | slice) -> Results:
        """Return some of the games; a slice shares their arrays."""
        columns = {column.name: getattr(self, column.name) for column in fields(self)}
        arrays = {name: each for name, each in columns.items() if isinstance(each, np.ndarray)}
        return self._with(**{name: values[keep] for name, values in arrays.items()})

    def with_scores(self, score: Floats) -> Results:
        """Return the same games with other scores; places stay as they are."""
        return self._with(score=np.where(self.seated, score, 0.0), rank_score=self.ranking)

    def _with(self, **changes: Any) -> Results:
        """Return the same rows in the same order: nothing is checked or sorted again."""
        same = object.__new__(Results)
        for column in fields(self):
            object.__setattr__(same, column.name, changes.get(column.name, getattr(self, column.name)))
        kept = [] if changes.keys() & {"entrant", "block"} else KEPT
        same.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return same


Values = Callable[[Results], Floats]  # (games, seats) of some of the games


def points_of(games: Results) -> Floats:
    """(games, seats) the scores, as `Values`."""
    return games.score


@dataclass(frozen=True)
class Shares:
    """Every entrant in every unit (cluster or block) that it played in, ascending by unit, then entrant."""

    unit: Small
    entrant: Small
    of_seat: Small  # (games, seats) the item that a seat belongs to; 0 for blank seats

    def total(self, results: Results, values: Values) -> Floats:
        """Sum of values for every item, a portion of the games after the other."""
        total: Floats = np.zeros(len(self.unit))
        for rows, games in results.portions():
            item = self.of_seat[rows][games.seated]
            low = int(item.min())  # items are in the order of the games
            summed = np.bincount(item - low, values(games)[games.seated])
            total[low : low + len(summed)] += summed
        return total

    def games(self, results: Results) -> Ints:
        """How many seats every item has."""
        return self.total(results, lambda games: np.ones(games.entrant.shape)).astype(np.int64)

    def count(self, flags: Flags, entrants: int) -> Ints:
        """In how many units every entrant has a seat that is marked."""
        marked = np.zeros(len(self.unit), bool)
        marked[self.of_seat[flags]] = True
        return np.bincount(self.entrant[marked], minlength=entrants).astype(np.int64)


def _shares(results: Results, unit: Ints) -> Shares:
    entrants = int(results.entrant.max(initial=0)) + 1
    of_seat = np.zeros(results.entrant.shape, np.int32)
    keys, first = [np.zeros(0, np.int64)], 0
    units = int(unit.max(initial=-1)) + 1
    step = max(min(CHUNK // entrants, units), 1)
    starts = np.arange(0, units, step)
    rows = np.searchsorted(unit, [*starts.tolist(), units])
    for base, begin, end in zip(starts.tolist(), rows[:-1].tolist(), rows[1:].tolist(), strict=True):
        taken = results.seated[begin:end]
        cell = ((unit[begin:end, None] - base) * entrants + results.entrant[begin:end])[taken]
        there, number = numbered_cells(cell, step * entrants)
        of_seat[begin:end][taken] = first + number
        keys.append(there + base * entrants)
        first += len(there)
    key = np.concatenate(keys)
    return Shares((key // entrants).astype(np.int32), (key % entrants).astype(np.int32), of_seat)


def numbered_cells(cell: Ints | Small, size: int) -> tuple[Ints, Ints]:
    """Which of `size` cells there are, ascending, and for every item the place of its cell among them."""
    flags = np.zeros(size, bool)
    flags[cell] = True
    return np.flatnonzero(flags).astype(np.int64), (np.cumsum(flags, dtype=np.int32) - 1)[cell].astype(
        np.int64
    )


def renumbered(values: Ints) -> Ints:
    """Return the values numbered 0, 1, 2, ... without gaps, in their order; quick where gaps are few."""
    low = int(values.min(initial=0))
    span = int(values.max(initial=-1)) - low + 1
    if span > 8 * len(values):
        return np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)
    return numbered_cells(values - low, span)[1]


def across(values: NDArray[Any]) -> Floats:
    """(games,) the sum over seats, column by column: numpy is slow along so short an axis."""
    total: Floats = np.zeros(len(values))
    for column in values.T:
        total += column
    return total


def check_entrants(results: Results, entrants: int) -> None:
    """Refuse a number of entrants that does not fit the games."""
    most = int(results.entrant.max(initial=-1))
    if entrants < 1 or most >= entrants:
        raise LeagueError(
            f"{entrants} entrants, but the games have an entrant {most}: give the number of all entrants"
        )


def _order(stretch: Ints, block: Ints, entrant: Ints, score: Floats, rank: Floats) -> Ints | None:
    """Return the order of rows: stretch, block, content; None where they are in it.

    The whole content is only looked at where its first seat ties.
    """
    first = np.ascontiguousarray(entrant[:, 0]) if entrant.shape[1] else block
    later, same = np.zeros(max(len(block) - 1, 0), bool), np.ones(max(len(block) - 1, 0), bool)
    for column in (stretch, block, first):
        later |= same & (column[1:] > column[:-1])
        same &= column[1:] == column[:-1]
    if later.all():
        return None
    order = np.lexsort([first, block, stretch])
    step = [np.diff(column[order]) == 0 for column in (first, block, stretch)]
    if (step[0] & step[1] & step[2]).any():
        keys = [*entrant.T, *score.T] if rank is score else [*entrant.T, *score.T, *rank.T]
        order = np.lexsort([*keys, first, block, stretch])
    return order.astype(np.int64, copy=False)


def numbered(ascending: Ints) -> Ints:
    """Return the values numbered 0, 1, 2, ... without gaps."""
    return np.cumsum(np.diff(ascending, prepend=ascending[:1]) != 0, dtype=np.int64)


def _distinct(numbers: Ints) -> int:
    """How many different numbers there are; quick where they are small."""
    if len(numbers) and numbers.min() >= 0 and numbers.max() < 8 * len(numbers):
        return int(np.count_nonzero(np.bincount(numbers)))
    return len(np.unique(numbers))


def _steps(block: Ints, stretch: Ints) -> int:
    """How many different (stretch, block) there are, in sorted rows."""
    if not len(block):
        return 0
    return 1 + int(((np.diff(block) != 0) | (np.diff(stretch) != 0)).sum())


def line_ups_of(entrant: Ints) -> tuple[Ints, Ints]:
    """Find who sits together in whatever seats: (line-ups, seats) ascending, -1 first; (games,) which."""
    sat = np.sort(entrant, axis=1)
    _, first, number = np.unique(_digits(sat), return_index=True, return_inverse=True)
    return sat[first], number.astype(np.int64, copy=False)


def _digits(members: Ints) -> Ints:
    """One number for every row of entrants: its members as digits, so that numbers have the order of rows."""
    base, seats = int(members.max(initial=0)) + 2, members.shape[1]
    if base**seats >= 2**63:  # too many digits: number the different ones
        return np.unique(members, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
    return np.asarray((members + 1) @ (base ** np.arange(seats, dtype=np.int64)[::-1]))


def _integers(name: str, values: NDArray[np.integer], dimensions: int) -> Ints:
    """Return the array as 64-bit integers."""
    array = np.asarray(values)
    if array.ndim != dimensions or not (np.issubdtype(array.dtype, np.integer) or array.size == 0):
        raise LeagueError(
            f"{name} has {array.ndim} dimensions of {array.dtype}: give {dimensions} of integers"
        )
    return array.astype(np.int64, copy=False)


def _per_game(name: str, values: NDArray[np.integer], block: Ints) -> Ints:
    """Return the array as 64-bit integers, one for every game."""
    numbers = _integers(name, values, 1)
    if numbers.shape != block.shape:
        raise LeagueError(f"{name} has shape {numbers.shape}, block {block.shape}: one number for every game")
    return numbers


def _scores(name: str, values: Floats, seated: Flags) -> Floats:
    """Return the array as floats, 0 in blank seats."""
    array = np.asarray(values, np.float64)
    if array.shape != seated.shape:
        raise LeagueError(
            f"{name} has shape {array.shape}, entrant {seated.shape}: one number for every seat"
        )
    return array if seated.all() else np.where(seated, array, 0.0)


def _where(bad: Flags) -> str:
    """Return the first place that is true, in words."""
    game, seat = np.argwhere(bad)[0]
    return f"game {game}, seat {seat}"


NO_GAMES = Results(np.zeros((0, 1), np.int64), np.zeros((0, 1)), np.zeros(0, np.int64))


# --- pairs of seats -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pairing:
    """Hold all games in which different entrants take two given seats. Arrays have one item per such game."""

    games: Ints | slice  # rows of the results
    seats: tuple[int, int]
    one: Ints  # entrants
    two: Ints
    weight: Floats  # 1 / (players - 1), so that a game counts the same at every table size


def pairings(results: Results) -> Iterator[Pairing]:
    """Every two seats of a table in turn."""
    weight = 1 / np.maximum(across(results.seated) - 1, 1)
    for a, b in combinations(range(results.entrant.shape[1]), 2):
        one, two = results.entrant[:, a], results.entrant[:, b]
        meet = (one >= 0) & (two >= 0) & (one != two)
        games = slice(None) if meet.all() else np.flatnonzero(meet)
        yield Pairing(games, (a, b), one[games], two[games], weight[games])


def outcome(results: Results, pairing: Pairing) -> Floats:
    """1, 1/2 or 0 for the first of the two seats; two forfeits (both -inf) tie."""
    a, b = (results.ranking[pairing.games, seat] for seat in pairing.seats)
    return (1.0 + (a > b) - (a < b)) / 2


# --- who is connected with whom -----------------------------------------------------------------------------


def components(links: Flags) -> Ints:
    """Return a number for every entrant: that of the group which `links` connect in both directions.

    Two have the same number if each can be reached from the other. SciPy has this, too, but loads slowly.
    """
    number = np.full(len(links), -1)
    for first in range(len(links)):
        if number[first] < 0:
            number[_reached(links, first) & _reached(links.T, first)] = number.max() + 1
    return number


def _reached(links: Flags, first: int) -> Flags:
    """(entrants,) who can be reached from one."""
    found = np.arange(len(links)) == first
    new = found
    while new.any():
        new = links[new].any(axis=0) & ~found
        found = found | new
    return found


def members(component: Ints) -> Floats:
    """(entrants, components) 1 where the entrant belongs to the component."""
    return (component[:, None] == np.arange(component.max() + 1)).astype(np.float64)
