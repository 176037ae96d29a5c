"""Flip 7: the rules, in the order of the rules page, docs/rules/flip7.md.

The only hidden thing is the order of the draw pile. All cards start on the discard pile, so that every
shuffle, also the first one and the one before a round (`deck=fresh`), is the same event: a single draw meets
an empty draw pile [3].

What can be read off a row is in `state`, what nobody may know in `worlds`.
"""

from __future__ import annotations

from typing import Any

from ..core import HAND_SHUFFLES as ROUND_SHUFFLES
from ..core import I64, NOBODY, SHUFFLE, Row, bit, cards_into, clear, count, has, jit, take
from . import state
from .state import Action, Event, Status

GIVE = int(Action.GIVE)
ROUND, SHUFFLED, DRAW, SCORE = int(Event.ROUND), int(Event.SHUFFLE), int(Event.DRAW), int(Event.SCORE)

# --- set-up and shuffles [3] --------------------------------------------------------------------------------


@jit
def start(s: Row) -> None:
    """Blank record, all cards on the discard pile, round 1, first shuffle [3]."""
    clear(s, "shuffle seat round_no card pile row flip_seat aside last event_what event_seat")
    for card in range(state.KINDS):
        s.discards[card] = state.COPIES[card]
    next_round(s)
    go_on(s)


@jit
def deck(s: Row, out: Any) -> int:
    """Return the cards to be shuffled: the whole discard pile, in canonical order [3]."""
    n = 0
    for card in range(state.KINDS):
        for _ in range(s.discards[card]):
            out[n] = card
            n += 1
    return n


@jit
def deal(s: Row, cards: Any) -> None:
    """Make the shuffled cards the draw pile, `cards[0]` on top [3]. Then make the draw that waited."""
    s.seat = NOBODY
    note(s, NOBODY, SHUFFLED)
    clear(s, "discards")
    s.left = len(cards)
    for i in range(len(cards)):
        s.pile[len(cards) - 1 - i] = cards[i]
    single_draw(s)
    go_on(s)


@jit
def single_draw(s: Row) -> None:
    """One card for the seat whose turn it is (deal or hit); or the shuffle that it waits for [3]."""
    if s.left > 0:
        resolve(s, s.turn, top_card(s))
        return
    s.seat = SHUFFLE
    s.shuffle = max(s.shuffle + 1, (s.round_no - 1) * ROUND_SHUFFLES)


@jit
def top_card(s: Row) -> int:
    """Take the next card off the draw pile, which is not empty."""
    s.left -= 1
    return take(s.pile, s.left)


@jit
def note(s: Row, seat: int, what: int) -> None:
    """Keep an action or event in the record."""
    i = s.events & (state.EVENTS - 1)
    s.event_what[i] = what
    s.event_seat[i] = seat
    s.events += 1


@jit
def discard(s: Row, card: int) -> None:
    """Put a card on the discard pile."""
    s.discards[card] += 1


# --- rounds [4, 4.1] ----------------------------------------------------------------------------------------


@jit
def next_round(s: Row) -> None:
    """All seats are in, nobody has a card; a fresh deck is gathered first [3, 4.1]."""
    s.round_no += 1
    s.dealt = 0
    s.turn = state.dealer(s)
    note(s, s.turn, ROUND)
    for seat in range(s.players):
        s.status[seat] = Status.ACTIVE
    s.active = bit(s.players) - 1
    while s.deck == state.FRESH and s.left > 0:
        discard(s, top_card(s))


@jit
def go_on(s: Row) -> None:
    """Carry out what needs no decision, until a seat is to act, a shuffle is due or the game is over [4]."""
    while s.seat == NOBODY:
        if s.active == 0:
            end_round(s)
            if state.game_over(s):
                s.turn = NOBODY
                s.dealt = 0
                return
            next_round(s)
        elif s.flip_seat[0] != NOBODY:
            carry_on(s, state.top_flip(s))
        elif s.dealt < s.players:
            deal_one(s)
        else:
            s.turn = state.next_active(s)
            s.seat = s.turn


