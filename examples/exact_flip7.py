"""Flip 7, one seat with the whole deck to itself: its best play, and the chances of its points a round.

A round of one seat with all 94 cards, solved backwards over everything that its row and its pile can be:
numbers in the row, modifiers, Second Chances seen and spent, the duplicates that they threw out, Flip Threes,
draws that a Flip Three still forces. There are two sets of rules: the project's own (`targeting=self`), and
those of the published game (`targeting=any, flip_three=after`) if nobody else is in the round.

    python examples/exact_flip7.py                           # the project's rules, to 0.0001 of a point: 1 GB
    python examples/exact_flip7.py --published --followed 3  # the published game, exact: 6 min, 16 GB

The published game was solved before: 20.2980 points a round and 10.68 rounds to 200
(https://github.com/Eppie/flip-seven, commit 95d9550). The second line gives 20.29802 and 10.678.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NUMBERS, SEVEN, BONUS, DECK = 13, 7, 15, 94
COPIES = np.array([max(1, number) for number in range(NUMBERS)])
THREE = 3  # copies of every action card, and draws of a Flip Three
MODIFIERS = 1 << 6  # bits 0 to 4: +2 to +10, bit 5: X2
PLUS = np.array([sum(2 * k + 2 for k in range(5) if extras >> k & 1) for extras in range(MODIFIERS)])
TIMES = np.array([1 + (extras >> 5) for extras in range(MODIFIERS)])
BITS = np.array([extras.bit_count() for extras in range(MODIFIERS)])
MOST = 171
MASKS = np.array(
    sorted((m for m in range(1 << NUMBERS) if m.bit_count() < SEVEN), key=lambda m: -m.bit_count())
)
PLACE = np.full(1 << NUMBERS, -1)
PLACE[MASKS] = np.arange(len(MASKS))
SIZES = np.array([m.bit_count() for m in range(1 << NUMBERS)])
SUMS = np.array([sum(n for n in range(NUMBERS) if m >> n & 1) for m in range(1 << NUMBERS)])
CHOOSE = np.array([[comb(n, k) for k in range(4)] for n in range(12)])
BEST, FROM, CARDS = range(3)
"""What a seat does: the best for `worth`; stays from so many points on, but never with a Second Chance (as
`banker`); stays with so many cards (as `collector`)."""


@dataclass(frozen=True)
class Solitaire:
    """The rules of a round: `published` or the project's; of how many saves the duplicates are followed."""

    published: bool = False
    followed: int = THREE

    def tables(self) -> tuple[Any, ...]:
        """Return the states of the Second Chances, the modes, and where the values of each are."""
        chances = [
            (seen, spent, held)
            for seen in range(THREE, -1, -1)
            for spent in range(seen, -1, -1)
            for held in range(seen - spent, -1, -1)
            if (
                held <= 1 and (seen == spent + held or held or spent)
                if self.published
                else held == seen - spent
            )
        ]
        most = (0, 3, 5, 7)
        modes = [
            (f3, fz, n)
            for f3 in range(THREE, -1, -1)
            for n in range(most[f3] + 1)
            for fz in range(THREE if self.published and n else 0, -1, -1)
        ]
        at_chance, at_mode = np.full((5, 5, 5), -1), np.full((5, 5, 12), -1)
        for i, chance in enumerate(chances):
            at_chance[chance] = i
        for i, mode in enumerate(modes):
            at_mode[mode] = i
        base, total = np.zeros((len(chances), len(MASKS)), np.int64), 0
        for i, (_, spent, _) in enumerate(chances):
            e = min(spent, self.followed)
            for k, mask in enumerate(MASKS):
                base[i, k] = total
                total += ways(int(SIZES[mask]), e)
        size = total * len(modes) * MODIFIERS
        return np.array(chances), np.array(modes), at_chance, at_mode, base, size


def ways(size: int, e: int) -> int:
    """How many multisets of `e` out of `size` there are."""
    return comb(size + e - 1, e) if e else 1


@cache
def multisets() -> tuple[NDArray[np.int64], ...]:
    """Return all multisets of 0 to 3 places out of six, in the order of their rank."""
    found = []
    for e in range(THREE + 1):
        rows = list(combinations_with_replacement(range(SEVEN - 1), e))
        rows.sort(key=lambda pick: pick[::-1])
        found.append(np.array(rows, np.int64).reshape(len(rows), e))
    return tuple(found)


