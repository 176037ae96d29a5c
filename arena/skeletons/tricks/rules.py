"""Skeleton: the rules, in the order of `rules.md`."""

from __future__ import annotations

from typing import Any

from engines.core import HAND_SHUFFLES, I64, OVER, SHUFFLE, Row, bit, clear, jit, mask_into

from .state import ALL_CARDS, SEATS, TRICKS, led_card, playable, winner


@jit
def start(s: Row) -> None:
    """Nobody has points; the first deal is due [3]."""
    clear(s, "total skeleton_round")
    begin_round(s)


@jit
def begin_round(s: Row) -> None:
    """Blank what belongs to a round; its deal is due [3]."""
    clear_round(s)
    s.shuffle = s.skeleton_round * HAND_SHUFFLES
    s.seat = SHUFFLE


@jit
def clear_round(s: Row) -> None:
    """Blank what belongs to one round."""
    clear(s, "trick hand played leaders")


@jit
def deck(s: Row, out: Any) -> int:
    """All 52 cards [3]."""
    return mask_into(out, 0, I64(ALL_CARDS))


@jit
def deal(s: Row, cards: Any) -> None:
    """Thirteen cards to each seat; the lead goes round [3]."""
    for k in range(len(cards)):
        s.hand[k // TRICKS] |= bit(cards[k])
    s.seat = s.skeleton_round % SEATS
    s.leaders[0] = s.seat


@jit
def legal(s: Row, out: Any) -> int:
    """Cards that may be played [4]."""
    return mask_into(out, 0, playable(s.hand[s.seat], led_card(s, s.trick)))


@jit
def step(s: Row, action: int) -> None:
    """Play a card; the fourth ends the trick, and its winner gets a point and leads [4]."""
    s.played[s.seat, s.trick] = action
    s.hand[s.seat] &= ~bit(action)
    s.seat = (s.seat + 1) % SEATS
    if s.seat != s.leaders[s.trick]:
        return
    s.seat = winner(s, s.trick)
    s.total[s.seat] += 1
    if s.trick == TRICKS - 1:
        end_round(s)
    else:
        s.trick += 1
        s.leaders[s.trick] = s.seat


@jit
def end_round(s: Row) -> None:
    """Go to the next round, or to the end [5]."""
    if s.skeleton_round + 1 < s.rounds:
        s.skeleton_round += 1
        begin_round(s)
    else:
        clear_round(s)
        s.seat = OVER


@jit
def score(s: Row, out: Any) -> None:
    """Write the points [5]."""
    for p in range(SEATS):
        out[p] = s.total[p]
