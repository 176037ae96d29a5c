"""Jolly Zoliky: what a seat sees, and random worlds that could have led to it [6].

A card that is hidden came to its place in one of two ways: dealt to a hand, or lying in the stock, from where
it may have been drawn since. Each such place is a *slot*, filled when the stock was made. A world fills all
slots, so that every seat had each card that it played in a slot of its own by then. After a reshuffle the
slots of the hands, as they were, and those of the stock are filled from two separate heaps: nothing but the
pool lay in the stock.

All ways to fill the slots are equally likely. To see how: each card played is put into a slot of its seat
that was filled in time, at random, and the cards that nobody has seen fill the rest. That counts a filling
once for every way to say which of two equal cards in a hand was the one that was played; so only the way in
which the earlier slot was played counts, and with any other all is drawn again. When many cards were played
that would take long: then a slot is taken as likely as the rest can be filled after it, by estimate, and only
the equal card is drawn again. Cards that were played and could come from either heap go to a slot by the
numbers of both. These two are nearly, not exactly, even.
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
    fill,
    has,
    jit,
    lowest,
    scratch,
    shuffle_with,
)
from .hands import show_kind
from .melds import SET, SUIT_LANES, SUITS_FIELD, high_end, lane_of, low_end, meld_jokers
from .state import (
    CUT,
    DECK_SIZE,
    JOKER,
    KIND,
    MOST_PLAYERS,
    N_KINDS,
    PLACE,
    TWO_BYTES,
    Action,
    Phase,
    cutter,
    reshuffles,
)
from .steps import JOKERS, NATURALS

# --- what is open -------------------------------------------------------------------------------------------


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the other hands and draws, the stock and, but for the cutter, the cards seen at the cut [6]."""
    for p in range(s.players):
        if p != seat:
            s.hand[p] = s.twice[p] = s.jokers[p] = 0
    fill(s.stock, NOBODY)
    for i in range(s.n_drawn):
        if s.drawer[i] != seat:
            s.drawn[i] = NOBODY
    if seat != cutter(s):
        fill(s.seen, NOBODY)


@jit
def viewer(s: Row) -> int:
    """The seat whose hand the row shows; NOBODY if it shows none."""
    for p in range(s.players):
        if s.held[p] > 0 and count(s.hand[p]) + count(s.twice[p]) + s.jokers[p] == s.held[p]:
            return p
    for i in range(s.n_drawn):  # one who went out holds nothing, but still knows what it drew
        if s.drawn[i] != NOBODY:
            return I64(s.drawer[i])
    return NOBODY


@jit
def count_unseen(s: Row, out: Any) -> None:
    """Write how many cards of every kind the row does not show (int16[53]).

    These are the cards of the stock and of hidden hands.
    """
    fill(out, 2)
    out[JOKER] = 4
    for p in range(s.players):
        out[JOKER] -= s.jokers[p]
        count_off(out, s.hand[p])
        count_off(out, s.twice[p])
    for i in range(s.n_pile):
        out[s.pile[i]] -= 1
    for i in range(s.n_melds):
        out[JOKER] -= meld_jokers(s.melds[i])
        count_off(out, naturals_in(s.melds[i]))
    if s.jolly != NOBODY and not s.jolly_turn:
        out[s.jolly] -= 1


@jit
def count_off(out: Any, naturals: int) -> None:
    """One card less of each kind of a mask."""
    while naturals != 0:
        out[KIND[lowest(naturals)]] -= 1
        naturals &= naturals - 1


@jit
def naturals_in(m: int) -> int:
    """The naturals of a meld, as lanes; a high ace at position 14."""
    if m & SET:
        return SUIT_LANES[m & SUITS_FIELD] << low_end(m)
    return (bit(high_end(m) + 1) - bit(low_end(m)) & ~m) << lane_of(m)


@jit
def collect(counts: Any, cards: Any, rng: Any) -> int:
    """Write the counted cards (int16[53]) into `cards`, shuffled; return how many."""
    n = 0
    for kind in range(N_KINDS):
        for _ in range(counts[kind]):
            cards[n] = kind
            n += 1
    shuffle_with(cards, n, rng)
    return n


# --- slots --------------------------------------------------------------------------------------------------

SLOTS = 2 * DECK_SIZE
"""Bound on the slots: those of the stock, in the order of drawing, then those of the hands as they were when
it was made.
"""
HANDS, STOCK = 0, 1
"""The heaps after a reshuffle; before the first one all slots are filled from HANDS."""
FEW = 8  # cards played out of slots that are not known: up to so many all is drawn again until it counts