@njit(cache=True)
def rank(a: int, b: int, c: int, e: int) -> int:
    """Return the place of a multiset in the order, a <= b <= c; of the first `e` of them."""
    if e == 0:
        return 0
    if e == 1:
        return a
    if e == 2:
        return a + CHOOSE[b + 1, 2]
    return a + CHOOSE[b + 1, 2] + CHOOSE[c + 2, 3]


@njit(cache=True)
def ranked(x: int, y: int, z: int, e: int) -> int:
    """Return the place of a multiset whose first `e` members stand in any order."""
    if e == 2 and x > y:
        x, y = y, x
    if e == 3:
        if x > y:
            x, y = y, x
        if y > z:
            y, z = z, y
        if x > y:
            x, y = y, x
    return rank(x, y, z, e)


@njit(cache=True)
def around(
    mask: int, s: int, picks: Any, chances: Any, at_chance: Any, base: Any, followed: int, count: Any, to: Any
) -> tuple[int, int, int]:
    """Write how many cards of every number are left and the block of the row with it; -1: bust, -2: seven.

    Return the block itself, the block after a Second Chance, and how many of those are left.
    """
    seen, spent, held = chances[s]
    e = min(spent, followed)
    values = np.zeros(3, np.int64)
    places = np.zeros(3, np.int64)
    for i in range(e):
        places[i] = picks[i]
    n = 0
    for v in range(NUMBERS):
        count[v] = COPIES[v]
        if mask >> v & 1:
            count[v] -= 1
            for i in range(e):
                if picks[i] == n:
                    values[i] = v
                    count[v] -= 1
            n += 1
    k = PLACE[mask]
    for v in range(NUMBERS):
        if mask >> v & 1:
            to[v] = -1
            if held > 0 and count[v] > 0:
                after = at_chance[seen, spent + 1, held - 1]
                if e < followed:
                    new = SIZES[mask & ((1 << v) - 1)]
                    if e == 0:
                        r = rank(new, 0, 0, 1)
                    elif e == 1:
                        r = ranked(places[0], new, 0, 2)
                    else:
                        r = ranked(places[0], places[1], new, 3)
                else:
                    r = rank(places[0], places[1], places[2], e)
                to[v] = base[after, k] + r
        elif n == SEVEN - 1:
            to[v] = -2
        else:
            p0 = places[0] + (values[0] > v)
            p1 = places[1] + (values[1] > v)
            p2 = places[2] + (values[2] > v)
            to[v] = base[s, PLACE[mask | 1 << v]] + rank(p0, p1, p2, e)
    here = rank(places[0], places[1], places[2], e)
    chance = -1
    if seen < THREE:
        again = at_chance[seen + 1, spent, held + 1]
        if again < 0:
            again = at_chance[seen + 1, spent, held]
        chance = base[again, k] + here
    return base[s, k] + here, chance, THREE - seen


