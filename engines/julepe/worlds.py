"""Julepe: hidden information [6]. What a seat may know of a record, and random worlds that agree with it.

`redact` blanks the rest; `determinize` deals it again, so that every way to deal the cards, shuffle the pile
and choose the discards that leads to what the row shows is equally likely. Two steps: the hidden cards are
put at places (a hand, what was thrown away, the stock), each of which may hold some cards and not others;
then every holder's cards get an origin (dealt, leftover, pile): the fewer ways there are to do that, the less
often a placing is taken.

Masks of single cards are enough for what tricks tell [4.5]: whoever did not follow, head or trump has no card
left with which he could have; what he had thrown away before may be any card.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    I64,
    NOBODY,
    OVER,
    Row,
    below,
    bit,
    cleared,
    count,
    draw_from,
    fill,
    has,
    jit,
    mask_into,
    scratch,
    shuffle_with,
)
from ..core.worlds import GROUPS, bound_groups, group_cards, place_groups
from . import house, state
from .state import HOUSE, MOST_STOCK, SEATS, Phase, card_of, cards_of, dealer, upcard

# Places: 0 .. 4 the hands of seats, HOUSE its hand and the card that it threw, and
DOWN = 6  # what the dealer threw away: in the exchange, and to come down to five
ASIDE = 7  # what the others threw away, and the leftovers in the stock
PILE = 8  # the pile cards in the stock
DRAWN = 9  # .. 13, 14: what the seats and the house drew from the pile; see `part_draws`
PLACES = 15
PILES = SEATS + 1

REFUSED = -1
MOST_TRIES = 100_000  # far beyond any need; contradictory rows, which no game leads to, end here


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the stock, the house's and others' cards; of a dealer still blind, all but the face-up card."""
    fill(s.stock, NOBODY)
    for who in range(SEATS + 1):
        if who != seat:
            s.hand[who] = 0
            s.thrown[who] = 0
            if who < SEATS:
                fill(s.drawn[who], NOBODY)
    if seat == dealer(s) and s.village == state.VILALBA and s.phase <= Phase.OFFER and s.hand[seat] != 0:
        s.hand[seat] = bit(upcard(s))


@jit
def determinize(s: Row, rng: Any) -> None:
    """Deal the hidden cards at random, all worlds that lead to this row equally likely.

    A hidden seat that is in its exchange has thrown nothing away yet. A row that contradicts itself stays as
    it is.
    """
    if upcard(s) == NOBODY or s.seat == OVER:
        return
    hidden = hidden_seats(s)
    unseen = unseen_cards(s, hidden)
    room, may = cleared(PLACES, np.int64), cleared(PLACES, np.int64)
    put, piled = cleared(PLACES, np.int64), cleared(PILES, np.int64)
    count_piled(s, piled)
    count_room(s, hidden, room)
    allow(s, hidden, unseen, piled, room, may)
    keeps = may[dealer(s)]
    n, six = DRAWN, I64(0)
    if given_up_cards(s) != 0:
        n = PLACES
        unseen |= part_draws(s, hidden, unseen, piled, room, may)
    elif plays_house(s) and not has(hidden, dealer(s)):
        six = house.random_cards(s, unseen, rng)
        room[HOUSE] = 0
        may[HOUSE] = 0
    groups, down = cleared(1, GROUPS), I64(0)
    group_cards(groups[0], unseen & ~six, may[:n])
    bound_groups(groups[0], room[:n], room[:n])
    for _ in range(MOST_TRIES):
        if not place_groups(groups[0], room[:n], put[:n], rng):
            return
        put[HOUSE] |= six
        join_draws(s, put)
        down = sixth_card(s, hidden, keeps, put, rng)
        if down != REFUSED and is_drawn(s, hidden, put, down, piled, rng):
            break
    choose_piled(s, hidden, put, down, piled, rng)
    write_seats(s, hidden, put, down, piled, rng)
    write_stock(s, put, rng)


# --- what the row shows -------------------------------------------------------------------------------------


@jit
def plays_house(s: Row) -> bool:
    """Whether the house has taken its cards."""
    return s.phase >= Phase.EXCHANGE and state.against_house(s)


