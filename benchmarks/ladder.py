"""Seasons with known strengths: who gets the work, how long new bots wait, and whether rank intervals hold.

    python -m benchmarks.ladder --seasons 100

Scheduler and ratings are those of `arena ladder`; games are drawn from a model (`simulated`),
so that a season of days takes seconds. In every season house bots and honest owners begin together. Then
honest owners send a new version now and then, better or worse than the one before. One owner, eve, sends
`--flood` bots in a few epochs; the same seasons are played again with one bot of hers, to compare.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from arena.jail.zygote import ONE_THREAD
from leagues.formats.tables import matches
from leagues.pairing import Cast, Player, Role, Rules, Table, cast, is_new, pair
from leagues.ratings.anytime import PLANNED
from leagues.ratings.compare import rank_intervals
from leagues.ratings.elo import Ratings, bradley_terry
from leagues.ratings.results import NO_GAMES, Results
from leagues.secret import Secret

from . import hour, viewers, week
from .simulated import played

HOUSE, OWNERS, FIRST = 6, 12, 5
EVE = "eve"
FLOOD_FROM, FLOOD_FOR = 8, 10  # epochs in which eve sends her bots
INSIDE, MOST_NEW, MOST_EVE = 0.95, 15.0, 2.2  # what is claimed: shares, %, equal shares of an owner
VERSIONS = 0.5  # new versions of honest owners in an epoch, on average


@dataclass
class Bot:
    """A version with its true Elo, and when it was sent, played first and last, and was rated."""

    name: str
    version: int
    owner: str
    elo: float
    sent: int = 0
    first: int = -1
    last: int = -1
    rated: int = -1


@dataclass
class Outcome:
    """What was found in one season."""

    inside_at_end: bool = False  # the true first five are inside their rank intervals
    inside_always: bool = True  # at every look
    best_first: bool = False
    newcomers: list[float] = field(default_factory=list)  # share of the blocks, by epoch
    waits: list[int] = field(default_factory=list)  # epochs until honest bots were rated
    unrated: int = 0  # honest bots that waited for as long as any of those and were not rated
    needed: list[int] = field(default_factory=list)  # blocks until a newcomer was rated
    eves: list[float] = field(default_factory=list)  # her share of the other blocks, of an equal share
    idle: int = 0  # the longest that an active rated bot did not play


@dataclass
class Season:
    """A season that is being played."""

    rng: np.random.Generator
    rules: Rules
    blocks: int
    bots: list[Bot] = field(default_factory=list)
    results: Results = NO_GAMES
    out: Outcome = field(default_factory=Outcome)

    def send(self, name: str, owner: str, elo: float, epoch: int) -> None:
        """Submit a version."""
        version = 1 + sum(bot.name == name for bot in self.bots)
        self.bots.append(Bot(name, version, owner, elo, epoch))

    def arrivals(self, epoch: int, flood: int) -> None:
        """Submit what owners send before an epoch."""
        if self.rng.random() < VERSIONS and epoch:
            name = f"bot{self.rng.integers(OWNERS)}"
            newest = [bot for bot in self.bots if bot.name == name][-1]
            self.send(name, newest.owner, newest.elo + self.rng.normal(10, 40), epoch)
        turn = epoch - FLOOD_FROM
        if 0 <= turn < FLOOD_FOR:
            for number in range(flood * turn // FLOOD_FOR, flood * (turn + 1) // FLOOD_FOR):
                self.send(f"eve{number}", EVE, 1450 + self.rng.normal(0, 60), epoch)

    def ratings(self) -> Ratings:
        """Rate all versions, at every look."""
        return bradley_terry(self.results.watched(PLANNED), len(self.bots))

    def players(self, ratings: Ratings, epoch: int) -> list[Player]:
        """Return what the pairing may know."""
        half = (ratings.elo_high - ratings.elo_low) / 2
        return [
            Player(
                bot.name,
                bot.version,
                bot.owner,
                at,
                int(ratings.blocks[at]),
                float(half[at]),
                idle=epoch - 1 - bot.last if bot.last >= 0 else epoch,
                age=epoch - bot.first if bot.first >= 0 else 0,
            )
            for at, bot in enumerate(self.bots)
        ]

    def play(self, epoch: int, tables: Sequence[Table]) -> None:
        """Draw the games of an epoch."""
        plans = matches([(table.line_up, table.blocks) for table in tables])
        elo = np.array([bot.elo for bot in self.bots])
        new = played(plans, elo, Secret(self.rng.bytes(16)), self.rng)
        old, above = self.results, int(self.results.block.max(initial=-1)) + 1
        if not len(old.block):
            self.results = new
        else:
            self.results = Results(
                np.concatenate([old.entrant, new.entrant]),
                np.concatenate([old.score, new.score]),
                np.concatenate([old.block, new.block + above]),
            )
        for at in {at for table in tables for at in table.line_up}:
            bot = self.bots[at]
            bot.first, bot.last = (epoch if bot.first < 0 else bot.first), epoch

    def look(self, epoch: int, ratings: Ratings, players: Sequence[Player], roles: Sequence[Cast]) -> None:
        """Compare the standing with the truth, and note who is rated."""
        for bot, player in zip(self.bots, players, strict=True):
            if bot.rated < 0 and player.blocks and not is_new(player, self.rules):
                bot.rated = epoch
                if bot.sent:
                    self.out.needed.append(player.blocks)
        there = np.flatnonzero(ratings.blocks > 0)
        truth = np.array([self.bots[at].elo for at in there])
        low, high = rank_intervals(ratings)[there].T
        rank = 1 + (truth[:, None] < truth).sum(axis=1)
        first = rank <= FIRST
        self.out.inside_at_end = bool(((low <= rank) & (rank <= high))[first].all())
        self.out.inside_always &= self.out.inside_at_end
        self.out.best_first = bool(truth[np.argmax(ratings.elo[there])] == truth.max())
        regular = [player for player, role in zip(players, roles, strict=True) if role.role is Role.REGULAR]
        self.out.idle = max(self.out.idle, *(player.idle for player in regular), 0) if regular else 0

    def shares(self, tables: Sequence[Table], roles: Sequence[Cast]) -> None:
        """Note the share of the newcomers, and eve's."""
        if not any(table.newcomer for table in tables):
            return
        new = sum(table.blocks for table in tables if table.newcomer)
        self.out.newcomers.append(new / self.blocks)
        units = {
            self.bots[at].owner or self.bots[at].name
            for at, role in enumerate(roles)
            if role.role in (Role.REGULAR, Role.BEFORE)
        }
        if EVE in units:
            others = [table for table in tables if not table.newcomer]
            hers = sum(t.blocks for t in others for at in t.line_up if self.bots[at].owner == EVE)
            seats = sum(table.blocks * len(table.line_up) for table in others)
            self.out.eves.append(hers / seats * len(units))


