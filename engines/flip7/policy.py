"""Flip 7, for the search: a quick player for playouts, where a round ends, and what the race is worth there.

The player counts cards: it hits while the next card is expected to add points, as the bot `oddsman` does.
Towards the end of the game it weighs what a row makes of the race against every other seat, as the bot
`racer` does, but one card ahead: the three draws of a Flip Three are three like the next one.
"""

from __future__ import annotations

from math import exp, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from ..core import Row, count, has, jit, legal, scratch
from . import state
from .state import KINDS, SECOND_CHANCE, Action, row_points
from .tools import next_cards

PRESET = {"playouts": 600, "noise": 0.0, "places": True, "gate": 2.0}  # see engines.search.preset
TRIFLE = 0.004  # of the others left behind: a decision that costs less does not matter
EVENTS = "the row makes no points", "the row makes 30 points or more", "the game ends with this round"
"""What `happened` tells, by bit."""
MANY = 30

ROUND_POINTS, ROUND_SPREAD = 21.0, 24.0
"""Mean points of a round, and how far one moves a seat, as the bot `racer` has them from measured games."""
CLOSED_POINTS, CLOSED_SPREAD, MORE = 31.0, 12.0, 3.0
"""What an open row comes to if it does not bust, from the same games: mean and deviation; at least so many
points more than now."""
HOPE = 10.0
"""Points that a row can well catch up in the last round: one so far behind comes true once in e times."""
WIDE, FINE = 4, 32
NORMAL = np.array([NormalDist().cdf(i / FINE - WIDE) for i in range(2 * WIDE * FINE + 1)])
"""The normal distribution from -4 to 4 in steps of 1/32, to read between."""
CLOSE = 65
"""The race is weighed once a seat is so near the goal; before, points and the race come to the same."""


@jit
def policy(s: Row, out: Any, rng: Any) -> int:
    """Hit while that is expected to add points; give action cards to the leader."""
    n = legal(s, out)
    if out[0] >= Action.GIVE:
        return taker(s, out, n)
    if n == 2 and out[1] == Action.STAY and not goes_on(s, s.seat):
        return int(out[1])
    return int(out[0])


@jit
def goes_on(s: Row, seat: int) -> bool:
    """Whether to hit; with a Second Chance in the row always."""
    if state.has_chance(s, seat):
        return True
    best = 0
    for other in range(s.players):
        best = max(best, s.total[other] + row_points(s, other))
    counts = scratch(KINDS, np.int64)
    left = next_cards(s, counts)
    if best + CLOSE < s.goal and s.round_no < s.max_rounds:
        return gain(s, seat, counts, left) > 0
    return helps(s, seat, counts, left)


@jit
def adds(held: int, card: int) -> int:
    """Return the points that a card which does not bust it adds to a row as one integer [5.1]."""
    if card == state.DOUBLE:
        return held >> state.TOTAL & 255
    if card >= state.NUMBERS:
        return int(state.VALUES[card])
    seventh = count(held & state.NUMBER_CARDS) == state.SEVEN - 1
    return (card << has(held, state.DOUBLE)) + (state.BONUS if seventh else 0)


@jit
def gain(s: Row, seat: int, counts: Any, left: int) -> float:
    """Return the points that the next card is expected to add to a row without a Second Chance [4.3, 5.1]."""
    held, now = s.held[seat], row_points(s, seat)
    more, lost = 0.0, 0
    for card in range(state.FREEZE):
        if card < state.NUMBERS and has(held, card):
            lost += counts[card]
        elif counts[card] > 0:
            more += counts[card] * adds(held, card)
    gain = (more - lost * now) / left
    flips = counts[state.FLIP_THREE]
    if flips > 0 and s.targeting == state.SELF:
        on = (1 - lost / left) ** 3
        gain += flips / left * (on * 3 * more / left - (1 - on) * now)
    return gain


@jit
def helps(s: Row, seat: int, counts: Any, left: int) -> bool:
    """Whether more of the others are expected to end behind a row after one more card than if it stays."""
    held, now = s.held[seat], row_points(s, seat)
    bust, stays = behind(s, seat, 0, False), behind(s, seat, now, False)
    total, on, more, lost = 0.0, behind(s, seat, now, True), 0.0, 0
    for card in range(state.FREEZE):
        if counts[card] == 0:
            continue
        if card < state.NUMBERS and has(held, card):
            lost += counts[card]
            total += counts[card] * bust
        else:
            points = adds(held, card)
            total += counts[card] * behind(s, seat, now + points, True)
            more += counts[card] * points
    total += counts[SECOND_CHANCE] * on
    if s.targeting == state.ANY:
        total += (counts[state.FREEZE] + counts[state.FLIP_THREE]) * on
    else:
        total += counts[state.FREEZE] * stays
        if counts[state.FLIP_THREE] > 0:
            safe = (1 - lost / left) ** 3
            points = now + int(3 * more / max(1, left - lost))
            total += counts[state.FLIP_THREE] * (safe * behind(s, seat, points, True) + (1 - safe) * bust)
    return total > stays * left


