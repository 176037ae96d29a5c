"""Taroky: hidden information (6). What a seat may know of a record, and random worlds that agree with what it knows.

`redact` blanks the rest; `determinize` puts the unseen cards back: first all that a view makes certain of single cards
(`narrow`), then a random deal to the places that are left (`worlds.place_cards`), then swaps until the announced money cards
fit (`balance`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import core
from ..core import Row, below, bit, count, fill, has, jit, nth, shuffle_with
from ..core.worlds import only_at, place_cards
from .state import (
    ACCEPT,
    ALL,
    BIDA,
    CUTTING,
    DRAWING,
    FIVES,
    HAND,
    I64_0,
    II,
    KINGS,
    MONEY,
    N_CARDS,
    NOBODY,
    OFFER,
    OFFERED,
    PAGAT_CARD,
    PANE,
    PILES,
    PLAIN,
    ROSA_PANE,
    ROSA_PANE_PLUS,
    SUITS,
    TALON,
    TAROCKY,
    TAROKY,
    TRUL,
    TRUL_CARDS,
    TRUMP_SUIT,
    TRUMPS,
    UNI,
    XIX,
    after,
    gone,
    holder,
    money_of,
    suit_of,
)

# --- what a seat may know (6) ----------------------------------------------------------------------------------------------


@jit
def partner_choices(s: Row, seat: int) -> int:
    """Mask of the seats that may have the unseen called card, for a viewer that has it not (-1: an onlooker) (6)."""
    choices = I64_0
    for other in range(4):
        if s.side[other] == 1 and other != s.lead:
            return bit(other)
        if other != seat and s.side[other] != 0 and not (other == s.lead and s.called != XIX):
            choices |= bit(other)
    return choices


@jit
def knows_partner(s: Row, seat: int) -> bool:
    """Whether a viewer knows who plays with Povinnost: by the called card itself, by calls, or by elimination (6)."""
    if s.called < 0:
        return False
    seen = gone(s)
    for other in range(4):
        seen |= s.discard[other] & TRUMPS
    if has(seen, s.called) or (seat >= 0 and has(s.hand[seat], s.called)):
        return True
    return count(partner_choices(s, seat)) == 1


@jit
def talon_half_seen(s: Row, seat: int) -> int:
    """First place of the talon half that a viewer looks at, else -1 (4.4)."""
    return 3 * s.rejections if s.phase == TALON and seat == s.prever else NOBODY


@jit
def redact(s: Row, seat: int) -> None:
    """Blank all that a seat may not know; -1 is an onlooker (6).

    Kept: its own hand and discards, discarded trumps, shown talon cards, the talon half that Prever looks at, and the partner
    as soon as the viewer can tell it by the called card, by calls that one side only can make, or by elimination from these.
    """
    if not knows_partner(s, seat):
        s.partner = NOBODY
    for other in range(4):
        if other != seat:
            s.hand[other] = 0
            s.discard[other] &= TRUMPS
    half = talon_half_seen(s, seat)
    for place in range(6):
        card = s.talon[place]
        looked_at = half >= 0 and half <= place < half + 3
        if card >= 0 and not looked_at and not has(s.shown, card):
            s.talon[place] = NOBODY
    fill(s.order, NOBODY)


# --- random worlds (6) -----------------------------------------------------------------------------------------------------

HIDES = 9  # places that can hold unseen cards: hands 0..3, discards 4..7, the talon 8
TALON_HIDE = 8
I64_TRUMPS, I64_FIVES = core.I64(TRUMPS), core.I64(FIVES)
WORLD_TRIES = 8
BALANCE_TRIES = 48


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill a redacted row with a random world.

    Honoured without exception: every count of cards, that secret discards are plain, that a discarded trump means a hand
    without plain cards, voids shown by not following, the called card's possible holders and the trumps above it, the card
    that made Povinnost, the Pagat's caller, and announced Uni, Trul and four Kings. Honoured wherever some random tries get
    there: the other money announcements (numbers of trumps and five-pointers). Worlds are not exactly equally likely.
    """
    if s.phase in (CUTTING, PILES):
        for card in range(N_CARDS):
            s.order[card] = card
        shuffle_with(s.order, N_CARDS, rng)
    elif s.phase >= 0:
        fill_hides(s, rng)


