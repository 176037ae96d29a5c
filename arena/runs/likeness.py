"""Which bots decide alike, or play for each other.

How often do two bots act differently on the same view? And of two bots of one owner: what do the others lose
when both sit there (`leagues.ratings.collusion`)?

Every block plays one deal in all rotations. As long as the same actions are made in two rotations, whoever
sits in a seat sees the same in both. So at each such decision two bots were asked about one view, without any
further game. Copies of a bot that does not depend on chance never differ there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leagues.ratings.collusion import Collusion, collusion
from leagues.ratings.rows import label, settled

from ..match.played import PlayedMatch
from ..store import Store
from ..store.models import LeagueRun
from .guard import check_rules
from .stages import steps_of
from .standings import Pool

ENOUGH = 2000  # common decisions of a pair, after which its further deals are not looked at
FEWEST = 100  # differences that would be usual among as many decisions: fewer tell nothing
SEEN = 10  # differences from other bots, from which it is known what is usual
ALIKE = 0.01  # of the usual differences, at most: then two bots may be one (house bots: 0.09 at least)
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class AlikeRow:
    """Two bots that were asked about the same views, those that differ least first.

    Of two bots of one owner, also their common tables against the same two without the other, in points a
    game (None: of different owners, or never both together and apart).
    """

    bot: str
    against: str
    verdict: str  # "may be one bot", "" or "not tested"
    decisions: int  # with a choice, of both on the same view
    differ: int  # in which the two acted differently
    share: float | None  # differ / decisions
    usual: float | None  # the same share between each of the two and all others that are not alike to one
    owner: str = ""  # of both
    others: float | None = None  # that every other bot makes more when both are there
    gain: float | None = None  # that each of the two makes more
    p: float | None = None  # of no gain, one-sided, adjusted by Holm over all such pairs
    gift: float | None = None  # that passes from `against` to `bot`
    gift_p: float | None = None  # of no larger gift than between bots of different owners, adjusted too


def alike_rows(store: Store, runs: Sequence[LeagueRun], pool: Pool) -> list[AlikeRow]:
    """Compare the decisions of all bots of these runs, pair by pair, and what bots of one owner win together.

    A pair may be one bot if it differs in at most `ALIKE` of the decisions that would be usual for the two,
    and if at least `FEWEST` differences were usual. What is usual comes from bots that are not alike to one
    of the two, or a flood of copies would make it usual that nothing differs.
    """
    names = sorted({entry.bot.label for run in runs for entry in store.runs.entries(run)})
    asked, differ = (np.zeros((len(names), len(names)), np.int64) for _ in range(2))
    for run in runs:
        check_rules(store, run)
        number = np.array([names.index(entry.bot.label) for entry in store.runs.entries(run)])
        for matches in _stretches(store, run):
            of_pairs = asked[np.ix_(*[number[list(matches[0].line_up)]] * 2)]
            if (of_pairs[~np.eye(len(of_pairs), dtype=bool)] < ENOUGH).any():
                _count(store, run, matches, number, asked, differ)
    return _rows(names, asked + asked.T, differ + differ.T, _of_owners(pool))


def _stretches(store: Store, run: LeagueRun) -> Iterator[list[PlayedMatch]]:
    """Yield the matches with the same deals, where at least two rotations are stored."""
    plans, stored = store.runs.plans(run), store.matches.stored(run)
    deals = sorted(stored, key=lambda number: (plans[number].stage, plans[number].first_block, number))
    for _, numbers in groupby(deals, key=lambda number: (plans[number].stage, plans[number].first_block)):
        by_line_up: dict[frozenset[int], list[int]] = {}
        for number in numbers:
            by_line_up.setdefault(frozenset(plans[number].line_up), []).append(number)
        for rotations in by_line_up.values():
            if len(rotations) > 1:
                yield list(store.matches.all(run, rotations))


def _count(
    store: Store,
    run: LeagueRun,
    matches: Sequence[PlayedMatch],
    number: Counts,
    asked: Counts,
    differ: Counts,
) -> None:
    """Add the common decisions of the matches of a stretch, and those in which two bots acted differently."""
    steps, blocks = steps_of(store, run, matches), np.concatenate([match.blocks for match in matches])
    who, (one, two) = number[steps.entrant], _pairs_of_games(blocks)
    for made, rows, _, legal, actions, seats in steps:
        action, seat, free = np.full(len(who), -1), np.zeros(len(who), np.int64), np.zeros(len(who), np.bool_)
        action[rows], seat[rows] = actions, seats
        free[rows] = (legal.sum(axis=1) > 1) & (made < steps.lost_at[rows, seats])
        other = action[one] != action[two]
        bots = who[one, seat[one]], who[two, seat[one]]
        counts = free[one] & free[two] & (bots[0] != bots[1])
        np.add.at(asked, (bots[0][counts], bots[1][counts]), 1)
        np.add.at(differ, (bots[0][counts & other], bots[1][counts & other]), 1)
        one, two = one[~other], two[~other]
        if not len(one):
            return


def _pairs_of_games(blocks: Counts) -> tuple[Counts, Counts]:
    """Every two games of one block, by their rows."""
    order = np.argsort(blocks, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1)
    pairs = [pair for group in groups for pair in combinations(group.tolist(), 2)]
    one, two = np.array(pairs, np.int64).reshape(-1, 2).T
    return one, two


def _of_owners(pool: Pool) -> dict[tuple[str, str], tuple[str, Collusion]]:
    """Return, by the labels of two bots of one owner in their order, the owner and what they win together."""
    games, who, count, _ = settled(pool.results, pool.entered)
    found = collusion(games, [one.owner for one in who]) if count else []
    pairs = {(label(who[one.one]), label(who[one.two])): (who[one.one].owner, one) for one in found}
    for first, second in [bots for bots in pairs if bots[0] > bots[1]]:
        owner, one = pairs.pop((first, second))
        pairs[second, first] = owner, replace(one, gift=-one.gift)
    return pairs


def _rows(
    names: Sequence[str],
    asked: Counts,
    differ: Counts,
    owned: Mapping[tuple[str, str], tuple[str, Collusion]] = MappingProxyType({}),
) -> list[AlikeRow]:
    """Return the pairs that have decisions in common, those that differ least of what is usual first."""
    rows: list[tuple[float, AlikeRow]] = []
    unlike = _unlike(asked, differ)
    for i, j in combinations(range(len(names)), 2):
        together = owned.get((names[i], names[j]))
        if not asked[i, j] and together is None:
            continue
        rest = unlike[i] & unlike[j]
        others, seen = (int(of[i, rest].sum() + of[j, rest].sum()) for of in (asked, differ))
        share = float(differ[i, j] / max(asked[i, j], 1))
        usual = seen / others if others else None
        verdict = "not tested"
        if usual is not None and seen >= SEEN and usual * asked[i, j] >= FEWEST:
            verdict = "may be one bot" if share <= ALIKE * usual else ""
        shown = round(share, 4), None if usual is None else round(usual, 4)
        row = AlikeRow(names[i], names[j], verdict, int(asked[i, j]), int(differ[i, j]), *shown)
        if together is not None:
            row = replace(row, owner=together[0], **_told(together[1]))
        rows.append((share / usual if usual else 1.0, row))
    return [row for _, row in sorted(rows, key=lambda one: (one[0], one[1].bot, one[1].against))]


def _told(one: Collusion) -> dict[str, Any]:
    """Return the columns of two bots of one owner, p values to three digits, so that none becomes 0."""
    points = {name: round(getattr(one, name), 3) for name in ("others", "gain", "gift")}
    return points | {name: float(f"{getattr(one, name):.3g}") for name in ("p", "gift_p")}


def _unlike(asked: Counts, differ: Counts) -> NDArray[np.bool_]:
    """(bots, bots) who is not alike to whom, by the most that is known to be different; nobody to itself."""
    share = np.divide(differ, asked, out=np.zeros(asked.shape), where=asked > 0)
    most = np.where(asked >= FEWEST, share, 0).max(axis=1, initial=0)
    unlike = share > ALIKE * most[:, None]
    return unlike & unlike.T
