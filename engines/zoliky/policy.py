"""Jolly Zoliky, for the search: a quick player, what is searched, and where a deal ends.

The player sees when it can go out, and parts with the card that has least company in the hand. The weights
of company were tried against each other in 20 000 deals; with them it is as strong as the bot `tallyman`,
which samples the cards to come, at a thousandth of its time.
"""

from __future__ import annotations

from typing import Any

from ..core import I64, U64, Row, bit, count, has, jit, legal
from .hands import mirrored
from .lookahead import can_complete, can_take, promising_steps
from .melds import welcome
from .rules import discards, draws, may_draw, may_meld
from .state import ACES, ALL_LANES, JOKER, PLACE, Action, Phase
from .steps import COST, JOKERS

PRESET = {"playouts": 600, "noise": 0.0, "places": True}  # see engines.search.preset
TRIFLE = 0.004  # of the others left behind: a decision that costs less does not matter
EVENTS = "the seat goes out", "another seat goes out", "the seat loses 20 points or more"
"""What `happened` tells, by bit."""
MANY = 20

NEXT, NEXT_BUT_ONE, SAME_RANK = 3, 2, 2
"""Worth of a card by the kinds beside it in its suit, at one from it, and of its rank."""
TWIN, GIFT = -3, 4
"""The second of two equal cards adds little; what the next seat could lay off at once had better stay."""
SEARCHED = 6
"""Discards that are searched, those with least worth."""
NOTHING = -1


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Return the action of the rollout policy."""
    if s.phase == Phase.DRAWING:
        n = draws(s, out)  # the Jolly card rather than the pile, the pile rather than the stock
        while n > 1 and not may_draw(s, I64(out[n - 1])):
            n -= 1
        return int(out[n - 1])
    action = meld_step(s, out) if may_meld(s) else NOTHING
    return action if action != NOTHING else least_worth(s, out, discards(s, out))


@jit
def meld_step(s: Row, out: Any) -> int:
    """Return a meld step towards going out in this turn, else the best of all; NOTHING if there is none."""
    if s.opened[s.seat] and not s.jolly_turn:
        s.jolly_turn = 1  # all must go: whether that can be is what the rules ask of a Jolly turn
        action = best_step(s, out, promising_steps(s, out, 0)) if can_complete(s) else NOTHING
        s.jolly_turn = 0
        if action != NOTHING:
            return action
    return best_step(s, out, promising_steps(s, out, 0))


@jit
def best_step(s: Row, out: Any, n: int) -> int:
    """Return the best meld step among the first `n` of `out`, or NOTHING."""
    while n > 0:
        best, most = 0, -1 << 20
        for k in range(n):
            worth = COST[out[k]] - 100 * JOKERS[out[k]]
            if worth > most:
                best, most = k, worth
        action = I64(out[best])
        if can_take(s, action):
            return action
        n -= 1
        out[best] = out[n]
    return NOTHING


@jit
def least_worth(s: Row, out: Any, n: int) -> int:
    """Return the discard among the first `n` of `out` with the least worth, of equal ones the first."""
    gifts, best, least = gifts_of(s), int(out[0]), 1 << 20
    for k in range(n):
        value = worth(s, I64(out[k]) - Action.DISCARD, gifts)
        if value < least:
            best, least = int(out[k]), value
    return best


@jit
def gifts_of(s: Row) -> int:
    """Return the naturals that the table takes at once from the next seat, if that is open."""
    return welcome(s) if s.opened[(s.seat + 1) % s.players] else I64(0)


@jit
def worth(s: Row, kind: int, gifts: int) -> int:
    """Return what a card of the hand is worth there: company, and no gift; a joker is worth most."""
    if kind == JOKER:
        return 1 << 16
    hand, at = s.hand[s.seat], I64(PLACE[kind])
    cells = mirrored(hand)
    value = beside(cells, at)
    if bit(at) & ACES:
        value += beside(cells, at + 13)  # the ace is high, too
    value += SAME_RANK * (count((hand >> (at & 15)) & ALL_LANES) - 1)
    if has(s.twice[s.seat], at):
        value += TWIN
    return value + GIFT if has(gifts, at) else value


@jit
def beside(cells: int, at: int) -> int:
    """Worth of what lies beside a position of a mirrored hand; the bits 0 and 15 of a suit are empty."""
    near = U64(cells) << U64(2) >> U64(at)  # bit 2: the position itself
    value = NEXT * count(near & U64(0b01010))
    low = 0b00001 if at & 15 > 1 else 0  # two below an ace is another suit, two above it likewise
    high = 0b10000 if at & 15 < 14 else 0
    return value + NEXT_BUT_ONE * count(near & U64(low | high))


@jit
def candidates(s: Row, out: Any, rng: Any) -> int:
    """All draws and meld steps, and the discards with least worth."""
    n = legal(s, out)
    if s.phase == Phase.DRAWING:
        return n
    discarding = 0
    while discarding < n and out[discarding] < Action.RUN:
        discarding += 1
    kept = keep_least(s, out, discarding)
    for k in range(discarding, n):
        out[kept + k - discarding] = out[k]
    return kept + n - discarding


@jit
def keep_least(s: Row, out: Any, n: int) -> int:
    """Keep the discards among the first `n` of `out` with least worth, in their order; return how many."""
    gifts = gifts_of(s)
    while n > SEARCHED:
        dear, most = 0, -1 << 20
        for k in range(n):
            value = worth(s, I64(out[k]) - Action.DISCARD, gifts)
            if value >= most:
                dear, most = k, value
        n -= 1
        for k in range(dear, n):
            out[k] = out[k + 1]
    return n


@jit
def stage(s: Row) -> int:
    """Return the deal."""
    return int(s.deal_number)


@jit
def happened(s: Row, before: Row, seat: int) -> int:
    """Tell who went out in the deal, and what it cost a seat."""
    others = False
    for other in range(s.players):
        others |= other != seat and s.totals[other] >= before.totals[other]
    lost = before.totals[seat] - s.totals[seat]
    return int(lost <= 0) | int(others) << 1 | int(lost >= MANY) << 2
