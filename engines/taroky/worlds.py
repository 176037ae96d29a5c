"""Taroky: hidden information [6]. What a seat may know of a record, and random worlds that agree with what it knows.

`redact` blanks the rest; `determinize` puts the unseen cards back: first all that a view makes certain of single cards
(`narrow`), then a random deal to the places that are left (`worlds.place_cards`), then swaps until the announced money cards
fit (`balance`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import NOBODY, Row, below, bit, count, fill, has, jit, nth, shuffle_with
from ..core.worlds import only_at, place_cards
from . import state
from .state import HAND, N_CARDS, SEATS, Action, Money, Phase, after

# --- what a seat may know [6] -------------------------------------------------------------------------------


@jit
def partner_choices(s: Row, seat: int) -> int:
    """Mask of the seats that may have the unseen called card, for a viewer that has it not (-1: an onlooker) [6]."""
    choices = 0
    for other in range(SEATS):
        if s.side[other] == 1 and other != s.povinnost:
            return bit(other)
        if other != seat and s.side[other] != 0 and not (other == s.povinnost and s.called != state.XIX):
            choices |= bit(other)
    return choices


@jit
def knows_partner(s: Row, seat: int) -> bool:
    """Whether a viewer knows who plays with Povinnost: by the called card itself, by calls, or by elimination [6]."""
    if s.called < 0:
        return False
    seen = state.gone(s)
    for other in range(SEATS):
        seen |= s.discards[other] & state.TRUMPS
    if has(seen, s.called) or (seat >= 0 and has(s.hand[seat], s.called)):
        return True
    return count(partner_choices(s, seat)) == 1


@jit
def talon_half_seen(s: Row, seat: int) -> int:
    """First place of the talon half that a viewer looks at, else -1 [4.4]."""
    return 3 * s.rejections if s.phase == Phase.TALON and seat == s.prever else NOBODY


@jit
def redact(s: Row, seat: int) -> None:
    """Blank all that a seat may not know; -1 is an onlooker [6].

    Kept: its own hand and discards, discarded trumps, shown talon cards, the talon half that Prever looks at, and the partner
    as soon as the viewer can tell it by the called card, by calls that one side only can make, or by elimination from these.
    """
    if not knows_partner(s, seat):
        s.partner = NOBODY
    for other in range(SEATS):
        if other != seat:
            s.hand[other] = 0
            s.discards[other] &= state.TRUMPS
    half = talon_half_seen(s, seat)
    for place in range(6):
        card = s.talon[place]
        looked_at = half >= 0 and half <= place < half + 3
        if card >= 0 and not looked_at and not has(s.shown, card):
            s.talon[place] = NOBODY
    fill(s.order, NOBODY)


# --- random worlds [6] --------------------------------------------------------------------------------------

HIDES = 9  # places that can hold unseen cards: hands 0..3, discards 4..7, the talon 8
TALON_HIDE = 8
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
    if s.phase in (Phase.CUT, Phase.PILE):
        for card in range(N_CARDS):
            s.order[card] = card
        shuffle_with(s.order, N_CARDS, rng)
    elif s.phase >= 0:
        fill_hides(s, rng)


@jit
def fill_hides(s: Row, rng: Any) -> None:
    """Put the unseen cards into hands, discards and talon [6]."""
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
        balance(trumps, state.TRUMPS, may, put, rng)
        balance(fives, state.FIVES, may, put, rng)
        if agrees_with_money(s, had, put):
            break
    write_world(s, put, rng)


@jit
def unseen_cards(s: Row) -> int:
    """Mask of the cards that a view does not place."""
    seen = state.gone(s)
    for seat in range(SEATS):
        seen |= s.hand[seat] | s.discards[seat]
    for place in range(6):
        if s.talon[place] >= 0:
            seen |= bit(s.talon[place])
    return state.ALL & ~seen


@jit
def played_by(s: Row, had: Any) -> None:
    """Write the mask of the cards that each seat played to tricks into `had` (int64, 4 zeros)."""
    for k in range(s.played):
        had[state.player_of(s, k)] |= bit(s.tricks[k])


@jit
def talon_left(s: Row) -> int:
    """Mask of the talon's places that still hold a card, by what all know [4.4, 4.5]."""
    if s.phase <= Phase.TALON:
        return 0b111111
    if s.prever >= 0:
        return 0b000111 if s.rejections == 1 else 0b111000
    return (
        0b000000
        if s.phase > Phase.OFFER
        else 0b100000 | (0b010000 if s.offers[0] == NOBODY or s.offers[0] == Action.OFFER else 0)
    )