@jit
def came_down(s: Row) -> bool:
    """Whether the dealer has thrown away his sixth card."""
    return s.phase == Phase.TRICKS


@jit
def gave_up(s: Row, p: int) -> bool:
    """Whether the hand of this seat went into the pile."""
    return s.phase >= Phase.EXCHANGE and has(state.seats_out(s), p)


@jit
def exchanged(s: Row, p: int) -> int:
    """Return the number of cards that a seat has exchanged in this round."""
    return max(I64(s.exchanged[s.slot, p]), 0)


@jit
def hidden_seats(s: Row) -> int:
    """Bits of the seats with cards of their own, of which the row does not show all."""
    seats = I64(0)
    for p in range(SEATS):
        dealt = 6 if p == dealer(s) else 5
        size = dealt + exchanged(s, p) - count(cards_of(s, p))
        if not gave_up(s, p) and count(s.hand[p] | s.thrown[p]) < size:
            seats |= bit(p)
    return seats


@jit
def unseen_cards(s: Row, hidden: int) -> int:
    """Mask of the cards whose place the row does not show."""
    seen = state.played_cards(s)
    for p in range(SEATS):
        if not gave_up(s, p) and not has(hidden, p):
            seen |= s.hand[p] | s.thrown[p]
    return state.ALL_CARDS & ~seen


@jit
def given_up_cards(s: Row) -> int:
    """Mask of the cards of the pile that the row shows: the hand that the viewer gave up."""
    cards = I64(0)
    for p in range(SEATS):
        if gave_up(s, p):
            cards |= s.hand[p]
    return cards


@jit
def count_piled(s: Row, piled: Any) -> None:
    """Count how many of its cards every seat and the house drew from the pile, after the leftovers [4.3]."""
    drawn = 0
    if plays_house(s):
        drawn = state.LEFTOVERS + house.PILED
        piled[HOUSE] = house.PILED
    for k in range(SEATS):
        p = (dealer(s) + 1 + k) % SEATS
        leftovers = min(exchanged(s, p), max(state.LEFTOVERS - drawn, 0))
        piled[p] = exchanged(s, p) - leftovers
        drawn += exchanged(s, p)


# --- places -------------------------------------------------------------------------------------------------


@jit
def count_room(s: Row, hidden: int, room: Any) -> None:
    """Count the hidden cards of every place."""
    if s.phase >= Phase.EXCHANGE:
        room[PILE] = min(s.left, 5 * count(state.seats_out(s)))
    room[ASIDE] = s.left - room[PILE]
    for p in range(SEATS):
        if not has(hidden, p):
            continue
        thrown = exchanged(s, p)
        dealt = 5
        if p == dealer(s):
            dealt = 5 if came_down(s) else 6
            room[DOWN] = thrown + 6 - dealt
        else:
            room[ASIDE] += thrown
        room[p] = dealt - count(cards_of(s, p))
    if plays_house(s):
        room[HOUSE] = 6 - count(cards_of(s, HOUSE))


@jit
def allow(s: Row, hidden: int, unseen: int, piled: Any, room: Any, may: Any) -> None:
    """Say which of the unseen cards may lie at which place."""
    known, up, ace = given_up_cards(s), bit(upcard(s)), bit(state.trump_ace(s))
    d = dealer(s)
    for p in range(SEATS):
        may[p] = unseen & ~up if piled[p] > 0 else unseen & ~up & ~known
        if has(state.seats_out(s), p):
            may[p] &= ~ace  # its holder had to play
    may[DOWN] = unseen & ~known
    may[ASIDE] = unseen & ~up & ~known
    may[PILE] = unseen & ~up & ~ace
    if exchanged(s, d) < 6:  # else he has thrown the face-up card away
        may[d] |= unseen & up
    if came_down(s):
        heed_tricks(s, may)
    if plays_house(s):
        may[HOUSE] = unseen & ~up & (house.could_hold(s, unseen) | house.could_throw(s, unseen))
    for place in range(PLACES):
        if room[place] == 0:
            may[place] = 0