WORLD = np.dtype(
    [
        ("viewer", np.int64),
        ("heap_of_stock", np.int64),  # HANDS or STOCK
        ("n_stock", np.int64),  # slots of the stock: those of the hands begin here
        ("n_slots", np.int64),
        ("dealt", np.int64, MOST_PLAYERS),  # slots of a hand when the stock was made
        ("first", np.int64, MOST_PLAYERS),  # the first of them
        ("draws", np.int64, MOST_PLAYERS),  # cards drawn since
        ("draw", np.int16, (MOST_PLAYERS, DECK_SIZE)),  # the slots from which
        ("owner", np.int8, SLOTS),  # the seat that got the card of a slot; NOBODY
        ("order", np.int8, SLOTS),  # its place among the slots of that seat, by time
        ("natural", np.int8, SLOTS),  # 1: known to hold no joker
        ("known", np.int8, SLOTS),  # kind that is known to lie there; NOBODY; OWN
        ("used", np.int8, SLOTS),  # 1: that card, known, was played
        ("n_outs", np.int64),  # cards played out of slots that are not known, in order of time
        ("outs", np.int64, MOST_PLAYERS),  # how many cards a seat played out of slots, known or not
        ("out_seat", np.int8, SLOTS),
        ("out_kind", np.int8, SLOTS),
        ("out_slots", np.int16, SLOTS),  # how many slots of the seat were filled by then
        ("owed", np.int64),  # in the history so far: the natural that the mover got from the table, NOBODY
        ("owed_jokers", np.int64),  # and jokers
        ("sure", np.int64),  # jokers that the cutter had when the stock was made, and has not played
        ("cards", np.int16, (2, N_KINDS)),  # of each heap, without what is known, by kind
        ("n_cards", np.int64, 2),
        ("n_open", np.int64, 2),  # slots to be filled from each heap
        ("open", np.int16, (2, SLOTS)),
        # of one try
        ("kind", np.int8, SLOTS),
        ("played", np.int8, SLOTS),  # 1: that card was played
        ("left", np.int16, (2, N_KINDS)),  # cards not yet put
        ("n_left", np.int64, 2),
        ("n_filled", np.int64, MOST_PLAYERS),  # slots of a seat that are filled at the time that is looked at
        ("n_free", np.int64, MOST_PLAYERS),  # those of them that are still empty in this try
        ("free", np.int16, (MOST_PLAYERS, SLOTS)),
        (
            "last",
            np.int8,
            (MOST_PLAYERS, N_KINDS),
        ),  # last slot, by time, of which a seat played that kind; -1
    ],
    align=True,
)
OWN = 100  # in `known`: a slot from which the viewer drew


# --- what the history says ----------------------------------------------------------------------------------


@jit
def read_history(s: Row, w: Any) -> None:
    """Note who drew from this stock and what was played out of hidden hands since it was made."""
    at, seat, top = s.stock_event, s.stock_seat, I64(NOBODY)
    drawn = reshuffles(s) == 0  # the leader's first turn begins without a draw
    while at < s.n_events:
        action = I64(s.history[at]) + Action.DISCARD
        at += 1
        if action >= TWO_BYTES + Action.DISCARD:
            action = (action - Action.DISCARD - TWO_BYTES) * 64 + s.history[at]
            at += 1
        if not drawn and action != Action.DRAW_DISCARD and action != Action.DRAW_JOLLY:
            note_draw(w, seat)
        drawn = True
        read_action(s, w, seat, action, top)
        if Action.DISCARD <= action < Action.RUN:
            seat, top, drawn = (seat + 1) % s.players, action - Action.DISCARD, False
    if not drawn and s.phase == Phase.MELDING:
        note_draw(w, seat)


@jit
def read_action(s: Row, w: Any, seat: int, action: int, top: int) -> None:
    """Note what an action does to the hand of its seat. `top`: the card on the pile."""
    if seat == w.viewer:
        return
    if action == Action.DRAW_DISCARD or action == Action.DRAW_JOLLY:
        kind = s.jolly if action == Action.DRAW_JOLLY else top
        if kind == JOKER:
            w.owed_jokers += 1
        else:
            w.owed = kind
    elif action < Action.RUN:
        note_out(s, w, seat, action - Action.DISCARD)
    else:
        naturals = NATURALS[action]
        while naturals != 0:
            note_out(s, w, seat, KIND[lowest(naturals)])
            naturals &= naturals - 1
        for _ in range(JOKERS[action]):
            note_out(s, w, seat, I64(JOKER))
        w.owed_jokers += max(-JOKERS[action], 0)