@jit
def behind(s: Row, seat: int, points: int, going: bool) -> float:
    """How many seats are expected to end behind this one if its row comes to these points."""
    mine, best, on = s.total[seat] + points, s.total[seat] + points, 1.0
    for other in range(s.players):
        if other != seat:
            total, now = s.total[other], row_points(s, other)
            if has(s.active, other):
                usual = total + max(CLOSED_POINTS, now + MORE)
                on *= 1 - (1 - bust_chance(now)) * below(usual - s.goal, CLOSED_SPREAD)
            else:
                best = max(best, total + now)
    if best >= s.goal or s.round_no == s.max_rounds:
        return ahead(s, seat, mine, 0.0, going)
    behind = ahead(s, seat, mine, spread_of(max(0.5, (s.goal - best) / ROUND_POINTS)), False)
    return behind if on > 0.99 else on * behind + (1 - on) * ahead(s, seat, mine, 0.0, going)


@jit
def ahead(s: Row, seat: int, mine: int, spread: float, going: bool) -> float:
    """How many seats end behind a total, if the rest of the game spreads the differences so."""
    behind, wide = 0.0, sqrt(spread**2 + CLOSED_SPREAD**2)
    for other in range(s.players):
        if other == seat:
            continue
        total, now = s.total[other], row_points(s, other)
        if has(s.active, other):
            bust, usual = bust_chance(now), total + max(CLOSED_POINTS, now + MORE)
            behind += bust * below(mine - total, spread) + (1 - bust) * below(mine - usual, wide)
        elif going and mine <= total + now:
            behind += exp((mine - total - now - 1) / HOPE)
        else:
            behind += below(mine - total - now, spread)
    return behind


@jit
def bust_chance(points: int) -> float:
    """How often an open row of these points busts in the end, in the same games."""
    return 0.25 if points < 20 else 0.15 if points < 25 else 0.05 if points < 30 else 0.03


@jit
def spread_of(rounds: float) -> float:
    """How far so many rounds spread the difference of two totals."""
    return ROUND_SPREAD * sqrt(2 * rounds)


@jit
def taker(s: Row, out: Any, n: int) -> int:
    """Choose the `give` to the other seat with most points."""
    best, most = int(out[0]), -1 << 40
    for k in range(n):
        seat = int(out[k]) - Action.GIVE
        points = int(s.total[seat]) + row_points(s, seat)
        worth = -points if s.card == SECOND_CHANCE else points
        if seat != s.seat and worth > most:
            best, most = int(out[k]), worth
    return best


@jit
def stage(s: Row) -> int:
    """Return the round."""
    return int(s.round_no)


@jit
def standing(s: Row, points: Any, out: Any) -> None:
    """Write every seat's standing in the race into `out`."""
    best = 0
    for seat in range(s.players):
        best = max(best, s.total[seat])
    rounds = 0.0 if state.game_over(s) else max(0.5, (s.goal - best) / ROUND_POINTS)
    spread = spread_of(rounds)
    for seat in range(s.players):
        share = -0.5  # itself
        for other in range(s.players):
            share += below(points[seat] - points[other], spread)
        out[seat] = share / max(1, s.players - 1)


@jit
def below(gap: float, spread: float) -> float:
    """Compute the chance that a normal deviate is below `gap`, to four digits."""
    if spread <= 0:
        return 1.0 if gap > 0 else 0.5 if gap == 0 else 0.0
    place = (gap / spread + WIDE) * FINE
    if place <= 0:
        return 0.0
    if place >= len(NORMAL) - 1:
        return 1.0
    at = int(place)
    return NORMAL[at] + (place - at) * (NORMAL[at + 1] - NORMAL[at])


@jit
def happened(s: Row, before: Row, seat: int) -> int:
    """Tell what the round brought a seat, and whether it was the last."""
    made = s.total[seat] - before.total[seat]
    return int(made == 0) | int(made >= MANY) << 1 | int(state.game_over(s)) << 2
