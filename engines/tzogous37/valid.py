"""Tzogous 37: whether a row from outside could be one of a game.

Every number is in its range before.
"""

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
    count,
    fill,
    has,
    jit,
    lowest,
    scratch,
)
from . import state
from .state import HIDDEN, JOKER, MOST_HELD, MOVES, PLACES, ROUNDS, SEATS, Move, Phase

KINDS = 53


@jit
def valid(s: Row) -> bool:
    """Whether chips and cards are complete, and the seat to act has what the phase asks of it."""
    if not chips_fit(s):
        return False
    if s.seat == OVER:
        return s.phase == Phase.OVER and s.pot == 0 and no_cards_held(s) and past_fits(s)
    return turn_fits(s) and cards_fit(s) and past_fits(s)


# --- chips --------------------------------------------------------------------------------------------------


@jit
def chips_fit(s: Row) -> bool:
    """Whether stacks and bets add up to all chips, and the pot and the masks of seats say what they are."""
    chips, pot, net, high, rich, paying, odd = 0, 0, 0, 0, 0, 0, 0
    for p in range(s.players):
        chips += s.chips[p]
        pot += s.paid[p]
        net += s.net[p]
        high = max(high, s.bet[p])
        if s.chips[p] > 0:
            rich |= bit(p)
        if s.paid[p] > 0:
            paying |= bit(p)
        odd |= (s.chips[p] % s.step) | (s.paid[p] % s.step) | (s.bet[p] % s.step) | (s.net[p] % s.step)
        if s.bet[p] > s.paid[p] or not stack_fits(s, p):
            return False
    if chips + pot != s.players * s.stack or net != 0 or odd != 0:
        return False
    if (
        pot != s.pot
        or high != s.high
        or rich != s.rich
        or s.alive & ~paying != 0
        or s.due & ~(s.alive & rich) != 0
    ):
        return False
    if pot == 0:
        return s.first == NOBODY
    begins = (s.shuffle // HAND_SHUFFLES + s.round_no - 1) % s.players  # [4]
    return s.shuffle >= 0 and s.first == state.first_from(paying, begins)


@jit
def stack_fits(s: Row, p: int) -> bool:
    """Whether a seat has the chips that it was last given, as far as the record tells what it won since."""
    had = s.chips[p] + s.paid[p]
    if s.stacks == state.STACKS_GAME:
        return had == s.stack + s.net[p]
    since = s.stacks == state.STACKS_HAND and s.round_no > 1
    return s.seat == OVER or since or had == s.stack


@jit
def no_cards_held(s: Row) -> bool:
    """Whether nobody has a card in hand."""
    cards = 0
    for p in range(s.players):
        cards |= s.held[p] | s.hand[p] | s.doubled[p]
    return cards == 0


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
        return to_give and s.joker_use == state.SWAP and s.joker_used == 1 and betting_fits(s)
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
    return hidden <= unseen and (s.form != WHOLE or hidden == 0) and hands_last(s)


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
    """Return whether every seat that is in this round or the next has the cards it still has to place.

    In this hand these are two a round, one in round 4.
    """
    for p in range(s.players):
        if has(s.alive | s.rich, p) or p == s.seat or s.stacks == state.STACKS_ROUND:
            laid = I64(s.table[2 * p] != NOBODY) + I64(s.table[2 * p + 1] != NOBODY)
            least = 2 * (ROUNDS - s.round_no) + 1 - laid
            if s.held[p] < least or s.held[p] >= MOST_HELD:
                return False
    return True


# --- the record of the hand ---------------------------------------------------------------------------------


@jit
def past_fits(s: Row) -> bool:
    """Whether the moves of this hand that the record keeps can be read, and have led to this row."""
    number, oldest = s.moves, max(0, s.moves - MOVES)
    is_dealt = False
    while number > oldest and not is_dealt:
        number -= 1
        if not move_fits(s, number % MOVES, number == oldest):
            return False
        is_dealt = s.move_kind[number % MOVES] == Move.HAND
    for place in range(PLACES):
        if s.lain[place] >= s.moves:
            return False
    told = is_dealt and s.form == WHOLE and s.seat != OVER
    return rings_filled(s) and (not told or moves_lead_here(s, number + 1))


@jit
def moves_lead_here(s: Row, first: int) -> bool:
    """Whether the moves from `first` on, all of this hand, lead to table and discards of a whole row."""
    table, knows, spent = scratch(PLACES, np.int8), cleared(PLACES, np.int8), cleared(KINDS, np.int64)
    fill(table, NOBODY)
    rnd, target, knew = 0, 0, 0
    for number in range(first, s.moves):
        i = number % MOVES
        kind, p, card, time = s.move_kind[i], s.move_seat[i], s.move_card[i], s.move_time[i]
        if time >> 1 > rnd:
            sweep(table, spent)
            rnd = time >> 1
        if kind == Move.RESHUFFLE:
            fill(spent, 0)
        elif kind == Move.JOKER:
            target = card
            if s.joker_use == state.LAY:
                table[target] = JOKER
            elif number + 1 < s.moves:  # else it is still in the hand
                spent[JOKER] += 1
        elif card < 0:
            return False
        elif kind == Move.PLACE or kind == Move.GIVE:
            place = target if kind == Move.GIVE else 2 * p + (time & 1)
            knew = knows[place]
            table[place], knows[place] = card, s.move_knows[i]
        elif kind == Move.TAKE:
            if s.move_knows[i] != knew | bit(p):
                return False
        elif kind == Move.LOSE or kind == Move.TIE:
            spent[card] += 1
    if s.round_no - 1 > rnd:
        sweep(table, spent)
    for place in range(PLACES):
        if table[place] != s.table[place]:
            return False
    return are_discards(s, spent)


@jit
def sweep(table: Any, spent: Any) -> None:
    """Put the cards of a round that is over to the spent ones."""
    for place in range(PLACES):
        if table[place] != NOBODY:
            spent[table[place]] += 1
        table[place] = NOBODY


@jit
def are_discards(s: Row, spent: Any) -> bool:
    """Whether these counts are the cards that are nowhere else."""
    ones, twos = state.discards(s)
    for card in range(JOKER):
        if spent[card] != I64(has(ones, card)) + I64(has(twos, card)):
            return False
    return spent[JOKER] == count(ones >> JOKER)


@jit
def rings_filled(s: Row) -> bool:
    """Whether the rings have the moves and bets that they should keep."""
    return s.moves > 0 and is_filled(s.move_kind, s.moves) and is_filled(s.bet_kind, s.wagers)


@jit
def is_filled(ring: Any, n: int) -> bool:
    """Whether a ring into which `n` events were written has those that it keeps."""
    filled = True
    for i in range(min(n, len(ring))):
        filled &= ring[i] != NOBODY
    return filled


@jit
def move_fits(s: Row, i: int, is_first: bool) -> bool:
    """Whether a move of the ring has what its kind needs."""
    kind, p, card = s.move_kind[i], s.move_seat[i], s.move_card[i]
    if kind == NOBODY:
        return False
    if kind == Move.HAND:
        return True
    if kind == Move.COMMUNITY:
        return card >= 0 and (s.community != NOBODY or s.seat == OVER)
    if kind == Move.RESHUFFLE:
        return 0 <= card <= SEATS
    if p == NOBODY or card == NOBODY:
        return False
    if kind == Move.JOKER:
        return 0 <= card < 2 * s.players
    if kind == Move.GIVE:
        before = (i + MOVES - 1) % MOVES
        return not is_first and s.move_kind[before] == Move.JOKER
    return True
