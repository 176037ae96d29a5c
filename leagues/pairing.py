"""Who plays in an epoch of a season, and at which tables: pure functions of the standing so far.

The blocks of an epoch are shared out in this order:

1. Newcomers. A bot is one until its rating is known to `Rules.sure` Elo. Together they get at most a share of
   the blocks (`Rules.newcomers`), owners in turn: next is the owner whose new bots have played least.
2. One table in `EXPLORE`: whoever has not played for long, then whoever has played least.
3. The rest: neighbours whose order is least sure, as in an adaptive league (`formats.adaptive`).

No owner gets much more than a fair share of 2 and 3. With more bots than `Rules.division` they play in
divisions that overlap at their borders. Until as many bots as a table has seats are rated, all play as in 2.

Nothing here is remembered between epochs: a season can be stopped and go on anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from typing import NamedTuple

import numpy as np

from .formats.adaptive import EXPLORE, STRETCH, draw, together, unsure_place
from .formats.tables import LeagueField
from .ratings.elo import Ratings

FAIR = 2.0  # an owner may get so many times the fair share of the blocks that are not for newcomers
LONGEST = 512  # blocks after which a bot is no newcomer, whatever its interval: some never get sure
DEBUT = 64  # blocks in which most bots get their rating: so many of each count as work for newcomers
MOST = 128  # blocks of a newcomer in an epoch: then its games are looked at before it plays more
NEAR_FROM = 2 * STRETCH  # blocks from which on a newcomer meets neighbours; before, it meets anybody
RECENT = 16  # epochs in which the first games of an owner's new bots count against its next one
REST = 8  # epochs without a game after which a bot is seated before all others
MISSED = 3  # times that a bot could not be loaded, then it is archived
LOST = 0.5  # share of its games that a bot forfeited ...
LOST_BLOCKS = 32  # ... in so many blocks, then it is archived


@dataclass(frozen=True)
class Rules:
    """What a season says about who plays."""

    seats: int
    owners_apart: bool = True  # whether bots of one owner are kept from sitting together
    versions: int = 3  # active versions of an owner; 0: any number
    newcomers: float = 0.15  # share of the blocks that newcomers get at most
    sure: float = 60.0  # half-width in Elo of the interval at which a bot is no newcomer any more
    division: int = 60
    retire_days: int = 0  # days without a new version after which a bot is archived; 0: never


@dataclass(frozen=True)
class Contender:
    """A version of a bot as far as the pairing knows it."""

    name: str
    version: int
    owner: str = ""  # "" of a house bot, which nobody's cap counts
    entered: int = 0  # rises with the time at which bots came in
    blocks: int = 0  # in which it was rated in this season
    half: float = np.inf  # half-width of its Elo interval, valid at every look
    idle: int = 0  # epochs since it has played
    age: int = 0  # epochs since it has first played
    lost: float = 0.0  # share of its games that it forfeited
    missed: int = 0  # times that it could not be loaded
    days: float = 0.0  # since its name got a new version

    @property
    def unit(self) -> str:
        """Who shares work fairly: the owner; each house bot alone."""
        return self.owner or f"/{self.name}"


class Role(StrEnum):
    """What a bot is in an epoch."""

    NEWCOMER = "newcomer"
    REGULAR = "regular"
    BEFORE = "until its successor is sure"
    ARCHIVED = "archived"


class Cast(NamedTuple):
    """The role of a bot, and of an archived one why it does not play."""

    role: Role
    why: str = ""


class PlannedTable(NamedTuple):
    """A line-up for some blocks; whether it is there to rate a newcomer, the last of its members."""

    line_up: tuple[int, ...]
    blocks: int
    newcomer: bool = False


def cast(players: Sequence[Contender], rules: Rules) -> list[Cast]:
    """Return the role of every bot.

    The newest version of a name plays. The newest rated one before it plays on while the newest is a
    newcomer. Of each owner as many play as the season allows, the newest first.
    """
    found = [_archived(player, rules) for player in players]
    families: dict[str, list[int]] = {}
    for at in sorted(range(len(players)), key=lambda at: players[at].version, reverse=True):
        if found[at] is None:
            families.setdefault(players[at].name, []).append(at)
    for newest, *older in families.values():
        unsure = is_new(players[newest], rules)
        found[newest] = Cast(Role.NEWCOMER if unsure else Role.REGULAR)
        before = next((at for at in older if unsure and not is_new(players[at], rules)), None)
        for at in older:
            there = f"{players[newest].name}@{players[newest].version} has replaced it"
            found[at] = Cast(Role.BEFORE) if at == before else Cast(Role.ARCHIVED, there)
    return _within_cap(players, [one or Cast(Role.ARCHIVED) for one in found], rules)


def is_new(player: Contender, rules: Rules) -> bool:
    """Whether the rating of a bot is not known well enough yet."""
    return player.half > rules.sure and player.blocks < LONGEST


def _archived(player: Contender, rules: Rules) -> Cast | None:
    """Return why a bot does not play, whatever other versions there are; None if it may."""
    why = ""
    if player.missed >= MISSED:
        why = f"it could not be loaded {player.missed} times"
    elif player.blocks >= LOST_BLOCKS and player.lost >= LOST:
        why = f"it forfeited {player.lost:.0%} of its games"
    elif rules.retire_days and player.owner and player.days > rules.retire_days:
        why = f"no new version for {rules.retire_days} days"
    return Cast(Role.ARCHIVED, why) if why else None


def _within_cap(players: Sequence[Contender], roles: list[Cast], rules: Rules) -> list[Cast]:
    """Archive what an owner has too much of: versions that wait for a successor first, then the oldest."""
    active: Counter[str] = Counter()
    order = sorted(
        range(len(players)), key=lambda at: (roles[at].role is Role.BEFORE, -players[at].entered, at)
    )
    for at in order:
        owner = players[at].owner
        if owner and roles[at].role is not Role.ARCHIVED:
            active[owner] += 1
            if rules.versions and active[owner] > rules.versions:
                why = f"its owner has newer versions, and the season plays {rules.versions} of an owner"
                roles[at] = Cast(Role.ARCHIVED, why)
    return roles


def queue(players: Sequence[Contender], roles: Sequence[Cast]) -> list[int]:
    """Return the newcomers in the order in which they get their next games."""
    return _queue(players, roles, _owners_work(players))


def _owners_work(players: Sequence[Contender]) -> Counter[str]:
    """Return by owner the blocks that bots had as newcomers lately, archived ones too."""
    work: Counter[str] = Counter()
    for player in players:
        if player.age <= RECENT:
            work[player.unit] += min(player.blocks, DEBUT)
    return work


def _queue(players: Sequence[Contender], roles: Sequence[Cast], work: Counter[str]) -> list[int]:
    """Return the newcomers, owners in turn: of each first the bot that is nearest to its rating."""
    new = [at for at, one in enumerate(roles) if one.role is Role.NEWCOMER]
    new.sort(key=lambda at: (-players[at].blocks, players[at].entered, at))
    turn: Counter[str] = Counter()
    keys = {}
    for at in new:
        unit = players[at].unit
        keys[at] = (turn[unit], work[unit], players[at].entered, at)
        turn[unit] += 1
    return sorted(new, key=keys.__getitem__)


def pair(
    players: Sequence[Contender],
    roles: Sequence[Cast],
    ratings: Ratings,
    rules: Rules,
    blocks: int,
    rng: np.random.Generator,
) -> list[PlannedTable]:
    """Return the tables of an epoch: line-ups of indices of `players`, with all the blocks.

    There are none if fewer than two bots are active.
    """
    active = [at for at, one in enumerate(roles) if one.role is not Role.ARCHIVED]
    if len(active) < 2:
        return []
    owners = tuple(player.owner for player in players) if rules.owners_apart else ()
    field = LeagueField(len(players), rules.seats, blocks, owners)
    regular = [at for at in active if roles[at].role is not Role.NEWCOMER]
    if len(regular) < rules.seats:  # a season begins: nobody can be measured against the others
        return _Regulars(players, active, ratings, field, rules, rng).tables(blocks, explore=1)
    new = _newcomers(players, roles, regular, ratings, field, rules, rng)
    left = blocks - sum(table.blocks for table in new)
    return [*new, *_Regulars(players, regular, ratings, field, rules, rng).tables(left, EXPLORE)]


def _newcomers(
    players: Sequence[Contender], roles: Sequence[Cast], regular: Sequence[int], ratings: Ratings,
    field: LeagueField, rules: Rules, rng: np.random.Generator,
) -> list[PlannedTable]:  # fmt: skip
    """Return tables of one newcomer and rated bots."""
    left, work = int(rules.newcomers * field.deals), _owners_work(players)
    given: Counter[int] = Counter()
    tables = []
    while left > 0:
        waiting = [at for at in _queue(players, roles, work) if given[at] < MOST]
        if not waiting:
            break
        at, share = waiting[0], min(STRETCH, left)
        distance = rng.random(len(players)) * 1e-3
        if players[at].blocks + given[at] >= NEAR_FROM:
            distance += np.abs(draw(ratings, rng) - ratings.elo[at])
        near = sorted(regular, key=lambda one: float(distance[one]))
        line_up = together(field, np.array([at, *near]))
        tables.append(PlannedTable((*line_up[1:], at), share, True))
        given[at] += share
        work[players[at].unit] += share
        left -= share
    return tables


class _Regulars:
    """Tables of bots that are rated, or of all while a season begins."""

    def __init__(
        self, players: Sequence[Contender], members: Sequence[int], ratings: Ratings, field: LeagueField,
        rules: Rules, rng: np.random.Generator,
    ) -> None:  # fmt: skip
        self.players, self.members, self.ratings = players, members, ratings
        self.field, self.rules, self.rng = field, rules, rng
        self.played = {at: players[at].blocks + float(rng.random()) for at in members}
        self.overdue = {at: players[at].idle for at in members if players[at].idle >= REST}
        self.spent: Counter[str] = Counter()  # places times blocks, by owner

    def tables(self, blocks: int, explore: int) -> list[PlannedTable]:
        """Return tables with so many blocks; one in `explore` is of those who have played least."""
        self.most = FAIR * blocks * self.field.seats / len({self.players[at].unit for at in self.members})
        divisions = self._divisions()
        made = []
        for turn, first in enumerate(range(0, blocks, STRETCH)):
            share = min(STRETCH, blocks - first)
            if turn % explore == 0:
                line_up = self._least_played(divisions)
            else:
                line_up = self._unsure(divisions[turn % len(divisions)])
            for at in line_up:
                self.spent[self.players[at].unit] += share
            for at in set(line_up):
                self.played[at] += share
                self.overdue.pop(at, None)
            made.append(PlannedTable(line_up, share))
        return made

    def _divisions(self) -> list[list[int]]:
        """Return the members by rating, best first, in divisions that overlap by a table."""
        order = sorted(self.members, key=lambda at: (-round(float(self.ratings.elo[at]), 2), at))
        number = ceil(len(order) / self.rules.division)
        size = ceil(len(order) / number)
        starts = range(0, len(order), size)
        return [order[max(0, first - self.field.seats) : first + size] for first in starts]

    def _least_played(self, divisions: Sequence[list[int]]) -> tuple[int, ...]:
        """Return who is overdue or has played least, with the likes of its own division."""
        order = sorted(self.members, key=self._need)
        home = next(some for some in divisions if order[0] in some)
        return together(self.field, np.array([at for at in order if at in home]))

    def _need(self, at: int) -> tuple[int, bool, float]:
        """Return a key: whoever is overdue comes first, then owners that have something left to spend."""
        return -self.overdue.get(at, 0), not self._may_spend(at), self.played[at]

    def _may_spend(self, at: int) -> bool:
        return self.spent[self.players[at].unit] < self.most

    def _unsure(self, division: Sequence[int]) -> tuple[int, ...]:
        """Return neighbours whose order is not known yet, of owners that have something left to spend."""
        fair = [at for at in division if self._may_spend(at)]
        some = np.array(fair if len(fair) >= max(2, self.field.seats) else division)
        drawn = draw(self.ratings, self.rng)
        order = some[np.argsort(-drawn[some], kind="stable")]
        start = unsure_place(self.ratings, order, self.rng) - (self.field.seats - 1) // 2
        start = max(0, min(start, len(order) - self.field.seats))
        return together(self.field, np.concatenate([order[start:], order[:start]]))
