"""Taroky: from the shuffle to the bidding [3, 4.1, 4.2]: the dealer, the cut, the piles, the deal, Povinnost.

Numbers in brackets are the sections of `docs/rules/taroky.md`. Not here: the phases of a round (`rules`).
"""

from __future__ import annotations

from typing import Any

from .. import core
from ..core import NOBODY, Row, bit, clear, fill, has, jit, lowest
from . import state
from .state import HAND, N_CARDS, SEATS, Action, Phase, after, card_points

DEAL_SHUFFLE, DRAW_SHUFFLE = 0, 1  # places of the shuffles in a hand

# --- set-up: shuffle, dealer [3] ----------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Go to the first shuffle: for the draw of the dealer or for round 1 [3]."""
    clear(s, "finished drawn povinnost")
    clear_round(s)
    s.dealer = s.first_dealer
    s.shuffle = DRAW_SHUFFLE if s.first_dealer < 0 else DEAL_SHUFFLE
    s.seat = core.SHUFFLE


@jit
def clear_round(s: Row) -> None:
    """Blank all that belongs to one round, but for its dealer and Povinnost [3]."""
    clear(s, "phase deciding style prever rejections called partner valat pagat")
    clear(s, "piles bids side offers contras money played shown leaders tricks order talon")
    clear(s, "hand hand_size discards discard_count won")


@jit
def deck(s: Row, out: Any) -> int:
    """All 54 cards, at every shuffle [3]."""
    for card in range(N_CARDS):
        out[card] = card
    return N_CARDS


@jit
def deal(s: Row, cards: Any) -> None:
    """Take the shuffled deck: draw for the deal, or ask for the cut [3]."""
    if s.dealer < 0:
        draw_dealer(s, cards)
        s.shuffle = DEAL_SHUFFLE
        return
    for i in range(N_CARDS):
        s.order[i] = cards[i]
    s.phase = Phase.CUT
    s.seat = after(s.dealer, 3)


@jit
def draw_dealer(s: Row, cards: Any) -> None:
    """Make the seat with the most card points the dealer [3]. Ties go to the higher card number."""
    best = -1
    for seat in range(SEATS):
        s.drawn[seat] = cards[seat]
        rank = card_points(bit(cards[seat])) * N_CARDS + cards[seat]
        if rank > best:
            best = rank
            s.dealer = seat


# --- cut and piles [4.1] ------------------------------------------------------------------------------------


@jit
def step_cut(s: Row, action: int) -> None:
    """Carry out the cutter's choice [4.1]."""
    s.style = action - Action.CUT
    if s.style == state.CHOICE_STYLE:
        s.phase = Phase.PILE
        s.seat = after(s.dealer, 1)
    else:
        hand_out(s)


@jit
def free_piles(s: Row) -> int:
    """Mask of the piles 0..3 that nobody has taken [4.1]."""
    free = 0
    for pile in range(len(s.piles)):
        if s.piles[pile] == NOBODY:
            free |= bit(pile)
    return free


@jit
def step_pile(s: Row, action: int) -> None:
    """Take a pile for the seat to act [4.1]. The dealer gets the last one without a decision."""
    s.piles[action - Action.PILE] = s.seat
    s.seat = after(s.seat, 1)
    if s.seat == s.dealer:
        s.piles[lowest(free_piles(s))] = s.dealer
        hand_out(s)


# --- the deal, Povinnost [3, 4.2] ---------------------------------------------------------------------------


@jit
def hand_out(s: Row) -> None:
    """Talon and hands from the deck in the chosen style; then Povinnost and the bidding [3]."""
    offset = N_CARDS // 2 if s.style == state.CUT_STYLE else 0
    for i in range(N_CARDS):
        card = s.order[(i + offset) % N_CARDS]
        if i < state.TALON:
            s.talon[i] = card
        else:
            s.hand[receiver(s, i - state.TALON)] |= bit(card)
    clear(s, "order")
    fill(s.hand_size, HAND)
    if s.finished == 0:
        find_povinnost(s)
    s.phase = Phase.BID
    s.seat = s.povinnost


@jit
def receiver(s: Row, i: int) -> int:
    """Return the seat that gets the i-th dealt card [3]."""
    place = state.RECEIVERS[s.style, i]
    return s.piles[place] if s.style == state.CHOICE_STYLE else after(s.dealer + 1, place)


@jit
def find_povinnost(s: Row) -> None:
    """Round 1: the holder of II, else of III, and so on to VIII [4.2]."""
    for card in range(state.II, state.VIII + 1):
        for seat in range(SEATS):
            if has(s.hand[seat], card):
                s.povinnost = seat
                s.deciding = card
                return
