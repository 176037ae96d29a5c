"""How many points a row of Flip 7 is worth to the best possible stopper, and to the house bots' rules.

One seat alone with the full pile, solved backwards over all rows. Freeze and Flip Three, and a Second Chance
beside another one, go to somebody else; the card that a Second Chance throws out is put back. So this is the
part of the game in which nobody interferes: what reading the odds can bring, not the race.

    python examples/exact_flip7.py
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NUMBERS, SEVEN, BONUS = 13, 7, 15
COPIES = [max(1, number) for number in range(NUMBERS)]
PLUS = (2, 4, 6, 8, 10)  # and beside them x2
EXTRAS = len(PLUS) + 1  # one card each
CHANCES = 3
STAGES = 2 * CHANCES + 1
"""Of the Second Chances: even, j / 2 of them used and none in the row; odd, one more in the row."""
SIZES = np.array([row.bit_count() for row in range(1 << NUMBERS)])
SUMS = np.array([sum(n for n in range(NUMBERS) if row >> n & 1) for row in range(1 << NUMBERS)])
OPTIMUM, ONE_CARD, BANKER, COLLECTOR = range(4)
NAMES = (
    "the optimum",
    "looks one card ahead, as oddsman",
    "stays from 25, as banker",
    "stays with five cards",
)


def of_size(size: int) -> NDArray[np.int64]:
    """All rows of so many numbers, as masks."""
    return np.flatnonzero(np.equal(SIZES, size))


def points(rows: NDArray[np.int64], extras: int) -> Floats:
    """Return what rows of numbers are worth with these other cards (bit 5: x2)."""
    plus = sum(more for k, more in enumerate(PLUS) if extras >> k & 1)
    return SUMS[rows] * (1.0 + (extras >> len(PLUS) & 1)) + plus + BONUS * (SIZES[rows] >= SEVEN)


def solve() -> Floats:
    """Mean points from every row on: [rule, stage, extras, numbers]. The empty row has to hit."""
    worth = np.zeros((len(NAMES), STAGES, 1 << EXTRAS, 1 << NUMBERS))
    full = of_size(SEVEN)
    for extras in range(1 << EXTRAS):
        worth[:, :, extras, full] = points(full, extras)
    for size in range(SEVEN - 1, -1, -1):
        rows = of_size(size)
        for extras in range((1 << EXTRAS) - 1, -1, -1):
            for stage in range(STAGES - 1, -1, -1):
                worth[:, stage, extras, rows] = choose(worth, stage, extras, rows)
    return worth


def choose(worth: Floats, stage: int, extras: int, rows: NDArray[np.int64]) -> Floats:
    """Mean points of these rows under every rule: [rule, rows]."""
    now, held = points(rows, extras), stage % 2
    cards = extras.bit_count() + held + SIZES[rows]
    after, step, left = hit(worth, stage, extras, rows)
    after, step = after / left, step / left
    hits = np.stack([after[OPTIMUM] > now, step > now, np.full(len(rows), held) | (now < 25), cards < 5])
    return np.where(hits | (cards == 0), after, now)


def hit(worth: Floats, stage: int, extras: int, rows: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
    """Return sums over the cards that can come: of worth by rule, of points at once; and how many cards."""
    now, held = points(rows, extras), stage % 2
    after, step, left = np.zeros((len(NAMES), len(rows))), np.zeros(len(rows)), np.zeros(len(rows))
    for number, copies in enumerate(COPIES):
        again = (rows >> number & 1) == 1
        count = copies - again
        new = rows | 1 << number
        saved = worth[:, min(stage + 1, STAGES - 1), extras, rows] * held
        after += count * np.where(again, saved, worth[:, stage, extras, new])
        step += count * np.where(again, now * held, points(new, extras))
        left += count
    for extra in range(EXTRAS):
        if not extras >> extra & 1:
            after += worth[:, stage, extras | 1 << extra, rows]
            step += points(rows, extras | 1 << extra)
            left += 1
    if not held and stage < STAGES - 1:
        chances = CHANCES - stage // 2
        after += chances * worth[:, stage + 1, extras, rows]
        step += chances * now
        left += chances
    return after, step, left


def main() -> None:
    """Print the table."""
    print("| rule | points a row |\n| --- | ---: |")
    for name, mean in zip(NAMES, solve()[:, 0, 0, 0].tolist()):
        print(f"| {name} | {mean:.3f} |")


if __name__ == "__main__":
    main()
