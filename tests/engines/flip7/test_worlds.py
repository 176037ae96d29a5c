"""Flip 7: the chances of worlds: every order of the draw pile is as likely as the others."""

from __future__ import annotations

from collections import Counter
from math import factorial

import numpy as np
import pytest
from scipy.stats import chi2

from engines.flip7 import GAME

from .positions import facing


@pytest.mark.parametrize(("pile", "orders"), [("5 9 +4 FZ", 24), ("2 2 3 3 3", 10), ("12 12 X2 SC", 12)])
def test_all_orders_of_the_draw_pile_are_equally_likely(pile: str, orders: int) -> None:
    cards = pile.split()
    copies = np.prod([factorial(n) for n in Counter(cards).values()])
    assert orders == factorial(len(cards)) // copies
    views = GAME.views(np.repeat(facing("6 7", pile, {}), 200 * orders))
    worlds = GAME.determinize(views, seed=1)
    seen = Counter(map(tuple, worlds["pile"][:, : len(cards)].tolist()))
    assert all(sorted(order) == sorted(GAME.card(card) for card in cards) for order in seen)
    distance = sum((seen[order] - 200) ** 2 / 200 for order in seen) + 200 * (orders - len(seen))
    assert distance < chi2.ppf(0.9999, orders - 1)