def season(seed: int, epochs: int, blocks: int, flood: int) -> Outcome:
    """Play one season."""
    rng = np.random.default_rng(seed)
    one = Season(rng, Rules(seats=4), blocks)
    for at, elo in enumerate(np.linspace(1350, 1600, HOUSE)):
        one.send(f"house{at}", "", float(elo), 0)
    for at in range(OWNERS):
        one.send(f"bot{at}", f"owner{at}", 1500 + rng.normal(0, 100), 0)
    for epoch in range(epochs):
        one.arrivals(epoch, flood)
        ratings = one.ratings()
        players = one.players(ratings, epoch)
        roles = cast(players, one.rules)
        if epoch:
            one.look(epoch, ratings, players, roles)
        tables = pair(players, roles, ratings, one.rules, blocks, rng)
        one.shares(tables, roles)
        one.play(epoch, tables)
    ratings = one.ratings()
    players = one.players(ratings, epochs)
    one.look(epochs, ratings, players, cast(players, one.rules))
    honest = [bot for bot in one.bots if bot.sent and bot.owner != EVE]
    one.out.waits = [bot.rated - bot.sent for bot in honest if bot.rated >= 0]
    longest = max(one.out.waits, default=0)
    replaced = {(bot.name, bot.version - 1) for bot in honest}
    one.out.unrated = sum(
        bot.rated < 0 and epochs - bot.sent > longest and (bot.name, bot.version) not in replaced
        for bot in honest
    )
    return one.out