@njit(cache=True)
def solve(  # noqa: PLR0915
    worth: Any,
    rule: int,
    bar: int,
    published: bool,
    followed: int,
    chances: Any,
    modes: Any,
    at_chance: Any,
    at_mode: Any,
    base: Any,
    picks: Any,
    value: Any,
) -> None:
    """Write what every state is worth on average into `value` [block, mode, modifiers]; `worth`: points."""
    count, to = np.zeros(NUMBERS, np.int64), np.zeros(NUMBERS, np.int64)
    total = np.zeros(MODIFIERS, np.float32)
    stay = np.zeros(MODIFIERS, np.float32)
    for m in range(len(MASKS)):
        mask = MASKS[m]
        size = SIZES[mask]
        for x in range(MODIFIERS):
            stay[x] = worth[SUMS[mask] * TIMES[x] + PLUS[x]]
        for s in range(len(chances)):
            _, spent, held = chances[s]
            e = min(spent, followed)
            for row in picks[e]:
                if e and row[e - 1] >= size:
                    break
                me, chance, more = around(mask, s, row, chances, at_chance, base, followed, count, to)
                numbers = 0
                for v in range(NUMBERS):
                    numbers += max(0, count[v])
                for mode in range(len(modes)):
                    f3, fz, n = modes[mode]
                    after = at_mode[f3, fz, max(0, n - 1)]
                    ends = n == 1 and fz > 0  # a Freeze that waited is played
                    lost = 0
                    total[:] = 0
                    for v in range(NUMBERS):
                        c = np.float32(count[v])
                        if c <= 0:
                            continue
                        if to[v] == -1:
                            lost += count[v]
                        elif to[v] == -2:
                            for x in range(MODIFIERS):
                                total[x] += c * worth[(SUMS[mask] + v) * TIMES[x] + PLUS[x] + BONUS]
                        elif ends:
                            new = mask | 1 << v
                            for x in range(MODIFIERS):
                                total[x] += c * worth[SUMS[new] * TIMES[x] + PLUS[x]]
                        else:
                            other = value[to[v], after]
                            for x in range(MODIFIERS):
                                total[x] += c * other[x]
                    bust = np.float32(lost * worth[0])
                    for x in range(MODIFIERS):
                        total[x] += bust
                    if more:
                        if ends:
                            total += np.float32(more) * stay
                        else:
                            total += np.float32(more) * value[chance, after]
                    if fz < THREE:
                        if n == 0 or not published or n == 1:
                            total += np.float32(THREE - fz) * stay
                        else:
                            total += np.float32(THREE - fz) * value[me, at_mode[f3, fz + 1, n - 1]]
                    if f3 < THREE:
                        total += (
                            np.float32(THREE - f3) * value[me, at_mode[f3 + 1, fz, max(0, n - 1) + THREE]]
                        )
                    left = numbers + more + THREE - fz + THREE - f3
                    for x in range(MODIFIERS - 1, -1, -1):
                        sum_ = total[x]
                        for bit in range(6):
                            if not x >> bit & 1:
                                y = x | 1 << bit
                                sum_ += (
                                    worth[SUMS[mask] * TIMES[y] + PLUS[y]] if ends else value[me, after, y]
                                )
                        hit = sum_ / np.float32(left + 6 - BITS[x])
                        if n == 0:
                            now = SUMS[mask] * TIMES[x] + PLUS[x]
                            cards = size + BITS[x] + held
                            if rule == BEST:
                                goes = hit > stay[x]
                            elif rule == FROM:
                                goes = now < bar or held > 0
                            else:
                                goes = cards < bar
                            if not goes and cards > 0:
                                hit = stay[x]
                        value[me, mode, x] = hit


@njit(cache=True)
def chances_of(  # noqa: PLR0915
    worth: Any,
    rule: int,
    bar: int,
    published: bool,
    followed: int,
    chances: Any,
    modes: Any,
    at_chance: Any,
    at_mode: Any,
    base: Any,
    picks: Any,
    value: Any,
    mass: Any,
    out: Any,
) -> None:
    """Add to `out` the chance of every number of points of a round that is played as `value` was made.

    `mass` [block, mode, modifiers] is the chance to come to a state; all 0, but 1 at the start.
    """
    count, to = np.zeros(NUMBERS, np.int64), np.zeros(NUMBERS, np.int64)
    for m in range(len(MASKS) - 1, -1, -1):
        mask = MASKS[m]
        size = SIZES[mask]
        for s in range(len(chances) - 1, -1, -1):
            _, spent, held = chances[s]
            e = min(spent, followed)
            for row in picks[e]:
                if e and row[e - 1] >= size:
                    break
                me, chance, more = around(mask, s, row, chances, at_chance, base, followed, count, to)
                numbers = 0
                for v in range(NUMBERS):
                    numbers += max(0, count[v])
                for mode in range(len(modes) - 1, -1, -1):
                    f3, fz, n = modes[mode]
                    after = at_mode[f3, fz, max(0, n - 1)]
                    ends = n == 1 and fz > 0
                    for x in range(MODIFIERS):
                        here = np.float64(mass[me, mode, x])
                        if here == 0.0:
                            continue
                        now = SUMS[mask] * TIMES[x] + PLUS[x]
                        cards = size + BITS[x] + held
                        if n == 0 and cards > 0:
                            if rule == BEST:
                                goes = value[me, mode, x] > np.float32(worth[now])
                            elif rule == FROM:
                                goes = now < bar or held > 0
                            else:
                                goes = cards < bar
                            if not goes:
                                out[now] += here
                                continue
                        here /= numbers + more + THREE - fz + THREE - f3 + 6 - BITS[x]
                        for v in range(NUMBERS):
                            if count[v] <= 0:
                                continue
                            if to[v] == -1:
                                out[0] += here * count[v]
                            elif to[v] == -2 or ends:
                                points = (SUMS[mask] + (0 if mask >> v & 1 else v)) * TIMES[x] + PLUS[x]
                                out[points + (BONUS if to[v] == -2 else 0)] += here * count[v]
                            else:
                                mass[to[v], after, x] += here * count[v]
                        for bit in range(6):
                            y = x | 1 << bit
                            if y != x:
                                if ends:
                                    out[SUMS[mask] * TIMES[y] + PLUS[y]] += here
                                else:
                                    mass[me, after, y] += here
                        if more and ends:
                            out[now] += here * more
                        elif more:
                            mass[chance, after, x] += here * more
                        if fz < THREE and (n <= 1 or not published):
                            out[now] += here * (THREE - fz)
                        elif fz < THREE:
                            mass[me, at_mode[f3, fz + 1, n - 1], x] += here * (THREE - fz)
                        if f3 < THREE:
                            mass[me, at_mode[f3 + 1, fz, max(0, n - 1) + THREE], x] += here * (THREE - f3)


