"""Schedules: a pure function of the league definition, and keyed hashes for everything that must not be foreseen.

A **line-up** is one entrant for every place at the table. A **block** is one deal and one random circular order of a line-up,
played in all rotations. A **run** is a stretch of blocks of one line-up; a **match** is one pass over a run: every deal
once, each place in the seat that the deal's order and the pass give it. Processes live for a match, so none sees a deal
from two seats.

All randomness is a keyed hash of one secret with a purpose and numbers (see `Secret`): deals, orders and bots' own seeds.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product
from math import ceil, comb, gcd

from .errors import LeagueError

RUN_DEALS = (
    64  # deals in a match: enough games in lock-step for a cheap process boundary, few enough to lose little
)
FEWEST_DEALS = 8  # a line-up is not cut into fewer deals than this for the sake of more line-ups


@dataclass(frozen=True)
class Secret:
    """The secret that all seeds of a league come from. Its hash is published before the first deal, itself after the last."""

    key: bytes

    @classmethod
    def fresh(cls) -> Secret:
        """128 random bits."""
        return cls(secrets.token_bytes(16))

    @classmethod
    def of_seed(cls, seed: int) -> Secret:
        """The secret of a known seed, for repeatable runs: whoever knows the seed knows every card."""
        return cls(hashlib.blake2b(f"seed/{seed}".encode(), digest_size=16).digest())

    @property
    def hash(self) -> str:
        """What is published beforehand: blake2b-256 of the key."""
        return hashlib.blake2b(self.key, digest_size=32).hexdigest()

    def number(self, purpose: str, *numbers: int) -> int:
        """64 bits: blake2b of "purpose/n/n/..." under the key."""
        message = "/".join([purpose, *map(str, numbers)]).encode()
        return int.from_bytes(hashlib.blake2b(message, key=self.key, digest_size=8).digest(), "big")

    def deal_seed(self, block: int) -> int:
        """Seed of the deal of a block."""
        return self.number("deal", block)

    def bot_seed(self, match: int, place: int) -> int:
        """Seed of the bot's own randomness; tells nothing about deals."""
        return self.number("bot", match, place)

    def order(self, block: int, places: int) -> tuple[int, ...]:
        """A random circular order of the places of a line-up: place 0 first, the others by their hash."""
        return (0, *sorted(range(1, places), key=lambda place: self.number("order", block, place)))


@dataclass(frozen=True)
class GamePlan:
    """One game of a match: which block, and which place of the line-up sits in each seat."""

    block: int
    places: tuple[int, ...]


@dataclass(frozen=True)
class MatchPlan:
    """One match: a pass over a run. `number` is its key in the league."""

    number: int
    line_up: tuple[int, ...]
    turn: int
    first_block: int
    blocks: int

    def games(self, secret: Secret) -> list[GamePlan]:
        """The games: every block of the run, rotated by `turn`; a rotation that repeats a seating is left out."""
        plans = []
        for block in range(self.first_block, self.first_block + self.blocks):
            order = secret.order(block, len(self.line_up))
            if self.turn < distinct_rotations([self.line_up[place] for place in order]):
                plans.append(
                    GamePlan(block, order[len(order) - self.turn :] + order[: len(order) - self.turn])
                )
        return plans


def distinct_rotations(seating: Sequence[int]) -> int:
    """How many rotations of a circular seating differ: A B A B has two, A A B B four."""
    k = len(seating)
    for shift in range(1, k):
        if k % shift == 0 and all(seating[i] == seating[(i + shift) % k] for i in range(k)):
            return shift
    return k


def line_ups(entrants: int, seats: int, most: int) -> list[tuple[int, ...]]:
    """Line-ups that bring every pair of entrants together (almost) equally often.

    With as many entrants as seats there is one line-up. With more, all combinations if there are at most `most`, else a
    balanced choice of about `most`, but never so few that a pair does not meet. With fewer, entrants take several
    places: all ways in which everybody is there; of two entrants one sits against several copies of the other, in both
    ways, since that needs the fewest games to tell them apart.

    Args:
        entrants: how many, at least 1.
        seats: places at a table, at least 2.
        most: wanted number of line-ups.

    Raises:
        LeagueError: nobody to play.
    """
    if entrants < 1:
        raise LeagueError("a league needs at least one entrant")
    if entrants == 1:
        return [(0,) * seats]
    if entrants == 2 and seats > 2:
        return [(0, *(1,) * (seats - 1)), (*(0,) * (seats - 1), 1)]
    if entrants < seats:
        extra = combinations_with_replacement(range(entrants), seats - entrants)
        return [tuple(sorted([*range(entrants), *more])) for more in extra]
    if comb(entrants, seats) <= most:
        return list(combinations(range(entrants), seats))
    return _balanced_line_ups(entrants, seats, most)


