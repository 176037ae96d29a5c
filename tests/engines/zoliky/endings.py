"""Jolly Zoliky: positions with all hands listed that the others can have: small ones, or after a reshuffle.

Before the first reshuffle every order of the unseen cards over the slots that hold them (a hand's first cards,
its draws in time, the stock) is as likely, if every card that was played lay in a slot that its seat had filled
by then. So many orders as give a hand, so likely it is. Orders of equal cards are one order.

After a reshuffle of two seats all cards that the one held at that moment are known to the other: they are
what is neither in the pool nor seen. What it has drawn since is any of the pool's cards that could be drawn,
by their numbers, and it must have had what it has played.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import combinations, product
from math import comb, factorial, prod
from typing import Any

import numpy as np

from engines import core
from engines.learn import lanes
from engines.zoliky import GAME
from engines.zoliky.state import CARDS, Action
from engines.zoliky.text import cutter_of, hand_of, history_of, leader_of, reshuffles_of
from tests.engines.zoliky.facts import LISTING, since_stock

FEWEST, MOST = 20, 1200
"""Sets of hidden hands of an ending."""

DRAW = ""
"""A seat draws a card that the others do not see."""
MOST_DRAWS = 2
TABLES = 16

Hands = tuple[tuple[str, ...], ...]
Out = tuple[str, int]
"""A card that was played out of a slot, and how many slots its seat had filled by then."""


def outs(s: Any, p: int) -> tuple[list[Out], int]:
    """What a seat has played that it had not just taken from the table; how many slots it has filled."""
    slots = (13 if p == leader_of(s) else 12) + (s.kept if s.cut_jokers == 1 and p == cutter_of(s) else 0)
    found: list[Out] = []
    for card in moves(s, p, history_of(s)):
        slots += card == DRAW
        found += [(card, slots)] if card != DRAW else []
    return found, slots


def moves(s: Any, p: int, history: Iterable[tuple[int, str]]) -> Iterator[str]:
    """What a seat does with its slots: DRAW, or a card that it plays out of one of them."""
    owed: Counter[str] = Counter()
    top = ""
    for seat, text in history:
        words = text.split()
        if seat == p and words[0] == "draw":
            if words[1] == "stock":
                yield DRAW
            owed += Counter([{"discard": top, "jolly": CARDS[s.jolly]}.get(words[1], "")])
            del owed[""]
        elif seat == p:
            placed = words[1:2] if words[0] in ("lay", "swap", "discard") else words[1:]
            for card in placed:
                if owed[card]:
                    owed[card] -= 1
                else:
                    yield card
            owed["JK"] += words[0] == "swap"
        top = words[1] if words[0] == "discard" else top


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


def chances_after_reshuffle(view: np.ndarray, seat: int) -> dict[Hands, float] | None:
    """How likely all hands of the other of two seats are; None if there are too few or too many."""
    s, other = core.plain(view)[0], 1 - seat
    if not reshuffles_of(s) or s.owed != -1 or s.owed_jokers or s.jolly_turn or s.mover != seat:
        return None
    past = [DRAW] * (s.drawer[0] == other) + list(moves(s, other, since_stock(s)))
    if not 0 < past.count(DRAW) <= MOST_DRAWS:
        return None
    pool = Counter(GAME.fields["pool"].of(s, seat))
    pool.subtract(CARDS[s.drawn[i]] for i in range(s.n_drawn) if s.drawer[i] == seat)
    held = unseen(s, seat) + Counter(card for card in past if card != DRAW)
    held.subtract(pool)
    assert min(pool.values()) >= 0 and min(held.values()) >= 0
    found: dict[Hands, float] = {}
    for hand, ways in hands_after(past, +held, +pool):
        one = (tuple(sorted(hand.elements())),)
        found[one] = found.get(one, 0) + ways
    total = sum(found.values())
    return {hands: ways / total for hands, ways in found.items()} if FEWEST < len(found) < 2 * MOST else None


def hands_after(
    past: list[str], hand: Counter[str], pool: Counter[str]
) -> Iterator[tuple[Counter[str], int]]:
    """All ways to draw from the pool and to have what is played, with the hand that is left."""
    if not past:
        yield hand, 1
    elif past[0] == DRAW:
        for card, number in pool.items():
            for left, ways in hands_after(past[1:], hand + Counter([card]), pool - Counter([card])):
                yield left, number * ways
    elif hand[past[0]]:
        yield from hands_after(past[1:], hand - Counter([past[0]]), pool)


def key(seat: int, world: np.ndarray) -> Hands:
    """The hands of all others."""
    s = core.plain(world.reshape(1))[0]
    return tuple(tuple(sorted(hand_of(s, p))) for p in range(s.players) if p != seat)


Ending = tuple[np.ndarray, dict[Hands, float], Any]


def endings(seed: int) -> Iterator[Ending]:
    """Views of late turns of deals that the rollout policy plays, and every second one after a reshuffle."""
    late, again = late_turns(seed), after_reshuffles(seed)
    while True:
        yield next(late)
        yield next(again)


def after_reshuffles(seed: int, least: int = 0) -> Iterator[Ending]:
    """Views soon after a reshuffle, of deals of two seats who play at random and then by the rollout policy.

    Since the reshuffle the other seat has played at least so many cards. If that is not 0, both have played
    by the policy before, too, but laid nothing, so that they have many cards to lay.
    """
    rng, stream = np.random.default_rng(seed), np.zeros(1, np.uint64)
    by_policy = np.zeros(TABLES, np.int64)
    while True:
        seed += TABLES
        states = GAME.new(TABLES, seed=seed, players=2, max_rounds=60)
        open_, seats = np.ones(TABLES, np.bool_), states["seat"]
        while (open_ & ~GAME.over(states)).any():
            again = states["pool"] != 0
            for i in np.flatnonzero(open_ & again & (seats >= 0) & (rng.random(TABLES) < 0.3)):
                view = GAME.views(states[i : i + 1], seats[i])
                many = played_since(view, 1 - int(seats[i])) >= least
                expected = chances_after_reshuffle(view, int(seats[i])) if many else None
                if expected:
                    open_[i] = False
                    yield view, expected, partial(key, int(seats[i]))
            mask = GAME.legal_mask(states)
            if least:
                mask[~again, Action.DRAW_DISCARD : Action.DISCARD] = False
                mask[~again, Action.RUN :] = False
            at_random = (mask * rng.random(mask.shape)).argmax(axis=1)
            lanes.rule_actions(core.rows(states), core.work(GAME.n_actions), stream, by_policy)
            wanted = mask[np.arange(TABLES), by_policy] & (again | (least > 0))
            GAME.step(states, np.where(wanted, by_policy, at_random))


def played_since(view: np.ndarray, p: int) -> int:
    """How many cards of its own a seat has played since the reshuffle."""
    s = core.plain(view)[0]
    return sum(card != DRAW for card in moves(s, p, since_stock(s)))


def late_turns(seed: int) -> Iterator[Ending]:
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
