"""Jolly Zoliky: what a seat sees, and random worlds that agree with it [6]."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, Row, below, bit, count, fill, has, jit, lowest, shuffle_with
from .hands import folded, put_kind
from .melds import SET, SUIT_LANES, SUITS_FIELD, high_end, lane_of, low_end, meld_jokers
from .state import DECK_SIZE, JOKER, KIND, N_KINDS, PLACE, cutter, reshuffles


@jit
def redact(s: Row, seat: int) -> None:
    """Blank the other hands, the stock and, but for the cutter, the cards seen at the cut."""
    for p in range(s.players):
        if p != seat:
            s.hand[p] = s.twice[p] = s.jokers[p] = 0
    fill(s.stock, NOBODY)
    if seat != cutter(s):
        fill(s.seen, NOBODY)


@jit
def hidden(s: Row, p: int) -> int:
    """Cards of a seat that a view does not show: all of them or none."""
    return s.held[p] - count(s.hand[p]) - count(s.twice[p]) - s.jokers[p]


@jit
def count_unseen(s: Row, out: Any) -> None:
    """Write how many cards of every kind (int16[53]) the row does not show: those of the stock and of hidden hands."""
    for kind in range(N_KINDS):
        out[kind] = 2
    out[JOKER] = 4
    for p in range(s.players):
        out[JOKER] -= s.jokers[p]
        not_unseen(out, s.hand[p])
        not_unseen(out, s.twice[p])
    for i in range(s.n_pile):
        out[s.pile[i]] -= 1
    for i in range(s.n_melds):
        out[JOKER] -= meld_jokers(s.melds[i])
        not_unseen(out, folded(naturals_in(s.melds[i])))
    if s.jolly != NOBODY and not s.jolly_turn:
        out[s.jolly] -= 1


@jit
def not_unseen(out: Any, naturals: int) -> None:
    """Count naturals off."""
    while naturals != 0:
        out[KIND[lowest(naturals)]] -= 1
        naturals &= naturals - 1


@jit
def naturals_in(m: int) -> int:
    """The naturals of a meld, as lanes."""
    if m & SET:
        return SUIT_LANES[m & SUITS_FIELD] << low_end(m)
    return (bit(high_end(m) + 1) - bit(low_end(m)) & ~m) << lane_of(m)


@jit
def bottom_cards(s: Row) -> int:
    """How many cards that the cutter saw lie at the bottom of the stock; everybody knows that they are naturals."""
    return min(max(2 - s.kept, 0), s.n_stock) if reshuffles(s) == 0 else 0


@jit
def determinize(s: Row, rng: Any) -> None:
    """Fill the hidden hands, the stock and the cards seen at the cut with a random world.

    What everybody knows is kept to: numbers of cards, the cutter's jokers, owed cards, naturals at the bottom of the
    stock, after a reshuffle the cards that the stock was made of; in the cutter's view the bottom cards, too. Nothing is
    read out of behaviour.
    """
    unseen, cards = np.zeros(N_KINDS, np.int16), np.zeros(DECK_SIZE, np.int16)
    count_unseen(s, unseen)
    for p in range(s.players):
        if hidden(s, p) > 0:
            give_known(s, p, unseen)
    if reshuffles(s) > 0:
        stock_from_pool(s, unseen, cards, rng)
        collect(unseen, cards, rng)
        at = I64(0)
    else:
        at = stock_bottom(s, unseen)
        collect(unseen, cards, rng)
        at = deal_stock(s, cards, at)
    for p in range(s.players):
        for _ in range(hidden(s, p)):
            s.held[p] -= 1  # put_kind counts it again
            put_kind(s, p, I64(cards[at]))
            at += 1
    if s.seen[0] == NOBODY:
        imagine_seen(s, rng)


@jit
def give_known(s: Row, p: int, unseen: Any) -> None:
    """Put the cards that seat p holds for certain into its hidden hand."""
    jokers = s.owed_jokers if p == s.mover else I64(0)
    if p == cutter(s):
        jokers = max(jokers, s.sure_jokers)
    s.jokers[p] = jokers
    unseen[JOKER] -= jokers
    if p == s.mover and s.owed != NOBODY:
        s.hand[p] = bit(PLACE[s.owed])
        unseen[s.owed] -= 1


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


@jit
def stock_bottom(s: Row, unseen: Any) -> int:
    """In the cutter's view: put what is left of the cards seen at the cut under the stock; return how many they are."""
    n, naturals = 0, 0
    if s.seen[0] != NOBODY:
        for i in range(2, -1, -1):
            naturals += I64(s.seen[i] != JOKER)
            if s.seen[i] != JOKER and naturals > 1 and n < bottom_cards(s):  # the first natural from below was the Jolly card
                s.stock[n] = s.seen[i]
                unseen[s.seen[i]] -= 1
                n += 1
    return n


@jit
def deal_stock(s: Row, cards: Any, known: int) -> int:
    """Fill the stock above its `known` lowest cards from shuffled cards, naturals at the bottom; return how many were used."""
    used = 0
    for i in range(known, s.n_stock):
        at = used
        while i < bottom_cards(s) and cards[at] == JOKER:
            at += 1
        s.stock[i] = cards[at]
        cards[at] = cards[used]
        used += 1
    return used


@jit
def stock_from_pool(s: Row, unseen: Any, cards: Any, rng: Any) -> None:
    """After a reshuffle: fill the stock with unseen cards that were in the pile then."""
    pool = np.zeros(N_KINDS, np.int16)
    for kind in range(JOKER):
        there = I64(has(s.pool, PLACE[kind])) + I64(has(s.pool_twice, PLACE[kind]))
        pool[kind] = min(unseen[kind], there)
    pool[JOKER] = min(unseen[JOKER], s.pool_jokers)
    collect(pool, cards, rng)
    for i in range(s.n_stock):
        s.stock[i] = cards[i]
        unseen[cards[i]] -= 1


@jit
def imagine_seen(s: Row, rng: Any) -> None:
    """Cards that the cutter may have seen: jokers in random places, the lowest natural is the Jolly card, then the stock's
    bottom; those that are drawn by now can be any.
    """
    jokers, naturals = s.kept, 0
    for i in range(2, -1, -1):
        if below(rng, i + 1) < jokers:
            s.seen[i] = JOKER
            jokers -= 1
            continue
        if naturals == 0:
            s.seen[i] = s.jolly
        elif naturals <= bottom_cards(s):
            s.seen[i] = s.stock[naturals - 1]
        else:
            s.seen[i] = (s.jolly + 1 + below(rng, 25) + 25 * (naturals - 1)) % JOKER
        naturals += 1