@jit
def deal_one(s: Row) -> None:
    """Deal the next seat's card, if that seat is still in [4.1]. The dealer's card is the last."""
    s.turn = (s.turn + 1) % s.players
    s.dealt += 1
    if has(s.active, s.turn):
        single_draw(s)


# --- one card [4.3] -----------------------------------------------------------------------------------------


@jit
def resolve(s: Row, seat: int, card: int) -> None:
    """Carry out what a card does that a seat has drawn [4.3]."""
    note(s, seat, DRAW + card)
    if card < state.NUMBERS and has(s.held[seat], card):
        duplicate(s, seat, card)
    elif card < state.FREEZE:
        state.lay(s, seat, card)
        if card < state.NUMBERS and count(s.held[seat] & state.NUMBER_CARDS) == state.SEVEN:
            s.status[seat] = Status.FLIP7
            s.active = 0  # nobody draws any more [4]
    elif card == state.SECOND_CHANCE:
        second_chance(s, seat)
    elif s.flip_three == state.AFTER and s.flip_seat[0] != NOBODY:
        set_aside(s, state.top_flip(s), card)
    else:
        aim(s, seat, card)


@jit
def leave(s: Row, seat: int, status: int) -> None:
    """Take a seat out of this round [4]."""
    s.status[seat] = status
    s.active &= ~bit(seat)


@jit
def ask(s: Row, seat: int, card: int) -> None:
    """Ask a seat to decide about a card."""
    s.seat = seat
    s.card = card


@jit
def duplicate(s: Row, seat: int, card: int) -> None:
    """Resolve a number that the row has already [4.3(2)]. The seat is bust, is saved, or decides."""
    if not state.has_chance(s, seat):
        bust(s, seat, card)
    elif s.second_chance == state.ASK:
        ask(s, seat, card)
    else:
        save(s, seat, card)


@jit
def bust(s: Row, seat: int, card: int) -> None:
    """Bust a seat: its row is lost with the duplicate [3]. The row lies there until the round ends."""
    s.row[seat, state.row_size(s, seat)] = card
    s.held[seat] += I64(1) << state.SIZE
    leave(s, seat, Status.BUSTED)


@jit
def save(s: Row, seat: int, card: int) -> None:
    """Discard the duplicate and a Second Chance of the row [4.3(2)]."""
    take_chance(s, seat)
    discard(s, state.SECOND_CHANCE)
    discard(s, card)


@jit
def take_chance(s: Row, seat: int) -> None:
    """Take the first Second Chance out of a row that has one; the later cards close up."""
    i = 0
    while s.row[seat, i] != state.SECOND_CHANCE:
        i += 1
    while i < state.ROW - 1:
        s.row[seat, i] = s.row[seat, i + 1]
        i += 1
    s.row[seat, state.ROW - 1] = NOBODY
    s.held[seat] -= state.GAIN[state.SECOND_CHANCE]


@jit
def second_chance(s: Row, seat: int) -> None:
    """Keep it; with free targeting only the first, and a surplus one is given away or discarded [4.3(4)]."""
    if s.targeting == state.SELF or not state.has_chance(s, seat):
        state.lay(s, seat, state.SECOND_CHANCE)
    elif state.takers(s, state.SECOND_CHANCE) == 0:
        discard(s, state.SECOND_CHANCE)
    else:
        ask(s, seat, state.SECOND_CHANCE)


# --- Freeze and Flip Three [4.4, 4.5] -----------------------------------------------------------------------


@jit
def aim(s: Row, seat: int, card: int) -> None:
    """Play a Freeze or Flip Three on its own seat, or ask it on whom [4.4]."""
    if s.targeting == state.SELF:
        play_on_seat(s, card, seat)
    else:
        ask(s, seat, card)


@jit
def play_on_seat(s: Row, card: int, target: int) -> None:
    """Play a Freeze or Flip Three on a target [4.4]."""
    discard(s, card)
    if card == state.FREEZE:
        leave(s, target, Status.FROZEN)
    else:
        flip = state.top_flip(s) + 1
        s.flip_seat[flip] = target
        s.flip_left[flip] = state.DRAWS


