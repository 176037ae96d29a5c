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
that would take long: then a slot is taken as likely as the rest can be filled after it, by estimate, only
the equal card is drawn again, and this nearly even filling is the first of a walk. Each step draws one of
these cards and a slot of its heap and swaps their contents, if every card played is still in hand in time.
Such a step leads from one filling to another as often as back, so that many make all equally likely
(Metropolis et al. 1953, Journal of Chemical Physics 21, 1087-1092).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, Row, below, bit, cleared, fill, jit, lowest, scratch, shuffle_with
from .hands import show_kind
from .slots import HANDS, OWN, SLOTS, STOCK, WORLD, heaps_fit, know
from .state import CUT, DECK_SIZE, JOKER, KIND, MOST_PLAYERS, N_KINDS, PLACE, cutter

MOST_TRIES = 100_000  # far beyond any need; contradictory rows, which no game leads to, end here
FEW = 8  # cards played out of slots that are not known: up to so many all is drawn again until it counts
STEPS = 4  # of the walk, for each card that is moved

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
    """Draw a random empty slot among the first n of a seat."""
    go_on_to(w, p, n)
    fewest = min(w.n_left[HANDS], w.n_left[w.heap_of_stock])
    if fewest == 0:
        fewest = max(w.n_left[HANDS], w.n_left[w.heap_of_stock])
    for _ in range(20 * w.n_free[p]):
        i = below(rng, w.n_free[p])
        slot = I64(w.free[p, i])
        heap = heap_of(w, slot)
        even = w.n_left[heap] == fewest or below(rng, w.n_left[heap]) < fewest
        if w.left[heap, kind] > 0 and even and (strict or leaves_room(w, p, kind, w.order[slot], rng)):
            w.n_free[p] -= 1
            w.free[p, i] = w.free[p, w.n_free[p]]
            return slot
    return NOBODY


@jit
def heap_of(w: Any, slot: int) -> int:
    """Return the heap that a slot is filled from."""
    return I64(w.heap_of_stock) if slot < w.n_stock else I64(HANDS)


@jit
def go_on_to(w: Any, p: int, n: int) -> None:
    """Go on to the time when a seat had n slots; those that are not known are empty."""
    for k in range(w.n_filled[p], n):
        slot = nth_slot(w, p, k)
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
    heap = heap_of(w, slot)
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
    """Return a random empty slot of a heap that has one."""
    slot = I64(w.open[heap, below(rng, w.n_open[heap])])
    while w.kind[slot] != NOBODY:
        slot = I64(w.open[heap, below(rng, w.n_open[heap])])
    return slot


@jit
def misplaced(w: Any, slot: int, kind: int) -> bool:
    """Whether a card may not be in a slot."""
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


# --- the walk -----------------------------------------------------------------------------------------------


@jit
def walk(w: Any, rng: Any) -> None:
    """Move the cards put so far, each several times, until all ways to fill the slots are equally likely.

    The slots of the rest are empty. A step swaps the contents of two slots. At the end it is said anew which
    cards were played.
    """
    places, n = scratch(SLOTS, np.int16), I64(0)
    for slot in range(w.n_slots):
        if w.known[slot] == NOBODY and w.kind[slot] != NOBODY:
            places[n], w.card[slot] = slot, n
            n += 1
        else:
            w.card[slot] = NOBODY
    for _ in range(STEPS * n):
        one = I64(places[below(rng, n)])
        other = partner(w, one, rng)
        if w.kind[one] != w.kind[other] and heap_of(w, one) == heap_of(w, other):
            w.kind[one], w.kind[other] = w.kind[other], w.kind[one]
            if in_time(w, one, w.kind[other]) and in_time(w, other, w.kind[one]):
                w.card[one], w.card[other] = w.card[other], w.card[one]
                places[w.card[other]] = other
                if w.card[one] != NOBODY:
                    places[w.card[one]] = one
            else:
                w.kind[one], w.kind[other] = w.kind[other], w.kind[one]
    for slot in range(w.n_slots):
        w.played[slot] = w.used[slot]
    for i in range(w.n_outs):
        w.played[first_held(w, w.out_seat[i], w.out_kind[i])] = 1