@jit
def note_draw(w: Any, seat: int) -> None:
    """A seat draws the next slot of the stock."""
    slot = I64(0)
    for p in range(MOST_PLAYERS):
        slot += w.draws[p]
    w.owner[slot] = seat
    w.draw[seat, w.draws[seat]] = slot
    w.draws[seat] += 1


@jit
def note_out(s: Row, w: Any, seat: int, kind: int) -> None:
    """Note that a seat plays a card.

    It is one that the seat has just got from the table, one that is known, or one out of a slot that is still
    to be chosen.
    """
    if kind == JOKER and w.owed_jokers > 0:
        w.owed_jokers -= 1
        return
    if kind != JOKER and kind == w.owed:
        w.owed = NOBODY
        return
    w.outs[seat] += 1
    if kind == JOKER and seat == cutter(s) and w.sure > 0:
        w.sure -= 1
        return
    for k in range(w.draws[seat] if w.viewer == cutter(s) else 0):
        slot = w.draw[seat, k]
        if w.known[slot] == kind and not w.used[slot]:
            w.used[slot] = 1
            return
    w.out_seat[w.n_outs], w.out_kind[w.n_outs], w.out_slots[w.n_outs] = seat, kind, w.draws[seat]
    w.n_outs += 1


# --- what is known ------------------------------------------------------------------------------------------


@jit
def know_the_bottom(s: Row, w: Any) -> None:
    """Before the first reshuffle: the lowest cards of the stock are naturals; the cutter knows which [3]."""
    naturals = -1  # the first natural from below was the Jolly card
    for i in range(CUT - 1, -1, -1):
        if s.seen[i] != NOBODY and s.seen[i] != JOKER:
            naturals += 1
            if naturals > 0:
                w.known[w.n_stock - naturals] = s.seen[i]
    for i in range(max(CUT - 1 - s.kept, 0)):
        w.natural[w.n_stock - 1 - i] = 1


@jit
def lay_out_slots(s: Row, w: Any) -> None:
    """Number the slots of the hidden hands, give all slots their owners; the viewer's are known."""
    slot = w.n_stock
    for p in range(s.players):
        if p == w.viewer:
            continue
        in_hand = s.held[p]
        if p == s.mover:
            in_hand -= I64(s.owed != NOBODY) + s.owed_jokers
        w.dealt[p], w.first[p] = in_hand + w.outs[p] - w.draws[p], slot
        for k in range(w.dealt[p]):
            w.owner[slot + k], w.order[slot + k], w.known[slot + k] = p, k, NOBODY
        for k in range(w.draws[p]):
            w.order[w.draw[p, k]] = w.dealt[p] + k
        if p == cutter(s):
            for k in range(s.stock_jokers):
                w.known[slot + k] = JOKER
                w.used[slot + k] = k >= w.sure
        slot += w.dealt[p]
    w.n_slots = slot
    for i in range(s.n_drawn):
        if s.drawer[i] == w.viewer:
            w.known[i] = OWN


@jit
def count_heaps(s: Row, w: Any) -> None:
    """Count the cards that fill the slots which are not known, and list these."""
    hands, stock = w.cards[HANDS], w.cards[STOCK]
    count_unseen(s, hands)
    hands[JOKER] -= s.owed_jokers if s.mover != w.viewer else 0
    if s.owed != NOBODY and s.mover != w.viewer:
        hands[s.owed] -= 1
    for i in range(w.n_outs):
        hands[w.out_kind[i]] += 1
    for slot in range(w.n_slots):
        if w.known[slot] == NOBODY:
            heap = w.heap_of_stock if slot < w.n_stock else HANDS
            w.open[heap, w.n_open[heap]] = slot
            w.n_open[heap] += 1
        elif w.known[slot] != OWN and not w.used[slot]:
            hands[w.known[slot]] -= 1
    if w.heap_of_stock == STOCK:
        for kind in range(N_KINDS):
            stock[kind] = in_pool(s, kind)
        for i in range(s.n_drawn):
            if s.drawer[i] == w.viewer:
                stock[s.drawn[i]] -= 1
        for kind in range(N_KINDS):
            hands[kind] -= stock[kind]
    w.n_cards[HANDS], w.n_cards[STOCK] = w.n_open[HANDS], w.n_open[STOCK]


