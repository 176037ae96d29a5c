"""Tzogous 37: whether a row from outside can be shown and played on. Every number is in its range before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import HAND_SHUFFLES, I64, NOBODY, OVER, WHOLE, Row, bit, cleared, count, has, jit, lowest
from . import state
from .state import HIDDEN, JOKER, MOST_HELD, MOVES, PLACES, ROUNDS, Move, Phase

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
    chips, pot, high, rich, paying, odd = 0, 0, 0, 0, 0, 0
    for p in range(s.players):
        chips += s.chips[p]
        pot += s.paid[p]
        high = max(high, s.bet[p])
        rich |= bit(p) if s.chips[p] > 0 else 0
        paying |= bit(p) if s.paid[p] > 0 else 0
        odd |= (s.chips[p] % s.step) | (s.paid[p] % s.step) | (s.bet[p] % s.step) | (s.net[p] % s.step)
        if s.bet[p] > s.paid[p]:
            return False
        if s.stacks == state.STACKS_ROUND and s.chips[p] + s.paid[p] != s.stack:
            return False
    if chips + pot != s.players * s.stack or odd != 0 or pot != s.pot or high != s.high or rich != s.rich:
        return False
    if s.alive & ~paying != 0 or s.due & ~(s.alive & rich) != 0 or pot == 0 or s.shuffle < 0:
        return False
    return s.first == state.first_from(paying, (s.shuffle // HAND_SHUFFLES + s.round_no - 1) % s.players)


# --- whose turn [4] -----------------------------------------------------------------------------------------


@jit
def turn_fits(s: Row) -> bool:
    """Whether the seat to act is one that the phase asks, and nothing waits that comes later."""
    p, phase = s.seat, s.phase
    if state.hand_number(s) >= s.hands or s.round_no < 1 or s.pot == 0:
        return False
    if s.turn != NOBODY or s.tied != 0 or s.draws != 0 or s.level != 0:
        return False
    for q in range(s.players):
        if s.drawn[q] != NOBODY:
            return False
    if (s.target != NOBODY) != (phase == Phase.GIVE) or has(s.alive, p) == (phase == Phase.DISCARD):
        return False
    if phase == Phase.PLACE1 or phase == Phase.PLACE2:
        return s.due == 0 and s.high == 0 and slots_fit(s, 0 if phase == Phase.PLACE1 else 1)
    if phase == Phase.SURVIVE:
        return s.alive == bit(p) and s.due == 0 and slots_fit(s, 1)
    if phase == Phase.DISCARD:
        return (
            betting_fits(s)
            and s.round_no < ROUNDS
            and s.table[2 * p + 1] == NOBODY
            and s.table[2 * p] != NOBODY
        )
    if phase == Phase.GIVE:
        to_give = s.table[s.target] != NOBODY and s.target >> 1 != p and s.held[p] > 1
        has_joker = s.hand[p] == 0 or has(s.hand[p], JOKER)
        return to_give and has_joker and s.joker_use == state.SWAP and betting_fits(s)
    return (phase == Phase.BET1 or phase == Phase.BET2) and has(s.due, p) and betting_fits(s)


@jit
def slots_fit(s: Row, slot: int) -> bool:
    """Whether the alive seats from F on have filled this slot up to the one to act, and the one before."""
    empty = 0
    for p in range(s.players):
        if has(s.alive, p):
            if s.table[2 * p + slot] == NOBODY:
                empty |= bit(p)
            if (slot == 1 and s.table[2 * p] == NOBODY) or (slot == 0 and s.table[2 * p + 1] != NOBODY):
                return False
    if slot == 1 and s.round_no == ROUNDS:
        return False
    return empty != 0 and s.seat == state.first_from(empty, s.first)


@jit
def betting_fits(s: Row) -> bool:
    """Whether all alive seats have the cards of this betting on the table, and a raise can be counted."""
    second = has(s.alive, s.seat) and s.round_no < ROUNDS and s.table[2 * s.seat + 1] != NOBODY
    for p in range(s.players):
        if has(s.alive, p):
            if s.table[2 * p] == NOBODY:
                return False
            if s.phase != Phase.DISCARD and (s.table[2 * p + 1] != NOBODY) != second:
                return False
    late = second or s.community != NOBODY
    if (s.phase == Phase.BET1 and late) or (s.phase == Phase.BET2 and not late):
        return False
    return s.last_raise >= s.ante and s.last_raise % s.step == 0


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
        if card == HIDDEN:
            hidden += 1
        elif card != NOBODY:
            left[card] -= 1
        if (card == NOBODY) != (s.lain[place] == NOBODY) or (card != NOBODY and place >= 2 * s.players):
            return False
        if card == NOBODY and s.knows[place] != 0:
            return False
    if s.community != NOBODY:
        left[s.community] -= 1
        if s.round_no != ROUNDS:
            return False
    known = s.left if s.form == WHOLE else 0
    for i in range(state.PACK):
        if (s.deck_cards[i] != NOBODY) != (i < known) or s.deck_cards[i] == HIDDEN:
            return False
        if i < known:
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
    jokers, twice, n = s.hand[p] >> JOKER, s.doubled[p], 0
    if jokers & (jokers + 1) != 0 or twice & ~s.hand[p] != 0:
        return NOBODY
    hand = s.hand[p] & (bit(JOKER) - 1)
    while hand != 0:
        card = lowest(hand)
        copies = 2 if has(twice, card) else 1
        left[card] -= copies
        n += copies
        hand &= hand - 1
    left[JOKER] -= count(jokers)
    return n + count(jokers)


@jit
def hands_last(s: Row) -> bool:
    """Return whether every seat that is in this round or the next has the cards it still has to place."""
    for p in range(s.players):
        if has(s.alive | s.rich, p) or p == s.seat or s.stacks == state.STACKS_ROUND:
            laid = I64(s.table[2 * p] != NOBODY) + I64(s.table[2 * p + 1] != NOBODY)
            least = 2 * (ROUNDS - s.round_no) + 1 - laid
            if s.held[p] < least or s.held[p] >= MOST_HELD:
                return False
    return True


# --- the record of the hand ---------------------------------------------------------------------------------


@jit
def moves_fit(s: Row) -> bool:
    """Whether the moves and bets that the record keeps can be read: those of this hand also as places."""
    for place in range(PLACES):
        if s.lain[place] >= s.moves:
            return False
    kept = min(s.moves, MOVES)
    for i in range(MOVES):
        if (s.move_kind[i] == NOBODY) != (i >= kept):
            return False
    for i in range(min(s.wagers, state.BETS)):
        if s.bet_kind[i] == NOBODY:
            return False
    number, in_hand = s.moves, s.moves > 0
    while number > s.moves - kept and in_hand:
        number -= 1
        in_hand = s.move_kind[number % MOVES] != Move.HAND
        if in_hand and not move_fits(s, number % MOVES):
            return False
    return s.moves > 0


@jit
def move_fits(s: Row, i: int) -> bool:
    """Whether a move has the seat and the place that its kind needs; a card is given after a joker."""
    kind = s.move_kind[i]
    if kind == Move.COMMUNITY or kind == Move.RESHUFFLE:
        return True
    if kind == Move.JOKER:
        return s.move_seat[i] >= 0 and 0 <= s.move_card[i] < 2 * s.players
    before = (i + MOVES - 1) % MOVES
    return s.move_seat[i] >= 0 and (kind != Move.GIVE or s.move_kind[before] == Move.JOKER)
