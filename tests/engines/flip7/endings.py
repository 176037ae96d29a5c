"""Flip 7: positions with a small draw pile, and every order in which it may lie."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np

from engines.flip7 import GAME
from tests.models.flip7 import DECK

SMALL = 5
"""Cards in the pile, at most: few enough to list their orders."""

Order = tuple[int, ...]


def key(world: np.ndarray) -> Order:
    """The draw pile from below."""
    return tuple(card for card in world["pile"].tolist() if card >= 0)


def endings(seed: int) -> Iterator[tuple[np.ndarray, dict[Order, float], Any]]:
    """Views of random games whose pile is small: the cards that lie nowhere in sight, in any order."""
    while True:
        seed += 1
        pos, rng, done = GAME.position(seed=seed, players=3 + seed % 4, goal=1000), random.Random(seed), False
        while not pos.over and not done:
            pos.play("hit" if "hit" in pos.legal() and rng.random() < 0.8 else rng.choice(pos.legal()))
            s = pos.states[0]
            if done := not pos.over and 2 <= s["left"] <= SMALL:
                hidden = Counter(map(GAME.card, DECK))
                shown = [*s["row"].ravel(), *s["aside"].ravel(), s["card"]]
                hidden.subtract(card for card in shown if card >= 0)
                hidden.subtract(dict(enumerate(s["discards"].tolist())))
                orders = set(permutations(hidden.elements()))
                if len(orders) > 1:
                    yield GAME.views(pos.states, -1), dict.fromkeys(orders, 1 / len(orders)), key
