"""Julepe: hidden information [6]. What a seat may know of a record, and random worlds that agree with it.

`redact` blanks the rest; `determinize` deals it again to places, each of which belongs to a holder and has an origin (dealt,
leftovers, pile): first to the house, which must have played as it did, then the cards of which most is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    I64,
    OVER,
    Row,
    below,
    bit,
    count,
    draw_from,
    fill,
    has,
    jit,
    lowest,
    mask_into,
    shuffle_with,
)
from . import house
from .state import (
    ALL_CARDS,
    HOUSE,
    LEFTOVERS,
    SEATS,
    TRICKS,
    VILALBA,
    Phase,
    against_house,
    card_of,
    cards_of,
    dealer,
    played_cards,
    seats_out,
    trump_ace,
    trump_suit,
    upcard,
)


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the stock, the house's cards and all other seats'; of a dealer still blind, all but the face-up card."""
    fill(s.stock, -1)
    for who in range(SEATS + 1):
        if who != seat:
            s.hand[who] = 0
            s.thrown[who] = 0
            if who < SEATS:
                s.drawn[who] = 0
    if seat == dealer(s) and s.village == VILALBA and s.phase <= Phase.OFFER and s.hand[seat] != 0:
        s.hand[seat] = bit(upcard(s))


# `determinize` deals the hidden cards to places. A place belongs to a holder (seat, HOUSE or STOCK) and is of one kind:
THROWN, KEPT, LEFTOVER, PILED = range(
    4
)  # dealt and thrown in the exchange; dealt, not thrown; from the leftovers; from a pile
OPEN = 4  # column of `room`: how many places KEPT .. PILED of the holder are for cards that were not played
STOCK = 6
HOLDERS = 7


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the hidden cards at random; what is honoured is all that a view makes certain but the voids.

    That is: numbers of cards; the face-up card was the dealer's; nobody who is out had the ace of trumps, so none of the
    pile is it; a seat that is out knows five cards of the pile; the sources of drawn cards; and whatever the house threw, led
    and played, it would have done so with the cards that it is given (rules 4.6). In the views of seats that are out the
    last two can give way to the numbers, as they never act on them. `room` and `held`: [holder, kind], places and cards.
    """
    if upcard(s) < 0 or s.seat == OVER:
        return
    room = np.zeros((HOLDERS, 5), np.int64)
    held = np.zeros((HOLDERS, 4), np.int64)
    loose = I64(ALL_CARDS) & ~seen_cards(s)
    count_places(s, room, held, rng)
    if s.phase >= Phase.EXCHANGE and against_house(s):
        loose = deal_house(s, held, loose, rng)
    deal_played(s, room, held, 2, rng)
    loose = deal_pinned(s, room, held, loose, rng)
    deal_played(s, room, held, 3, rng)
    deal_rest(room, held, loose, rng)
    write_hands(s, held, rng)
    write_given_up(s, held, rng)
    write_stock(s, held, rng)


@jit
def size_of(s: Row, p: int) -> int:
    """Number of cards in hand and discards of a seat that has its own cards (not out after the pile), from public facts."""
    size = I64(6) if p == dealer(s) else I64(5)
    if s.exchanged[s.round_no, p] > 0:
        size += s.exchanged[s.round_no, p]
    return size - count(cards_of(s, p))


@jit
def gave_up(s: Row, p: int) -> bool:
    """Whether the hand of this seat went into the pile."""
    return s.phase >= Phase.EXCHANGE and has(seats_out(s), p)


@jit
def is_open(s: Row, p: int) -> bool:
    """Whether the row shows the own cards of this seat."""
    return count(s.hand[p] | s.thrown[p]) == size_of(s, p)


@jit
def seen_cards(s: Row) -> int:
    """Mask of the cards whose place the row shows."""
    cards = played_cards(s)
    for p in range(SEATS):
        if not gave_up(s, p) and is_open(s, p):
            cards |= s.hand[p] | s.thrown[p]
    return cards


@jit
def given_up_cards(s: Row) -> int:
    """Mask of the cards of the pile that the row shows: the hand that the viewer gave up."""
    cards = I64(0)
    for p in range(SEATS):
        if gave_up(s, p):
            cards |= s.hand[p]
    return cards


@jit
def pile_size(s: Row) -> int:
    """Number of pile cards in the stock."""
    return min(I64(s.left), 5 * count(seats_out(s))) if s.phase >= Phase.EXCHANGE else I64(0)


@jit
def count_places(s: Row, room: Any, held: Any, rng: Any) -> None:
    """Count the hidden places; split the draws that the row shows into leftovers and pile."""
    room[STOCK, PILED] = pile_size(s)
    room[STOCK, LEFTOVER] = s.left - pile_size(s)
    room[STOCK, OPEN] = s.left
    drawn = LEFTOVERS if against_house(s) and s.phase >= Phase.EXCHANGE else 0
    for k in range(SEATS):
        p = (dealer(s) + 1 + k) % SEATS
        swapped = max(I64(s.exchanged[s.round_no, p]), 0)
        old = min(swapped, max(LEFTOVERS - drawn, 0))
        drawn += swapped
        if gave_up(s, p):
            continue
        if is_open(s, p):
            held[p, PILED] = draw_from(s.drawn[p] & ~bit(trump_ace(s)), swapped - old, rng)
        else:
            count_own_places(s, room, p, swapped, old)


@jit
def count_own_places(s: Row, room: Any, p: int, swapped: int, old: int) -> None:
    """Count the hidden places of a seat that exchanged `swapped` cards, `old` of them for leftovers."""
    dealt = 6 if p == dealer(s) else 5
    kind = PILED if has(seats_out(s), p) else KEPT  # a hand that is out will be pile: the same holds for it
    room[p, kind] = dealt - swapped
    room[p, THROWN] = swapped
    room[p, LEFTOVER] = old
    room[p, PILED] += swapped - old
    room[p, OPEN] = dealt - count(cards_of(s, p))


@jit
def put(room: Any, held: Any, holder: int, kind: int, card: int) -> None:
    """Put a card in a place."""
    held[holder, kind] |= bit(card)
    room[holder, kind] -= 1


@jit
def put_hidden(room: Any, held: Any, holders: int, kinds: int, card: int, rng: Any) -> bool:
    """Put a card that was not played in a random free place of these holders and kinds (bits); False if there is none."""
    places = I64(0)
    found = I64(-1)
    for h in range(HOLDERS):
        for kind in range(4):
            if (
                has(holders, h)
                and has(kinds, kind)
                and room[h, kind] > 0
                and (kind == THROWN or room[h, OPEN] > 0)
            ):
                places += room[h, kind]
                if below(rng, places) < room[h, kind]:
                    found = 4 * h + kind
    if found < 0:
        return False
    put(room, held, found // 4, found % 4, card)
    if found % 4 != THROWN:
        room[found // 4, OPEN] -= 1
    return True


@jit
def put_played(room: Any, held: Any, holder: int, kinds: int, card: int, rng: Any) -> None:
    """Put a card that this holder played in a random free place of these kinds, else of any that can be played."""
    room[holder, OPEN] += 1
    if not put_hidden(room, held, bit(holder), kinds, card, rng):
        put_hidden(room, held, bit(holder), bit(KEPT) | bit(LEFTOVER) | bit(PILED), card, rng)


@jit
def deal_pinned(s: Row, room: Any, held: Any, loose: int, rng: Any) -> int:
    """Place the hidden cards of which more is known than of others; return the rest.

    These are the given-up hand that the row shows (pile), the face-up card (dealt to the dealer), the ace of trumps (not pile).
    """
    anybody = bit(HOLDERS) - 1
    up, ace = bit(upcard(s)), bit(trump_ace(s))
    pinned = given_up_cards(s) & loose
    rest = loose & ~pinned & ~up & ~ace
    while pinned != 0:
        if not put_hidden(room, held, anybody, bit(PILED), lowest(pinned), rng):
            rest |= bit(lowest(pinned))
        pinned &= pinned - 1
    if loose & up != 0 and not put_hidden(
        room, held, bit(dealer(s)), bit(THROWN) | bit(KEPT), lowest(up), rng
    ):
        rest |= up
    unpiled = bit(THROWN) | bit(KEPT) | bit(LEFTOVER)
    if loose & ace & ~up != 0 and not put_hidden(room, held, anybody, unpiled, lowest(ace), rng):
        rest |= ace
    return rest


@jit
def deal_played(s: Row, room: Any, held: Any, most: int, rng: Any) -> None:
    """Give an origin to those played cards of hidden hands that do not have one yet and can have at most `most`."""
    given_up = given_up_cards(s)
    for p in range(SEATS):
        if gave_up(s, p) or is_open(s, p):
            continue
        for t in range(s.trick + 1):
            card = card_of(s, p, t)
            if card >= 0 and not has(placed(held, p), card) and count(origins(s, card, given_up)) <= most:
                put_played(room, held, p, origins(s, card, given_up), card, rng)


@jit
def placed(held: Any, holder: int) -> int:
    """Mask of the cards that a holder has been given."""
    return I64(held[holder, THROWN] | held[holder, KEPT] | held[holder, LEFTOVER] | held[holder, PILED])


@jit
def origins(s: Row, card: int, given_up: int) -> int:
    """Bits of the kinds of places that a played card can come from."""
    if card >= 0 and has(given_up, card):
        return bit(PILED)
    if card == upcard(s):
        return bit(KEPT)
    if card == trump_ace(s):
        return bit(KEPT) | bit(LEFTOVER)
    return bit(KEPT) | bit(LEFTOVER) | bit(PILED)


@jit
def deal_rest(room: Any, held: Any, loose: int, rng: Any) -> None:
    """Fill the remaining places with the remaining cards at random."""
    for h in range(HOLDERS):
        for kind in range(4):
            n = min(room[h, kind], count(loose))
            cards = draw_from(loose, n, rng)
            held[h, kind] |= cards
            loose &= ~cards


@jit
def deal_house(s: Row, held: Any, loose: int, rng: Any) -> int:
    """Give the house cards with which it would have thrown and played as it did; return the rest of the loose cards."""
    cards = house_world(s, loose, rng)
    for _ in range(
        100
    ):  # only a seat that is out can know more than two cards of the pile, of which the house has two
        if count((cards | cards_of(s, HOUSE)) & given_up_cards(s)) <= 2:
            break
        cards = house_world(s, loose, rng)
    trump = trump_suit(s)
    s.thrown[HOUSE] = bit(house.weakest(cards, trump))
    s.hand[HOUSE] = cards & ~s.thrown[HOUSE]
    six = cards | cards_of(s, HOUSE)
    known = six & given_up_cards(s)
    other = six & ~known & ~bit(trump_ace(s))
    held[HOUSE, PILED] = known | draw_from(other, max(2 - count(known), 0), rng)
    held[HOUSE, LEFTOVER] = six & ~held[HOUSE, PILED]
    return loose & ~cards


@jit
def house_world(s: Row, loose: int, rng: Any) -> int:
    """A random set of loose cards that the house can have in hand and thrown, all sets that it can have equally likely."""
    trump, ace = trump_suit(s), bit(trump_ace(s))
    loose &= ~bit(upcard(s))
    sure = loose & ace if is_open(s, dealer(s)) else I64(0)  # not in the pile, not the dealer's: a leftover
    hand = house_could_hold(s, loose) & ~sure
    n = TRICKS - count(cards_of(s, HOUSE)) - count(sure)
    worlds = I64(0)
    found = I64(-1)
    cards = loose & ~sure
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if stronger(cards_of(s, HOUSE) | sure, card, trump) == cards_of(s, HOUSE) | sure:
            ways = choose(count(stronger(hand, card, trump)), n)
            worlds += ways
            if ways > 0 and below(rng, worlds) < ways:
                found = card
    if found < 0:
        return sure | draw_from(loose & ~sure, n + 1, rng)
    return sure | bit(found) | draw_from(stronger(hand, found, trump), n, rng)


@jit
def house_could_hold(s: Row, loose: int) -> int:
    """The loose cards that the house can have beside each card it played: it would have played the same card then.

    One card at a time is enough: a card makes another one illegal, or is preferred to it, whatever else is in the hand.
    """
    d, trump = dealer(s), trump_suit(s)
    for t in range(s.trick + 1):
        card = card_of(s, HOUSE, t)
        led = card_of(s, d, t) if s.leaders[s.round_no, t] == d else I64(-1)
        cards = loose if card >= 0 else I64(0)
        while cards != 0:
            other = bit(lowest(cards))
            if house.choice(bit(card) | other, trump, led) != card:
                loose &= ~other
            cards &= cards - 1
    return loose


@jit
def stronger(cards: int, than: int, trump: int) -> int:
    """Those cards of a mask that the house finds stronger than a card."""
    found = I64(0)
    while cards != 0:
        if house.strength(lowest(cards), trump) > house.strength(than, trump):
            found |= bit(lowest(cards))
        cards &= cards - 1
    return found


@jit
def choose(n: int, k: int) -> int:
    """Number of subsets of `k` of `n` cards."""
    ways = I64(1)
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@jit
def write_hands(s: Row, held: Any, rng: Any) -> None:
    """Set the hidden hands, discards and drawn cards of those that have cards of their own."""
    for p in range(SEATS):
        if gave_up(s, p) or is_open(s, p):
            continue
        own = (held[p, KEPT] | held[p, LEFTOVER] | held[p, PILED]) & ~cards_of(s, p)
        down = draw_from(own, 1, rng) if p == dealer(s) and s.phase == Phase.TRICKS else I64(0)
        s.hand[p] = own & ~down
        s.thrown[p] = held[p, THROWN] | down
        if s.exchanged[s.round_no, p] > 0:
            s.drawn[p] = held[p, LEFTOVER] | held[p, PILED]


@jit
def write_given_up(s: Row, held: Any, rng: Any) -> None:
    """Deal the pile back to the seats that gave up their hands, but the one that the row shows."""
    if s.phase < Phase.EXCHANGE:
        return
    pile = I64(0)
    for h in range(HOLDERS):
        pile |= held[h, PILED]
    pile &= ~given_up_cards(s)
    for p in range(SEATS):
        if gave_up(s, p) and s.hand[p] == 0:
            s.hand[p] = draw_from(pile, min(5, count(pile)), rng)
            pile &= ~s.hand[p]


@jit
def write_stock(s: Row, held: Any, rng: Any) -> None:
    """Set the stock: the pile in random order, on it the leftovers in random order."""
    cards = np.empty(24, np.int16)
    n = mask_into(cards, 0, held[STOCK, PILED])
    shuffle_with(cards, n, rng)
    left = mask_into(cards, n, held[STOCK, LEFTOVER])
    shuffle_with(cards[n:], left - n, rng)
    for k in range(left):
        s.stock[k] = cards[k]
