"""Julepe: whether a row could be one of a game, for rows from outside. Every number is in its range."""

from __future__ import annotations

from ..core import NOBODY, OVER, VIEW, WHOLE, Row, bit, count, has, jit, mask_of, n_set
from . import state
from .state import (
    ALL_CARDS,
    ALL_SEATS,
    HOUSE,
    KEPT_ROUNDS,
    MOST_DRAWN,
    SEATS,
    TRICKS,
    VILALBA,
    Phase,
    against_house,
    card_of,
    cards_of,
    dealer,
    next_player,
    seats_in,
    seats_out,
    trump_ace,
    upcard,
)
from .worlds import came_down, exchanged, gave_up, plays_house


@jit
def valid(s: Row) -> bool:
    """Whether each of the 30 cards is in one place, and what was said and played is what the phase wants."""
    money = s.pot
    for p in range(SEATS):
        money += s.net[p]
    if money != 0 or s.slot != s.round_no % KEPT_ROUNDS:
        return False
    if s.seat == OVER:
        return is_cleared(s)
    if upcard(s) == NOBODY or s.pot < SEATS * s.stake or s.pot % s.stake != 0 or not words_fit(s):
        return False
    return tricks_fit(s) and exchange_fits(s) and cards_fit(s)


@jit
def is_cleared(s: Row) -> bool:
    """Whether a game that is over has no cards left."""
    cards = s.left
    for who in range(SEATS + 1):
        cards |= s.hand[who] | s.thrown[who]
    for p in range(SEATS):
        cards |= n_set(s.drawn[p])
    for k in range(state.MOST_STOCK):
        cards |= s.stock[k] + 1
    return cards == 0 and s.phase == Phase.STATEMENTS and s.trick == 0


@jit
def words_fit(s: Row) -> bool:
    """Whether the right seats have said `in` or `out`, and one that may is to act [4.1, 4.2]."""
    said, d = seats_in(s) | seats_out(s), dealer(s)
    if seats_in(s) & seats_out(s) != 0:
        return False
    if s.phase == Phase.STATEMENTS:
        before = 0
        for k in range((s.seat - d - 1) % SEATS):
            before |= bit((d + 1 + k) % SEATS)
        return s.seat != d and said == before
    if s.phase == Phase.OFFER:
        return s.seat == d and seats_in(s) == 0 and seats_out(s) == ALL_SEATS & ~bit(d)
    if said != ALL_SEATS or not has(seats_in(s), d):
        return False
    return has(seats_in(s), s.seat) and (s.phase != Phase.DOWN or s.seat == d)


# --- tricks [4.5] -------------------------------------------------------------------------------------------


@jit
def plays(s: Row, who: int) -> bool:
    """Whether a seat or the house takes part in the tricks."""
    return who == dealer(s) or who == HOUSE if against_house(s) else has(seats_in(s), who)


@jit
def tricks_fit(s: Row) -> bool:
    """Whether those who take part have led and played up to the seat to act, and nobody else."""
    if s.phase != Phase.TRICKS:
        return s.trick == 0 and n_played(s, 0, TRICKS) == 0 and n_leaders(s) == 0
    if n_leaders(s) != s.trick + 1:
        return False
    players = 0
    for who in range(SEATS + 1):
        players += plays(s, who)
        for t in range(s.trick):
            if (card_of(s, who, t) != NOBODY) != plays(s, who):
                return False
    who, played = state.leader(s), 0
    while who != s.seat and played < players:
        if card_of(s, who, s.trick) == NOBODY:
            return False
        played += 1
        who = next_player(s, who)
    return played < players and n_played(s, s.trick, TRICKS) == played


@jit
def n_played(s: Row, first: int, end: int) -> int:
    """How many cards lie in some tricks of this round."""
    n = 0
    for who in range(SEATS + 1):
        for t in range(first, end):
            n += card_of(s, who, t) != NOBODY
    return n


@jit
def n_leaders(s: Row) -> int:
    """How many tricks of this round have a leader who takes part; -1 if another trick has one, too."""
    n = 0
    while n <= TRICKS and s.leaders[s.slot, n] != NOBODY and plays(s, s.leaders[s.slot, n]):
        n += 1
    for t in range(n, TRICKS + 1):
        if s.leaders[s.slot, t] != NOBODY:
            return -1
    return n


# --- cards --------------------------------------------------------------------------------------------------