@jit
def partner(w: Any, slot: int, rng: Any) -> int:
    """Draw a slot to swap with: any of the same heap, or one of the same hand (itself if there is none)."""
    if below(rng, 2) == 0:
        heap = heap_of(w, slot)
        return I64(w.open[heap, below(rng, w.n_open[heap])])
    p = I64(w.owner[slot])
    if p == NOBODY:
        return slot
    other = nth_slot(w, p, below(rng, w.dealt[p] + w.draws[p]))
    return other if w.known[other] == NOBODY else slot


@jit
def nth_slot(w: Any, p: int, k: int) -> int:
    """Return the slot of a seat that was filled as number k."""
    return w.first[p] + k if k < w.dealt[p] else I64(w.draw[p, k - w.dealt[p]])


@jit
def in_time(w: Any, slot: int, gone: int) -> bool:
    """Whether a slot may hold its card, and its seat still has each card of the kind that went in time."""
    if w.kind[slot] == JOKER and w.natural[slot] == 1:
        return False
    p = I64(w.owner[slot])
    if p == NOBODY or gone == NOBODY or w.last[p, gone] == NOBODY:
        return True
    needed = I64(0)
    for i in range(w.n_outs):
        if w.out_seat[i] == p and w.out_kind[i] == gone:
            needed += 1
            if held_by(w, p, gone, w.dealt[p] + w.out_slots[i]) < needed:
                return False
    return True


@jit
def held_by(w: Any, p: int, kind: int, n: int) -> int:
    """Count the cards of a kind in the first n slots of a seat, without known ones."""
    found = I64(0)
    for k in range(n):
        slot = nth_slot(w, p, k)
        found += w.kind[slot] == kind and w.known[slot] == NOBODY
    return found


@jit
def first_held(w: Any, p: int, kind: int) -> int:
    """Return the first slot of a seat with a card of this kind that is not known and not yet played."""
    for k in range(w.dealt[p] + w.draws[p]):
        slot = nth_slot(w, p, k)
        if w.kind[slot] == kind and w.known[slot] == NOBODY and not w.played[slot]:
            return slot
    return NOBODY


# --- the world ----------------------------------------------------------------------------------------------


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill the hidden hands, draws, the stock and the cards seen at the cut with a random world [6]."""
    w, cards = cleared(1, WORLD)[0], scratch(DECK_SIZE, np.int16)
    know(s, w)
    if not heaps_fit(w):
        return
    strict, found, tries = w.n_outs <= FEW, False, 0
    while not found:
        if tries == MOST_TRIES:
            return
        begin_try(w)
        found = put_played(w, strict, rng) and put_equals(w, strict, rng)
        tries += 1
    if not strict:
        walk(w, rng)
    put_rest(w, cards, rng)
    take_over(s, w)
    if s.seen[0] == NOBODY:
        imagine_seen(s, w, rng)


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
def bottom_card(s: Row, w: Any, j: int, rng: Any) -> int:
    """Return a natural that may have been one of the lowest of the first stock, by who drew it."""
    if w.bottom_gone[j] != JOKER:
        return w.bottom_gone[j]
    p = w.bottom_seat[j]
    for k in range(w.dealt[p]):  # it discarded a joker: a card that it still had when this stock was made
        if w.kind[w.first[p] + k] != JOKER:
            return I64(w.kind[w.first[p] + k])
    hand = s.hand[p]
    for i in range(s.n_drawn):
        if s.drawer[i] == p and s.drawn[i] != JOKER:
            hand &= ~bit(PLACE[s.drawn[i]])
    return KIND[lowest(hand)] if hand != 0 else s.jolly


@jit
def imagine_seen(s: Row, w: Any, rng: Any) -> None:
    """Imagine the cards that the cutter saw.

    Jokers are in random places, the lowest natural is the Jolly card, then comes the stock's bottom.

    After a reshuffle whoever drew one has discarded it in the same turn, as far as the rules allow that.
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
            slot = w.n_stock - naturals
            s.seen[i] = s.drawn[slot] if slot < s.n_drawn else s.stock[naturals - 1]
        else:
            s.seen[i] = bottom_card(s, w, naturals - 1, rng)
        naturals += 1
