"""Tzogous 37: the figures of the rules page, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

from engines.tzogous37.state import pair_score


def bonus(a: int, b: int) -> int:
    worth = [0 if c == 52 else c % 13 + 2 for c in (a, b)]
    return int(pair_score(a, b)) - sum(worth)


def test_two_cards_have_the_bonuses_of_the_table() -> None:
    counts: dict[int, int] = {}
    for a, b in combinations(range(52), 2):
        counts[bonus(a, b)] = counts.get(bonus(a, b), 0) + 1
    assert counts == {7: 78, 3: 260, 5: 156, 10: 52, 0: 780}
    assert comb(54, 2) - comb(52, 2) == 105


def best_bonus_shares(jokers: int) -> dict[str, float]:
    """Exact share of seven-card hands by their highest bonus, in per cent, from 52 cards and some jokers.

    Which ranks are neighbours is asked of the engine; the rest is counting: suits are independent as long as
    ranks do not matter, and with all ranks different a run of neighbouring ranks without a straight flush has
    4 * 3**(n-1) colourings.
    """
    near = [[bonus(a, 13 + b) == 5 for b in range(13)] for a in range(13)]
    free = [0] * 14  # sets of ranks without neighbours, by size
    distinct = [0] * 14  # hands of so many different ranks without a straight flush
    for ranks in range(1 << 13):
        chosen = [r for r in range(13) if ranks >> r & 1]
        links = sum(near[a][b] for a, b in combinations(chosen, 2))
        free[len(chosen)] += links == 0
        distinct[len(chosen)] += 4 ** (len(chosen) - links) * 3**links if len(chosen) < 13 else 0
    suits = [1]
    for _ in range(4):
        suits = [
            sum(suits[i] * free[n - i] for i in range(min(n, len(suits) - 1) + 1) if n - i < 14)
            for n in range(8)
        ]
    total = comb(52 + jokers, 7)
    hands = [(comb(jokers, j), 7 - j) for j in range(jokers + 1)]
    no_flush = sum(ways * suits[n] for ways, n in hands)
    no_pair = sum(ways * distinct[n] for ways, n in hands)
    nothing = sum(ways * free[n] * 4**n for ways, n in hands)
    parts = {
        "straight flush": total - no_flush,
        "pair": no_flush - no_pair,
        "straight": no_pair - nothing,
        "less": nothing,
    }
    return {name: round(100 * float(Fraction(part, total)), 2) for name, part in parts.items()}


def test_seven_cards_have_the_best_bonuses_of_the_table() -> None:
    assert best_bonus_shares(0) == {"straight flush": 60.80, "pair": 31.26, "straight": 7.93, "less": 0.0}
    assert best_bonus_shares(2) == {"straight flush": 57.47, "pair": 32.06, "straight": 10.35, "less": 0.11}


def test_a_37_is_in_one_hand_of_sixteen() -> None:
    hands = sum((-1) ** (i + 1) * comb(4, i) * comb(52 - 2 * i, 7 - 2 * i) for i in (1, 2, 3))
    assert round(100 * hands / comb(52, 7), 2) == 6.26
    assert [(a, b) for a, b in combinations(range(53), 2) if pair_score(a, b) == 37] == [
        (13 * k + 11, 13 * k + 12) for k in range(4)
    ]