def seasons(number: int, seed: int, epochs: int, blocks: int, flood: int, workers: int) -> list[Outcome]:
    """Play many seasons, each with a seed of its own."""
    each = partial(season, epochs=epochs, blocks=blocks, flood=flood)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(each, range(seed, seed + number)))


def report(flooded: Sequence[Outcome], calm: Sequence[Outcome], flood: int) -> list[week.Claim]:
    """Return what was measured: a claim, its numbers, and whether they bear it out."""
    inside = [o.inside_at_end for o in flooded]
    always = [o.inside_always for o in flooded]
    newcomers = [100 * s for o in flooded for s in o.newcomers]
    waits = [[float(wait) for one in some for wait in one.waits] for some in (flooded, calm)]
    mean = [float(np.mean(some)) for some in waits]
    unrated = sum(o.unrated for o in flooded)
    eves = [s for o in flooded for s in o.eves]
    return [
        ("true first five inside their rank intervals at the end, seasons", share(inside),
         float(np.mean(inside)) >= INSIDE),
        ("the same at every look of a season", share(always), float(np.mean(always)) >= INSIDE),
        ("true first stands first at the end", share([o.best_first for o in flooded]), True),
        ("newcomers' share of an epoch's blocks, %", spread(newcomers, 1), max(newcomers) <= MOST_NEW),
        ("blocks until a newcomer is rated", spread([float(n) for o in flooded for n in o.needed]), True),
        (f"epochs until an honest bot is rated, eve sends {flood}", spread(waits[0]), True),
        ("the same, eve sends 1", spread(waits[1]), True),
        ("mean wait with the flood over mean wait without, at most 2",
         f"{mean[0]:.2f} / {mean[1]:.2f} = {mean[0] / mean[1]:.2f}", mean[0] <= week.MOST_SHARES * mean[1]),
        ("honest bots that had waited for longer and were not rated at the end", str(unrated), True),
        ("eve's share of the other blocks, in equal shares of an owner", spread(eves, 2),
         not eves or float(np.median(eves)) <= MOST_EVE),
        ("longest that a rated active bot did not play, epochs",
         spread([float(o.idle) for o in flooded]), True),
    ]  # fmt: skip


def share(values: Sequence[bool]) -> str:
    """Return the share of what holds."""
    return f"{np.mean(values):.0%} of {len(values)}"


def spread(values: Sequence[float], digits: int = 0) -> str:
    """Return median, 95 % quantile and the most."""
    if not values:
        return "none"
    middle, high = np.quantile(values, [0.5, 0.95])
    return f"median {middle:.{digits}f}, 95 % {high:.{digits}f}, most {max(values):.{digits}f}"


def main() -> None:
    """Play the seasons and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ladder", description=__doc__)
    parser.add_argument("--seasons", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=40, help="of a season (default: 40)")
    parser.add_argument("--blocks", type=int, default=256, help="of an epoch (default: 256)")
    parser.add_argument("--flood", type=int, default=100, help="bots that eve sends (default: 100)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--days", type=int, help="play so many days for real instead: see benchmarks.week")
    parser.add_argument("--minutes", type=float, default=5.0, help="that such a day takes (default: 5)")
    parser.add_argument("--kills", type=int, default=40, help="in these days (default: 40)")
    parser.add_argument("--hour", action="store_true", help="an hour in real time: see benchmarks.hour")
    parser.add_argument("--viewers", type=int, help="what so many cost a person: see benchmarks.viewers")
    given = parser.parse_args()
    if given.hour:
        claims = hour.play()
    elif given.viewers:
        claims = viewers.play(given.viewers)
    elif given.days is not None:
        claims = week.play(given.days, given.minutes, given.kills, given.blocks, given.seed)
    else:
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # read by the processes when they load NumPy
        how = (given.seasons, given.seed, given.epochs, given.blocks)
        flooded, calm = (seasons(*how, flood, given.workers) for flood in (given.flood, 1))
        claims = report(flooded, calm, given.flood)
    print(week.report(claims))
    raise SystemExit(not all(held for *_, held in claims))


if __name__ == "__main__":
    main()
