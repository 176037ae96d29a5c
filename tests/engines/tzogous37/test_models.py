"""Tzogous 37: pots and raises against slow models, and the figures of the rules page, exactly."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engines import core
from engines.tzogous37 import GAME
from engines.tzogous37.state import pair_score
from tests.engines.built import built

SLOW = settings(max_examples=60)

# --- slow models --------------------------------------------------------------------------------------------


def pots_chip_by_chip(
    paid: list[int], alive: list[int], scores: dict[int, int], first: int, deck: list[int], draws: int
) -> list[int]:
    """What every seat wins: each layer of chips belongs to the pot of those alive seats that have paid it."""
    pots: dict[tuple[int, ...], int] = {}
    for chip in range(1, max(paid) + 1):
        owners = tuple(p for p in alive if paid[p] >= chip) or tuple(
            p for p in alive if paid[p] == max(paid[q] for q in alive)
        )
        pots[owners] = pots.get(owners, 0) + sum(1 for amount in paid if amount >= chip)
    won = [0] * len(paid)
    order = [(first + i) % len(paid) for i in range(len(paid))]
    for owners in sorted(pots, key=len, reverse=True):
        best = [p for p in order if p in owners and scores[p] == max(scores[q] for q in owners)]
        for _ in range(draws):
            if len(best) == 1:
                break
            cards = {p: deck.pop(0) for p in best}
            worth = {p: 0 if c == 52 else c % 13 + 2 for p, c in cards.items()}
            best = [p for p in best if worth[p] == max(worth.values())]
        for chip in range(pots[owners]):
            won[best[chip % len(best)]] += 1
    return won


@SLOW
@given(data=st.data())
def test_pots_agree_with_a_model_that_goes_chip_by_chip(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 6))
    sudden = data.draw(st.booleans())
    paid = [data.draw(st.integers(1, 40)) for _ in range(players)]
    alive = data.draw(
        st.lists(st.integers(0, players - 1), min_size=2, max_size=players, unique=True).map(sorted)
    )
    cards = list(range(53))
    random.Random(data.draw(st.integers(0, 2**32))).shuffle(cards)
    if data.draw(st.booleans()):  # few ranks: many ties
        cards.sort(key=lambda c: c % 13 > 3)
    states = GAME.new(1, players=players, stacks="game", sudden_death=sudden, hands=1).copy()
    row = core.plain(states)[0]
    scores = {}
    for p in range(players):
        row.table[2 * p], row.table[2 * p + 1] = cards[2 * p], cards[2 * p + 1]
        row.knows[2 * p] = row.knows[2 * p + 1] = 127
        scores[p] = int(pair_score(cards[2 * p], cards[2 * p + 1]))
        row.paid[p], row.bet[p], row.chips[p], row.hand[p], row.held[p] = paid[p], 0, 100 - paid[p], 0, 0
    row.pot, row.high = sum(paid), 0
    row.rich = sum(1 << p for p in range(players) if paid[p] < 100)
    deck = cards[2 * players :]
    for i in range(112):
        row.deck_cards[i] = deck[len(deck) - 1 - i] if i < len(deck) else -1
    row.left, row.round_no, row.phase, row.last_raise = len(deck), 2, 5, 5
    row.alive, row.seat, row.first = sum(1 << p for p in alive), alive[0], 1 % players
    row.due = 1 << alive[0]
    position = built(GAME, states)
    position.play("check")
    won = pots_chip_by_chip(paid, alive, scores, 1 % players, deck, 1 if sudden else 20)
    assert position.view(-1).totals == tuple(w - p for w, p in zip(won, paid))


def raises_by_the_rule(view: Any, seat: int) -> list[int]:
    """Rule 4.3, from what the view shows, trying every amount."""
    o, chips, bets = view.options, view.chips, view.bets
    call = max(bets) - bets[seat]
    limit = sum(view.put) + (call if o["pot_counts_call"] else 0)
    others = [p for p in view.alive if p != seat]

    def allowed(n: int) -> bool:
        payable = call + n <= chips[seat] and any(chips[p] + bets[p] >= max(bets) + n for p in others)
        return n <= limit and payable and not 0 < call < view.last_raise

    possible = [n for n in range(o["step"], 601 * o["step"], o["step"]) if allowed(n)]
    full = [n for n in possible if n >= view.last_raise]
    return full or possible[-1:]


@SLOW
@given(
    seed=st.integers(0, 2**40),
    players=st.integers(2, 6),
    stacks=st.sampled_from(("round", "hand", "game")),
    counts=st.booleans(),
)
def test_betting_actions_agree_with_the_rule_tried_amount_by_amount(
    seed: int, players: int, stacks: str, counts: bool
) -> None:
    rng = random.Random(seed)
    chip = rng.choice((1, 5))
    options = {
        "stacks": stacks,
        "pot_counts_call": counts,
        "step": chip,
        "stack": 20 * 5,
        "ante": 5,
        "hands": 2,
    }
    position = GAME.position(seed=seed, players=players, **options)
    for _ in range(150):
        if position.over:
            break
        legal = position.legal()
        if legal[0] == "fold":
            view, seat = position.view(), position.seat
            raises = raises_by_the_rule(view, seat)
            expected = ["fold", "check" if view.to_call == 0 else "call"]
            expected += [f"raise {n}" for n in raises if n <= 100 * chip] + (
                ["raise max"] if raises and raises[-1] > 100 * chip else []
            )
            assert [text for text in legal if not text.startswith("joker")] == expected
        kinds = sorted({text.split()[0] for text in legal} - {"fold"}) if rng.random() < 0.9 else ["fold"]
        position.play(rng.choice([text for text in legal if text.split()[0] == rng.choice(kinds)] or legal))


# --- 8: reference figures, exactly --------------------------------------------------------------------------


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


def test_with_straights_above_pairs_the_shares_are_those_of_the_table() -> None:
    """Without neighbouring ranks seven cards hold a flush (four suits), no straight flush:
    the third figure.
    """
    circle = [[bonus(a, 13 + b) == 5 for b in range(13)] for a in range(13)]
    no_straight = 0
    for m in range(2, 8):
        for ranks in combinations(range(13), m):
            if not any(circle[a][b] for a, b in combinations(ranks, 2)):
                no_straight += sum((-1) ** i * comb(m, i) * comb(4 * (m - i), 7) for i in range(m + 1))
    share = round(100 * no_straight / comb(52, 7), 2)
    assert share == 3.50 and round(100 - 60.80 - share, 2) == 35.70


def test_a_37_is_in_one_hand_of_sixteen() -> None:
    hands = sum((-1) ** (i + 1) * comb(4, i) * comb(52 - 2 * i, 7 - 2 * i) for i in (1, 2, 3))
    assert round(100 * hands / comb(52, 7), 2) == 6.26
    assert [(a, b) for a, b in combinations(range(53), 2) if pair_score(a, b) == 37] == [
        (13 * k + 11, 13 * k + 12) for k in range(4)
    ]