@jit
def open_places(s: Row, room: Any) -> None:
    """Write how many unseen cards each place holds into `room`."""
    for seat in range(SEATS):
        room[seat] = s.hand_size[seat] - count(s.hand[seat])
        room[4 + seat] = s.discard_count[seat] - count(s.discards[seat])
    for place in range(6):
        room[TALON_HIDE] += has(talon_left(s), place) and s.talon[place] == NOBODY


@jit
def narrow(s: Row, had: Any, room: Any, may: Any) -> None:
    """Write the mask of the cards that may be at each place into `may`: all that the view makes certain of single cards."""
    for seat in range(SEATS):
        may[seat] = state.ALL
        may[4 + seat] = state.PLAIN
        if s.discards[seat] & state.TRUMPS != 0:
            may[seat] = state.ALL & ~state.PLAIN
        narrow_by_money(s, seat, may)
    may[TALON_HIDE] = state.ALL
    narrow_by_tricks(s, may)
    narrow_by_calls(s, may)
    if s.deciding >= 0:
        narrow_by_povinnost(s, may)
    for place in range(HIDES):
        if room[place] == 0:
            may[place] = 0


@jit
def narrow_by_money(s: Row, seat: int, may: Any) -> None:
    """Announcements that say where single cards are [4.8]."""
    money = s.money[seat]
    if money & Money.UNI != 0:
        may[seat] &= ~state.TRUMPS
    if money & Money.ROSA_PANE != 0:
        may[seat] &= ~state.TRUL_CARDS


@jit
def narrow_by_tricks(s: Row, may: Any) -> None:
    """A seat that did not follow has no card of the led suit, and no trump if it did not play one [4.12]."""
    for k in range(s.played):
        led, card = s.tricks[k & ~3], s.tricks[k]
        if state.suit_of(card) != state.suit_of(led):
            seat = state.player_of(s, k)
            may[seat] &= ~state.SUITS[state.suit_of(led)]
            if state.suit_of(card) != state.TRUMP_SUIT:
                may[seat] &= ~state.TRUMPS


@jit
def narrow_by_calls(s: Row, may: Any) -> None:
    """Holders of the called card and of the trumps above it, of the I, and of Kings and Trul [4.7 to 4.11]."""
    for seat in range(SEATS):
        if s.money[seat] & Money.TRUL != 0:
            only_at(may, seat, state.TRUL_CARDS)
        if s.money[seat] & (Money.ROSA_PANE | Money.ROSA_PANE_PLUS) != 0:
            only_at(may, seat, state.KINGS)
    if s.pagat >= 0:
        only_at(may, s.pagat, bit(state.PAGAT))
    if s.called < 0:
        return
    for card in range(s.called + 1, state.XIX + 1):
        only_at(may, s.povinnost, bit(card))
    choices = bit(s.partner) if s.partner >= 0 else partner_choices(s, NOBODY)
    for seat in range(SEATS):
        if not has(choices, seat):
            may[seat] &= ~bit(s.called)


@jit
def narrow_by_povinnost(s: Row, may: Any) -> None:
    """Round 1: Povinnost was dealt the deciding card, and the trumps from II to below it lay in the talon [4.2]."""
    only_at(may, s.povinnost, bit(s.deciding))
    born = bit(s.deciding) - bit(state.II)
    for seat in range(SEATS):
        if not took_talon(s, seat):
            may[seat] &= ~born


