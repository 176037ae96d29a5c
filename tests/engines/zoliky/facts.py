"""What the law tests must know of Jolly Zoliky."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from engines.zoliky.positions import give
from engines.zoliky.state import CARDS, JOKER, OPTIONS
from engines.zoliky.text import cutter_of, hand_of, table_of

LISTING = Counter(dict.fromkeys(CARDS[:JOKER], 2) | {"JK": 4})


def setups() -> Any:
    """Players and options; few deals and rounds, so that a game stays short."""
    options = st.fixed_dictionaries(
        {},
        optional={
            "deals": st.integers(1, 3),
            "max_rounds": st.integers(3, 40),
            "cut_jokers": st.sampled_from(["instead", "extra"]),
            "joker_penalty": st.integers(1, 25),
            "winner_pot": st.booleans(),
        },
    )
    return st.tuples(st.integers(2, 6), options)


def conserved(s: Any) -> None:
    """All 108 cards are there, blanks are blank, numbers of cards are right."""
    if s.seat == -2:
        return
    cards = Counter(CARDS[s.pile[i]] for i in range(s.n_pile)) + Counter(CARDS[s.stock[i]] for i in range(s.n_stock))
    for p in range(s.players):
        hand = hand_of(s, p)
        assert len(hand) == s.held[p]
        assert s.twice[p] & ~s.hand[p] == 0
        cards += Counter(hand)
    for meld in table_of(s):
        cards += Counter("JK" if card.startswith("JK") else card for card in meld)
    if not s.jolly_turn:
        cards[CARDS[s.jolly]] += 1
    assert cards == LISTING
    assert all(s.stock[i] == -1 for i in range(s.n_stock, len(s.stock)))
    assert all(s.pile[i] == -1 for i in range(s.n_pile, len(s.pile)))
    assert all(s.history[i] == -1 for i in range(s.n_events, len(s.history)))
    assert all(s.melds[i] == 0 for i in range(s.n_melds, len(s.melds)))
    for p in range(s.players, len(s.held)):
        assert s.hand[p] == s.twice[p] == s.jokers[p] == s.held[p] == s.opened[p] == 0
    assert s.sure_jokers <= s.jokers[cutter_of(s)]


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Deal the stock and the other hands again; for all but the cutter other cards were seen at the cut.

    The cards that the cutter knows, jokers that must be where they are and the kinds of a reshuffled stock stay.
    """
    free = {p: [CARDS.index(card) for card in hand_of(s, p)] for p in range(s.players) if p != seat}
    for p in free:
        s.hand[p] = s.twice[p] = s.jokers[p] = s.held[p] = 0
    stock = [s.stock[i] for i in range(s.n_stock)]
    pool = [*stock, *(kind for kinds in free.values() for kind in kinds)]
    rng.shuffle(pool)
    for i in range(s.n_stock):
        s.stock[i] = pool.pop()
    for p, kinds in free.items():
        for _ in kinds:
            give(s, p, pool.pop())
    if seat != cutter_of(s):
        for i in range(3):
            s.seen[i] = rng.randrange(53)


def zero_sum(options: dict[str, Any]) -> bool:
    """Never for certain: a deal without winner costs everybody."""
    return False


def most_decisions(players: int, options: dict[str, Any]) -> int:
    """Turns of fewer than 42 decisions."""
    return int(options["deals"]) * int(options["max_rounds"]) * players * 42


assert {option.name for option in OPTIONS} == {"deals", "max_rounds", "cut_jokers", "joker_penalty", "winner_pot"}
