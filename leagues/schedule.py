"""Schedules: who plays whom and how often, a pure function of the number of entrants, seats and deals.

A **line-up** is one entrant for every place at the table. A **block** is one deal and one random circular
order of a line-up, played in all rotations. A **stretch** is some blocks of one line-up; a **match** is one
rotation of a stretch: every deal once, each place in the seat that the deal's order and the rotation give it.
Processes live for a match, so none sees a deal from two seats.

A process boundary is paid once for all games of a match that wait for a bot, so matches should be large; and
a table should be fair at any time, so line-ups come in an order in which all entrants have played about
equally often. Nothing here plays or stores: a run keeps its schedule in the store.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from math import ceil, comb, gcd

import numpy as np
from numpy.typing import NDArray

from .errors import LeagueError
from .plan import MatchPlan

# deals in a match, if there are so many: enough games in lock-step for a cheap process boundary
MATCH_DEALS = 64
MOST_DEALS = 256  # ... in a match of a long league; beyond that a decision gets hardly cheaper
STRETCHES = 64  # matches grow only when a league has so many stretches, or few workers would do all the work
FEWEST_DEALS = 16  # a line-up is not cut into fewer deals than this for the sake of more line-ups ...
# ... beyond this many: up to it small matches cost little, and pairs that never meet cost more
FEW_LINE_UPS = 512
# line-ups that bring all pairs together, by the least number that could: a little more is needed
PAIRS_MEET = 1.15
EXCHANGES = 40  # members are exchanged between line-ups that are less than so far apart in the list
BALANCE = 4  # line-ups are at most so many times the least number: more balance hardly anything

Ints = NDArray[np.int64]


def line_ups(entrants: int, seats: int, wanted: int) -> list[tuple[int, ...]]:
    """Line-ups that bring every pair of entrants together (almost) equally often.

    With as many entrants as seats there is one line-up. With more, all combinations if there are at most
    `wanted`, else a balanced choice of about `wanted`: everybody plays equally often, also in every beginning
    of the list. With fewer, entrants take several places: all ways in which everybody is there; of two
    entrants one sits against several copies of the other, in both ways, since that needs the fewest games to
    tell them apart.

    Args:
        entrants: how many, at least 1.
        seats: places at a table, at least 1.
        wanted: number of line-ups.

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
    if entrants < seats:
        extra = combinations_with_replacement(range(entrants), seats - entrants)
        return [tuple(sorted([*range(entrants), *more])) for more in extra]
    if comb(entrants, seats) <= wanted:
        return _in_fair_order(np.array(list(combinations(range(entrants), seats))), entrants)
    return _balanced_line_ups(entrants, seats, wanted)


def _in_fair_order(ups: Ints, entrants: int) -> list[tuple[int, ...]]:
    """The line-ups so that everybody has played about equally often at any time: next come those who have
    played least.
    """
    played = np.zeros(entrants, np.int64)
    ordered: list[tuple[int, ...]] = []
    while len(ups):
        best = int(np.argmin((played[ups] ** 2).sum(axis=1)))
        ordered.append(tuple(ups[best].tolist()))
        played[ups[best]] += 1
        ups = np.delete(ups, best, axis=0)
    return ordered


def _balanced_line_ups(entrants: int, seats: int, wanted: int) -> list[tuple[int, ...]]:
    """Each line-up takes whoever has played least and among them whoever has met its members least; then
    exchanges.

    If `wanted` is enough for all pairs to meet, but for luck, a few more are made until they have.
    """
    step = entrants // gcd(entrants, seats)  # line-ups after which everybody can have played equally often
    enough = wanted >= PAIRS_MEET * _least(entrants, seats)
    met = np.zeros((entrants, entrants), np.int64)
    played = np.zeros(entrants, np.int64)
    chosen = np.zeros((0, seats), np.int64)
    while True:
        more = ceil(max(wanted - len(chosen), wanted / 20) / step) * step
        fresh = [
            _next_line_up(seats, number, met, played) for number in range(len(chosen), len(chosen) + more)
        ]
        chosen = np.concatenate([chosen, np.array(fresh)])
        for distance in range(1, min(len(chosen), EXCHANGES)):
            _exchange(chosen, distance, met)
        if not enough or (met + np.eye(entrants, dtype=np.int64)).all():
            return _in_fair_order(np.sort(chosen, axis=1), entrants)


def _least(entrants: int, seats: int) -> float:
    """Fewer line-ups could not bring all pairs together."""
    return comb(entrants, 2) / max(1, comb(seats, 2))


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


