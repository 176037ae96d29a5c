"""Schedules: who plays whom and how often, a pure function of the number of entrants, seats and deals.

A **line-up** is one entrant for every place at the table. A **block** is one deal and one random circular
order of a line-up, played in all rotations. A **stretch** is some blocks of one line-up; a **match** is one
rotation of a stretch: every deal once, each place in the seat that the deal's order and the rotation give it.
Processes live for a match, so none sees a deal from two seats.

A process boundary is paid once for all games of a match that wait for a bot, so matches should be large; and
a table should be fair at any time, so line-ups come in an order in which all entrants have played about
equally often. The rotations of a stretch have the same deals, so other stretches come between them (`APART`):
what a bot saw in one of them should help nobody who plays another. Nothing here plays or stores: a run keeps
its schedule in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations, combinations_with_replacement
from math import ceil, comb

import numpy as np
from numpy.typing import NDArray

from .designs import designs, developed
from .errors import LeagueError
from .plan import MatchPlan

# deals in a match, if there are so many: enough games in lock-step for a cheap process boundary
MATCH_DEALS = 64
MOST_DEALS = 256  # ... in a match of a long league; beyond that a decision gets hardly cheaper
STRETCHES = 64  # matches grow only when a league has so many stretches, or few workers would do all the work
FEWEST_DEALS = 16  # a line-up is not cut into fewer deals than this for the sake of more line-ups ...
# ... beyond this many: up to it small matches cost little, and uneven meetings cost more
FEW_LINE_UPS = 512
EVEN = 1.6  # the pair that meets most may meet so many times as often as the one that meets least
APART = 16  # stretches that are played together: the first rotation of all, then the second of all
ALIKE = 1.1  # more line-ups make no difference
MEETINGS = 4  # of every pair in the line-ups: more of them bring hardly anything

Ints = NDArray[np.int64]


def line_ups(entrants: int, seats: int, blocks: int) -> list[tuple[int, ...]]:
    """Line-ups that share so many blocks and bring every pair of entrants together (almost) equally often.

    With as many entrants as seats there is one line-up. With more, everybody plays equally often, also in
    every beginning of the list, and all pairs meet within a factor `EVEN` wherever that leaves matches large
    enough: exactly equally often where a small design does that. With fewer, entrants take several places:
    all ways in which everybody is there; of two entrants one sits against several copies of the other, in
    both ways, since that needs the fewest games to tell them apart.

    Args:
        entrants: how many, at least 1.
        seats: places at a table, at least 1.
        blocks: how many the line-ups share.

    Raises:
        LeagueError: nobody to play.
    """
    if entrants < 1:
        raise LeagueError("a league needs at least one entrant")
    if entrants == 1:
        return [(0,) * seats]
    if seats == 1:
        return [(entrant,) for entrant in range(entrants)]
    if entrants == 2 and seats > 2:
        return [(0, *(1,) * (seats - 1)), (*(0,) * (seats - 1), 1)]
    if entrants <= seats:
        extra = combinations_with_replacement(range(entrants), seats - entrants)
        return [tuple(sorted([*range(entrants), *more])) for more in extra]
    return in_fair_order(_chosen(entrants, seats, blocks), entrants)


@dataclass(frozen=True)
class _Choice:
    """A way to choose the line-ups."""

    size: int  # how many they are
    exact: bool  # whether all pairs could meet equally often
    make: Callable[[], Ints]  # returns them


def _chosen(entrants: int, seats: int, blocks: int) -> Ints:
    """Choose the fewest line-ups that are even enough.

    An exact design that leaves matches large will do, too. The most even ones where there is neither.
    """
    best, least = np.zeros((0, seats), np.int64), (np.inf, np.inf)
    for choice in _choices(entrants, seats, blocks):
        if least[0] <= ALIKE:
            break
        if least[0] <= EVEN and not (choice.exact and choice.size * MATCH_DEALS <= blocks):
            continue
        ups = choice.make()
        uneven = _unevenness(ups, entrants, blocks)
        if not len(best) or uneven < least:
            best, least = ups, uneven
    return best


def _choices(entrants: int, seats: int, blocks: int) -> list[_Choice]:
    """Return what may be even enough, fewest line-ups first; the most line-ups where nothing is.

    Where every line-up has one block, line-ups that come one after the other are a choice too.
    """
    most = max(1, blocks // FEWEST_DEALS, min(blocks, FEW_LINE_UPS))
    every = comb(entrants, 2) / comb(seats, 2)  # fewer line-ups could not bring all pairs together
    choices = [
        _Choice(one.line_ups, one.line_ups % every == 0, partial(developed, one))
        for one in designs(entrants, seats, min(most, ceil(MEETINGS * every) + entrants))
    ]
    if comb(entrants, seats) <= most:
        every_one = list(combinations(range(entrants), seats))
        choices.append(_Choice(len(every_one), True, lambda: np.array(every_one)))
    choices.sort(key=lambda choice: choice.size)
    choices = [choice for choice in choices if choice.exact or choice.size >= 2 * every] or choices[-1:]
    if not choices or (most == blocks and choices[-1].size < every):
        one_by_one = partial(one_after_the_other, entrants, seats, most)
        choices.append(_Choice(most, False, one_by_one))
    return choices


def _unevenness(ups: Ints, entrants: int, blocks: int) -> tuple[float, float]:
    """Measure how unevenly pairs meet.

    How many times as often the pair that meets most does so as the one that meets least; then the sum of
    squares of all meetings.
    """
    share, rest = divmod(max(blocks, len(ups)), len(ups))
    of_each = np.full(len(ups), share)
    if share < FEWEST_DEALS:  # one deal more or less counts
        ups = np.array(in_fair_order(ups, entrants))
        of_each[:rest] += 1
    met = np.zeros((entrants, entrants))
    np.add.at(met, (ups[:, :, None], ups[:, None, :]), of_each[:, None, None])
    pairs = met[np.triu_indices(entrants, 1)]
    return float(pairs.max() / pairs.min()) if pairs.min() else np.inf, float((pairs**2).sum())


def in_fair_order(ups: Ints, entrants: int) -> list[tuple[int, ...]]:
    """Order line-ups so that everybody has always played about equally often.

    Next come those who have played least.
    """
    ups = np.sort(ups, axis=1)
    where = [np.flatnonzero((ups == entrant).any(axis=1)) for entrant in range(entrants)]
    cost = np.zeros(len(ups), np.int64)  # sum of squares of how often the members have played
    played = np.zeros(entrants, np.int64)
    ordered: list[tuple[int, ...]] = []
    for _ in range(len(ups)):
        best = int(np.argmin(cost))
        ordered.append(tuple(ups[best].tolist()))
        for entrant in ordered[-1]:
            cost[where[entrant]] += 2 * played[entrant] + 1
            played[entrant] += 1
        cost[best] = np.iinfo(np.int64).max // 2  # it has had its turn
    return ordered


def one_after_the_other(entrants: int, seats: int, number: int) -> Ints:
    """Make so many line-ups one after the other.

    Each takes whoever has played least, and among them whoever has met its members least.
    """
    met = np.zeros((entrants, entrants), np.int64)
    played = np.zeros(entrants, np.int64)
    return np.array([_next_line_up(seats, at, met, played) for at in range(number)])


def _next_line_up(seats: int, number: int, met: Ints, played: Ints) -> list[int]:
    """Those who have played least, and among them whoever has met the others least.

    Both arrays are updated.
    """
    entrants = len(played)
    tie = (np.arange(entrants) * 7919 + number * 104729) % entrants
    taken = np.zeros(entrants, np.bool_)
    meetings = np.zeros(entrants, np.int64)
    line_up: list[int] = []
    for _ in range(seats):
        least = played[~taken].min()
        free = np.flatnonzero(~taken & (played == least))
        best = int(free[np.argmin(meetings[free] * entrants + tie[free])])
        line_up.append(best)
        taken[best] = True
        meetings += met[best] ** 2
    played[line_up] += 1
    met[np.ix_(line_up, line_up)] += 1 - np.eye(seats, dtype=np.int64)
    return line_up


@lru_cache(maxsize=16)
def schedule(entrants: int, seats: int, deals: int) -> tuple[MatchPlan, ...]:
    """All matches of a league, in the order in which they are best played.

    Every entrant plays about `deals` deals (blocks), each once from every seat; at least one deal for every
    line-up.

    Raises:
        LeagueError: no entrants, or fewer than one deal.
    """
    if deals < 1:
        raise LeagueError(f"deals = {deals}: at least one deal is needed")
    blocks = ceil(deals * entrants / seats) if entrants >= seats else deals
    return _matches(line_ups(entrants, seats, blocks), blocks)


def _matches(ups: list[tuple[int, ...]], blocks: int) -> tuple[MatchPlan, ...]:
    """Share blocks out over line-ups, in stretches of even length.

    One stretch of every line-up after the other, `APART` of them together.
    """
    size = min(MOST_DEALS, max(MATCH_DEALS, ceil(blocks / STRETCHES)))
    share, rest = divmod(max(blocks, len(ups)), len(ups))
    lengths = [_even_parts(share + (at < rest), size) for at in range(len(ups))]
    stretches: list[tuple[tuple[int, ...], int, int]] = []  # line-up, first block, blocks
    first = 0
    for turn in range(max(map(len, lengths))):
        for line_up, parts in zip(ups, lengths, strict=True):
            if turn < len(parts):
                stretches.append((line_up, first, parts[turn]))
                first += parts[turn]
    return rotations_apart(stretches)


def rotations_apart(stretches: Sequence[tuple[tuple[int, ...], int, int]]) -> tuple[MatchPlan, ...]:
    """Return the matches of stretches, `APART` together: the first rotation of all, then the second of all.

    Args:
        stretches: line-up, first block and number of blocks of each.
    """
    order = [
        (rotation, *stretch)
        for begin in range(0, len(stretches), APART)
        for rotation in range(len(stretches[0][0]))
        for stretch in stretches[begin : begin + APART]
    ]
    return tuple(
        MatchPlan(number, line_up, rotation, first, blocks)
        for number, (rotation, line_up, first, blocks) in enumerate(order)
    )


def _even_parts(total: int, most: int) -> list[int]:
    """Return a number as a sum of as few, and as equal, numbers up to `most` as possible."""
    parts = ceil(total / most)
    return [total // parts + (at < total % parts) for at in range(parts)]
