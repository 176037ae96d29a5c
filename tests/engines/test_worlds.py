"""Hidden cards dealt to places: every placing that the facts allow comes equally often, judged against all of
them listed.
"""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from engines.core.compile import entry
from engines.core.worlds import place_cards

SAMPLES = 20_000
ALL = "abcdefgh"


def mask(cards: str) -> int:
    return sum(1 << ALL.index(card) for card in cards)


FACTS = {  # what may lie where: cards and room of each place
    "nobody is known to lack anything": [("abcdef", 2), ("abcdef", 2), ("abcdef", 2)],
    "one seat lacks a suit": [("cdef", 2), ("abcdef", 2), ("abcdef", 2)],
    "two seats lack the same suit": [("cdef", 2), ("cdef", 2), ("abcdef", 2)],
    "two seats lack different suits": [("cdefgh", 3), ("abefgh", 3), ("abcdefgh", 2)],
    "each seat lacks another suit": [("cdefgh", 3), ("abefgh", 3), ("abcdgh", 2)],
    "a card is known and others cross": [("cdef", 2), ("abef", 2), ("abcdgh", 4)],
    "only a cycle of three leads on": [("ac", 1), ("ab", 1), ("bc", 1)],
    "only a cycle of four leads on": [("ad", 1), ("ab", 1), ("bc", 1), ("cd", 1)],
    "no way but one": [("a", 1), ("ab", 1), ("abc", 1)],
    "rooms of very different size": [("bcdefgh", 1), ("acdefgh", 1), ("abcdefgh", 6)],
    "a place without room": [("abcdef", 0), ("cdef", 3), ("abcdef", 3)],
}


def placings(unseen: str, places: list[tuple[str, int]]) -> list[tuple[str, ...]]:
    """All placings, by trying every subset for each place."""
    if not places:
        return [()] if not unseen else []
    (may, room), rest = places[0], places[1:]
    return [
        ("".join(taken), *others)
        for taken in combinations([card for card in unseen if card in may], room)
        for others in placings("".join(card for card in unseen if card not in taken), rest)
    ]


def facts_of(places: list[tuple[str, int]]) -> list[Any]:
    """The room of each place, and the cards that it may hold, as arrays."""
    return [np.array([n for _, n in places]), np.array([mask(cards) for cards, _ in places])]


@entry
def place_many(unseen: int, room: Any, may: Any, out: Any, rng: Any) -> None:
    for i in range(len(out)):
        place_cards(unseen, room, may, out[i], rng)


@pytest.mark.parametrize("name", FACTS)
def test_every_allowed_placing_is_equally_likely(name: str) -> None:
    places = FACTS[name]
    unseen = "".join(sorted({card for cards, _ in places for card in cards}))
    expected = {tuple(map(mask, placing)) for placing in placings(unseen, places)}
    out = np.zeros((SAMPLES, len(places)), np.int64)
    room, may = facts_of(places)
    place_many(mask(unseen), room, may, out, np.array([99], np.uint64))
    seen = Counter(map(tuple, out.tolist()))
    assert set(seen) == expected
    each = SAMPLES / len(expected)
    statistic = sum((n - each) ** 2 / each for n in seen.values())
    assert statistic <= chi2.ppf(1 - 1e-4, len(expected) - 1) if len(expected) > 1 else statistic == 0


CONTRADICTORY = {
    "two cards for one slot": [("ab", 1), ("c", 2)],
    "a card that may lie nowhere": [("bc", 2), ("c", 1)],
    "two places that want the same cards": [("ab", 2), ("ab", 2), ("abcd", 0)],
}


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_cards_for_which_there_is_no_placing_lie_anyhow(name: str) -> None:
    """No game leads to such facts, a damaged view does: it must end, and every place have as many cards."""
    places = CONTRADICTORY[name]
    room, may = facts_of(places)
    unseen = mask(ALL[: int(room.sum())])
    out = np.zeros((3, len(places)), np.int64)
    place_many(unseen, room, may, out, np.array([99], np.uint64))
    for row in out.tolist():
        assert [cards.bit_count() for cards in row] == room.tolist() and sum(row) == unseen
