"""Run the compiled inner loop of a match.

It finds which games wait for whom and what a place is asked, and plays its answers and all that follows from
them.

A game waits for the place of the seat to act, unless that seat has forfeited: then it is played on at once.
It waits also where one action alone is legal. The place has its turn, though nobody asks its bot: otherwise
the order of the requests would tell the others that it had no choice, so which cards it lacks.
Not here: processes, clocks, what a fault says.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from engines import core
from engines.core import brief, direct, entry

if TYPE_CHECKING:
    from engines.game import Game

OVER = -1
FULL = -2
"""What a game waits for besides a place: nothing, as it is over; more room for its moves."""


@entry
def advance(
    states: Any,
    games: Any,
    actions: Any,
    places: Any,
    lost: Any,
    legal: Any,
    counts: Any,
    waits: Any,
    moves: Any,
    made: Any,
    cards: Any,
) -> bool:
    """Apply one action to each of some games, and play on for seats that have forfeited.

    Each game stops at the next seat that has not forfeited. All arrays but `games`, `actions`, `places` and
    `lost` are modified in place.

    Args:
        states: all games of the match.
        games: int64 [k], which of them.
        actions: int16 [k], checked; -1 where nothing is to be applied first.
        places: int64 [n, seats], who sits where.
        lost: bool [n, seats], who has forfeited: the lowest legal action plays on.
        legal: int16 [n, n_actions], the legal actions of the seat to act.
        counts: int64 [n], how many they are; 0 if the game is over.
        waits: int64 [n], the place that the game waits for, OVER or FULL.
        moves: int16 [n, capacity], every action of a game.
        made: int64 [n], how many are in `moves`.
        cards: int16 work array for shuffles.

    Returns:
        Whether a game is FULL: call again, with more capacity and the action -1.
    """
    full = False
    for k in range(len(games)):
        i = games[k]
        action = core.I64(actions[k])
        while True:
            if action >= 0:
                moves[i, made[i]] = action
                made[i] += 1
                core.step(states[i], action)
                core.settle(states[i], cards)
                counts[i] = core.legal_now(states[i], legal[i])
            if counts[i] == 0:
                waits[i] = OVER
                break
            if made[i] >= moves.shape[1]:
                waits[i] = FULL
                full = True
                break
            seat = states[i].seat
            if not lost[i, seat]:
                waits[i] = places[i, seat]
                break
            action = core.I64(legal[i, 0])
    return full


@entry
def gather(
    states: Any,
    place: int,
    waits: Any,
    legal: Any,
    counts: Any,
    games: Any,
    records: Any,
    seats: Any,
    gathered: Any,
    offsets: Any,
) -> int:
    """Write what the games in which a place has a choice show it, in the games' order, and which others wait.

    Args:
        states: all games of the match.
        place: which place.
        waits: as in `advance`.
        legal: as in `advance`.
        counts: as in `advance`.
        games: int64, gets the numbers of these games, then of those in which it has no choice.
        records: gets their rows, redacted for the seat to act.
        seats: int8, gets these seats.
        gathered: int16, gets their legal actions, one game after the other.
        offsets: int32, gets where each game's begin, and the end.

    Returns:
        In how many games it has a choice.
    """
    n = 0
    m = 0
    for i in range(len(states)):
        if waits[i] == place and counts[i] > 1:
            seat = states[i].seat
            games[n] = i
            seats[n] = seat
            records[n] = states[i]
            core.redact_row(records, n, seat)
            offsets[n] = m
            for j in range(counts[i]):
                gathered[m] = legal[i, j]
                m += 1
            n += 1
    offsets[n] = m
    forced = n
    for i in range(len(states)):
        if waits[i] == place and counts[i] == 1:
            games[forced] = i
            forced += 1
    return n


@brief
def fullest(waits: Any, waiting: Any) -> int:
    """Return the place that most games wait for, the first of equals, -1: none; `waiting` is work space."""
    for place in range(len(waiting)):
        waiting[place] = 0
    for i in range(len(waits)):
        if waits[i] >= 0:
            waiting[waits[i]] += 1
    best: int = core.I64(-1)
    most = core.I64(0)
    for place in range(len(waiting)):
        if waiting[place] > most:
            best = core.I64(place)
            most = waiting[place]
    return best


@cache
def calls_for(game: Game) -> tuple[Callable[..., bool], Callable[..., int], Callable[..., int]]:
    """`advance`, `gather` and `fullest` for arrays of exactly the types that they name (`direct`)."""
    rows, cards = core.rows(game.blank(1)), core.work(1)
    words, shorts, seats = np.zeros(1, np.int64), np.zeros(1, np.int16), np.zeros(1, np.int8)
    table, wide, lost = np.zeros((1, 1), np.int16), np.zeros((1, 1), np.int64), np.zeros((1, 1), np.bool_)
    offsets = np.zeros(1, np.int32)
    return (
        direct(advance, rows, words, shorts, wide, lost, table, words, words, table, words, cards),
        direct(gather, rows, 0, words, table, words, words, rows, seats, shorts, offsets),
        direct(fullest, words, words),
    )
