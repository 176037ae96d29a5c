"""Taroky: hidden information [6]. What a seat may know of a record, and random worlds that agree with it.

`redact` blanks the rest. `determinize` puts the unseen cards back: it writes down what the view says of
them, where each may lie and how many of a kind (`write_facts`), and deals them (`placing`).

Every deal that the facts allow is equally likely, together with the secret discards made from it. The facts
are what the rules make certain of the public record and of the seat's own cards; how clever a bid, a discard
or a card was tells nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    I64,
    NOBODY,
    Row,
    below,
    bit,
    cleared,
    count,
    draw_from,
    fill,
    has,
    jit,
    mask_of,
    nth,
    scratch,
    shuffle_with,
)
from ..core.worlds import GROUPS, only_at
from . import placing, state
from .placing import DISCARDS, KINDS, PLACES, TALON
from .state import HAND, N_CARDS, SEATS, Action, Money, Phase, after

# --- what a seat may know [6] -------------------------------------------------------------------------------


@jit
def partner_choices(s: Row, seat: int) -> int:
    """Mask of the seats that may have the called card, unseen by this viewer (-1: an onlooker) [6]."""
    choices = 0
    for other in range(SEATS):
        if s.side[other] == 1 and other != s.povinnost:
            return bit(other)
        if other != seat and s.side[other] != 0 and not (other == s.povinnost and s.called != state.XIX):
            choices |= bit(other)
    return choices


@jit
def knows_partner(s: Row, seat: int) -> bool:
    """Whether a viewer knows the partner: by the called card, by calls, or by elimination [6]."""
    if s.called < 0:
        return False
    seen = state.gone(s)
    for other in range(SEATS):
        seen |= s.discards[other] & state.TRUMPS
    if has(seen, s.called) or (seat >= 0 and has(s.hand[seat], s.called)):
        return True
    return count(partner_choices(s, seat)) == 1


@jit
def redact(s: Row, seat: int) -> None:
    """Blank all that a seat may not know; -1 is an onlooker [6].

    Kept: its own hand and discards, discarded trumps, shown talon cards, the talon half that Prever looks
    at, and the partner as soon as the viewer can tell it by the called card, by calls that one side only can
    make, or by elimination from these.
    """
    if not knows_partner(s, seat):
        s.partner = NOBODY
    for other in range(SEATS):
        if other != seat:
            s.hand[other] = 0
            s.discards[other] &= state.TRUMPS
    half = 3 * s.rejections if s.phase == Phase.TALON and seat == s.prever else NOBODY  # looked at [4.4]
    for place in range(6):
        card = s.talon[place]
        looked_at = half >= 0 and half <= place < half + 3
        if card >= 0 and not looked_at and not has(s.shown, card):
            s.talon[place] = NOBODY
    fill(s.order, NOBODY)


# --- random worlds [6] --------------------------------------------------------------------------------------

ANY = N_CARDS  # more than any place holds
ORIGIN_TRIES = 1 << 20


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill a redacted row with a random world; all that agree with it are equally likely [6]."""
    if s.phase == Phase.CUT or s.phase == Phase.PILE:
        for card in range(N_CARDS):
            s.order[card] = card
        shuffle_with(s.order, N_CARDS, rng)
    elif s.phase != NOBODY:
        place_unseen(s, rng)


@jit
def place_unseen(s: Row, rng: Any) -> None:
    """Place the unseen cards [6]; a row that contradicts itself stays as it is."""
    facts, groups = cleared(1, placing.FACTS), cleared(2, GROUPS)
    had = cleared(SEATS, np.int64)
    write_played(s, had)
    write_facts(s, facts[0], had)
    placing.prepare(facts[0], groups)
    for _ in range(ORIGIN_TRIES):
        if not placing.place(facts[0], groups, rng):
            return
        if facts[0].unseen & facts[0].kinds[placing.LOW] == 0 or origins_agree(s, facts[0], had, rng):
            break
    write_world(s, facts[0].put, rng)


@jit
def write_world(s: Row, put: Any, rng: Any) -> None:
    """Copy the placed cards into the row, and name the partner [6]."""
    for seat in range(SEATS):
        s.hand[seat] |= put[seat]
        secret = draw_from(put[DISCARDS], s.discard_count[seat] - count(s.discards[seat]), rng)
        s.discards[seat] |= secret
        put[DISCARDS] &= ~secret
    left = talon_left(s)
    for at in range(state.TALON):
        if has(left, at) and s.talon[at] == NOBODY:
            card = nth(put[TALON], below(rng, count(put[TALON])))
            put[TALON] &= ~bit(card)
            s.talon[at] = card
    if s.called >= 0 and s.partner < 0:
        s.partner = state.holder(s, s.called)


