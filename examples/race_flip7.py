"""Flip 7, the race of two seats to 200 points, solved: chances to win, and bounds for two free players.

The model: in every round both seats turn up rows of their own, each from all 94 cards, and neither sees the
other's row. (In the game both draw from one pile in turns, see all, and seven numbers end the round for both.
`arena duel` and `arena exploit` measure what that changes.) A round is then a choice among chances of points.
The program collects such choices from the exact solution of single rounds (`exact_flip7.py`), for rounds that
the race comes to, and solves the race over all totals with them. It prints how much better the last rounds
were than what it had before: what a free seat wins is a lower bound, and close.

    python examples/race_flip7.py --rounds 24 --out engines/flip7/race.npy   # 5 min on an idle core

The file has the chances to win against the rival that makes most points a round; the bot `pacer` reads it.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from exact_flip7 import BEST, CARDS, FROM, MOST, Round
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
GOAL = 200
POINTS = np.arange(MOST + 1.0)
SIZE = GOAL + MOST
TRIFLE = 1e-6  # of a win
STEPS = 65535  # of a chance in the file
SHARE = 4  # rounds that are solved before the race is solved again
RIVALS = {"points": (BEST, 0), "stays from 25, as banker": (FROM, 25), "four cards, as collector": (CARDS, 4)}


def ends() -> Floats:
    """Return the table of the race [total, the other's total] with only the ends filled in."""
    mine, other = np.arange(SIZE)[:, None], np.arange(SIZE)[None, :]
    return np.where(mine == other, 0.5, (mine > other).astype(float))


@njit(cache=True)
def after(wins: Any, other: Any, a: int, b: int, out: Any) -> None:
    """Write into `out` what points of one's own row are worth if the other's have these chances."""
    for x in range(MOST + 1):
        total = 0.0
        for y in range(MOST + 1):
            total += other[y] * wins[a + x, b + y]
        out[x] = total


@njit(cache=True)
def race(ways: Any, other: Any, which: Any, wins: Any, choice: Any) -> None:
    """Fill in the race backwards: the best of `ways` [k, points] at every pair of totals.

    The other seat plays `other[which[b, a]]`.
    """
    worth = np.zeros(MOST + 1)
    for together in range(2 * GOAL - 2, -1, -1):
        for a in range(max(0, together - GOAL + 1), min(GOAL, together + 1)):
            b = together - a
            theirs = other[which[b, a]]
            wins[a, b] = 0.0
            after(wins, theirs, a, b, worth)
            best, at = -1.0, 0
            for k in range(len(ways)):  # both bust: the same totals again
                total = 0.0
                for x in range(MOST + 1):
                    total += ways[k, x] * worth[x]
                total /= 1.0 - ways[k, 0] * theirs[0]
                if total > best:
                    best, at = total, k
            wins[a, b] = best
            choice[a, b] = at


@njit(cache=True)
def told(ways: Any, other: Any, which: Any, wins: Any) -> None:
    """Fill in the race of a seat that is told the other's points of a round before its own."""
    for together in range(2 * GOAL - 2, -1, -1):
        for a in range(max(0, together - GOAL + 1), min(GOAL, together + 1)):
            b = together - a
            theirs = other[which[b, a]]
            wins[a, b] = 0.0
            rest = 0.0
            for y in range(1, MOST + 1):
                if theirs[y] > 0.0:
                    rest += theirs[y] * np.max(ways @ np.ascontiguousarray(wins[a : a + MOST + 1, b + y]))
            column = ways @ np.ascontiguousarray(wins[a : a + MOST + 1, b])
            now = rest
            for _ in range(100):
                new = rest + theirs[0] * np.max(column + ways[:, 0] * now)
                if abs(new - now) < 1e-13:
                    break
                now = new
            wins[a, b] = now


def met(ways: Floats, other: Floats, which: Any, choice: Any, rng: np.random.Generator) -> tuple[int, int]:
    """Return totals that the race comes to, at random."""
    pairs, a, b = [], 0, 0
    while a < GOAL and b < GOAL:
        pairs.append((a, b))
        a += int(rng.choice(MOST + 1, p=ways[choice[pairs[-1]]]))
        b += int(rng.choice(MOST + 1, p=other[which[pairs[-1][::-1]]]))
    return pairs[int(rng.integers(len(pairs)))]


class Race:
    """The choices of a round that were found so far, and the race with them."""

    def __init__(self, followed: int) -> None:
        self.round = Round(followed=followed)
        self.rivals = {name: self.play(POINTS, *rule)[1] for name, rule in RIVALS.items()}
        self.ways = self.rivals["points"][None, :]

    def play(self, worth: Floats, rule: int = BEST, bar: int = 0) -> tuple[float, Floats]:
        """Solve a round: what it is worth, and its chances of points."""
        value = self.round.solve(worth, rule, bar)
        chances = self.round.chances(worth, rule, bar)
        return value, chances / chances.sum()

    def against(self, other: Floats, which: Any = None) -> tuple[Floats, Any]:
        """Return the chances to win against a fixed player at all totals, and the choice at each."""
        wins, choice = ends(), np.zeros((GOAL, GOAL), np.int64)
        which = np.zeros((GOAL, GOAL), np.int64) if which is None else which
        race(self.ways, np.atleast_2d(other), which, wins, choice)
        return wins, choice

    def improve(self, other: Floats, rounds: int, seed: int, which: Any = None) -> list[float]:
        """Solve rounds that the race comes to; keep those that are better. Return how much they were."""
        rng, gaps, worth = np.random.default_rng(seed), [], np.zeros(MOST + 1)
        other = np.atleast_2d(other)
        which = np.zeros((GOAL, GOAL), np.int64) if which is None else which
        for n in range(rounds):
            if n % SHARE == 0:
                wins, choice = self.against(other, which)
            a, b = met(self.ways, other, which, choice, rng)
            after(wins, other[which[b, a]], a, b, worth)
            _, chances = self.play(worth)
            gaps.append(float(chances @ worth - (self.ways @ worth).max()))
            if gaps[-1] > TRIFLE:
                self.ways = np.vstack([self.ways, chances])
            print(f"{a:3} {b:3}: {len(self.ways)} ways, gap {gaps[-1]:.7f}, win {wins[0, 0]:.6f}", flush=True)
        return gaps


def main() -> None:
    """Print what a free seat wins against rivals, and the bounds; write the table for the bot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rounds", type=int, default=24, help="single rounds that are solved for every rival"
    )
    parser.add_argument("--followed", type=int, default=0, choices=range(4), help="as in exact_flip7.py")
    parser.add_argument("--out", help="file for the table")
    arguments = parser.parse_args()
    solved = Race(arguments.followed)
    gaps = {name: solved.improve(other, arguments.rounds, 7) for name, other in solved.rivals.items()}
    points = solved.rivals["points"]
    print("| rival | a free seat wins | last gaps, at most |\n| --- | ---: | ---: |")
    for name, other in solved.rivals.items():
        wins, _ = solved.against(other)
        print(f"| {name} | {wins[0, 0]:.5f} | {max(gaps[name][-SHARE:]):.5f} |")
    wins, choice = solved.against(points)
    if arguments.out:
        np.save(arguments.out, np.round(wins[:GOAL, :GOAL] * STEPS).astype(np.uint16))
    more = ends()
    told(solved.ways, solved.ways, choice, more)
    low, high = 1 - more[0, 0], more[0, 0]
    print(f"two free seats: {low:.5f} (this one blind, the other told this one's points before its own row)")
    print(f"             to {high:.5f} (the other way round)")


if __name__ == "__main__":
    main()