def rounds_to(goal: int, chances: Floats) -> float:
    """Return how many rounds it takes on average to make `goal` points, if every round has these chances."""
    needs = np.zeros(goal + 1)
    for short in range(1, goal + 1):
        made = np.arange(1, min(short, MOST + 1))
        needs[short] = (1 + chances[made] @ needs[short - made]) / (1 - chances[0])
    return float(needs[goal])


class Round:
    """A round of one seat, with the memory that solving it takes.

    Args:
        published: the published game's rules; else the project's.
        followed: of how many saves the duplicates are followed, 0 to 3; those of later ones go back into the
            pile. 3 is exact, 1 exact to 0.0001 of a point.
    """

    def __init__(self, published: bool = False, followed: int = THREE) -> None:
        rules = Solitaire(published, followed)
        *tables, size = rules.tables()
        self.tables = (published, followed, *tables, multisets())
        self.value = np.empty((size // len(tables[1]) // MODIFIERS, len(tables[1]), MODIFIERS), np.float32)
        self.root = int(tables[4][tables[2][0, 0, 0], PLACE[0]]), int(tables[3][0, 0, 0]), 0

    def solve(self, worth: Floats, rule: int = BEST, bar: int = 0) -> float:
        """Return what a round is worth on average if its points are worth this."""
        solve(worth.astype(np.float32), rule, bar, *self.tables, self.value)
        return float(self.value[self.root])

    def chances(self, worth: Floats, rule: int = BEST, bar: int = 0) -> Floats:
        """Return the chance of every number of points, after `solve` with the same arguments."""
        mass, out = np.zeros_like(self.value), np.zeros(MOST + 1)
        mass[self.root] = 1.0
        chances_of(worth.astype(np.float32), rule, bar, *self.tables, self.value, mass, out)
        return out


RULES = {
    "the optimum": (BEST, 0),
    "stays from 25, as banker": (FROM, 25),
    "stays with four cards, as collector": (CARDS, 4),
    "never stays": (CARDS, DECK),
}


def main() -> None:
    """Print what every rule makes of a round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--published", action="store_true", help="the published game's rules")
    parser.add_argument(
        "--followed", type=int, default=1, choices=range(THREE + 1), help="saves that are followed"
    )
    arguments = parser.parse_args()
    one, worth = Round(arguments.published, arguments.followed), np.arange(MOST + 1.0)
    print("| rule | points a round | bust | rounds to 200 |\n| --- | ---: | ---: | ---: |")
    for name, rule in RULES.items():
        mean, chances = one.solve(worth, *rule), one.chances(worth, *rule)
        print(f"| {name} | {mean:.5f} | {chances[0]:.4f} | {rounds_to(200, chances):.3f} |", flush=True)


if __name__ == "__main__":
    main()