@jit
def fill_hides(s: Row, rng: Any) -> None:
    """Put the unseen cards into hands, discards and talon (6)."""
    room = np.zeros(HIDES, np.int64)
    may = np.zeros(HIDES, np.int64)
    put = np.zeros(HIDES, np.int64)
    had = np.zeros(4, np.int64)
    trumps = np.zeros((2, 4), np.int64)
    fives = np.zeros((2, 4), np.int64)
    played_by(s, had)
    open_places(s, room)
    narrow(s, had, room, may)
    money_bounds(s, had, trumps, fives)
    unseen = unseen_cards(s)
    for _ in range(WORLD_TRIES):
        place_cards(unseen, room, may, put, rng)
        balance(trumps, I64_TRUMPS, may, put, rng)
        balance(fives, I64_FIVES, may, put, rng)
        if agrees_with_money(s, had, put):
            break
    write_world(s, put, rng)


@jit
def unseen_cards(s: Row) -> int:
    """Mask of the cards that a view does not place."""
    seen = gone(s)
    for seat in range(4):
        seen |= s.hand[seat] | s.discard[seat]
    for place in range(6):
        if s.talon[place] >= 0:
            seen |= bit(s.talon[place])
    return ALL & ~seen


@jit
def played_by(s: Row, had: Any) -> None:
    """Write the mask of the cards that each seat played to tricks into `had` (int64, 4 zeros)."""
    for k in range(s.played):
        had[after(s.leads[k >> 2], k & 3)] |= bit(s.tricks[k])


@jit
def talon_left(s: Row) -> int:
    """Mask of the talon's places that still hold a card, by what all know (4.4, 4.5)."""
    if s.phase <= TALON:
        return 0b111111
    if s.prever >= 0:
        return 0b000111 if s.rejections == 1 else 0b111000
    return 0b000000 if s.phase > OFFERED else 0b100000 | (0b010000 if s.offers[0] == NOBODY or s.offers[0] == OFFER else 0)


@jit
def open_places(s: Row, room: Any) -> None:
    """Write how many unseen cards each place holds into `room`."""
    for seat in range(4):
        room[seat] = s.size[seat] - count(s.hand[seat])
        room[4 + seat] = s.discards[seat] - count(s.discard[seat])
    for place in range(6):
        room[TALON_HIDE] += has(talon_left(s), place) and s.talon[place] == NOBODY


@jit
def narrow(s: Row, had: Any, room: Any, may: Any) -> None:
    """Write the mask of the cards that may be at each place into `may`: all that the view makes certain of single cards."""
    for seat in range(4):
        may[seat] = ALL
        may[4 + seat] = PLAIN
        if s.discard[seat] & TRUMPS != 0:
            may[seat] = ALL & ~PLAIN
        narrow_by_money(s, seat, may)
    may[TALON_HIDE] = ALL
    narrow_by_tricks(s, may)
    narrow_by_calls(s, may)
    if s.deciding >= 0:
        narrow_by_povinnost(s, may)
    for place in range(HIDES):
        if room[place] == 0:
            may[place] = 0


@jit
def narrow_by_money(s: Row, seat: int, may: Any) -> None:
    """Announcements that say where single cards are (4.8)."""
    money = s.money[seat]
    if money & UNI != 0:
        may[seat] &= ~TRUMPS
    if money & ROSA_PANE != 0:
        may[seat] &= ~TRUL_CARDS


@jit
def narrow_by_tricks(s: Row, may: Any) -> None:
    """A seat that did not follow has no card of the led suit, and no trump if it did not play one (4.12)."""
    for k in range(s.played):
        led, card = s.tricks[k & ~3], s.tricks[k]
        if suit_of(card) != suit_of(led):
            seat = after(s.leads[k >> 2], k & 3)
            may[seat] &= ~SUITS[suit_of(led)]
            if suit_of(card) != TRUMP_SUIT:
                may[seat] &= ~TRUMPS


@jit
def narrow_by_calls(s: Row, may: Any) -> None:
    """Holders of the called card and of the trumps above it, of the I, and of Kings and Trul (4.7 to 4.11)."""
    for seat in range(4):
        if s.money[seat] & TRUL != 0:
            only_at(may, seat, TRUL_CARDS)
        if s.money[seat] & (ROSA_PANE | ROSA_PANE_PLUS) != 0:
            only_at(may, seat, KINGS)
    if s.pagat >= 0:
        only_at(may, s.pagat, bit(PAGAT_CARD))
    if s.called < 0:
        return
    for card in range(s.called + 1, XIX + 1):
        only_at(may, s.lead, bit(card))
    choices = bit(s.partner) if s.partner >= 0 else partner_choices(s, NOBODY)
    for seat in range(4):
        if not has(choices, seat):
            may[seat] &= ~bit(s.called)


@jit
def narrow_by_povinnost(s: Row, may: Any) -> None:
    """Round 1: Povinnost was dealt the deciding card, and the trumps from II to below it lay in the talon (4.2)."""
    only_at(may, s.lead, bit(s.deciding))
    born = bit(s.deciding) - bit(II)
    for seat in range(4):
        if not took_talon(s, seat):
            may[seat] &= ~born


