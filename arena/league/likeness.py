"""Which bots decide alike: how often two bots act differently on the same view.

Every block plays one deal in all rotations. As long as the same actions are made in two rotations, whoever
sits in a seat sees the same in both. So at each such decision two bots were asked about one view, without any
further game. Copies of a bot that does not depend on chance never differ there.

Not here: what two bots of one owner take from the others (`leagues.ratings.collusion`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

import engines

from ..match.played import PlayedMatch
from ..store import Store
from ..store.models import LeagueRun
from .guard import check_rules
from .plans import deal_secret

ENOUGH = 2000  # common decisions of a pair, after which its further deals are not looked at
FEWEST = 100  # differences that would be usual among as many decisions: fewer tell nothing
SEEN = 10  # differences from other bots, from which it is known what is usual
ALIKE = 0.01  # of the usual differences, at most: then two bots may be one (house bots: 0.09 at least)
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class AlikeRow:
    """Two bots that were asked about the same views, those that differ least first."""

    bot: str
    against: str
    verdict: str  # "may be one bot", "" or "not tested"
    decisions: int  # with a choice, of both on the same view
    differ: int  # in which the two acted differently
    share: float | None  # differ / decisions
    usual: float | None  # the same share between each of the two and all others that are not alike to one


def alike_rows(store: Store, runs: Sequence[LeagueRun]) -> list[AlikeRow]:
    """Compare the decisions of all bots of these runs, pair by pair.

    A pair may be one bot if it differs in at most `ALIKE` of the decisions that would be usual for the two,
    and if at least `FEWEST` differences were usual. What is usual comes from bots that are not alike to one
    of the two, or a flood of copies would make it usual that nothing differs.

    Args:
        store: where the games are.
        runs: of one game, table size and set of options.

    Raises:
        RunError: a run was played under other rules.
    """
    names = sorted({entry.bot.label for run in runs for entry in store.entries(run)})
    asked, differ = (np.zeros((len(names), len(names)), np.int64) for _ in range(2))
    for run in runs:
        check_rules(store, run)
        number = np.array([names.index(entry.bot.label) for entry in store.entries(run)])
        for matches in _stretches(store, run):
            of_pairs = asked[np.ix_(*[number[list(matches[0].line_up)]] * 2)]
            if (of_pairs[~np.eye(len(of_pairs), dtype=bool)] < ENOUGH).any():
                _count(store, run, matches, number, asked, differ)
    return _rows(names, asked + asked.T, differ + differ.T)


def _stretches(store: Store, run: LeagueRun) -> Iterator[list[PlayedMatch]]:
    """Yield the matches with the same deals, where at least two rotations are stored."""
    plans, stored = store.plans(run), store.stored_matches(run)
    deals = sorted(stored, key=lambda number: (plans[number].stage, plans[number].first_block, number))
    for _, numbers in groupby(deals, key=lambda number: (plans[number].stage, plans[number].first_block)):
        by_line_up: dict[frozenset[int], list[int]] = {}
        for number in numbers:
            by_line_up.setdefault(frozenset(plans[number].line_up), []).append(number)
        for rotations in by_line_up.values():
            if len(rotations) > 1:
                yield list(store.matches(run, rotations))


def _count(
    store: Store,
    run: LeagueRun,
    matches: Sequence[PlayedMatch],
    number: Counts,
    asked: Counts,
    differ: Counts,
) -> None:
    """Add the common decisions of the matches of a stretch, and those in which two bots acted differently."""
    facts, game = run.definition, engines.load(run.game)
    blocks = np.concatenate([match.blocks for match in matches])
    moves = [one for match in matches for one in match.moves]
    ends = np.array([len(one) for one in moves])
    who = np.concatenate([number[np.array(one.line_up)[one.places.astype(np.int64)]] for one in matches])
    before = np.concatenate([one.lost_at(int(ends.max())) for one in matches])
    secret = deal_secret(store.stages(run)[matches[0].stage])
    states = game.new(len(moves), secret.deal_seeds(blocks), facts.players, **facts.options)
    one, two = _pairs_of_games(blocks)
    rows = np.arange(len(moves))
    for made in range(int(ends.max())):
        action = np.array([moves[row][made] if made < ends[row] else -1 for row in rows])
        seat = states["seat"].astype(np.int64)
        free = (game.legal_mask(states).sum(axis=1) > 1) & (made < before[rows, seat]) & (made < ends)
        other = action[one] != action[two]
        bots = who[one, seat[one]], who[two, seat[one]]
        counts = free[one] & free[two] & (bots[0] != bots[1])
        np.add.at(asked, (bots[0][counts], bots[1][counts]), 1)
        np.add.at(differ, (bots[0][counts & other], bots[1][counts & other]), 1)
        one, two = one[~other], two[~other]
        if not len(one):
            return
        game.step(states, action)


def _pairs_of_games(blocks: Counts) -> tuple[Counts, Counts]:
    """Every two games of one block, by their rows."""
    order = np.argsort(blocks, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1)
    pairs = [pair for group in groups for pair in combinations(group.tolist(), 2)]
    one, two = np.array(pairs, np.int64).reshape(-1, 2).T
    return one, two


def _rows(names: Sequence[str], asked: Counts, differ: Counts) -> list[AlikeRow]:
    """Return the pairs that have decisions in common, those that differ least of what is usual first."""
    rows: list[tuple[float, AlikeRow]] = []
    unlike = _unlike(asked, differ)
    for i, j in combinations(range(len(names)), 2):
        if not asked[i, j]:
            continue
        rest = unlike[i] & unlike[j]
        others, seen = (int(of[i, rest].sum() + of[j, rest].sum()) for of in (asked, differ))
        share = float(differ[i, j] / asked[i, j])
        usual = seen / others if others else None
        verdict = "not tested"
        if usual is not None and seen >= SEEN and usual * asked[i, j] >= FEWEST:
            verdict = "may be one bot" if share <= ALIKE * usual else ""
        shown = round(share, 4), None if usual is None else round(usual, 4)
        row = AlikeRow(names[i], names[j], verdict, int(asked[i, j]), int(differ[i, j]), *shown)
        rows.append((share / usual if usual else 1.0, row))
    return [row for _, row in sorted(rows, key=lambda one: (one[0], one[1].bot, one[1].against))]


def _unlike(asked: Counts, differ: Counts) -> NDArray[np.bool_]:
    """(bots, bots) who is not alike to whom, by the most that is known to be different; nobody to itself."""
    share = np.divide(differ, asked, out=np.zeros(asked.shape), where=asked > 0)
    most = np.where(asked >= FEWEST, share, 0).max(axis=1, initial=0)
    unlike = share > ALIKE * most[:, None]
    return unlike & unlike.T