@jit
def carry_on(s: Row, flip: int) -> None:
    """One step of the Flip Three on top: a draw, a card set aside, or its end [4.5]."""
    seat = I64(s.flip_seat[flip])
    if not has(s.active, seat):
        close_flip(s, flip)
    elif s.flip_left[flip] > 0 and s.left > 0:
        s.flip_left[flip] -= 1
        resolve(s, seat, top_card(s))
    elif s.flip_left[flip] > 0:
        s.flip_left[flip] = 0  # no reshuffle in a Flip Three: fewer cards are all that remain
    elif s.aside[flip, 0] != NOBODY:
        aim(s, seat, next_aside(s, flip))
    else:
        close_flip(s, flip)


@jit
def set_aside(s: Row, flip: int, card: int) -> None:
    """Keep an FZ or F3 until the draws of its Flip Three are done [4.3(5)]."""
    i = 0
    while s.aside[flip, i] != NOBODY:
        i += 1
    s.aside[flip, i] = card


@jit
def next_aside(s: Row, flip: int) -> int:
    """Take the earliest of the cards that were set aside [4.5(4)]."""
    card = I64(s.aside[flip, 0])
    for i in range(state.DRAWS - 1):
        s.aside[flip, i] = s.aside[flip, i + 1]
    s.aside[flip, state.DRAWS - 1] = NOBODY
    return card


@jit
def close_flip(s: Row, flip: int) -> None:
    """Close a Flip Three that is done [4.5(1)]. What it had set aside goes to the discard pile."""
    while s.aside[flip, 0] != NOBODY:
        discard(s, next_aside(s, flip))
    s.flip_seat[flip] = NOBODY
    s.flip_left[flip] = 0


# --- decisions [7] ------------------------------------------------------------------------------------------


@jit
def legal(s: Row, out: Any) -> int:
    """Write the legal actions of `s.seat` into `out`, ascending; return how many [7]."""
    if s.card >= state.NUMBERS:
        return cards_into(out, 0, GIVE, state.takers(s, s.card))
    if s.card != NOBODY:
        out[0] = Action.SAVE
        out[1] = Action.BUST
        return 2
    out[0] = Action.HIT
    if s.targeting == state.ANY and s.held[s.seat] == 0:  # it gave its first card away [4.2]
        return 1
    out[1] = Action.STAY
    return 2


@jit
def step(s: Row, action: int) -> None:
    """Apply a legal action; go on to the next decision, shuffle or end [4]."""
    seat, card = s.seat, s.card
    note(s, seat, action)
    s.decisions += 1
    s.seat = NOBODY
    s.card = NOBODY
    if action == Action.HIT:
        single_draw(s)
    elif action == Action.STAY:
        leave(s, seat, Status.STAYED)
    elif action == Action.SAVE:
        save(s, seat, card)
    elif action == Action.BUST:
        bust(s, seat, card)
    elif card == state.SECOND_CHANCE:
        state.lay(s, action - Action.GIVE, card)
    else:
        play_on_seat(s, card, action - Action.GIVE)
    go_on(s)


# --- scoring and end [5] ------------------------------------------------------------------------------------


@jit
def end_round(s: Row) -> None:
    """Score the rows, then put all cards but the draw pile on the discard pile [3, 5.2]."""
    for flip in range(state.FLIPS):
        close_flip(s, flip)
    for seat in range(s.players):
        s.last[seat] = state.row_points(s, seat)
        s.total[seat] += s.last[seat]
        note(s, seat, SCORE + s.last[seat])
        clear_row(s, seat)


@jit
def clear_row(s: Row, seat: int) -> None:
    """Put a row on the discard pile."""
    for i in range(state.row_size(s, seat)):
        discard(s, s.row[seat, i])
        s.row[seat, i] = NOBODY
    s.held[seat] = 0


@jit
def score(s: Row, out: Any) -> None:
    """Write the final scores, which are the totals, into `out` [5.4]."""
    for seat in range(s.players):
        out[seat] = s.total[seat]
