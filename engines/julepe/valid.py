"""Julepe: whether a row from outside can be shown and played on. Every number is in its range before."""

from __future__ import annotations

from ..core import NOBODY, OVER, VIEW, WHOLE, Row, bit, count, has, jit, mask_of, n_set
from . import state
from .state import HOUSE, SEATS, Phase, card_of, cards_of, dealer, seats_in, upcard
from .worlds import came_down, exchanged, gave_up, plays_house


@jit
def valid(s: Row) -> bool:
    """Whether no card is twice or missing, and what was said and played is what the phase wants."""
    if s.slot != s.round_no % state.KEPT_ROUNDS:
        return False
    if s.seat == OVER:
        return s.phase == Phase.STATEMENTS
    return upcard(s) != NOBODY and words_fit(s) and tricks_fit(s) and exchange_fits(s) and cards_fit(s)


@jit
def words_fit(s: Row) -> bool:
    """Whether the right seats have said `in` or `out`, and one that may is to act [4.1, 4.2]."""
    said, d = seats_in(s) | state.seats_out(s), dealer(s)
    if seats_in(s) & state.seats_out(s) != 0:
        return False
    if s.phase == Phase.STATEMENTS:
        before = 0
        for k in range((s.seat - d - 1) % SEATS):
            before |= bit((d + 1 + k) % SEATS)
        return s.seat != d and said == before
    if s.phase == Phase.OFFER:
        return s.seat == d and seats_in(s) == 0 and state.seats_out(s) == state.ALL_SEATS & ~bit(d)
    if said != state.ALL_SEATS or not has(seats_in(s), d):
        return False
    return has(seats_in(s), s.seat) and (s.phase != Phase.DOWN or s.seat == d)


# --- tricks [4.5] -------------------------------------------------------------------------------------------


@jit
def plays(s: Row, who: int) -> bool:
    """Whether a seat or the house takes part in the tricks."""
    return who == dealer(s) or who == HOUSE if state.against_house(s) else has(seats_in(s), who)


@jit
def tricks_fit(s: Row) -> bool:
    """Whether those who take part have led and played up to the seat to act, and nobody else."""
    if s.phase != Phase.TRICKS:
        return s.trick == 0 and n_played(s, 0, state.TRICKS) == 0
    for t in range(s.trick + 1):
        if s.leaders[s.slot, t] == NOBODY or not plays(s, s.leaders[s.slot, t]):
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
        who = state.next_player(s, who)
    return played < players and n_played(s, s.trick, state.TRICKS) == played


@jit
def n_played(s: Row, first: int, end: int) -> int:
    """How many cards lie in some tricks of this round."""
    n = 0
    for who in range(SEATS + 1):
        for t in range(first, end):
            n += card_of(s, who, t) != NOBODY
    return n


# --- cards --------------------------------------------------------------------------------------------------


@jit
def exchange_fits(s: Row) -> bool:
    """Whether the seats up to the one to act have exchanged, and no other [4.3]."""
    d, turn = dealer(s), SEATS if s.phase > Phase.EXCHANGE else 0
    if s.phase == Phase.EXCHANGE:
        turn = (s.seat - d - 1) % SEATS
    for k in range(SEATS):
        p = (d + 1 + k) % SEATS
        number = s.exchanged[s.slot, p]
        if (number != NOBODY) != (k < turn and has(seats_in(s), p)) or (number > 5 and p != d):
            return False
    return True


@jit
def cards_fit(s: Row) -> bool:
    """Whether everybody has as many cards as there should be, no card is twice, and none is missing."""
    seen, room, n = 0, 0, 0  # cards that the row shows, how many it hides, how many it shows
    for who in range(SEATS + 1):
        played = n_set(s.played[s.slot, who])
        seen |= cards_of(s, who)
        n += played
        if who < SEATS and n_set(s.drawn[who]) > 0 and (gave_up(s, who) or is_hidden(s, who)):
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
    return count(seen) == n and count(state.ALL_CARDS & ~seen) == room


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
    blind = who == dealer(s) and s.village == state.VILALBA and s.phase <= Phase.OFFER
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
    if n_set(s.drawn[who][: exchanged(s, who)]) < exchanged(s, who) or (
        who == dealer(s) and not has(own, upcard(s))
    ):
        return False
    if s.phase == Phase.EXCHANGE and who == s.seat:
        return thrown <= s.left
    return thrown == exchanged(s, who) + (1 if who == dealer(s) and came_down(s) else 0)