@jit
def took_talon(s: Row, seat: int) -> bool:
    """Whether a seat has taken cards from the talon in this round, by what all know (4.4, 4.5)."""
    if s.prever >= 0:
        return seat == s.prever and s.phase > TALON
    if s.phase < DRAWING:
        return False
    if seat == s.lead:
        return True
    for offer in range(2):
        to_fourth = s.offers[offer] == ACCEPT
        if s.offers[offer] >= 0 and s.offers[offer] != OFFER and seat == after(s.lead, 3 if to_fourth else 1 + offer):
            return True
    return False


@jit
def money_bounds(s: Row, had: Any, trumps: Any, fives: Any) -> None:
    """Write fewest and most trumps and five-pointers that each seat can still hold, by the announcements (4.8).

    `trumps`, `fives`: int64 [2, 4].
    """
    for seat in range(4):
        least, most, least_fives, most_fives = 0, HAND, 0, 7
        money = s.money[seat]
        if money & TAROKY != 0:
            least = 10
        elif money & TAROCKY != 0:
            least, most = 8, 9
        elif money & BIDA != 0:
            least, most = 1, 2
        elif s.phase > MONEY and money & UNI == 0:
            least, most = 0 if seat == s.lead else 3, 7
        if money & (PANE | ROSA_PANE_PLUS) != 0:
            least_fives = 4
        elif s.phase > MONEY and money & ROSA_PANE == 0:
            most_fives = 3
        seen_trumps, seen_fives = count((had[seat] | s.hand[seat]) & TRUMPS), count((had[seat] | s.hand[seat]) & FIVES)
        trumps[0, seat], trumps[1, seat] = least - seen_trumps, most - seen_trumps
        fives[0, seat], fives[1, seat] = least_fives - seen_fives, most_fives - seen_fives


@jit
def balance(bounds: Any, counted: int, may: Any, put: Any, rng: Any) -> None:
    """Swap cards of the `counted` mask for others between unseen places until every hand is in bounds, or tries run out."""
    for _ in range(BALANCE_TRIES):
        seat = out_of_bounds(bounds, counted, put)
        if seat < 0:
            return
        other = below(rng, 5)
        other = TALON_HIDE if other == 4 else other
        short = count(put[seat] & counted) < bounds[0, seat]
        n = count(put[other] & counted)
        if other == seat or (other < 4 and (n <= bounds[0, other] if short else n >= bounds[1, other])):
            continue
        if short:
            swap(other, seat, counted, may, put, rng)
        else:
            swap(seat, other, counted, may, put, rng)


@jit
def out_of_bounds(bounds: Any, counted: int, put: Any) -> int:
    """The first unseen hand with too few or too many counted cards, else -1."""
    for seat in range(4):
        n = count(put[seat] & counted)
        if put[seat] != 0 and (n < bounds[0, seat] or n > bounds[1, seat]):
            return seat
    return NOBODY


@jit
def swap(giver: int, taker: int, counted: int, may: Any, put: Any, rng: Any) -> None:
    """Swap a random counted card for another card, a five-pointer for one that leaves the numbers of trumps as they are."""
    down = put[giver] & counted & may[taker]
    if down == 0:
        return
    card = bit(nth(down, below(rng, count(down))))
    up = put[taker] & ~counted & may[giver]
    if counted == FIVES:
        up &= TRUMPS if card & TRUMPS != 0 else ~TRUMPS
    if up != 0:
        swapped = card | bit(nth(up, below(rng, count(up))))
        put[giver] ^= swapped
        put[taker] ^= swapped


@jit
def agrees_with_money(s: Row, had: Any, put: Any) -> bool:
    """Whether the hands of 12 that this world implies have the announced money cards (4.8)."""
    if s.phase <= MONEY:
        return True
    for seat in range(4):
        money = money_of(had[seat] | s.hand[seat] | put[seat])
        hidden = money & ~(UNI | BIDA) if seat == s.lead else money
        if s.money[seat] != money and s.money[seat] != hidden:
            return False
    return True


@jit
def write_world(s: Row, put: Any, rng: Any) -> None:
    """Copy the placed cards into the row, the talon's in random order, and name the partner."""
    for seat in range(4):
        s.hand[seat] |= put[seat]
        s.discard[seat] |= put[4 + seat]
    left = talon_left(s)
    for place in range(6):
        if has(left, place) and s.talon[place] == NOBODY:
            card = nth(put[TALON_HIDE], below(rng, count(put[TALON_HIDE])))
            put[TALON_HIDE] &= ~bit(card)
            s.talon[place] = card
    if s.called >= 0 and s.partner < 0:
        s.partner = holder(s, s.called)