@jit
def exchange_fits(s: Row) -> bool:
    """Whether the seats up to the one to act have exchanged, and no other [4.3]."""
    d, done = dealer(s), s.phase > Phase.EXCHANGE
    for k in range(SEATS):
        p = (d + SEATS - k) % SEATS  # from the dealer back: those after the one to act first
        done = done or (s.phase == Phase.EXCHANGE and has(seats_in(s), s.seat) and is_before(s, p))
        number = s.exchanged[s.slot, p]
        if (number != NOBODY) != (done and has(seats_in(s), p)) or (number > 5 and p != d):
            return False
    return True


@jit
def is_before(s: Row, p: int) -> bool:
    """Whether a seat exchanges before the one to act."""
    d = dealer(s)
    return (p - d - 1) % SEATS < (s.seat - d - 1) % SEATS


@jit
def cards_fit(s: Row) -> bool:
    """Whether everybody has as many cards as there should be, no card is twice, and none is missing."""
    seen, room, n = 0, 0, 0  # cards that the row shows, how many it hides, how many it shows
    for who in range(SEATS + 1):
        played = n_set(s.played[s.slot, who])
        seen |= cards_of(s, who)
        n += played
        if who < SEATS and not shows_what_it_may(s, who):
            return False
        if who < SEATS and gave_up(s, who):
            if s.thrown[who] != 0 or (count(s.hand[who]) != 5 and (s.form == WHOLE or s.hand[who] != 0)):
                return False
            continue
        if is_hidden(s, who):
            room += cards_due(s, who) - played
            continue
        if not holds_its_cards(s, who, played):
            return False
        seen |= s.hand[who] | s.thrown[who]
        n += count(s.hand[who]) + count(s.thrown[who])
    for k in range(state.MOST_STOCK):
        if (s.stock[k] != NOBODY) != (k < s.left and s.form == WHOLE):
            return False
    seen |= mask_of(s.stock)
    n += n_set(s.stock)
    room += s.left if s.form == VIEW else 0
    return count(seen) == n and count(ALL_CARDS & ~seen) == room and piles_fit(s)


@jit
def shows_what_it_may(s: Row, p: int) -> bool:
    """Whether a seat that is out has no ace of trumps [4.1], and draws stand beside cards of a seat in."""
    if has(seats_out(s), p) and has(s.hand[p], trump_ace(s)):
        return False
    return n_set(s.drawn[p]) == 0 or not (gave_up(s, p) or is_hidden(s, p))


@jit
def cards_due(s: Row, who: int) -> int:
    """How many cards a seat or the house has had in this round, thrown and played ones among them."""
    if who == HOUSE:
        return 6 if plays_house(s) else 0
    return (6 if who == dealer(s) else 5) + exchanged(s, who)


@jit
def is_hidden(s: Row, who: int) -> bool:
    """Whether a view shows no card of a seat or of the house, or of a blind dealer only the face-up one."""
    if s.form == WHOLE:
        return False
    if s.hand[who] | s.thrown[who] == 0:
        return True
    blind = who == dealer(s) and s.village == VILALBA and s.phase <= Phase.OFFER
    return blind and s.hand[who] == bit(upcard(s)) and s.thrown[who] == 0


@jit
def holds_its_cards(s: Row, who: int, played: int) -> bool:
    """Whether the cards that a row shows of a seat or the house are as many as they should be [4.3, 4.4]."""
    thrown = count(s.thrown[who])
    if thrown + count(s.hand[who]) + played != cards_due(s, who):
        return False
    if who == HOUSE:
        return thrown == (1 if plays_house(s) else 0)
    own = s.hand[who] | s.thrown[who] | cards_of(s, who)
    if not draws_fit(s, who, own) or (who == dealer(s) and not has(own, upcard(s))):
        return False
    if s.phase == Phase.EXCHANGE and who == s.seat:
        return thrown <= s.left
    return thrown == exchanged(s, who) + (1 if who == dealer(s) and came_down(s) else 0)


@jit
def draws_fit(s: Row, p: int, own: int) -> bool:
    """Whether a seat has drawn as many of its own cards as it has exchanged."""
    drawn = 0
    for k in range(MOST_DRAWN):
        card = s.drawn[p, k]
        if (card != NOBODY) != (k < exchanged(s, p)) or (card != NOBODY and not has(own & ~drawn, card)):
            return False
        drawn |= bit(card) if card != NOBODY else 0
    return True


@jit
def piles_fit(s: Row) -> bool:
    """Whether the hands that were given up have no card in common, and lie lowest in the stock [4.3]."""
    cards, n = 0, 0
    for p in range(SEATS):
        if gave_up(s, p):
            cards |= s.hand[p]
            n += count(s.hand[p])
    if s.form == WHOLE and s.phase >= Phase.EXCHANGE:
        for k in range(s.left):
            if has(cards, s.stock[k]) != (k < n):
                return False
    return count(cards) == n
