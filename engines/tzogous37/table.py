"""Tzogous 37: what moves on the table, cards and chips, and the record of it. No rule decides here.

Numbers in brackets are the sections of the rules page, docs/rules/tzogous37.md.
"""

from __future__ import annotations

from typing import Any

from ..core import NOBODY, Row, bit, has, jit, take
from . import state
from .state import PUBLIC, Move, Phase

# --- cards --------------------------------------------------------------------------------------------------


@jit
def pick_up(s: Row, p: int, card: int) -> None:
    """Seat p takes a card into its hand."""
    s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], card)
    s.held[p] += 1


@jit
def play_out(s: Row, p: int, card: int) -> None:
    """Take a card out of the hand of seat p."""
    s.hand[p], s.doubled[p] = state.drop_card(s.hand[p], s.doubled[p], card)
    s.held[p] -= 1


@jit
def draw_card(s: Row) -> int:
    """Take the next card of a deck that is not empty."""
    s.left -= 1
    return take(s.deck_cards, s.left)


@jit
def lie_down(s: Row, place: int, card: int, knows: int) -> None:
    """Lay a card on a place of the table, by the next move."""
    s.table[place] = card
    s.knows[place] = knows
    s.lain[place] = s.moves


@jit
def spend(s: Row, slot: int, card: int, knows: int) -> None:
    """Lay a card of the seat to act on one of its slots [4.2]."""
    play_out(s, s.seat, card)
    lie_down(s, 2 * s.seat + slot, card, knows)
    note_move(s, Move.PLACE, s.seat, card, knows, slot)


@jit
def turn_up(s: Row, slot: int) -> None:
    """Everybody sees this slot of the alive seats [4.2]."""
    for p in range(s.players):
        place = 2 * p + slot
        if has(s.alive, p) and s.table[place] != NOBODY:
            s.knows[place] = PUBLIC
            if s.moves - s.lain[place] <= state.MOVES:
                s.move_knows[s.lain[place] % state.MOVES] = PUBLIC


# --- chips --------------------------------------------------------------------------------------------------


@jit
def put_in(s: Row, p: int, amount: int) -> None:
    """Pay chips into the pot, as far as there are any [4.1, 4.3]."""
    amount = min(amount, s.chips[p])
    s.chips[p] -= amount
    s.paid[p] += amount
    s.bet[p] += amount
    s.pot += amount
    s.high = max(s.high, s.bet[p])
    if s.chips[p] == 0:
        s.rich &= ~bit(p)


@jit
def fill_stacks(s: Row) -> None:
    """Every seat has a full stack [2]."""
    for p in range(s.players):
        s.chips[p] = s.stack
    s.rich = bit(s.players) - 1


# --- what has happened --------------------------------------------------------------------------------------


@jit
def note_move(s: Row, kind: Any, seat: int, card: int, knows: int, half: int) -> None:
    """Keep that a card has moved; `half`: the slot or betting from 0, `knows`: who knows the card."""
    i = s.moves % state.MOVES
    s.move_kind[i] = kind
    s.move_seat[i] = seat
    s.move_card[i] = card
    s.move_knows[i] = knows
    s.move_time[i] = 2 * max(0, s.round_no - 1) + half
    s.move_wagers[i] = s.wagers & 0x7FFF
    s.moves += 1


@jit
def note_bet(s: Row, kind: Any, seat: int, steps: int) -> None:
    """Keep an event of the betting in this round; `steps`: the amount of a raise or of a pot won, 0."""
    i = s.wagers % state.BETS
    s.bet_kind[i] = kind
    s.bet_seat[i] = seat
    s.bet_steps[i] = steps
    s.bet_time[i] = 2 * (s.round_no - 1) + (1 if s.phase == Phase.BET2 else 0)
    s.wagers += 1
