"""Julepe, solved: the last three tricks of a round between two seats.

Oros are trumps. Seat 1 leads and has won two tricks with 1o and 3o, to which the dealer, seat 0, had to
follow; nobody has exchanged a card. Seat 1 is safe: the dealer needs two of the three tricks or pays the pot.
Both know that their three cards each are among some live cards; all ways to deal these are as likely.

    python examples/exact_julepe.py --iterations 100
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
from exact import table

import engines
from bots import daring, reckoner, thumb, wary
from engines.adapters.openspiel import DealtGame
from engines.core import States

LIVE = ("12o", "6o", "1c", "12c", "5c", "11b", "4b", "2o")
HOUSE = (daring, reckoner, thumb, wary)
LEADER, DEALER = ("1o", "3o"), ("4o", "2b", "7o")
"""What they hold besides: played; of the dealer's, 2b is thrown away and 7o lies face up."""
SAID = ("in", "out", "out", "out", "done", "done", "discard 2b", "play 1o", "play 7o", "play 3o", "play 4o")
HELD = 3


def positions(live: int) -> States:
    """Return the third trick in every way to deal the first `live` of the live cards."""
    game, cards = engines.load("julepe"), LIVE[:live]
    others = [card for card in game.cards if card not in (*LEADER, *DEALER, *cards)]
    found = []
    for mine in combinations(cards, HELD):
        rest = [card for card in cards if card not in mine]
        for theirs in combinations(rest, HELD):
            left = [card for card in rest if card not in theirs]  # among the leftovers, never drawn
            out, undrawn = others[:15], [*others[15:], *left]
            deal = [*LEADER, *mine, *out, *theirs, *DEALER, *undrawn]
            position = game.position(rounds=1, shuffles=[deal, out])
            for action in SAID:
                position.play(action)
            found.append(position.states)
    return np.concatenate(found)


def main() -> None:
    """Read the words, solve, print the table."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--iterations", type=int, default=100)
    words.add_argument("--live", type=int, default=7, choices=range(6, len(LIVE) + 1), help="live cards")
    given = words.parse_args()
    game = DealtGame(engines.load("julepe"), positions(given.live), between=(0, 1))
    print(table(game, HOUSE, given.iterations, "cents a round"))


if __name__ == "__main__":
    main()
