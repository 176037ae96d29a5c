"""Hearts: the rules, in the order of `rules.md`."""

from __future__ import annotations

from typing import Any

from engines.core import (
    HAND_SHUFFLES,
    I64,
    OVER,
    SHUFFLE,
    Row,
    bit,
    cards_into,
    clear,
    has,
    jit,
    mask_into,
)

from .state import (
    ALL_CARDS,
    ALL_POINTS,
    FIRST_PLAY,
    LOW_CLUB,
    PASS,
    PASSED,
    PLAY,
    SEATS,
    TRICKS,
    is_broken,
    led_card,
    passes,
    playable,
    points_of,
    receiver,
    winner,
)


@jit
def start(s: Row) -> None:
    """Nobody has points; the first deal is due [3]."""
    clear(s, "total hearts_round")
    begin_round(s)


@jit
def begin_round(s: Row) -> None:
    """Blank what belongs to a round; its deal is due [3]."""
    clear_round(s)
    s.shuffle = s.hearts_round * HAND_SHUFFLES
    s.seat = SHUFFLE


@jit
def clear_round(s: Row) -> None:
    """Blank what belongs to one round."""
    clear(s, "phase chosen trick hand passed played leaders")


@jit
def deck(s: Row, out: Any) -> int:
    """All 52 cards [3]."""
    return mask_into(out, 0, I64(ALL_CARDS))


@jit
def deal(s: Row, cards: Any) -> None:
    """Thirteen cards to each seat; seat 0 passes first, or the two of clubs leads [3, 4]."""
    for k in range(len(cards)):
        s.hand[k // TRICKS] |= bit(cards[k])
    if passes(s):
        s.seat = 0
    else:
        begin_play(s)


@jit
def begin_play(s: Row) -> None:
    """Give the holder of the two of clubs the lead [4.2]."""
    s.phase, s.chosen = PLAY, 0
    for p in range(SEATS):
        if has(s.hand[p], LOW_CLUB):
            s.leaders[0] = p
            s.seat = p


@jit
def legal(s: Row, out: Any) -> int:
    """Cards that were not chosen yet, or that may be played [4.1, 4.2]."""
    if s.phase == PASS:
        return mask_into(out, 0, s.hand[s.seat] & ~s.passed[s.seat])
    cards = playable(s.hand[s.seat], s.trick, led_card(s, s.trick), is_broken(s, s.trick))
    return cards_into(out, 0, FIRST_PLAY, cards)


@jit
def step(s: Row, action: int) -> None:
    """Choose a card to pass, or play one."""
    if s.phase == PASS:
        choose(s, action)
    else:
        play(s, action - FIRST_PLAY)


@jit
def choose(s: Row, card: int) -> None:
    """Choose a card to pass; after the last one of all seats the cards change hands [4.1]."""
    s.passed[s.seat] |= bit(card)
    s.chosen += 1
    if s.chosen < PASSED:
        return
    s.chosen = 0
    s.seat += 1
    if s.seat == SEATS:
        for p in range(SEATS):
            s.hand[p] &= ~s.passed[p]
        for p in range(SEATS):
            s.hand[receiver(s, p)] |= s.passed[p]
        begin_play(s)


@jit
def play(s: Row, card: int) -> None:
    """Play a card; the fourth ends the trick, and its winner leads [4.2, 4.3]."""
    s.played[s.seat, s.trick] = card
    s.hand[s.seat] &= ~bit(card)
    s.seat = (s.seat + 1) % SEATS
    if s.seat != s.leaders[s.trick]:
        return
    if s.trick == TRICKS - 1:
        end_round(s)
    else:
        s.seat = winner(s, s.trick)
        s.trick += 1
        s.leaders[s.trick] = s.seat


@jit
def end_round(s: Row) -> None:
    """Count the points of the round; then the next round, or the end [5]."""
    s.seat = OVER
    for p in range(SEATS):
        points = points_of(s, p)
        if points == ALL_POINTS:  # the others get them; their own are 0
            for other in range(SEATS):
                s.total[other] -= ALL_POINTS if other != p else 0
        else:
            s.total[p] -= points
    if s.hearts_round + 1 < s.rounds:
        s.hearts_round += 1
        begin_round(s)
    else:
        clear_round(s)


@jit
def score(s: Row, out: Any) -> None:
    """Write the totals [5]."""
    for p in range(SEATS):
        out[p] = s.total[p]
