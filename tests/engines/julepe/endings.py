"""Julepe: late positions with all placings of the hidden cards that agree with a view, listed one by one.

Whether a placing agrees is asked of the rules: the past that would have led to it is played, and the seat must
see the view. A placing stands for as many deals as there are ways to say which of its cards were dealt, were
leftovers or came from the pile. The house's rounds and seats that are out are left to `test_worlds`.
"""

import random
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

import engines
from engines import core
from engines.laws.replay import replay
from tests.engines.julepe import facts
from tests.engines.julepe.facts import ALL, HOUSE, bits, draws, mask, past, table

GAME = engines.load("julepe")
FEWEST, MOST = 20, 1500
"""Placings of an ending, those counted that contradict the view."""
LEFTOVERS = 4

Placing = tuple[int, ...]
"""Masks: the hands, then what each seat threw away."""


def late(seed: int) -> Any:
    """A position in the tricks of round 1 in which few cards were exchanged; None if the game has none."""
    options = {"overtrump": seed % 2 == 1, "beat_led": seed % 4 > 1}
    pos, rng = GAME.position(seed=seed, rounds=1, **options), random.Random(seed)
    stop, eager = rng.randint(18, 32), rng.choice([0.3, 0.9])
    for _ in range(stop):
        legal = pos.legal()
        wanted = (["in"] if rng.random() < eager else ["out"]) if legal == ["out", "in"] else legal
        quick = "done" in legal and rng.random() < 0.8
        pos.play("done" if quick else rng.choice(wanted))
        if pos.over:
            return None
    s = core.PlainRow(pos.states[0])
    return pos if s.phase == 4 and not table(s, HOUSE) and not s.hand[HOUSE] else None


def hidden(s: Any, seat: int) -> list[int]:
    """The seats that play on, without the viewer."""
    return [p for p in range(5) if p != seat and s.ins[0] >> p & 1]


def rooms(s: Any, seat: int) -> tuple[int, list[int]]:
    """The cards that a view does not place; how many go to each hidden seat's hand and to its discards."""
    seen = s.hand[seat] | s.thrown[seat]
    for who in range(5):
        seen |= mask(table(s, who))
    room = []
    for p in hidden(s, seat):
        room += [5 - len(table(s, p)), max(0, s.exchanged[0, p]) + (p == 0)]
    return ALL & ~seen, room


def placings(cards: int, room: list[int]) -> Iterator[list[int]]:
    """Every way to fill the places; what is left lies in the stock."""
    if not room:
        yield [cards]
        return
    for taken in map(mask, map(list, combinations(bits(cards), room[0]))):
        for others in placings(cards & ~taken, room[1:]):
            yield [taken, *others]


def piled(s: Any) -> dict[int, int]:
    """How many cards each seat drew from the pile: after the leftovers, in the order of the exchange."""
    left, drawn = LEFTOVERS, {}
    for p in (1, 2, 3, 4, 0):
        n = max(0, s.exchanged[0, p])
        drawn[p] = n - min(n, left)
        left -= min(n, left)
    return drawn


def origins(s: Any, p: int, own: int, up: int, ace: int, from_pile: int) -> list[tuple[int, ...]]:
    """Every way to say which cards of a seat were leftovers, and which came from the pile."""
    n = max(0, s.exchanged[0, p])
    return [
        (mask(list(first)), mask(list(second)))
        for second in combinations(bits(own & ~(up | ace)), from_pile)
        for first in combinations(bits(own & ~up & ~mask(list(second))), n - from_pile)
    ]


def world(view: np.ndarray, seat: int, placing: list[int]) -> tuple[np.ndarray, int]:
    """The view with these cards, and how many deals it stands for, if it agrees."""
    states = core.copy_states(view)
    s = core.PlainRow(states[0])
    up, ace, from_pile, ways = 1 << s.upcard[0], 1 << s.upcard[0] // 10 * 10 + 9, piled(s), 1
    pile = 0
    for k, p in enumerate(hidden(s, seat)):
        s.hand[p], s.thrown[p] = placing[2 * k], placing[2 * k + 1]
        own = s.hand[p] | mask(table(s, p))
        found = [
            (origin, down)
            for down in (bits(s.thrown[p]) if p == 0 else [-1])
            for origin in origins(s, p, own | (1 << down if down >= 0 else 0), up, ace, from_pile[p])
        ]
        if not found or (p == 0 and not (own | s.thrown[p]) & up):
            return states, 0
        ways *= len(found)
        first, second = found[0][0]
        pile |= second
        for place, card in enumerate(bits(first) + bits(second)):
            s.drawn[p, place] = card
    n = max(0, s.exchanged[0, seat])
    pile |= mask(draws(s, seat)[n - from_pile[seat] :])
    gone = [p for p in range(1, 5) if s.outs[0] >> p & 1]
    in_pile = 5 * len(gone) - pile.bit_count()
    stock = bits(placing[-1] & ~ace)
    lower, upper = stock[:in_pile], stock[in_pile:] + bits(placing[-1] & ace)
    if placing[-1] & up or pile & ace or len(lower) < in_pile:
        return states, 0
    for place, card in enumerate(lower + upper):
        s.stock[place] = card
    given = lower + bits(pile)
    for k, p in enumerate(gone):
        s.hand[p] = mask(given[5 * k : 5 * k + 5])
    return states, ways * comb(len(stock), in_pile)


def agrees(view: np.ndarray, seat: int, states: np.ndarray) -> bool:
    """Whether the rules lead to this row, and the seat sees the view."""
    shuffles, actions = past(GAME, states)
    try:
        *_, (again, _) = replay(GAME, facts, states, shuffles, actions)
    except AssertionError:
        return False
    return GAME.views(again, seat).tobytes() == view.tobytes()


def chances(view: np.ndarray, seat: int) -> dict[Placing, float] | None:
    """How likely every placing is; None if there are too few or too many to list, or all agree."""
    s = core.PlainRow(view[0])
    unseen, room = rooms(s, seat)
    ways, left = 1, unseen.bit_count()
    for n in room:
        ways, left = ways * comb(left, n), left - n
    if not FEWEST < ways < MOST:
        return None
    found = {}
    for placing in placings(unseen, room):
        states, deals = world(view, seat, placing)
        if deals and agrees(view, seat, states):
            found[key(states[0])] = deals
    total = sum(found.values())
    return {key: n / total for key, n in found.items()} if 2 <= len(found) < 0.9 * ways else None


def key(world: np.ndarray) -> Placing:
    """The hands and the discards of the seats that play on."""
    s = core.PlainRow(world)
    return tuple(masks[p] for masks in (s.hand, s.thrown) for p in range(5) if s.ins[0] >> p & 1)


def endings(seed: int) -> Iterator[tuple[np.ndarray, dict[Placing, float], Any]]:
    """Views of late positions, each with the chances of its placings."""
    while True:
        seed += 1
        pos = late(seed)
        for seat in range(5) if pos else ():
            view = GAME.views(pos.states, seat)
            expected = chances(view, seat) if pos.view(-1).state["ins"][0, 0] >> seat & 1 else None
            if expected:
                yield view, expected, key
                break
