"""Jolly Zoliky: what a view tells of the hidden cards, slot by slot [6].

A slot is a place in a hand, as it was when the stock was made, or a place in the stock. Here: who got the
card of each slot, which cards are known to lie where, what was played, and which cards fill the other slots.
Filling them is the business of `worlds`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, Row, bit, count, fill, has, jit, lowest
from . import state
from .melds import SET, SUIT_LANES, SUITS_FIELD, high_end, lane_of, low_end, meld_jokers
from .state import CUT, DECK_SIZE, JOKER, KIND, MOST_PLAYERS, N_KINDS, PLACE, TWO_BYTES, Action, Phase
from .steps import JOKERS, NATURALS

SLOTS = 2 * DECK_SIZE
"""Bound on the slots: those of the stock, in the order of drawing, then those of the hands as they were when
it was made.
"""
HANDS, STOCK = 0, 1
"""The heaps after a reshuffle; before the first one all slots are filled from HANDS."""
BOTTOM = CUT - 1  # naturals of the stock that the cutter may have seen

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
        # while the history is read: the natural that the mover got from the table, NOBODY; and jokers
        ("owed", np.int64),
        ("owed_jokers", np.int64),
        ("sure", np.int64),  # jokers that the cutter had when the stock was made, and has not played
        # the lowest cards of the first stock, once they have been drawn and reshuffled: the lowest, the next
        ("bottom_draw", np.int64, BOTTOM),  # which draw of the deal each was
        ("bottom_kind", np.int64, BOTTOM),  # NOBODY: not seen by the viewer
        ("bottom_seat", np.int64, BOTTOM),  # who drew it; NOBODY
        ("bottom_gone", np.int64, BOTTOM),  # what that seat discarded in that turn
        ("bottom_held", np.int64, BOTTOM),  # 1: it surely had it when this stock was made
        ("bottom_used", np.int64, BOTTOM),  # 1: and has played it since
        ("n_before", np.int64),  # draws from earlier stocks
        ("cards", np.int16, (2, N_KINDS)),  # of each heap, without what is known, by kind
        ("n_cards", np.int64, 2),
        ("n_open", np.int64, 2),  # slots to be filled from each heap
        ("open", np.int16, (2, SLOTS)),
        # of one try
        ("kind", np.int8, SLOTS),
        ("played", np.int8, SLOTS),  # 1: that card was played
        ("card", np.int16, SLOTS),  # number of the card that lies there, of those that the walk moves; NOBODY
        ("left", np.int16, (2, N_KINDS)),  # cards not yet put
        ("n_left", np.int64, 2),
        ("n_filled", np.int64, MOST_PLAYERS),  # slots of a seat that are filled at the time that is looked at
        ("n_free", np.int64, MOST_PLAYERS),  # those of them that are still empty in this try
        ("free", np.int16, (MOST_PLAYERS, SLOTS)),
        # the last slot, by time, of which a seat has played that kind; -1
        ("last", np.int8, (MOST_PLAYERS, N_KINDS)),
    ],
    align=True,
)
OWN = 100  # in `known`: a slot from which the viewer drew


# --- what is unseen -----------------------------------------------------------------------------------------


@jit
def viewer(s: Row) -> int:
    """Return the seat whose hand the row shows; NOBODY if it shows none."""
    for p in range(s.players):
        if s.held[p] > 0 and count(s.hand[p]) + count(s.twice[p]) + s.jokers[p] == s.held[p]:
            return p
    for i in range(s.n_drawn):  # one who went out holds nothing, but still knows what it drew
        if s.drawn[i] != NOBODY:
            return I64(s.drawer[i])
    return NOBODY


@jit
def count_unseen(s: Row, out: Any) -> None:
    """Write how many cards of every kind the row does not show into `out`."""
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
    """Return the naturals of a meld, as lanes; a high ace at position 14."""
    if m & SET:
        return SUIT_LANES[m & SUITS_FIELD] << low_end(m)
    return (bit(high_end(m) + 1) - bit(low_end(m)) & ~m) << lane_of(m)


# --- what the history says ----------------------------------------------------------------------------------


@jit
def read_history(s: Row, w: Any) -> None:
    """Note who drew from this stock and what hidden hands have played since."""
    at, seat, top = 0, state.leader(s), I64(NOBODY)
    drawn, before = True, True  # the leader's first turn begins without a draw
    while at < s.n_events:
        before = at < s.stock_event
        action = I64(s.history[at]) + Action.DISCARD
        at += 1
        if action >= TWO_BYTES + Action.DISCARD:
            action = (action - Action.DISCARD - TWO_BYTES) * 64 + s.history[at]
            at += 1
        if not drawn and action != Action.DRAW_DISCARD and action != Action.DRAW_JOLLY:
            note_draw(w, seat, before)
        drawn = True
        read_action(s, w, seat, action, top, before)
        if Action.DISCARD <= action < Action.RUN:
            seat, top, drawn = (seat + 1) % s.players, action - Action.DISCARD, False
    if not drawn and s.phase == Phase.MELDING and s.mover != NOBODY:  # not after the last discard
        note_draw(w, seat, False)


@jit
def read_action(s: Row, w: Any, seat: int, action: int, top: int, before: bool) -> None:
    """Note what an action does to the hand of its seat."""
    for j in range(BOTTOM if Action.DISCARD <= action < Action.RUN else 0):
        if w.bottom_seat[j] == seat and w.bottom_gone[j] == NOBODY:
            w.bottom_gone[j] = action - Action.DISCARD
    if seat == w.viewer:
        return
    if action == Action.DRAW_DISCARD or action == Action.DRAW_JOLLY:
        kind = s.jolly if action == Action.DRAW_JOLLY else top
        if kind == JOKER:
            w.owed_jokers += 1
        else:
            w.owed = kind
    elif action < Action.RUN:
        note_out(s, w, seat, action - Action.DISCARD, before)
    else:
        naturals = NATURALS[action]
        while naturals != 0:
            note_out(s, w, seat, KIND[lowest(naturals)], before)
            naturals &= naturals - 1
        for _ in range(JOKERS[action]):
            note_out(s, w, seat, I64(JOKER), before)
        w.owed_jokers += max(-JOKERS[action], 0)


@jit
def note_draw(w: Any, seat: int, before: bool) -> None:
    """Note that a seat draws the next slot of the stock, or of an earlier one."""
    if before:
        for j in range(BOTTOM):
            if w.n_before == w.bottom_draw[j]:
                w.bottom_seat[j] = seat
                w.bottom_held[j] = w.bottom_kind[j] != NOBODY and seat != w.viewer
        w.n_before += 1
        return
    slot = I64(0)
    for p in range(MOST_PLAYERS):
        slot += w.draws[p]
    if slot == w.n_stock:  # no game has more draws than cards
        return
    w.owner[slot] = seat
    w.draw[seat, w.draws[seat]] = slot
    w.draws[seat] += 1


@jit
def note_out(s: Row, w: Any, seat: int, kind: int, before: bool) -> None:
    """Note that a seat plays a card."""
    if kind == JOKER and w.owed_jokers > 0:
        w.owed_jokers -= 1
        return
    if kind != JOKER and kind == w.owed:
        w.owed = NOBODY
        return
    if before:
        for j in range(BOTTOM):
            if w.bottom_held[j] == 1 and w.bottom_seat[j] == seat and w.bottom_kind[j] == kind:
                w.bottom_held[j] = 0
                return
        return
    w.outs[seat] += 1
    for j in range(BOTTOM):
        sure = w.bottom_held[j] > w.bottom_used[j]
        if sure and w.bottom_seat[j] == seat and w.bottom_kind[j] == kind:
            w.bottom_used[j] = 1
            return
    if kind == JOKER and seat == state.cutter(s) and w.sure > 0:
        w.sure -= 1
        return
    for k in range(w.draws[seat] if w.viewer == state.cutter(s) else 0):
        slot = w.draw[seat, k]
        if w.known[slot] == kind and not w.used[slot]:
            w.used[slot] = 1
            return
    if w.n_outs == SLOTS:  # no game has so many
        return
    w.out_seat[w.n_outs], w.out_kind[w.n_outs], w.out_slots[w.n_outs] = seat, kind, w.draws[seat]
    w.n_outs += 1


# --- what is known ------------------------------------------------------------------------------------------


@jit
def know(s: Row, w: Any) -> None:
    """All that the row tells of the slots."""
    w.viewer, w.owed, w.sure = viewer(s), NOBODY, s.stock_jokers
    w.heap_of_stock = STOCK if state.reshuffles(s) > 0 else HANDS
    w.n_stock = s.n_drawn + s.n_stock
    for slot in range(w.n_stock):
        w.owner[slot] = w.known[slot] = NOBODY
    for j in range(BOTTOM):
        w.bottom_draw[j] = w.bottom_kind[j] = w.bottom_seat[j] = w.bottom_gone[j] = NOBODY
    know_the_bottom(s, w)
    for p in range(MOST_PLAYERS):
        fill(w.last[p], NOBODY)
    read_history(s, w)
    lay_out_slots(s, w)
    if w.n_slots > 0:
        count_heaps(s, w)


@jit
def heaps_fit(w: Any) -> bool:
    """Whether each heap has as many cards as there are slots to fill from it: if not, no game led here."""
    for heap in range(2):
        n = I64(0)
        for kind in range(N_KINDS):
            n += w.cards[heap, kind]
            if w.cards[heap, kind] < 0:
                return False
        if n != w.n_open[heap]:
            return False
    return w.n_slots > 0


@jit
def know_the_bottom(s: Row, w: Any) -> None:
    """Note where the lowest cards of the first stock are: naturals, and the cutter knows which [3].

    Before the first reshuffle they lie at the bottom; later it counts which draws took them.
    """
    naturals, size = -1, DECK_SIZE - 1  # the first natural from below was the Jolly card
    for i in range(CUT - 1, -1, -1):
        if s.seen[i] != NOBODY and s.seen[i] != JOKER:
            naturals += 1
            if naturals > 0:
                w.bottom_kind[naturals - 1] = s.seen[i]
    for p in range(s.players):
        size -= state.hand_size(s, p)
    for j in range(max(CUT - 1 - s.kept, 0)):
        if w.heap_of_stock == STOCK:
            w.bottom_draw[j] = size - 1 - j
        else:
            w.natural[w.n_stock - 1 - j], w.known[w.n_stock - 1 - j] = 1, w.bottom_kind[j]


@jit
def lay_out_slots(s: Row, w: Any) -> None:
    """Give all slots their owners, and number those of the hidden hands. The viewer's are known."""
    slot = w.n_stock
    for p in range(s.players):
        if p == w.viewer:
            continue
        in_hand = s.held[p]
        if p == s.mover:
            in_hand -= I64(s.owed != NOBODY) + s.owed_jokers
        w.dealt[p], w.first[p] = in_hand + w.outs[p] - w.draws[p], slot
        if w.dealt[p] < 0 or slot + w.dealt[p] > DECK_SIZE:
            return  # no game led here
        for k in range(w.dealt[p]):
            w.owner[slot + k], w.order[slot + k], w.known[slot + k] = p, k, NOBODY
        for k in range(w.draws[p]):
            w.order[w.draw[p, k]] = w.dealt[p] + k
        if p == state.cutter(s):
            for k in range(s.stock_jokers):
                w.known[slot + k] = JOKER
                w.used[slot + k] = k >= w.sure
        for j in range(BOTTOM):
            if w.bottom_held[j] == 1 and w.bottom_seat[j] == p and may_hold(s, w, j):
                k = j if w.bottom_held[0] == 1 and w.bottom_seat[0] == p else 0
                w.known[slot + k] = w.bottom_kind[j]
                w.used[slot + k] = w.bottom_used[j]
        slot += w.dealt[p]
    for i in range(w.n_stock):
        if w.owner[i] != s.drawer[i]:  # the history has other draws: no game led here
            return
        if i < s.n_drawn and s.drawer[i] == w.viewer:
            w.known[i] = OWN
    w.n_slots = slot


@jit
def may_hold(s: Row, w: Any, j: int) -> bool:
    """Whether a card seen at the cut can be in a hand still: in a world of a world it may be elsewhere."""
    kind = w.bottom_kind[j]
    count_unseen(s, w.cards[HANDS])
    in_hands = w.cards[HANDS, kind] - in_pool(s, kind)
    for i in range(s.n_drawn):
        in_hands += s.drawer[i] == w.viewer and s.drawn[i] == kind
    for i in range(w.n_outs):
        in_hands += w.out_kind[i] == kind
    return w.bottom_used[j] == 1 or in_hands > 0


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
