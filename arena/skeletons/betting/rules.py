"""Skeleton: the rules, in the order of `rules.md`."""

from __future__ import annotations

from typing import Any

from engines.core import HAND_SHUFFLES, I64, OVER, SHUFFLE, Row, bit, clear, jit, mask_into

from .state import ALL_CARDS, BET, PASS, SEATS, first, is_finished, n_done


@jit
def start(s: Row) -> None:
    """Nobody has won anything; the first deal is due [3]."""
    clear(s, "total skeleton_hand")
    begin_hand(s)


@jit
def begin_hand(s: Row) -> None:
    """Blank what belongs to a hand; its deal is due [3]."""
    clear(s, "hand done")
    s.shuffle = s.skeleton_hand * HAND_SHUFFLES
    s.seat = SHUFFLE


@jit
def deck(s: Row, out: Any) -> int:
    """All three cards [3]."""
    return mask_into(out, 0, I64(ALL_CARDS))


@jit
def deal(s: Row, cards: Any) -> None:
    """Give a card to each seat; the third is not used [3]."""
    for p in range(SEATS):
        s.hand[p] = bit(cards[p])
    s.seat = first(s)


@jit
def legal(s: Row, out: Any) -> int:
    """Both actions, always [4]."""
    out[0], out[1] = PASS, BET
    return 2


@jit
def step(s: Row, action: int) -> None:
    """Pass or bet; then it is the other seat's turn, or the hand is over [4]."""
    s.done[n_done(s)] = action
    s.seat = (s.seat + 1) % SEATS
    if is_finished(s):
        end_hand(s)


@jit
def end_hand(s: Row) -> None:
    """Pay the winner; then the next hand, or the end [5]."""
    n = n_done(s)
    won = first(s) if s.hand[first(s)] > s.hand[1 - first(s)] else 1 - first(s)
    if s.done[n - 1] == PASS and s.done[n - 2] == BET:  # the seat that has not passed
        won = (first(s) + n - 2) % SEATS
    chips = 2 if s.done[n - 1] == BET else 1
    s.total[won] += chips
    s.total[1 - won] -= chips
    if s.skeleton_hand + 1 < s.hands:
        s.skeleton_hand += 1
        begin_hand(s)
    else:
        clear(s, "hand done")
        s.seat = OVER


@jit
def score(s: Row, out: Any) -> None:
    """Write the chips won [5]."""
    for p in range(SEATS):
        out[p] = s.total[p]