def _balanced_line_ups(entrants: int, seats: int, most: int) -> list[tuple[int, ...]]:
    """Greedy, then mended: each line-up takes whoever has played least and among them whoever has met its members least.

    Goes on until every pair has met and everybody has played equally often, past `most` if need be.
    """
    met = [[0] * entrants for _ in range(entrants)]
    played = [0] * entrants
    chosen: list[list[int]] = []
    step = entrants // gcd(entrants, seats)  # line-ups after which everybody can have played equally often
    fewest = (
        comb(entrants, 2) / comb(seats, 2) * 1.15
    )  # so many are needed for all pairs to meet, and a little more
    wanted = ceil(max(most, fewest) / step) * step
    while True:
        while len(chosen) < wanted:
            chosen.append(_next_line_up(seats, len(chosen), met, played))
        _mend(chosen, met)
        if all(met[a][b] for a, b in combinations(range(entrants), 2)):
            return [tuple(sorted(line_up)) for line_up in chosen]
        wanted += step


def _next_line_up(seats: int, number: int, met: list[list[int]], played: list[int]) -> list[int]:
    """Those who have played least, and among them whoever has met the others least. `met` and `played` are updated."""
    line_up: list[int] = []
    entrants = len(played)
    while len(line_up) < seats:
        free = [e for e in range(entrants) if e not in line_up]
        least = min(played[e] for e in free)
        best = min(
            (e for e in free if played[e] == least),
            key=lambda e: (
                sum(met[e][other] ** 2 for other in line_up),
                (e * 7919 + number * 104729) % entrants,
            ),
        )
        line_up.append(best)
        played[best] += 1
    _count(met, line_up, 1)
    return line_up


def _count(met: list[list[int]], line_up: Sequence[int], by: int) -> None:
    for a, b in combinations(line_up, 2):
        met[a][b] += by
        met[b][a] += by


def _mend(chosen: list[list[int]], met: list[list[int]]) -> None:
    """Exchange members between neighbouring line-ups while that makes meetings more even. Modified in place.

    The sum of squares of all meetings falls with every exchange, and nobody's number of games changes.
    """
    for distance in range(1, min(len(chosen), 40)):
        for one, two in zip(chosen, chosen[distance:]):
            for i, j in product(range(len(one)), range(len(two))):
                if (
                    one[i] not in two
                    and two[j] not in one
                    and _gain(one, two, i, j, met) > len(one) + len(two) - 2
                ):
                    _count(met, one, -1)
                    _count(met, two, -1)
                    one[i], two[j] = two[j], one[i]
                    _count(met, one, 1)
                    _count(met, two, 1)


def _gain(one: list[int], two: list[int], i: int, j: int, met: list[list[int]]) -> int:
    """Half of what the sum of squares of meetings falls, but for the members' number, if `one[i]` and `two[j]` change places."""
    a, b = one[i], two[j]
    with_one = sum(met[a][e] - met[b][e] for e in one if e != a)
    return with_one + sum(met[b][e] - met[a][e] for e in two if e != b)


@lru_cache(maxsize=16)
def schedule(entrants: int, seats: int, deals: int) -> tuple[MatchPlan, ...]:
    """All matches of a league, in the order in which they are best played.

    Every entrant plays about `deals` deals (blocks), each once from every seat; at least one deal for every line-up.

    Args:
        entrants: how many.
        seats: places at a table.
        deals: deals that every entrant plays.

    Raises:
        LeagueError: no entrants, or fewer than one deal.
    """
    if deals < 1:
        raise LeagueError(f"deals = {deals}: at least one deal is needed")
    blocks = max(1, ceil(deals * entrants / seats)) if entrants >= seats else deals
    ups = line_ups(entrants, seats, max(1, blocks // FEWEST_DEALS))
    share, rest = divmod(blocks, len(ups))
    matches: list[MatchPlan] = []
    first = 0
    for at, line_up in enumerate(ups):
        left = max(1, share + (at < rest))
        while left:
            size = min(left, RUN_DEALS)
            for turn in range(seats):
                matches.append(MatchPlan(len(matches), line_up, turn, first, size))
            first += size
            left -= size
    return tuple(matches)