@jit
def heed_tricks(s: Row, may: Any) -> None:
    """Take from every hand the cards with which its plays would have been illegal [4.5]."""
    trump = state.trump_suit(s)
    for t in range(s.trick + 1):
        first = I64(s.leaders[s.slot, t])
        led = best = top = card_of(s, first, t)
        who = state.next_player(s, first)
        while who != first and card_of(s, who, t) != NOBODY:
            card = card_of(s, who, t)
            to_beat = top if s.beat_led else best
            may[who] &= ~ruled_out(card, led, best, to_beat, trump, s.overtrump)
            top = state.higher_in_suit(top, card)
            if state.beats(card, best, trump):
                best = card
            who = state.next_player(s, who)


@jit
def ruled_out(card: int, led: int, best: int, to_beat: int, trump: int, overtrump: int) -> int:
    """Mask of the cards that a follower who played `card` cannot have kept: it was illegal with one [4.5]."""
    suited, trumps = state.suit_cards(led // 10), state.suit_cards(trump)
    if has(suited, card):
        return I64(0) if has(state.above(to_beat), card) else suited & state.above(to_beat)
    if not has(trumps, card):
        return suited | trumps
    free = not overtrump or has(state.above(best), card)
    return suited if free else suited | (trumps & state.above(best))


# --- origins ------------------------------------------------------------------------------------------------


@jit
def is_drawn(s: Row, hidden: int, put: Any, down: int, piled: Any, rng: Any) -> bool:
    """Whether a random placing is taken: likely as the number of ways to choose the origins of its cards."""
    for p in range(SEATS):
        if has(hidden, p) and exchanged(s, p) > 0:
            cards = put[p] | cards_of(s, p) | (down if p == dealer(s) else I64(0))
            if not is_taken(s, cards, put[DRAWN + p], exchanged(s, p), piled[p], rng):
                return False
    if plays_house(s) and has(hidden, dealer(s)):
        cards = put[HOUSE] | cards_of(s, HOUSE)
        if not house.would_play(s, put[HOUSE]):
            return False
        return is_taken(s, cards, put[DRAWN + HOUSE], count(cards), piled[HOUSE], rng)
    return True


@jit
def is_taken(s: Row, cards: int, chosen: int, drawn: int, piled: int, rng: Any) -> bool:
    """Return True with the chance that random origins fit.

    `piled` cards are from the pile, `drawn` cards with the leftovers.

    The ace of trumps does not come from the pile; the face-up card was dealt. `chosen`: those from the pile,
    if they have places of their own.
    """
    n, up = count(cards), I64(has(cards, upcard(s)))
    ways = house.subsets(n - piled - up, drawn - piled)
    most = house.subsets(n - piled, drawn - piled)
    if chosen == 0:
        ways *= house.subsets(n - count(cards & never_piled(s)), piled)
        most *= house.subsets(n, piled)
    return ways == most or below(rng, most) < ways


@jit
def never_piled(s: Row) -> int:
    """Mask of the cards that cannot be in a pile: the dealer's, and the ace whose holder had to play."""
    return bit(upcard(s)) | bit(state.trump_ace(s))


@jit
def choose_piled(s: Row, hidden: int, put: Any, down: int, piled: Any, rng: Any) -> None:
    """Choose at random which cards every holder has from the pile, unless known or placed already."""
    for who in range(SEATS + 1):
        if piled[who] == 0 or put[DRAWN + who] != 0:
            continue
        if who != HOUSE and not has(hidden, who):
            for k in range(exchanged(s, who) - piled[who], exchanged(s, who)):
                put[DRAWN + who] |= bit(s.drawn[who, k])
        else:
            cards = put[who] | cards_of(s, who) | (down if who == dealer(s) else I64(0))
            put[DRAWN + who] = draw_from(cards & ~never_piled(s), piled[who], rng)


# --- views of a seat that is out ----------------------------------------------------------------------------


@jit
def part_draws(s: Row, hidden: int, unseen: int, piled: Any, room: Any, may: Any) -> int:
    """Give what was drawn from the pile places of its own; return the played cards, to be placed again.

    A seat that is out knows five cards of the pile: whoever has one of them drew it there. The dealer's last
    discard may be one, so that it is placed with his hand.
    """
    d, known, again = dealer(s), given_up_cards(s), I64(0)
    for who in range(SEATS + 1):
        if piled[who] == 0:
            continue
        played = cards_of(s, who)
        if who == d and came_down(s):
            room[d] += 1
            room[DOWN] -= 1
            may[d] = unseen if exchanged(s, d) < 6 else unseen & ~bit(upcard(s))
            may[DOWN] = unseen & ~known if room[DOWN] > 0 else I64(0)
        room[DRAWN + who] = piled[who]
        may[DRAWN + who] = (may[who] | played) & ~never_piled(s)
        room[who] += count(played) - piled[who]
        may[who] = (may[who] | played) & ~known if room[who] > 0 else I64(0)
        again |= played
    return again


@jit
def join_draws(s: Row, put: Any) -> None:
    """Put what was drawn from the pile with the hands, played cards left out; the places of draws stay."""
    for who in range(SEATS + 1):
        if put[DRAWN + who] != 0:
            put[who] = (put[who] | put[DRAWN + who]) & ~cards_of(s, who)


@jit
def sixth_card(s: Row, hidden: int, keeps: int, put: Any, rng: Any) -> int:
    """Return the card (mask) that a hidden dealer came down by; 0: none, REFUSED: the placing has to go.

    If it was placed with his hand, it is the one that he cannot have kept (`keeps`: those he can), or any.
    """
    d = dealer(s)
    if not came_down(s) or not has(hidden, d):
        return 0
    if put[DRAWN + d] == 0:
        return draw_from(put[DOWN], 1, rng)
    wrong = put[d] & ~keeps
    if count(wrong) > 1 or (wrong != 0 and below(rng, count(put[d])) > 0):
        return REFUSED
    down = wrong if wrong != 0 else draw_from(put[d], 1, rng)
    put[d] &= ~down
    put[DOWN] |= down
    return down


# --- writing a world ----------------------------------------------------------------------------------------


@jit
def write_seats(s: Row, hidden: int, put: Any, down: int, piled: Any, rng: Any) -> None:
    """Set hands, discards and draws; what is left at ASIDE are the leftovers in the stock."""
    pile = put[PILE]
    for p in range(SEATS):
        if gave_up(s, p):
            continue
        pile |= put[DRAWN + p]
        if not has(hidden, p):
            continue
        s.hand[p] = put[p]
        s.thrown[p] = put[DOWN] if p == dealer(s) else draw_from(put[ASIDE], exchanged(s, p), rng)
        put[ASIDE] &= ~s.thrown[p]
        cards = put[p] | cards_of(s, p) | (down if p == dealer(s) else I64(0))
        write_draws(s, p, cards & ~put[DRAWN + p] & ~bit(upcard(s)), put[DRAWN + p], piled[p], rng)
    if plays_house(s):
        pile |= put[DRAWN + HOUSE]
        s.thrown[HOUSE] = bit(house.weakest(put[HOUSE], state.trump_suit(s)))
        s.hand[HOUSE] = put[HOUSE] & ~s.thrown[HOUSE]
    write_given_up(s, pile & ~given_up_cards(s), rng)


@jit
def write_draws(s: Row, p: int, others: int, pile: int, piled: int, rng: Any) -> None:
    """Write what a seat drew, in random order: leftovers, of its other cards, and then those of the pile."""
    leftovers = exchanged(s, p) - piled
    n = mask_into(s.drawn[p], 0, draw_from(others, leftovers, rng))
    shuffle_with(s.drawn[p], n, rng)
    mask_into(s.drawn[p], n, pile)
    shuffle_with(s.drawn[p][n:], piled, rng)


@jit
def write_given_up(s: Row, pile: int, rng: Any) -> None:
    """Deal the pile back to the seats that gave up their hands, but the one that the row shows."""
    for p in range(SEATS):
        if gave_up(s, p) and s.hand[p] == 0:
            s.hand[p] = draw_from(pile, 5, rng)
            pile &= ~s.hand[p]


@jit
def write_stock(s: Row, put: Any, rng: Any) -> None:
    """Set the stock: the pile in random order, on it the leftovers in random order."""
    cards = scratch(MOST_STOCK, np.int16)
    n = mask_into(cards, 0, put[PILE])
    shuffle_with(cards, n, rng)
    left = mask_into(cards, n, put[ASIDE])
    shuffle_with(cards[n:], left - n, rng)
    for k in range(left):
        s.stock[k] = cards[k]