# --- what a view says of the unseen cards -------------------------------------------------------------------


@jit
def write_facts(s: Row, f: Row, had: Any) -> None:
    """Write what a view makes certain into `f`, a row of `placing.FACTS`.

    Args:
        s: the view.
        f: set.
        had: mask of the cards that each seat has played, int64[4].
    """
    write_room(s, f.room)
    f.unseen = unseen_cards(s)
    fill(f.may, state.ALL)
    f.may[DISCARDS] = state.PLAIN
    narrow_by_discards(s, f.may)
    narrow_by_tricks(s, f.may)
    narrow_by_money(s, f.may)
    narrow_by_calls(s, f.may)
    write_bounds(s, f, had)
    placing.narrow(f)
    for p in range(PLACES):
        if f.room[p] == 0:
            f.may[p] = 0


@jit
def unseen_cards(s: Row) -> int:
    """Mask of the cards that a view does not place [6]."""
    seen = state.gone(s) | mask_of(s.talon)
    for seat in range(SEATS):
        seen |= s.hand[seat] | s.discards[seat]
    return state.ALL & ~seen


@jit
def write_played(s: Row, had: Any) -> None:
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
    if s.phase > Phase.OFFER:
        return 0b000000
    return 0b110000 if state.talon_turn(s) == 0 else 0b100000


@jit
def write_room(s: Row, room: Any) -> None:
    """Write how many unseen cards each place holds into `room` [6]."""
    room[DISCARDS] = 0
    for seat in range(SEATS):
        room[seat] = s.hand_size[seat] - count(s.hand[seat])
        room[DISCARDS] += s.discard_count[seat] - count(s.discards[seat])
    room[TALON] = count(talon_left(s)) - count(mask_of(s.talon))


@jit
def narrow_by_discards(s: Row, may: Any) -> None:
    """Who discarded a trump has no plain card; Prever has the half it refused twice [4.4, 4.6]."""
    for seat in range(SEATS):
        if s.discards[seat] & state.TRUMPS != 0:
            may[seat] &= ~state.PLAIN
        if s.rejections == 2 and seat != s.prever:
            may[seat] &= ~s.shown


@jit
def narrow_by_tricks(s: Row, may: Any) -> None:
    """Who did not follow has no card of the led suit, and no trump if it did not play one [4.12]."""
    for k in range(s.played):
        led, suit = state.suit_of(s.tricks[k & ~3]), state.suit_of(s.tricks[k])
        if suit != led:
            seat = state.player_of(s, k)
            may[seat] &= ~state.SUITS[led]
            if suit != state.TRUMP_SUIT:
                may[seat] &= ~state.TRUMPS


@jit
def narrow_by_money(s: Row, may: Any) -> None:
    """Announcements that say where single cards are [4.8]."""
    for seat in range(SEATS):
        money = s.money[seat]
        if money & Money.UNI != 0:
            may[seat] &= ~state.TRUMPS
        if money & Money.ROSA_PANE != 0:
            may[seat] &= ~state.TRUL_CARDS
        if money & Money.TRUL != 0:
            only_at(may, seat, state.TRUL_CARDS)
        if money & (Money.ROSA_PANE | Money.ROSA_PANE_PLUS) != 0:
            only_at(may, seat, state.KINGS)


@jit
def narrow_by_calls(s: Row, may: Any) -> None:
    """Deciding card, I of a called Pagat, called card and the trumps above it [4.2, 4.7, 4.11]."""
    if s.deciding >= 0:
        only_at(may, s.povinnost, bit(s.deciding))
        for seat in range(SEATS):  # only who took talon cards can have a lower trump
            if taken(s, seat) == 0:
                may[seat] &= ~low_trumps(s)
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


# --- numbers of trumps and five-pointers [4.8] --------------------------------------------------------------


@jit
def trump_bounds(s: Row, seat: int) -> tuple[int, int]:
    """Fewest and most trumps in a seat's hand of 12, by what was announced [4.8]."""
    money = s.money[seat]
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
    if money & Money.ROSA_PANE_PLUS != 0:
        return 5, 7
    if money & Money.ROSA_PANE != 0:
        return 4, 4
    return (4, 7) if money & Money.PANE != 0 else (0, 3)