@jit
def took_talon(s: Row, seat: int) -> bool:
    """Whether a seat has taken cards from the talon in this round, by what all know [4.4, 4.5]."""
    if s.prever >= 0:
        return seat == s.prever and s.phase > Phase.TALON
    if s.phase < Phase.DRAW:
        return False
    if seat == s.povinnost:
        return True
    for offer in range(2):
        to_fourth = s.offers[offer] == Action.ACCEPT
        if (
            s.offers[offer] >= 0
            and s.offers[offer] != Action.OFFER
            and seat == after(s.povinnost, 3 if to_fourth else 1 + offer)
        ):
            return True
    return False


@jit
def trump_bounds(s: Row, seat: int) -> tuple[int, int]:
    """Fewest and most trumps in a seat's hand of 12, by what was announced [4.8]."""
    money = s.money[seat]
    if s.phase <= Phase.MONEY:
        return 0, HAND
    if money & Money.TAROKY != 0:
        return 10, HAND
    if money & Money.TAROCKY != 0:
        return 8, 9
    if money & Money.BIDA != 0:
        return 1, 2
    if money & Money.UNI != 0:
        return 0, 0
    return 0 if seat == s.povinnost else 3, 7  # Povinnost may have concealed Uni or Bida


@jit
def five_bounds(s: Row, seat: int) -> tuple[int, int]:
    """Fewest and most five-pointers in a seat's hand of 12, by what was announced [4.8]."""
    money = s.money[seat]
    if s.phase <= Phase.MONEY:
        return 0, 7
    if money & (Money.PANE | Money.ROSA_PANE_PLUS) != 0:
        return 4, 7
    return (4, 4) if money & Money.ROSA_PANE != 0 else (0, 3)


@jit
def money_bounds(s: Row, had: Any, trumps: Any, fives: Any) -> None:
    """Write fewest and most trumps and five-pointers that each seat can still get, by the announcements [4.8].

    `trumps`, `fives`: int64 [2, 4].
    """
    for seat in range(SEATS):
        seen = had[seat] | s.hand[seat]
        least, most = trump_bounds(s, seat)
        trumps[0, seat], trumps[1, seat] = (
            least - count(seen & state.TRUMPS),
            most - count(seen & state.TRUMPS),
        )
        least, most = five_bounds(s, seat)
        fives[0, seat], fives[1, seat] = least - count(seen & state.FIVES), most - count(seen & state.FIVES)


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
    for seat in range(SEATS):
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
    if counted == state.FIVES:
        up &= state.TRUMPS if card & state.TRUMPS != 0 else ~state.TRUMPS
    if up != 0:
        swapped = card | bit(nth(up, below(rng, count(up))))
        put[giver] ^= swapped
        put[taker] ^= swapped


@jit
def agrees_with_money(s: Row, had: Any, put: Any) -> bool:
    """Whether the hands of 12 that this world implies have the announced money cards [4.8]."""
    if s.phase <= Phase.MONEY:
        return True
    for seat in range(SEATS):
        money = state.money_of(had[seat] | s.hand[seat] | put[seat])
        hidden = money & ~(Money.UNI | Money.BIDA) if seat == s.povinnost else money
        if s.money[seat] != money and s.money[seat] != hidden:
            return False
    return True


@jit
def write_world(s: Row, put: Any, rng: Any) -> None:
    """Copy the placed cards into the row, the talon's in random order, and name the partner."""
    for seat in range(SEATS):
        s.hand[seat] |= put[seat]
        s.discards[seat] |= put[4 + seat]
    left = talon_left(s)
    for place in range(6):
        if has(left, place) and s.talon[place] == NOBODY:
            card = nth(put[TALON_HIDE], below(rng, count(put[TALON_HIDE])))
            put[TALON_HIDE] &= ~bit(card)
            s.talon[place] = card
    if s.called >= 0 and s.partner < 0:
        s.partner = state.holder(s, s.called)
