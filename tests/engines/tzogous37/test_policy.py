"""Tzogous 37: helpers of bots, the search's quick player and the worlds that it believes, on cases made by hand;
the figures of the rules page, exactly.
"""

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import core
from engines.tzogous37 import GAME, policy
from engines.tzogous37.state import CARDS, Bet, pair_score
from engines.tzogous37.tools import (
    WORTH,
    partner_card,
    planned_action,
    showdowns,
    spare_card,
    split_pairs,
    split_values,
)

from .test_rules import P, game, play


def raised(cards: str) -> core.States:
    """Round 1 of two seats: all checked but seat 0, which now raises 10 in the second betting, with these
    cards before it.
    """
    position = GAME.position(seed=1)
    for action in ("check", "check", "check", "raise 10"):
        while position.legal()[0].startswith("place"):
            position.play(position.legal()[0])
        position.play(action)
    states = core.copy_states(position.states)
    for slot, card in enumerate(cards.split()):
        core.plain(states)[0].table[slot] = CARDS.index(card)
    return states


@core.entry
def chance_of_bets(states: Any) -> float:
    return policy.chance_of_bets(states[0])


@core.entry
def chance_against(states: Any, score: int, betting: int) -> float:
    return policy.chance_against(states[0], 1, 0, score, betting)


def test_the_more_is_to_call_the_more_weak_hands_are_left_out() -> None:
    """A bet of the pot: 10 to call where 20 lie; 1.8 * 10 / 30 leaves the weaker 60 % out."""
    assert policy.believed(0.5, 10, 20) == 0
    assert policy.believed(0.8, 10, 20) == pytest.approx((0.8 - 0.6) / 0.4)
    assert policy.believed(0.8, 0, 20) == 0.8
    assert policy.believed(0.95, 90, 20) == pytest.approx((0.95 - 0.9) / 0.1)  # 90 % at the most


BETS = [  # kind, chance, to call, pot, chance of this bet
    (Bet.RAISE, 0.63, 0, 10, 1.0),
    (Bet.CHECK, 0.63, 0, 10, 0.0),
    (Bet.RAISE, 0.2, 0, 10, 0.3),  # a bluff
    (Bet.CHECK, 0.2, 0, 10, 0.7),
    (Bet.RAISE, 0.71, 10, 20, 1.0),
    (Bet.CALL, 0.71, 10, 20, 0.0),
    (Bet.CALL, 0.34, 10, 20, 1.0),  # 10 to win 20: the odds ask for a third
    (Bet.FOLD, 0.34, 10, 20, 0.0),
    (Bet.FOLD, 0.33, 10, 20, 1.0),
    (Bet.RAISE, 0.33, 10, 20, 0.0),
]


@pytest.mark.parametrize("kind, chance, call, pot, likely", BETS)
def test_a_bet_is_as_likely_as_the_quick_player_makes_it(
    kind: Bet, chance: float, call: int, pot: int, likely: float
) -> None:
    assert policy.chance_of_bet(kind, chance, call, pot) == pytest.approx(likely)


def test_worlds_in_which_a_raise_was_a_bluff_are_less_likely() -> None:
    """One bet of ten is as it comes. With 37 points the quick player always raises, so the check of before is
    unlikely; with 6 it checks 7 times of 10 and bluffs 3.
    """
    assert chance_of_bets(core.rows(raised("As Ks"))) == pytest.approx(0.1 * 1.0)
    assert chance_of_bets(core.rows(raised("2h 4d"))) == pytest.approx((0.1 + 0.9 * 0.7) * (0.1 + 0.9 * 0.3))


def test_who_knows_both_cards_of_the_other_knows_who_wins() -> None:
    states = raised("9h 8d")  # 17 and 5 for the straight
    shown = [chance_against(core.rows(states), score, 1) for score in (20, 22, 24)]
    assert 0 < shown[0] < shown[1] < shown[2] < 1
    core.plain(states)[0].knows[0] = 127  # the card that lay face-down
    assert [chance_against(core.rows(states), score, 1) for score in (21, 22, 23)] == [0, 0.5, 1]


def test_a_high_card_that_is_seen_lowers_the_chance() -> None:
    low, high = raised("9h 2d"), raised("9h Ad")
    assert chance_against(core.rows(low), 25, 1) > chance_against(core.rows(high), 25, 1)
    assert chance_against(core.rows(low), 25, 0) == chance_against(core.rows(high), 25, 0)  # not yet seen


HANDS = st.lists(st.integers(0, 52), min_size=2, max_size=7)
LAW = settings(max_examples=40)


def best_split(cards: list[int]) -> int:
    """Every way to split, tried one by one: pairs, and one card for round 4 if the number is odd."""
    if not cards:
        return 0
    first, rest = cards[0], cards[1:]
    last = 0 if first == 52 else first % 13 + 2
    ways = [WORTH[last + 10] + best_split(rest)] if len(cards) % 2 else []
    for i, card in enumerate(rest):
        ways.append(WORTH[pair_score(first, card)] + best_split(rest[:i] + rest[i + 1 :]))
    return max(ways)


def numbers(cards: list[int]) -> Any:
    return np.array(cards, np.int16) if core.JIT else core.Cells(np.array(cards, np.int16))


