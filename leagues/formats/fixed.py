"""Formats that are known from the start: everybody against everybody, and candidates against the field."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ..errors import LeagueError
from ..plan import MatchPlan
from ..ratings.results import Results
from ..schedule import FEWEST_DEALS, MATCH_DEALS, schedule
from .tables import LeagueField, line_ups_apart, matches


def round_robin(
    field: LeagueField, played: Sequence[Sequence[MatchPlan]], results: Results
) -> tuple[MatchPlan, ...]:
    """Every pair about equally often, each entrant `deals` deals; bots of one owner never."""
    if played:
        return ()
    if len(field.units()) == field.entrants:
        return schedule(field.entrants, field.seats, field.deals)
    if field.deals < 1:
        raise LeagueError(f"deals = {field.deals}: at least one deal is needed")
    wanted = ceil(field.deals * field.entrants / field.seats / FEWEST_DEALS)
    return matches(shared(line_ups_apart(field, wanted), field), MATCH_DEALS)


def shared(ups: Sequence[tuple[int, ...]], field: LeagueField) -> list[tuple[tuple[int, ...], int]]:
    """Return the line-ups with so many blocks each that everybody plays its deals, or hardly more.

    Blocks go one by one to the line-up whose members have the fewest.
    """
    count, blocks = dict.fromkeys(range(field.entrants), 0), [0] * len(ups)
    members = [set(up) for up in ups]
    step = max(1, field.deals // 64)
    while min(count.values()) < field.deals:
        need = [
            (sum(max(0, field.deals - count[one]) for one in some), -blocks[at])
            for at, some in enumerate(members)
        ]
        best = need.index(max(need))
        blocks[best] += step
        for one in members[best]:
            count[one] += step
    return [(up, max(share, 1)) for up, share in zip(ups, blocks, strict=True)]


def gauntlet(
    field: LeagueField, played: Sequence[Sequence[MatchPlan]], results: Results
) -> tuple[MatchPlan, ...]:
    """Each candidate against the field, in the same companies; candidates never meet."""
    if played:
        return ()
    others = [one for one in range(field.entrants) if one not in field.candidates]
    if not field.candidates or not others:
        raise LeagueError("a gauntlet needs candidates and a field: candidates = [...] in the league file")
    tables: list[tuple[tuple[int, ...], int]] = []
    lists = [companies(field, candidate, others) for candidate in field.candidates]
    for turn in range(max(map(len, lists))):
        for candidate, companies_of in zip(field.candidates, lists, strict=True):
            if turn < len(companies_of):
                share, rest = divmod(field.deals, len(companies_of))
                tables.append(((candidate, *companies_of[turn]), max(1, share + (turn < rest))))
    return matches(tables)


def companies(field: LeagueField, newcomer: int, others: Sequence[int]) -> list[tuple[int, ...]]:
    """Companies for one bot, balanced among those who may sit with it. Raises LeagueError: nobody may."""
    mine = [one for one in others if one != newcomer and field.apart((newcomer, one))]
    if not mine:
        raise LeagueError(
            f"nobody is left to play entrant {newcomer}: bots of one owner are not seated together; "
            f"same_owner = true in the league file allows it"
        )
    owners = tuple(field.owners[one] for one in mine) if field.owners else ()
    company = LeagueField(len(mine), field.seats - 1, field.deals, owners)
    wanted = ceil(field.deals / FEWEST_DEALS)
    if field.seats == 2 or (owners and len(set(owners)) == 1 and owners[0]):  # one bot at a time
        return [(one,) * (field.seats - 1) for one in mine]
    return [tuple(mine[i] for i in up) for up in line_ups_apart(company, wanted)]
