"""What the laws must know of Tzogous 37 (see `test_laws.py`). Reads and writes rows by itself, not by the engine's functions."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from hypothesis import strategies as st

JOKER = 52
TAKE, LOSE, TIE, RESHUFFLE, HAND = 5, 7, 9, 11, 12  # kinds of event that move cards
DRAW = 6


@st.composite
def setups(draw: Any) -> tuple[int, dict[str, Any]]:
    players = draw(st.integers(2, 6))
    chip = draw(st.sampled_from((1, 1, 5)))
    ante = draw(st.integers(1, 5)) * chip
    stack = draw(st.one_of(st.integers(4 * ante // chip, 100), st.just(4 * ante // chip))) * chip
    options = {
        "hands": draw(st.integers(1, 3)),
        "ante": ante,
        "stack": stack,
        "step": chip,
        "stacks": draw(st.sampled_from(("round", "hand", "game"))),
        "pot_counts_call": draw(st.booleans()),
        "decks": draw(st.integers(1, 2)),
        "jokers": draw(st.sampled_from((0, 2, 4, 4))),
        "joker_use": draw(st.sampled_from(("swap", "lay"))),
        "joker_limit": draw(st.booleans()),
        "sudden_death": draw(st.booleans()),
    }
    return players, options


def hand_cards(s: Any, p: int) -> list[int]:
    """The cards of a hand: a bit per kind, a second mask for twins, jokers in unary from bit 52."""
    hand, twin = s.hand[p], s.twin[p]
    cards = [c for mask in (hand & (1 << JOKER) - 1, twin) for c in range(mask.bit_length()) if mask >> c & 1]
    return cards + [JOKER] * (hand >> JOKER).bit_count()


def set_hand(s: Any, p: int, cards: list[int]) -> None:
    counts = Counter(cards)
    jokers = counts.pop(JOKER, 0)
    s.hand[p] = sum(1 << c for c in counts) | ((1 << jokers) - 1) << JOKER
    s.twin[p] = sum(1 << c for c, n in counts.items() if n == 2)


def events_of_hand(s: Any) -> list[int] | None:
    """Events since the deal, None where the log no longer reaches back to it."""
    log = s.log.tolist()
    events = [log[i % 128] for i in range(max(0, s.logged - 128), s.logged)]
    deals = [i for i, event in enumerate(events) if event & 15 == HAND]
    return events[deals[-1] + 1 :] if deals else None


def pack(s: Any) -> Counter[int]:
    counts = Counter(dict.fromkeys(range(JOKER), s.decks))
    counts[JOKER] = s.decks * s.jokers
    return counts


def conserved(s: Any) -> None:
    assert sum(s.chips) + sum(s.paid) == s.players * s.stack
    assert sum(s.net) == 0
    for p, (chips, paid, bet, net) in enumerate(zip(s.chips, s.paid, s.bet, s.net)):
        assert chips >= 0 and paid >= bet >= 0
        assert chips % s.step == paid % s.step == bet % s.step == net % s.step == 0
        assert s.held[p] == len(hand_cards(s, p))
        if s.stacks == 2 and p < s.players:
            assert chips + paid == s.stack + net
    for p in range(s.players, 6):
        assert s.chips[p] == s.paid[p] == s.net[p] == s.held[p] == s.hand[p] == 0
    if s.seat >= 0:
        _cards_conserved(s)


def _cards_conserved(s: Any) -> None:
    discards = pack(s)
    for p in range(s.players):
        discards.subtract(hand_cards(s, p))
    deck = s.deck_cards.tolist()
    assert all(c >= 0 for c in deck[: s.left]) and all(c == -1 for c in deck[s.left :])
    discards.subtract(deck[: s.left])
    discards.subtract(c for c in s.table[s.round_no - 1].tolist() if c != -1)
    discards.subtract([s.community] if s.community != -1 else [])
    assert min(discards.values()) >= 0
    events = events_of_hand(s)
    if s.mixed or events is None or any(event & 15 == RESHUFFLE for event in events):
        return
    spent = [c for r in range(s.round_no - 1) for c in s.table[r].tolist() if c != -1]
    spent += [JOKER if e & 15 == TAKE else e >> 4 & 1023 for e in events if e & 15 in {TAKE, LOSE, TIE}]
    if -2 not in spent and 1023 not in spent:
        assert +discards == Counter(spent)


def redeal(s: Any, seat: int, rng: random.Random) -> None:
    """Mix the cards of other hands, of table slots that the seat does not know, and of the deck; scramble mere history."""
    bit = 1 << (seat if seat >= 0 else 6)
    others = [p for p in range(s.players) if p != seat]
    slots = [(r, i) for r in range(4) for i in range(12) if s.table[r, i] >= 0 and not s.knows[r, i] & bit]
    live = [slot for slot in slots if s.mixed <= slot[0] < s.round_no]
    sizes = [s.held[p] for p in others]
    cards = [c for p in others for c in hand_cards(s, p)] + [s.table[slot] for slot in live]
    cards += [s.deck_cards[i] for i in range(s.left)]
    rng.shuffle(cards)
    for p, size in zip(others, sizes):
        set_hand(s, p, cards[:size])
        del cards[:size]
    for slot in live:
        s.table[slot] = cards.pop()
    for i in range(s.left):
        s.deck_cards[i] = cards.pop()
    for slot in slots:
        if slot not in live:
            s.table[slot] = rng.randrange(53)
    for i in range(128):
        event = s.log[i]
        if event != -1 and event & 15 in {TAKE, DRAW, LOSE} and not event >> 20 & bit:
            s.log[i] = event & ~(1023 << 4) | rng.randrange(53) << 4


def zero_sum(options: dict[str, Any]) -> bool:
    return True


def most_decisions(players: int, options: dict[str, Any]) -> int:
    raises = players * options["stack"] // options["ante"] + players
    betting = 4 * (2 * players + raises * (players - 1))
    return options["hands"] * 4 * (2 * players + 2 * betting)
