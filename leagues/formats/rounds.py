"""Formats whose every round follows from the standing so far: Swiss and knock-out.

The standing is Elo from who finished before whom, over all games so far; it is rounded, so that a run gives
the same rounds on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import ceil, log2

import numpy as np

from ..errors import LeagueError
from ..plan import MatchPlan
from ..ratings.elo import bradley_terry
from ..ratings.results import Floats, Results
from ..schedule import Ints
from .fixed import round_robin
from .tables import LeagueField, matches

PASSES = 2  # over all pairs of tables of a Swiss round
FEWEST_FINAL = 16  # blocks of a table in a knock-out

Rounds = Sequence[Sequence[MatchPlan]]


def standing(field: LeagueField, results: Results) -> Floats:
    """Elo of every entrant so far, to 0.01; 1500 before the first game."""
    if not len(results.block):
        return np.full(field.entrants, 1500.0)
    return np.round(bradley_terry(results, field.entrants).elo, 2)


def meetings(field: LeagueField, played: Rounds) -> Ints:
    """How many blocks every two have played together."""
    met = np.zeros((field.entrants, field.entrants), np.int64)
    for round_ in played:
        for plan in round_:
            if plan.rotation == 0:
                members = sorted(set(plan.line_up))
                met[np.ix_(members, members)] += plan.blocks
    np.fill_diagonal(met, 0)
    return met


def swiss(field: LeagueField, played: Rounds, results: Results) -> tuple[MatchPlan, ...]:
    """Tables of neighbours in the standing who have met least; everybody plays in every round.

    If the entrants do not fill the tables, the last one is filled by those who have played least. The first
    round is drawn by lot (always the same one).

    Raises:
        LeagueError: everybody would sit at one table in every round.
    """
    if field.entrants <= field.seats:
        raise LeagueError(
            f"{field.entrants} bots at tables of {field.seats}: a Swiss needs more bots than seats"
        )
    rounds = ceil(log2(field.entrants - len(field.joined))) + 1  # enough to find the best, and one more
    if len(played) >= max(3, rounds):
        return ()
    elo, met = standing(field, results), meetings(field, played)
    lot = np.random.default_rng(0).permutation(field.entrants)
    order = sorted(range(field.entrants), key=lambda one: (-elo[one], lot[one]))
    queue = list(order)
    tables: list[list[int]] = []
    while queue:
        table = [queue.pop(0)]
        while len(table) < field.seats:
            fits = [one for one in queue if field.apart([*table, one])]
            if not fits:
                table += _spare(field, table, tables, met, field.seats - len(table))
                break
            best = min(fits[: 2 * field.seats], key=lambda one: met[one, table].sum())
            table.append(best)
            queue.remove(best)
        tables.append(table)
    _exchange(field, tables, met, {one: at for at, one in enumerate(order)})
    share, rest = divmod(field.deals, rounds)
    blocks = max(1, share + (len(played) < rest))
    return matches([(tuple(table), blocks) for table in tables])


def _spare(
    field: LeagueField, table: list[int], tables: list[list[int]], met: Ints, wanted: int
) -> list[int]:
    """Who sits down a second time: those who have played least, else somebody at the table once more."""
    spare: list[int] = []
    twice = [one for some in tables for one in some]
    for one in sorted(range(field.entrants), key=lambda one: (met[one].sum() + twice.count(one), one)):
        if len(spare) < wanted and one not in table and field.apart([*table, *spare, one]):
            spare.append(one)
    while len(spare) < wanted:
        spare.append((table + spare)[len(spare) % (len(table) + len(spare))])
    return spare


def _exchange(field: LeagueField, tables: list[list[int]], met: Ints, place: dict[int, int]) -> None:
    """Exchange members of tables while fewer meet again or, as many, nearer neighbours sit together.

    The tables are modified.
    """

    def cost(table: list[int]) -> int:
        pairs = [(a, b) for a, b in combinations(table, 2) if a != b]
        again = sum(int(met[a, b] > 0) for a, b in pairs)
        return again * field.entrants**2 + sum(abs(place[a] - place[b]) for a, b in pairs)

    for _ in range(PASSES):
        for one, two in combinations(tables, 2):
            for i, j in product(range(field.seats), repeat=2):
                before = cost(one) + cost(two)
                one[i], two[j] = two[j], one[i]
                whole = len(set(one)) == len(set(two)) == field.seats
                fits = whole and field.apart(one) and field.apart(two)
                if not fits or cost(one) + cost(two) >= before:
                    one[i], two[j] = two[j], one[i]


def knockout(field: LeagueField, played: Rounds, results: Results) -> tuple[MatchPlan, ...]:
    """Play half of the deals everybody against everybody, then knock out.

    The best sit at tables, and the better half of each table goes on (one of an odd table), until one table
    has played the final.

    The final rounds have as many tables as the entrants fill; an owner's best bot alone goes on.
    """
    if not played:
        half = LeagueField(field.entrants, field.seats, max(1, field.deals // 2), field.owners)
        return round_robin(half, played, results)
    goes_on = field.seats // 2 if field.seats % 2 == 0 else 1
    fewer = field.seats // goes_on
    if len(played) == 1:
        elo, seen = standing(field, results), set()
        best = []
        for one in sorted(range(field.entrants), key=lambda one: (-elo[one], one)):
            owner = field.owners[one] if field.owners else ""
            if not owner or owner not in seen:
                best.append(one)
            seen.add(owner)
        tables = 1
        while tables * fewer * field.seats <= len(best):
            tables *= fewer
        left = best[: tables * field.seats]
        if len(left) < field.seats:
            return ()
    else:
        last = {plan.line_up: (plan.first_block, plan.blocks) for plan in played[-1]}
        if len(last) == 1:
            return ()
        left = [one for line_up in last for one in winners(field, line_up, played[-1], results)[:goes_on]]
        elo = standing(field, results)
        left.sort(key=lambda one: (-elo[one], one))
    return matches([(table, max(field.deals // 2, FEWEST_FINAL)) for table in snake(left, field.seats)])


def winners(
    field: LeagueField, line_up: tuple[int, ...], played: Sequence[MatchPlan], results: Results
) -> list[int]:
    """Return the bots of one table of a round, best first, by Elo from this table's games alone."""
    blocks = [
        range(plan.first_block, plan.first_block + plan.blocks) for plan in played if plan.line_up == line_up
    ]
    mine = np.isin(results.block, [block for some in blocks for block in some])
    games = Results(results.entrant[mine], results.score[mine], results.block[mine], results.ranking[mine])
    elo = standing(field, games)
    return sorted(set(line_up), key=lambda one: (-elo[one], one))


def snake(left: Sequence[int], seats: int) -> list[tuple[int, ...]]:
    """Tables of equal strength: the best one to the first table and so on, and back again."""
    tables: list[list[int]] = [[] for _ in range(len(left) // seats)]
    for place, one in enumerate(left[: len(tables) * seats]):
        turn, at = divmod(place, len(tables))
        tables[at if turn % 2 == 0 else -1 - at].append(one)
    return [tuple(table) for table in tables]