@jit
def in_pool(s: Row, kind: int) -> int:
    """How many cards of a kind were shuffled at the last reshuffle."""
    if kind == JOKER:
        return s.pool_jokers
    return I64(has(s.pool, PLACE[kind])) + I64(has(s.pool_twice, PLACE[kind]))


# --- one try ------------------------------------------------------------------------------------------------


@jit
def begin_try(w: Any) -> None:
    """All open slots are empty, all cards are still to be put."""
    for i in range(w.n_slots):
        w.kind[i], w.played[i] = w.known[i], w.used[i]
    for heap in range(2):
        w.n_left[heap] = w.n_cards[heap]
        for kind in range(N_KINDS):
            w.left[heap, kind] = w.cards[heap, kind]
    for p in range(MOST_PLAYERS):
        w.n_filled[p] = w.n_free[p] = 0
    for i in range(w.n_outs):
        w.last[w.out_seat[i], w.out_kind[i]] = NOBODY


@jit
def put_played(w: Any, strict: bool, rng: Any) -> bool:
    """Put every card that was played into a slot that was filled by then; False if this try fails."""
    for i in range(w.n_outs):
        p, kind = I64(w.out_seat[i]), I64(w.out_kind[i])
        slot = slot_for(w, p, kind, w.dealt[p] + w.out_slots[i], strict, rng)
        if (
            slot == NOBODY
            or (kind == JOKER and w.natural[slot])
            or (strict and w.order[slot] < w.last[p, kind])
        ):
            return False
        put_into(w, slot, kind)
        w.played[slot] = 1
        w.last[p, kind] = max(w.last[p, kind], w.order[slot])
    return True


@jit
def slot_for(w: Any, p: int, kind: int, n: int, strict: bool, rng: Any) -> int:
    """Draw a random empty slot among the first n of a seat.

    A slot is likely as its heap still has few cards. NOBODY if there is none.
    """
    go_on_to(w, p, n)
    fewest = min(w.n_left[HANDS], w.n_left[w.heap_of_stock])
    if fewest == 0:
        fewest = max(w.n_left[HANDS], w.n_left[w.heap_of_stock])
    for _ in range(20 * w.n_free[p]):
        i = below(rng, w.n_free[p])
        slot = I64(w.free[p, i])
        heap = w.heap_of_stock if slot < w.n_stock else HANDS
        even = w.n_left[heap] == fewest or below(rng, w.n_left[heap]) < fewest
        if w.left[heap, kind] > 0 and even and (strict or leaves_room(w, p, kind, w.order[slot], rng)):
            w.n_free[p] -= 1
            w.free[p, i] = w.free[p, w.n_free[p]]
            return slot
    return NOBODY


@jit
def go_on_to(w: Any, p: int, n: int) -> None:
    """Go on to the time when a seat had n slots; those that are not known are empty."""
    for k in range(w.n_filled[p], n):
        slot = w.first[p] + k if k < w.dealt[p] else I64(w.draw[p, k - w.dealt[p]])
        if w.known[slot] == NOBODY:
            w.free[p, w.n_free[p]] = slot
            w.n_free[p] += 1
    w.n_filled[p] = n


@jit
def leaves_room(w: Any, p: int, kind: int, k: int, rng: Any) -> bool:
    """Draw whether an equal card would leave the first k slots of the seat free.

    It is true as often as the equal card, if there is one, would not come to one of these slots.
    """
    if w.left[HANDS, kind] + w.left[STOCK, kind] < 2:
        return True
    slots, unseen = w.dealt[p] + w.draws[p], w.n_cards[HANDS] + w.n_cards[STOCK] - w.n_outs
    return below(rng, slots * unseen) >= k * (slots - w.outs[p])


@jit
def put_into(w: Any, slot: int, kind: int) -> None:
    """Fill an empty slot with a card of its heap."""
    heap = w.heap_of_stock if slot < w.n_stock else HANDS
    w.kind[slot] = kind
    w.left[heap, kind] -= 1
    w.n_left[heap] -= 1


@jit
def put_equals(w: Any, strict: bool, rng: Any) -> bool:
    """Put the jokers, and the unseen cards that equal a card that was played; False if this try fails."""
    for heap in range(w.heap_of_stock + 1):
        for i in range(-1, w.n_outs):
            kind = I64(JOKER) if i < 0 else I64(w.out_kind[i])
            for _ in range(w.left[heap, kind]):
                slot = open_slot(w, heap, rng)
                patience = 0 if strict else 50
                while patience > 0 and misplaced(w, slot, kind):
                    slot = open_slot(w, heap, rng)
                    patience -= 1
                if misplaced(w, slot, kind) and (strict or kind == JOKER):
                    return False
                put_into(w, slot, kind)
    return True


