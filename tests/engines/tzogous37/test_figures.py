"""Tzogous 37: the figures of the rules page, exactly."""

from fractions import Fraction
from itertools import combinations
from math import comb

from engines.tzogous37.state import pair_score


def bonus(a: int, b: int) -> int:
    return int(pair_score(a, b)) - sum(0 if c == 52 else c % 13 + 2 for c in (a, b))


def test_two_cards_have_the_bonuses_of_the_table() -> None:
    counts: dict[int, int] = {}
    for a, b in combinations(range(52), 2):
        counts[bonus(a, b)] = counts.get(bonus(a, b), 0) + 1
    assert counts == {7: 78, 3: 260, 5: 156, 10: 52, 0: 780}
    assert comb(54, 2) - comb(52, 2) == 105
    without_low_ace = [(a, b) for a, b in combinations(range(52), 2) if {a % 13, b % 13} != {0, 12}]
    seed = {7: 78, 3: 264, 5: 144, 10: 48, 0: 792}  # its table of two cards: A-2 is no straight in it
    straights = [bonus(a, b) for a, b in without_low_ace if bonus(a, b) in (5, 10)]
    assert (straights.count(5), straights.count(10)) == (seed[5], seed[10])
    assert (260 + 52 - seed[10], 780 + 156 - seed[5]) == (seed[3], seed[0])


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


def test_the_seed_ranks_a_straight_over_a_flush_in_its_table_of_seven_cards() -> None:
    """60.55, 35.96 and 3.49 % in its 100 000 hands, with A-2: within two standard errors of the exact shares."""
    flush = best_bonus_shares(0)["straight flush"]
    apart = (
        0  # hands without neighbours: so many sets of k ranks of a ring of 13, each rank in one suit or more
    )
    for k in range(1, 7):
        ways = sum((-1) ** (k - j) * comb(k, j) * comb(4 * j, 7) for j in range(k + 1))
        apart += 13 * comb(13 - k, k) // (13 - k) * ways
    rest = 100 * apart / comb(52, 7)
    for share, seed in zip((flush, 100 - flush - rest, rest), (60.55, 35.96, 3.49)):
        assert abs(share - seed) < 2 * (share * (100 - share) / 1e5) ** 0.5


def test_a_37_is_in_one_hand_of_sixteen() -> None:
    hands = sum((-1) ** (i + 1) * comb(4, i) * comb(52 - 2 * i, 7 - 2 * i) for i in (1, 2, 3))
    assert round(100 * hands / comb(52, 7), 2) == 6.26
    assert [(a, b) for a, b in combinations(range(53), 2) if pair_score(a, b) == 37] == [
        (13 * k + 11, 13 * k + 12) for k in range(4)
    ]