@jit
def write_bounds(s: Row, f: Row, had: Any) -> None:
    """Write the kinds, and how many unseen cards of each every place gets, by what was announced [4.8]."""
    f.kinds[placing.TRUMPS] = state.TRUMPS
    f.kinds[placing.FIVES] = state.FIVES
    f.kinds[placing.TRUL] = state.TRUL_CARDS
    f.kinds[placing.KINGS] = state.KINGS
    f.kinds[placing.LOW] = low_trumps(s)
    for kind in range(KINDS):
        fill(f.least[kind], 0)
        fill(f.most[kind], ANY)
    for seat in range(SEATS):
        if f.room[seat] == 0:
            continue
        if f.kinds[placing.LOW] != 0:
            f.most[placing.LOW, seat] = taken(s, seat) - count(had[seat] & f.kinds[placing.LOW])
        if s.phase > Phase.MONEY:
            write_hand_bounds(s, f, seat, had[seat])


@jit
def write_hand_bounds(s: Row, f: Row, seat: int, had: int) -> None:
    """Write how many unseen cards of each kind a hand gets that has played `had` [4.8]."""
    least, most = trump_bounds(s, seat)
    f.least[placing.TRUMPS, seat] = least - count(had & state.TRUMPS)
    f.most[placing.TRUMPS, seat] = most - count(had & state.TRUMPS)
    least, most = five_bounds(s, seat)
    f.least[placing.FIVES, seat] = least - count(had & state.FIVES)
    f.most[placing.FIVES, seat] = most - count(had & state.FIVES)
    if s.money[seat] & Money.TRUL == 0:
        f.most[placing.TRUL, seat] = 2 - count(had & state.TRUL_CARDS)
    if s.money[seat] & Money.PANE != 0:
        f.most[placing.KINGS, seat] = 3 - count(had & state.KINGS)


# --- the trumps below the deciding card lay in the talon of round 1 [4.2] -----------------------------------


@jit
def low_trumps(s: Row) -> int:
    """Mask of the trumps from II to below the deciding card: all lay in the talon [4.2]."""
    return bit(s.deciding) - bit(state.II) if s.deciding >= 0 else I64(0)


@jit
def taken(s: Row, seat: int) -> int:
    """How many cards of the talon a seat has taken in this round, by what all know [4.4, 4.5]."""
    if s.prever >= 0:
        return 3 if seat == s.prever and s.phase > Phase.TALON else 0
    if s.phase < Phase.DRAW:
        return 0
    cards = 4 if seat == s.povinnost else 0
    for turn in range(2):
        if s.offers[turn] == Action.ACCEPT:
            cards += seat == after(s.povinnost, 3)
        elif s.offers[turn] == Action.DRAW or s.offers[turn] == Action.REJECT:
            cards += seat == after(s.povinnost, 1 + turn)
    return cards


@jit
def origin_chance(s: Row, seat: int, low: int) -> float:
    """Of the ways to say which of its cards a seat took, the share left with one low trump more [4.2].

    The seat took n of N cards, `low` of them low trumps: C(N - low - 1, n - low - 1) / C(N - low, n - low).
    Povinnost's deciding card came from no talon.
    """
    others = HAND + taken(s, seat) - low - (1 if seat == s.povinnost else 0)
    return (taken(s, seat) - low) / others


@jit
def origins_agree(s: Row, f: Row, had: Any, rng: Any) -> bool:
    """Whether a placing is kept: with low trumps, not all placings stand for as many deals [4.2].

    The chance to be kept is in proportion: the product of `origin_chance`, over its greatest value.
    """
    low = f.kinds[placing.LOW]
    chance, greatest = 1.0, 1.0
    best = scratch(SEATS, np.int64)  # low trumps of each seat when most deals are left
    for seat in range(SEATS):
        best[seat] = count(low & (had[seat] | s.hand[seat]))
        for k in range(count(low & f.put[seat])):
            chance *= origin_chance(s, seat, best[seat] + k)
    for _ in range(count(low & f.unseen) - f.room[TALON]):
        greatest *= take_best(s, f, best)
    return below(rng, 1 << 30) < chance / greatest * (1 << 30)


@jit
def take_best(s: Row, f: Row, best: Any) -> float:
    """Count one low trump more, in `best`, for the seat with the greatest `origin_chance`; return that."""
    greatest, winner = 0.0, 0
    for seat in range(SEATS):
        if f.room[seat] > 0 and origin_chance(s, seat, best[seat]) > greatest:
            greatest, winner = origin_chance(s, seat, best[seat]), seat
    best[winner] += 1
    return greatest
