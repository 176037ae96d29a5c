"""Tzogous 37: whether a row from outside can be shown and played on. Every number is in its range before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    HAND_SHUFFLES,
    I64,
    NOBODY,
    OVER,
    WHOLE,
    Row,
    bit,
    cleared,
    filled,
    has,
    jit,
    n_set,
    scratch,
)
from . import state
from .state import HAND, HIDDEN, JOKER, MOVES, PACK, PLACES, ROUNDS, Move, Phase
from .worlds import first_move

KINDS = 53


@jit
def valid(s: Row) -> bool:
    """Whether chips and cards are complete, moves can be read, and the seat to act has what it is asked."""
    if not (moves_fit(s) and cards_fit(s)):
        return False
    return s.seat == OVER or (chips_fit(s) and turn_fits(s) and hands_last(s))


@jit
def chips_fit(s: Row) -> bool:
    """Whether stacks and bets add up to all chips, and the pot and the masks of seats say what they are."""
    chips, pot, high, rich, odd = 0, 0, 0, 0, 0
    for p in range(s.players):
        chips += s.chips[p]
        pot += s.paid[p]
        high = max(high, s.bet[p])
        rich |= bit(p) if s.chips[p] > 0 else 0
        odd |= (s.chips[p] % s.step) | (s.paid[p] % s.step) | (s.bet[p] % s.step) | (s.net[p] % s.step)
    if chips + pot != s.players * s.stack or odd != 0 or pot != s.pot or high != s.high or rich != s.rich:
        return False
    return s.due & ~(s.alive & rich) == 0 and s.first >= 0 and s.shuffle >= 0


@jit
def turn_fits(s: Row) -> bool:
    """Whether the seat to act is one that the phase asks, and nothing waits that comes later [4]."""
    p, phase = s.seat, s.phase
    if s.shuffle // HAND_SHUFFLES >= s.hands or s.round_no < 1 or s.alive == 0:
        return False  # whoever discards has folded, but never all
    if has(s.alive, p) == (phase == Phase.DISCARD):
        return False
    if s.tied != 0 or s.draws != 0 or s.level != 0 or n_set(s.drawn) > 0 or not slots_fit(s):
        return False
    if phase == Phase.PLACE1:
        return s.table[2 * p] == NOBODY
    if phase == Phase.PLACE2:
        return s.round_no < ROUNDS
    if phase == Phase.SURVIVE:
        return s.round_no < ROUNDS and s.alive == bit(p)
    if s.last_raise < s.ante or s.last_raise % s.step != 0:
        return False
    if phase == Phase.DISCARD:
        return s.round_no < ROUNDS
    if phase == Phase.GIVE:
        to_give = s.target != NOBODY and s.table[s.target] != NOBODY and s.target >> 1 != p and s.held[p] > 1
        return to_give and (s.hand[p] == 0 or has(s.hand[p], JOKER)) and s.joker_use == state.SWAP
    return (phase == Phase.BET1 or phase == Phase.BET2) and has(s.due, p)


@jit
def slots_fit(s: Row) -> bool:
    """Whether slot 1 of the seat to act and of the alive seats is as empty or full as the phase has it."""
    full = s.table[2 * s.seat + 1] != NOBODY
    for p in range(s.players):
        if has(s.alive, p) and s.phase != Phase.PLACE2 and (s.table[2 * p + 1] != NOBODY) != full:
            return False
    if s.phase == Phase.BET2:
        return full or s.round_no == ROUNDS
    return not full or s.phase == Phase.GIVE


# --- cards --------------------------------------------------------------------------------------------------


@jit
def cards_fit(s: Row) -> bool:
    """Whether no card is too often, counts are true, and enough are unseen for the places that are hidden."""
    left = cleared(KINDS, np.int64)
    for card in range(JOKER):
        left[card] = s.decks
    left[JOKER] = s.decks * s.jokers
    hidden = 0
    for p in range(s.players):
        n = hand_off(s, p, left)
        if n != s.held[p]:
            if n != 0 or s.form == WHOLE:
                return False
            hidden += s.held[p]
    for place in range(PLACES):
        card = s.table[place]
        if card != NOBODY and place >= 2 * s.players:
            return False
        if card == HIDDEN:
            hidden += 1
        elif card != NOBODY:
            left[card] -= 1
    if s.community != NOBODY:
        left[s.community] -= 1
    known = s.left if s.form == WHOLE else 0
    if not filled(s.deck_cards, known) or (s.community != NOBODY and s.round_no != ROUNDS):
        return False
    for i in range(known):
        left[s.deck_cards[i]] -= 1
    hidden += s.left - known
    unseen = 0
    for card in range(KINDS):
        if left[card] < 0:
            return False
        unseen += left[card]
    return hidden <= unseen and (s.form != WHOLE or hidden == 0)


@jit
def hand_off(s: Row, p: int, left: Any) -> int:
    """Take the cards of a hand off the counts; how many they are, -1 if the masks are none of a hand."""
    jokers, cards = s.hand[p] >> JOKER, scratch(PACK, np.int16)
    if jokers & (jokers + 1) != 0 or s.doubled[p] & ~s.hand[p] != 0:
        return NOBODY
    n = state.multiset_into(cards, s.hand[p], s.doubled[p])
    for i in range(n):
        left[cards[i]] -= 1
    return n


@jit
def hands_last(s: Row) -> bool:
    """Return whether every seat that is in this round or the next has the cards it still has to place."""
    for p in range(s.players):
        laid = I64(s.table[2 * p] != NOBODY) + I64(s.table[2 * p + 1] != NOBODY)
        is_in = has(s.alive | s.rich, p) or p == s.seat or s.stacks == state.STACKS_ROUND
        if s.held[p] > HAND - laid or (is_in and s.held[p] < 2 * (ROUNDS - s.round_no) + 1 - laid):
            return False
    return True


# --- the record of the hand ---------------------------------------------------------------------------------


@jit
def moves_fit(s: Row) -> bool:
    """Whether the moves and bets that the record keeps can be read: those of this hand also as places."""
    kept, bets = min(s.moves, MOVES), min(s.wagers, state.BETS)
    if n_set(s.move_kind[:kept]) < kept or n_set(s.bet_kind[:bets]) < bets:
        return False
    for number in range(first_move(s), s.moves):
        i, before = number % MOVES, (number - 1) % MOVES
        if s.move_kind[i] == Move.JOKER and not 0 <= s.move_card[i] < 2 * s.players:
            return False
        if s.move_kind[i] == Move.GIVE and s.move_kind[before] != Move.JOKER:
            return False
    return True