def _exchange(chosen: Ints, distance: int, met: Ints) -> None:
    """Exchange members between line-ups so far apart while that makes meetings more even.

    Both arrays are modified.

    The sum of squares of all meetings falls with every exchange, and nobody's number of line-ups changes.
    """
    one, two = chosen[:-distance], chosen[distance:]
    with_one, with_two = (
        met[one[:, :, None], one[:, None, :]].sum(2),
        met[two[:, :, None], two[:, None, :]].sum(2),
    )
    across = met[one[:, :, None], two[:, None, :]]  # [pair of line-ups, member of one, member of two]
    gain = (
        with_one[:, :, None]
        + with_two[:, None, :]
        - across.sum(2)[:, :, None]
        - across.sum(1)[:, None, :]
        + 2 * across
    )
    for at, i, j in np.argwhere(gain > 2 * (chosen.shape[1] - 1)).tolist():
        a, b, first, second = int(one[at, i]), int(two[at, j]), one[at], two[at]
        if a not in second and b not in first and _gain(first, second, a, b, met) > 2 * (len(first) - 1):
            _count(met, first, a, b)
            _count(met, second, b, a)
            first[i], second[j] = b, a


def _gain(one: Ints, two: Ints, a: int, b: int, met: Ints) -> int:
    """Half of what the sum of squares falls, but for the members' number, if `a` of `one` and `b` of `two`
    change places.
    """
    of_one, of_two = one[one != a], two[two != b]
    return int((met[a, of_one] - met[b, of_one]).sum() + (met[b, of_two] - met[a, of_two]).sum())


def _count(met: Ints, line_up: Ints, leaves: int, comes: int) -> None:
    """`comes` takes the place of `leaves` in a line-up."""
    others = line_up[line_up != leaves]
    for entrant, by in ((leaves, -1), (comes, 1)):
        met[entrant, others] += by
        met[others, entrant] += by


@lru_cache(maxsize=16)
def schedule(entrants: int, seats: int, deals: int) -> tuple[MatchPlan, ...]:
    """All matches of a league, in the order in which they are best played.

    Every entrant plays about `deals` deals (blocks), each once from every seat; at least one deal for every
    line-up.

    Args:
        entrants: how many.
        seats: places at a table.
        deals: deals that every entrant plays.

    Raises:
        LeagueError: no entrants, or fewer than one deal.
    """
    if deals < 1:
        raise LeagueError(f"deals = {deals}: at least one deal is needed")
    blocks = ceil(deals * entrants / seats) if entrants >= seats else deals
    return _matches(line_ups(entrants, seats, _wanted(entrants, seats, blocks)), blocks)


def newcomer_schedule(field: int, seats: int, deals: int) -> tuple[MatchPlan, ...]:
    """The matches of one newcomer, entrant number `field`, against the `field` entrants before it.

    It sits at every table; its company is balanced as the line-ups of a league are.

    Args:
        field: how many entrants there are without it.
        seats: places at a table.
        deals: deals that it plays.

    Raises:
        LeagueError: no field, or fewer than one deal.
    """
    if deals < 1:
        raise LeagueError(f"deals = {deals}: at least one deal is needed")
    company = line_ups(field, seats - 1, _wanted(field, seats - 1, deals))
    return _matches([(*others, field) for others in company], deals)


def _wanted(entrants: int, seats: int, blocks: int) -> int:
    """How many line-ups share so many blocks: enough that all pairs meet, even in small matches; large
    matches beyond that.
    """
    least = _least(entrants, seats)
    meet = min(PAIRS_MEET * least, max(blocks / FEWEST_DEALS, min(blocks, FEW_LINE_UPS)))
    return max(1, ceil(min(BALANCE * least, max(meet, blocks / MATCH_DEALS))))


def _matches(ups: list[tuple[int, ...]], blocks: int) -> tuple[MatchPlan, ...]:
    """Blocks shared out over line-ups, in stretches of even length; one stretch of every line-up after the
    other.
    """
    size = min(MOST_DEALS, max(MATCH_DEALS, ceil(blocks / STRETCHES)))
    share, rest = divmod(max(blocks, len(ups)), len(ups))
    lengths = [_even_parts(share + (at < rest), size) for at in range(len(ups))]
    matches: list[MatchPlan] = []
    first = 0
    for turn in range(max(map(len, lengths))):
        for line_up, stretches in zip(ups, lengths, strict=True):
            if turn < len(stretches):
                for rotation in range(len(line_up)):
                    matches.append(MatchPlan(len(matches), line_up, rotation, first, stretches[turn]))
                first += stretches[turn]
    return tuple(matches)


def _even_parts(total: int, most: int) -> list[int]:
    """A number as a sum of as few, and as equal, numbers up to `most` as possible."""
    parts = ceil(total / most)
    return [total // parts + (at < total % parts) for at in range(parts)]
