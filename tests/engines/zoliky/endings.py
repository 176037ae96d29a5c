"""Jolly Zoliky: positions in which the other hands are small, with all these hands listed.

Before the first reshuffle every order of the unseen cards over the slots that hold them (a hand's first cards,
its draws in time, the stock) is as likely, if every card that was played lay in a slot that its seat had filled
by then. So many orders as give a hand, so likely it is. Orders of equal cards are one order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import combinations, product
from math import comb, factorial, prod
from typing import Any

import numpy as np

from engines import core
from engines.learn import lanes
from engines.zoliky import GAME
from engines.zoliky.state import CARDS
from engines.zoliky.text import cutter_of, hand_of, history_of, leader_of, reshuffles_of
from tests.engines.zoliky.facts import LISTING

FEWEST, MOST = 20, 1200
"""Sets of hidden hands of an ending."""

Hands = tuple[tuple[str, ...], ...]
Out = tuple[str, int]
"""A card that was played out of a slot, and how many slots its seat had filled by then."""


def outs(s: Any, p: int) -> tuple[list[Out], int]:
    """What a seat has played that it had not just taken from the table; how many slots it has filled."""
    slots = (13 if p == leader_of(s) else 12) + (s.kept if s.cut_jokers == 1 and p == cutter_of(s) else 0)
    found: list[Out] = []
    owed: Counter[str] = Counter()
    top = ""
    for seat, text in history_of(s):
        words = text.split()
        if seat == p and words[0] == "draw":
            slots += words[1] == "stock"
            owed += Counter([{"discard": top, "jolly": CARDS[s.jolly]}.get(words[1], "")])
            del owed[""]
        elif seat == p:
            placed = words[1:2] if words[0] in ("lay", "swap", "discard") else words[1:]
            for card in placed:
                if owed[card]:
                    owed[card] -= 1
                else:
                    found.append((card, slots))
            owed["JK"] += words[0] == "swap"
        top = words[1] if words[0] == "discard" else top
    return found, slots


def orders(held: tuple[str, ...], played: list[Out], slots: int) -> float:
    """In how many orders a seat's cards can have filled its slots."""
    deadlines: dict[str, list[int]] = {card: [] for card in held}
    for card, by in played:
        deadlines.setdefault(card, []).append(by)
    total = 0.0
    sums = [_ordered(by + [slots] * held.count(card)) for card, by in deadlines.items()]
    for terms in product(*sums):
        sign = prod(factor for factor, _ in terms)
        limits = sorted(limit for _, several in terms for limit in several)
        total += sign * prod(max(0, limit - k) for k, limit in enumerate(limits))
    return total


def _ordered(deadlines: list[int]) -> list[tuple[float, list[int]]]:
    """Sets of slots for equal cards, as sums over cards that differ: at most two are equal here.

    Of two cards with the deadlines a <= b, those sets count twice in which both are in time for a.
    """
    if len(deadlines) == 1:
        return [(1.0, deadlines)]
    first, second = sorted(deadlines)
    return [(1.0, [first, second]), (-0.5, [first, first])]


def stock_orders(cards: Counter[str], bottom: int) -> float:
    """In how many orders cards can lie in the stock, whose lowest ones are no jokers."""
    n, jokers = cards.total(), cards["JK"]
    ways = factorial(n) / prod(map(factorial, cards.values()))
    return ways * comb(n - min(bottom, n), jokers) / comb(n, jokers)


def unseen(s: Any, seat: int) -> Counter[str]:
    """The cards of the stock and of the other hands."""
    cards = Counter(LISTING)
    cards.subtract(CARDS[s.pile[i]] for i in range(s.n_pile))
    cards.subtract([] if s.jolly_turn else [CARDS[s.jolly]])
    for _, text in history_of(s):
        words = text.split()
        if words[0] in ("run", "set"):
            cards.subtract(words[1:])
        elif words[0] == "lay":
            cards.subtract(words[1:2])
        elif words[0] == "swap":
            cards.subtract([words[1]])
            cards["JK"] += 1
    cards.subtract(hand_of(s, seat))
    return +cards


def chances(view: np.ndarray, seat: int) -> dict[Hands, float] | None:
    """How likely all hidden hands are; None if there are too few or too many, or what is not counted here:
    a reshuffle, jokers that the cutter kept, a hand with more than two jokers, a turn with cards still owed.
    """
    s = core.plain(view)[0]
    others = [p for p in range(s.players) if p != seat]
    if reshuffles_of(s) or s.kept or s.owed != -1 or s.owed_jokers or s.jolly_turn:
        return None
    cards, bottom = unseen(s, seat), 2
    if seat == cutter_of(s):  # who saw the lowest cards of the stock
        lowest = [CARDS[s.seen[1]], CARDS[s.seen[0]]]
        if s.n_stock < 2:
            return None
        cards.subtract(lowest)
        bottom = 0
    size = s.n_stock - (2 if seat == cutter_of(s) else 0)
    if s.n_stock < 2 or prod(comb(cards.total(), s.held[p]) for p in others) > 4 * MOST:
        return None
    played = {p: outs(s, p) for p in others}
    for past, _ in played.values():
        if [card for card, _ in past].count("JK") + min(cards["JK"], 4) > 2:
            return None
    found = {}
    for hands in splits(cards, [s.held[p] for p in others]):
        left = cards - Counter(card for hand in hands for card in hand)
        assert left.total() == size
        ways = stock_orders(left, bottom)
        for p, hand in zip(others, hands, strict=True):
            ways *= orders(hand, *played[p])
        if ways:
            found[hands] = ways
    total = sum(found.values())
    return {hands: ways / total for hands, ways in found.items()} if FEWEST < len(found) < MOST else None


def splits(cards: Counter[str], sizes: list[int]) -> Iterator[Hands]:
    """All hands of these sizes."""
    if not sizes:
        yield ()
        return
    for hand in sorted(set(combinations(sorted(cards.elements()), sizes[0]))):
        for others in splits(cards - Counter(hand), sizes[1:]):
            yield (hand, *others)


def key(seat: int, world: np.ndarray) -> Hands:
    """The hands of all others."""
    s = core.plain(world.reshape(1))[0]
    return tuple(tuple(sorted(hand_of(s, p))) for p in range(s.players) if p != seat)


def endings(seed: int) -> Iterator[tuple[np.ndarray, dict[Hands, float], Any]]:
    """Views of late turns of deals that the rollout policy plays."""
    rng, actions = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    while True:
        seed += 1
        states, found = GAME.new(1, seed=seed, players=2 + seed % 2), None
        while not GAME.over(states).all() and found is None:
            for seat in range(2 + seed % 2):
                expected = chances(GAME.views(states, seat), seat)
                found = (GAME.views(states, seat), expected, partial(key, seat)) if expected else found
            lanes.rule_actions(core.rows(states), core.work(GAME.n_actions), rng, actions)
            GAME.step(states, actions)
        if found is not None:
            yield found