@LAW
@given(cards=HANDS)
def test_a_split_is_worth_what_the_best_of_all_splits_is(cards: list[int]) -> None:
    best = np.zeros(128, np.int64)
    split_values(numbers(cards), len(cards), best)
    assert best[2 ** len(cards) - 1] == best_split(cards)


@LAW
@given(cards=HANDS)
def test_pairs_partner_and_spare_card_belong_to_a_best_split(cards: list[int]) -> None:
    n, out = len(cards), np.zeros(6, np.int16)
    pairs = split_pairs(numbers(cards), n, out)
    scores = [int(pair_score(cards[out[2 * k]], cards[out[2 * k + 1]])) for k in range(pairs)]
    single = [cards[i] for i in range(n) if i not in out[: 2 * pairs]]
    assert pairs == n // 2 and len(single) == n % 2 and scores == sorted(scores, reverse=True)
    last = [WORTH[(0 if c == 52 else c % 13 + 2) + 10] for c in single]
    assert sum(WORTH[score] for score in scores) + sum(last) == best_split(cards)

    def without(i: int) -> int:
        return best_split(cards[:i] + cards[i + 1 :])

    if n < 7:
        fixed = 5
        together = [WORTH[pair_score(fixed, card)] + without(i) for i, card in enumerate(cards)]
        assert together[partner_card(numbers(cards), n, fixed)] == max(together)
    assert without(spare_card(numbers(cards), n)) == max(without(i) for i in range(n))


def test_a_planned_placement_lays_the_higher_card_face_down_first() -> None:
    """Ah Kh are the best pair of the hand; round 1 shows the second card."""
    position = game("Ah Kh 2s 2d 7c 7d 9s Qs Qh 2h 3h 4h 5h 6h")
    assert position.texts[planned_action(core.rows(position.states), 0, 0)] == "place Ah"
    assert position.texts[planned_action(core.rows(position.states), 0, 1)] in {"place 7c", "place 7d"}
    for action in ("place Ah", "place Qs", "check", "check"):
        position.play(action)
    assert position.texts[planned_action(core.rows(position.states), 0, 0)] == "place Kh"


def test_a_sampled_showdown_counts_cards_that_are_known_as_they_lie() -> None:
    position = play(game(P), "place 9d, place Qs, raise 10, call, place Kc, place Qh")
    worlds = GAME.determinize(np.repeat(GAME.views(position.states), 20), seed=1)
    mine, theirs = np.zeros(20, np.int64), np.zeros(20, np.int64)
    showdowns(core.rows(worlds), 1, mine, theirs)
    assert (mine == 31).all()  # Qs Qh
    assert theirs.min() >= 15 and theirs.max() <= 37 and len(set(theirs.tolist())) > 1  # a king and something


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
        suits = [sum(suits[i] * free[n - i] for i in range(min(n, len(suits) - 1) + 1)) for n in range(8)]
    total = comb(52 + jokers, 7)
    hands = [(comb(jokers, j), 7 - j) for j in range(jokers + 1)]
    no_flush = sum(ways * suits[n] for ways, n in hands)
    no_pair = sum(ways * distinct[n] for ways, n in hands)
    nothing = sum(ways * free[n] * 4**n for ways, n in hands)
    parts = {"straight flush": total - no_flush, "pair": no_flush - no_pair}
    parts |= {"straight": no_pair - nothing, "less": nothing}
    return {name: round(100 * float(Fraction(part, total)), 2) for name, part in parts.items()}


def test_seven_cards_have_the_best_bonuses_of_the_table() -> None:
    assert best_bonus_shares(0) == {"straight flush": 60.80, "pair": 31.26, "straight": 7.93, "less": 0.0}
    assert best_bonus_shares(2) == {"straight flush": 57.47, "pair": 32.06, "straight": 10.35, "less": 0.11}


def test_the_seed_ranks_a_straight_over_a_flush_in_its_table_of_seven_cards() -> None:
    """60.55, 35.96 and 3.49 % in its 100 000 hands, with A-2: within two standard errors of the exact shares."""
    flush = best_bonus_shares(0)["straight flush"]
    apart = 0  # hands without neighbours: sets of k ranks of a ring of 13, each rank in one suit or more
    for k in range(1, 7):
        ways = sum((-1) ** (k - j) * comb(k, j) * comb(4 * j, 7) for j in range(k + 1))
        apart += 13 * comb(13 - k, k) // (13 - k) * ways
    rest = 100 * apart / comb(52, 7)
    for share, seed in zip((flush, 100 - flush - rest, rest), (60.55, 35.96, 3.49)):
        assert abs(share - seed) < 2 * (share * (100 - share) / 1e5) ** 0.5


def test_a_37_is_in_one_hand_of_sixteen() -> None:
    hands = sum((-1) ** (i + 1) * comb(4, i) * comb(52 - 2 * i, 7 - 2 * i) for i in (1, 2, 3))
    assert round(100 * hands / comb(52, 7), 2) == 6.26
    best = [(a, b) for a, b in combinations(range(53), 2) if pair_score(a, b) == 37]
    assert best == [(13 * k + 11, 13 * k + 12) for k in range(4)]
