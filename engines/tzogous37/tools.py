"""Tools for bots of Tzogous 37: how to split a hand over the rounds, how a betting would end in a world.

Estimates, not rules: a split is the one whose pairs promise most against usual opponents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import I64, NOBODY, Row, count, entry, has, jit, lowest, rows, scratch
from . import state
from .state import HAND, JOKER, PACK, ROUNDS, Action, Phase, pair_score, value

PLACE = int(Action.PLACE)
WORTH = np.array([round(1000 / (1 + 2.718281828 ** ((25 - score) / 3.5))) for score in range(41)])
"""Chance in thousandths that a score wins a pot against one usual opponent: a half at 25."""
TYPICAL_COMMUNITY = 10
"""What the community card adds to the last card, bonuses included, on average."""
PAIRED = 6
"""Cards in the pairs of a split."""
SQUARE = HAND * HAND
SPLITS = 1 << HAND
"""Sets of cards of a hand."""


@jit
def score_of(cards: Any, i: int, j: int) -> int:
    """Score of the cards at two indices of an array."""
    return pair_score(I64(cards[i]), I64(cards[j]))


@jit
def split_values(cards: Any, n: int, best: Any) -> None:
    """Write what the best split of every set of cards is worth into `best`.

    The sets are those of the first `n` cards (n <= 7). A split is pairs and one card for round 4.

    Args:
        cards: card numbers, any integer array.
        n: number of cards.
        best: int64[SPLITS], set in place: by set of indices as a mask.
    """
    pairs, alone = scratch(SQUARE, np.int64), scratch(HAND, np.int64)
    for i in range(n):
        alone[i] = WORTH[value(cards[i]) + TYPICAL_COMMUNITY]
        for j in range(i + 1, n):
            pairs[HAND * i + j] = WORTH[score_of(cards, i, j)]
    best[0] = 0
    for chosen in range(1, 1 << n):
        low, rest = lowest(chosen), chosen & (chosen - 1)
        top = alone[low] + best[rest] if count(chosen) & 1 else I64(-1)
        others = rest
        while others != 0:
            j = lowest(others)
            top = max(top, pairs[HAND * low + j] + best[rest & ~(1 << j)])
            others &= others - 1
        best[chosen] = top


@jit
def spare_card(cards: Any, n: int) -> int:
    """Index of the card whose loss costs the split least; of equal ones the lowest."""
    best = scratch(SPLITS, np.int64)
    split_values(cards, n, best)
    pick = 0
    for i in range(n):
        mine, other = best[((1 << n) - 1) & ~(1 << i)], best[((1 << n) - 1) & ~(1 << pick)]
        if mine > other or (mine == other and value(cards[i]) < value(cards[pick])):
            pick = i
    return pick


@jit
def partner_card(cards: Any, n: int, fixed: int) -> int:
    """Index of the card to lay beside `fixed`, so that this pair and the split of the rest are worth most."""
    best = scratch(SPLITS, np.int64)
    split_values(cards, n, best)
    pick, top = 0, -1
    for i in range(n):
        here = WORTH[pair_score(fixed, I64(cards[i]))] + best[((1 << n) - 1) & ~(1 << i)]
        if here > top:
            pick, top = i, here
    return pick


@jit
def split_pairs(cards: Any, n: int, out: Any) -> int:
    """Write the pairs of the best split, as indices, from the best to the worst; return how many pairs.

    `out`: integer array of PAIRED; pair k is out[2k] and out[2k + 1]. A card that is left over is in no pair,
    but a card that is all there is makes a pair with itself.
    """
    if n == 1:
        out[0] = out[1] = 0
        return 1
    best = scratch(SPLITS, np.int64)
    split_values(cards, n, best)
    left = (1 << n) - 1
    pairs = 0
    for low in range(n):
        if not left >> low & 1:
            continue
        rest = left & ~(1 << low)
        for j in range(low + 1, n):
            score = score_of(cards, low, j)
            if rest >> j & 1 and best[left] == WORTH[score] + best[rest & ~(1 << j)]:
                insert_pair(cards, out, pairs, low, j)
                pairs += 1
                rest &= ~(1 << j)
                break
        left = rest
    return pairs


@jit
def insert_pair(cards: Any, out: Any, pairs: int, i: int, j: int) -> None:
    """Put a pair among the sorted ones, its higher card first."""
    if value(cards[j]) > value(cards[i]):
        i, j = j, i
    score = score_of(cards, i, j)
    k = pairs
    while k > 0 and score_of(cards, out[2 * k - 2], out[2 * k - 1]) < score:
        out[2 * k] = out[2 * k - 2]
        out[2 * k + 1] = out[2 * k - 1]
        k -= 1
    out[2 * k] = i
    out[2 * k + 1] = j


@jit
def planned_card(s: Row, order: int) -> int:
    """Return the card to place by the best split for the seat to act."""
    p = s.seat
    cards = scratch(PACK, np.int16)
    hand, doubled = s.hand[p], s.doubled[p]
    if s.phase == Phase.GIVE:
        hand, doubled = state.drop_card(hand, doubled, JOKER)
    n = state.multiset_into(cards, hand, doubled)
    if n == 1 or s.phase in (Phase.DISCARD, Phase.SURVIVE, Phase.GIVE):
        return I64(cards[spare_card(cards, n)])
    if s.phase == Phase.PLACE2:
        return I64(cards[partner_card(cards, n, I64(s.table[2 * p]))])
    pairs = scratch(PAIRED, np.int16)
    k = min(order, split_pairs(cards, n, pairs) - 1)
    # the lower card is the one to show: second in round 1, first in round 3
    first = 1 if s.round_no == 3 else 0
    return I64(cards[pairs[2 * k + first]])


@entry
def planned_action(states: Any, i: int, order: int) -> int:
    """Return the `place X` of the best split for the seat to act, in any placing phase.

    Args:
        states: a batch, of views or not.
        i: its row.
        order: which pair of the split to begin with, 0 the best, 1 the next, ...; at most the last.
    """
    return PLACE + planned_card(states[i], order)


@jit
def likely_score(s: Row, p: int, viewer: int, order: int) -> int:
    """Score that seat p has or will have in this round by the best split of what it holds in this world.

    Cards that `viewer` knows lie as they are; the others of this round and the hand are split anew, since
    nobody places at random. A folder or survivor of betting 1 is asked for its pair as well.
    """
    if s.round_no == ROUNDS:
        return last_score(s, p)
    first, second = I64(s.table[2 * p]), I64(s.table[2 * p + 1])
    fixed1 = first != NOBODY and has(s.knows[2 * p], viewer)
    fixed2 = second != NOBODY and has(s.knows[2 * p + 1], viewer)
    if fixed1 and fixed2:
        return pair_score(first, second)
    cards = scratch(PACK, np.int16)
    n = state.multiset_into(cards, s.hand[p], s.doubled[p])
    if first != NOBODY and not fixed1:
        cards[n] = first
        n += 1
    if second != NOBODY and not fixed2:
        cards[n] = second
        n += 1
    if fixed1 or fixed2:
        fixed = first if fixed1 else second
        return pair_score(fixed, I64(cards[partner_card(cards, n, fixed)]))
    pairs = scratch(PAIRED, np.int16)
    k = order % split_pairs(cards, n, pairs)
    return score_of(cards, pairs[2 * k], pairs[2 * k + 1])


@jit
def last_score(s: Row, p: int) -> int:
    """Round 4: slot 1 with the community card, which is the next card of the deck if it is still to come."""
    community = s.community
    if community == NOBODY:
        community = I64(s.deck_cards[s.left - 1]) if s.left > 0 else JOKER
    return pair_score(I64(s.table[2 * p]), community)


@entry
def showdowns(worlds: Any, seat: int, mine: Any, theirs: Any) -> None:
    """For every world of a seat's view in betting: its score, and the best score of the other alive seats.

    Args:
        worlds: determinized views.
        seat: the viewer.
        mine: int64, a score per world, set in place.
        theirs: int64, a score per world, set in place; -1 if nobody else is alive.
    """
    for i in range(len(worlds)):
        s = worlds[i]
        mine[i] = likely_score(s, seat, seat, 0)
        theirs[i] = -1
        for p in range(s.players):
            if p != seat and has(s.alive, p):
                theirs[i] = max(theirs[i], likely_score(s, p, seat, i))


@jit
def hoped_score(s: Row, p: int, betting: int) -> int:
    """Score that seat p can hope for in this round by the best split of its hand, in betting 0 or 1 [5.1]."""
    if s.round_no == ROUNDS and betting == 0:
        return value(I64(s.table[2 * p])) + TYPICAL_COMMUNITY
    return likely_score(s, p, p, 0)


@entry
def own_score(states: Any, i: int) -> int:
    """`hoped_score` of the seat to act in row i."""
    s = states[i]
    return hoped_score(s, s.seat, I64(s.community != NOBODY))


@entry
def seen_score(states: Any, i: int, p: int) -> int:
    """Score in this round of the cards of seat p that the seat to act knows; the value of one alone."""
    s = states[i]
    first = I64(s.table[2 * p])
    second = s.community if s.round_no == ROUNDS else I64(s.table[2 * p + 1])
    if first >= 0 and second >= 0:
        return pair_score(first, second)
    return value(first if first >= 0 else second) if max(first, second) >= 0 else 0


@entry
def seen_value(states: Any, i: int, place: int) -> int:
    """Value of the card on a place of the table (2 * seat + slot) that a row shows; -1 if it does not."""
    s = states[i]
    card = I64(s.table[place])
    return value(card) if card >= 0 else -1


def use_all(states: Any) -> None:
    """Call every helper once, so that it is compiled and loaded. `states`: games at their first decision."""
    batch = rows(states)
    scores = np.zeros(len(states), np.int64)
    showdowns(batch, 0, scores, scores.copy())
    (
        planned_action(batch, 0, 0),
        own_score(batch, 0),
        seen_score(batch, 0, 1),
        seen_value(batch, 0, 0),
    )
