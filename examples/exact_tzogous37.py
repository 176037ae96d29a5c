"""Tzogous 37, solved: an end-game between two seats.

Round 4, pots of two antes, stacks of three more. Both know that their last cards and the community card are
three of the live cards; all orders are as likely.

    python examples/exact_tzogous37.py --iterations 100
"""

from __future__ import annotations

import argparse
from itertools import permutations
from typing import Any

import numpy as np
from exact import table

import engines
from bots import maniac37, odds37, rock37, station37, steady37
from engines.adapters.openspiel import DealtGame
from engines.core import States

LIVE = 4
OPTIONS: dict[str, Any] = {"hands": 1, "ante": 5, "stack": 20, "step": 5, "jokers": 0, "sudden_death": True}
HOUSE = (maniac37, odds37, rock37, station37, steady37)


def positions(live: int = LIVE, seed: int = 3) -> States:
    """Round 4 of a hand in every way to deal the live cards: the last cards of both seats, and the next."""
    game = engines.load("tzogous37")
    position = game.position(seed, **OPTIONS)
    while position.view().round < 4:
        legal = position.legal()
        position.play(next((word for word in ("check", "call") if word in legal), legal[0]))
    base, left = position.states, int(position.states["left"][0])
    held = [game.card(position.view(seat).hand[0]) for seat in range(2)]
    cards = [*held, *base["deck_cards"][0, left - (live - 2) : left].tolist()]
    found = []
    for dealt in permutations(cards, 3):
        row = base.copy()
        row["hand"][0, :2] = [1 << card for card in dealt[:2]]
        row["deck_cards"][0, left - (live - 2) : left] = [*(c for c in cards if c not in dealt), dealt[2]]
        found.append(row)
    return np.concatenate(found)


def main() -> None:
    """Read the words, solve, print the table."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--iterations", type=int, default=100)
    words.add_argument("--live", type=int, default=LIVE, help="live cards, 3 or more")
    given = words.parse_args()
    game = DealtGame(engines.load("tzogous37"), positions(given.live))
    print(table(game, HOUSE, given.iterations, "chips a hand"))


if __name__ == "__main__":
    main()
