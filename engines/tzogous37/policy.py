"""Tzogous 37, for the search: a quick player, what is searched, which worlds are likely, and what a pot
leaves.

The player bets as the bot `odds37` does, but takes its chance from a table instead of sampled worlds. Placing
is left to it: what a card is worth shows in later rounds, and playouts end before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import HIDDEN, I64, NOBODY, Row, below, count, has, jit, scratch
from . import state, tools
from .state import PACK, RAISE, ROUNDS, Action, Phase
from .tools import PAIRED

RESPECT = 1.8  # a bet of the pot, 1/3 of the pot after the call, leaves the weaker 60 % of the opposition out
RAISE_FIRST, RAISE_AGAIN = 0.62, 0.70  # chances to win from which the player raises
BLUFFS = 0.3
JOKER_ANTES = 3
"""What a joker in hand is worth when a pot ends, in antes; nothing after the last betting of a hand."""
OTHER_PAIR = 4
"""One of so many placements is not of the best pair of the hand but of another one."""


@jit
def is_betting(s: Row) -> bool:
    """Whether the seat to act bets."""
    return s.phase in (Phase.BET1, Phase.BET2)


@jit
def happens(chance: float, rng: Any) -> bool:
    """True with this chance."""
    return below(rng, 1 << 20) < chance * (1 << 20)


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Raises the most when ahead, calls by the pot odds, at times bluffs; places by the best split; uses no
    joker.
    """
    if not is_betting(s):
        return Action.PLACE + tools.planned_card(s, 0)
    call = state.to_call(s, s.seat)
    chance = chance_to_win(s, call)
    raises = raise_action(s, state.raise_limits(s, s.seat)[1])
    if call == 0:
        return (
            raises
            if raises != NOBODY and (chance > RAISE_FIRST or happens(BLUFFS, rng))
            else Action.CHECK + 0
        )
    if raises != NOBODY and chance > RAISE_AGAIN:
        return raises
    return Action.CALL + 0 if chance * (state.pot_size(s) + call) > call else Action.FOLD + 0


@jit
def chance_to_win(s: Row, call: int) -> float:
    """Chance that the seat to act wins the pot by its own cards; the more it must call, the more weak
    opposition is left out.
    """
    chance = (tools.worth(tools.hoped_score(s)) / 1000) ** (count(s.alive) - 1)
    weak = min(0.9, RESPECT * call / (state.pot_size(s) + call))
    return max(0.0, (chance - weak) / (1 - weak))


@jit
def raise_action(s: Row, chips: int) -> int:
    """The action that raises by so many chips; NOBODY for none."""
    if chips == 0:
        return NOBODY
    steps = chips // s.step
    return RAISE + steps if steps <= state.MOST_RAISE else Action.RAISE_MAX + 0


@jit
def candidates(s: Row, out: Any, rng: Any) -> int:
    """In the bettings fold, check or call, and the largest raise; jokers are kept.

    Else what the policy does.
    """
    if not is_betting(s):
        out[0] = policy(s, out, rng)
        return 1
    call = state.to_call(s, s.seat)
    n = 0
    if call > 0:
        out[n] = Action.FOLD
        n += 1
    out[n] = Action.CALL if call > 0 else Action.CHECK
    n += 1
    most = raise_action(s, state.raise_limits(s, s.seat)[1])
    if most != NOBODY:
        out[n] = most
        n += 1
    return n


# --- worlds -----------------------------------------------------------------------------------------------


@jit
def believable(s: Row, rng: Any) -> bool:
    """The others lie with pairs of their best splits; who has bet most holds a good one, unless it bluffs."""
    me = s.seat
    for p in range(s.players):
        if p != me and s.paid[p] > 0 and s.round_no < ROUNDS:
            place_again(s, p, me, below(rng, 3) + 1 if below(rng, OTHER_PAIR) == 0 else 0)
    if not is_betting(s):
        return True
    high = state.high_bet(s)
    for p in range(s.players):
        if p != me and has(s.alive, p) and high > 0 and s.bet[p] == high:
            score = tools.likely_score(s, p, p, 0) if s.round_no < ROUNDS or s.community != NOBODY else 20
            if tools.worth(score) < 1000 * RAISE_FIRST and not happens(BLUFFS, rng):
                return False
    return True


@jit
def place_again(s: Row, p: int, viewer: int, order: int) -> None:
    """Exchange the cards of seat p that the viewer does not know, on the table and in hand, as its best split
    would have them.
    """
    first, second = I64(s.table[2 * p]), I64(s.table[2 * p + 1])
    open1 = first != NOBODY and not has(s.knows[2 * p], viewer)
    open2 = second != NOBODY and not has(s.knows[2 * p + 1], viewer)
    if not open1 and not open2:
        return
    if open1:
        s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], first)
    if open2:
        s.hand[p], s.doubled[p] = state.add_card(s.hand[p], s.doubled[p], second)
    cards = scratch(PACK, np.int16)
    n = state.multiset_into(cards, s.hand[p], s.doubled[p])
    if open1 and (open2 or second == NOBODY):
        pairs = scratch(PAIRED, np.int16)
        k = order % split_count(cards, n, pairs)
        shown_last = 1 if s.round_no == 3 else 0
        lay(s, p, 0, I64(cards[pairs[2 * k + shown_last]]))
        if open2:
            lay(s, p, 1, I64(cards[pairs[2 * k + 1 - shown_last]]))
    elif open1:
        lay(s, p, 0, I64(cards[tools.partner_card(cards, n, second)]))
    else:
        lay(s, p, 1, I64(cards[tools.partner_card(cards, n, first)]))


@jit
def split_count(cards: Any, n: int, pairs: Any) -> int:
    """`split_pairs`, of a hand of one card a pair of it with itself."""
    if n == 1:
        pairs[0] = pairs[1] = 0
        return 1
    return tools.split_pairs(cards, n, pairs)


@jit
def lay(s: Row, p: int, slot: int, card: int) -> None:
    """Put a card of the hand of seat p on one of its places."""
    s.hand[p], s.doubled[p] = state.drop_card(s.hand[p], s.doubled[p], card)
    s.table[2 * p + slot] = card


# --- the end of a pot -------------------------------------------------------------------------------------


@jit
def stage(s: Row) -> int:
    """The pot: hand and round."""
    return int((s.shuffle >> 6) * 8 + s.round_no)


@jit
def outlook(s: Row, out: Any) -> None:
    """Chips won so far, and what jokers in hand are worth while the hand goes on."""
    for p in range(s.players):
        out[p] = s.net[p] + JOKER_ANTES * s.ante * count(s.hand[p] >> state.JOKER)


@jit
def shown(s: Row, action: int) -> int:
    """Placed cards are hidden from the others, or as good as hidden:
    nothing follows from them in the tree.
    """
    return HIDDEN if action >= Action.PLACE and s.phase != Phase.GIVE else action