@jit
def open_slot(w: Any, heap: int, rng: Any) -> int:
    """A random empty slot of a heap that has one."""
    slot = I64(w.open[heap, below(rng, w.n_open[heap])])
    while w.kind[slot] != NOBODY:
        slot = I64(w.open[heap, below(rng, w.n_open[heap])])
    return slot


@jit
def misplaced(w: Any, slot: int, kind: int) -> bool:
    """Whether a card may not be in a slot.

    That is a joker known to be none, or a card that its seat would have played sooner.
    """
    p = w.owner[slot]
    return (kind == JOKER and w.natural[slot] == 1) or (p != NOBODY and w.order[slot] < w.last[p, kind])


@jit
def put_rest(w: Any, cards: Any, rng: Any) -> None:
    """Fill the slots that are still empty."""
    for heap in range(w.heap_of_stock + 1):
        n = collect(w.left[heap], cards, rng)
        for i in range(w.n_open[heap]):
            slot = w.open[heap, i]
            if w.kind[slot] == NOBODY:
                n -= 1
                w.kind[slot] = cards[n]


# --- the world ----------------------------------------------------------------------------------------------


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill the hidden hands, draws, the stock and the cards seen at the cut with a random world [6].

    Every world could have happened, and all that could are equally likely: nothing is read out of behaviour.
    In the middle of another seat's turn that seat may be unable to finish it: whether it can is not asked.
    """
    w, cards = cleared(1, WORLD)[0], scratch(DECK_SIZE, np.int16)
    know(s, w)
    strict, agrees = w.n_outs <= FEW, False
    while not agrees:
        begin_try(w)
        agrees = put_played(w, strict, rng) and put_equals(w, strict, rng)
    put_rest(w, cards, rng)
    take_over(s, w)
    if s.seen[0] == NOBODY:
        imagine_seen(s, w, rng)


@jit
def know(s: Row, w: Any) -> None:
    """All that the row tells of the slots."""
    w.viewer, w.owed, w.sure = viewer(s), NOBODY, s.stock_jokers
    w.heap_of_stock = STOCK if reshuffles(s) > 0 else HANDS
    w.n_stock = s.n_drawn + s.n_stock
    for slot in range(w.n_stock):
        w.owner[slot] = w.known[slot] = NOBODY
    if w.heap_of_stock == HANDS:
        know_the_bottom(s, w)
    for p in range(MOST_PLAYERS):
        fill(w.last[p], NOBODY)
    read_history(s, w)
    lay_out_slots(s, w)
    count_heaps(s, w)


@jit
def take_over(s: Row, w: Any) -> None:
    """Write the filled slots into the row: hands, draws and the stock."""
    for slot in range(w.n_slots):
        p, kind = I64(w.owner[slot]), I64(w.kind[slot])
        if p != NOBODY and p != w.viewer and kind != OWN and not w.played[slot]:
            show_kind(s, p, kind)
    for i in range(s.n_drawn):
        if s.drawer[i] != w.viewer:
            s.drawn[i] = w.kind[i]
    for i in range(s.n_stock):
        s.stock[s.n_stock - 1 - i] = w.kind[s.n_drawn + i]
    if s.mover != w.viewer and s.mover != NOBODY:
        s.jokers[s.mover] += s.owed_jokers
        if s.owed != NOBODY:
            show_kind(s, s.mover, s.owed)


@jit
def slot_card(s: Row, slot: int) -> int:
    """The card of a slot of the stock."""
    return I64(s.drawn[slot]) if slot < s.n_drawn else I64(s.stock[s.n_stock - 1 - (slot - s.n_drawn)])


@jit
def imagine_seen(s: Row, w: Any, rng: Any) -> None:
    """Imagine the cards that the cutter saw.

    Jokers are in random places, the lowest natural is the Jolly card, then comes the stock's bottom.

    After a reshuffle any naturals that there can be: where they went is forgotten.
    """
    jokers, naturals = s.kept, 0
    for i in range(CUT - 1, -1, -1):
        if below(rng, i + 1) < jokers:
            s.seen[i] = JOKER
            jokers -= 1
            continue
        if naturals == 0:
            s.seen[i] = s.jolly
        elif w.heap_of_stock == HANDS:
            s.seen[i] = slot_card(s, w.n_stock - naturals)
        else:
            s.seen[i] = (s.jolly + 1 + below(rng, 25) + 25 * (naturals - 1)) % JOKER
        naturals += 1
